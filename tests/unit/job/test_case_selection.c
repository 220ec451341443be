/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing cases of a config by operator, by id, and by a stretch of them.
 */
#include "run/run_test.h"

#include "opbench/job.h"

/* torch.add: cases 0 to 2; torch.mul: 3; aten::add: 4 and 5. */
#define CONFIG                                                                                     \
    "{" TEST_OPERATOR("torch.add", TEST_PAIR "," TEST_PAIR "," TEST_PAIR) "," TEST_OPERATOR(       \
        "torch.mul", TEST_PAIR) "," TEST_OPERATOR("aten::add", TEST_PAIR "," TEST_PAIR) "}"

static ob_context *context;
static ob_config *config;

/* "0+3 4+2 = 5": the ranges and how many cases. */
static void check(const ob_case_choice *choice, const char *want)
{
    char text[256] = "";
    size_t used = 0;
    ob_case_selection *selection = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob_cases_select(context, config, choice, &selection, &err), OB_OK);
    CHECK_STR(err.message, "");
    for (size_t i = 0; selection != NULL && i < selection->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d+%d ",
                                 (int)selection->ranges[i].first, (int)selection->ranges[i].count);
    if (selection != NULL)
        snprintf(text + used, sizeof text - used, "= %d", (int)selection->cases);
    CHECK_STR(text, want);
    ob_case_selection_destroy(selection);
}

static void refuse(const ob_case_choice *choice, ob_status want, const char *message)
{
    ob_case_selection *selection;
    ob_err err;
    CHECK_INT(ob_cases_select(context, config, choice, &selection, &err), want);
    CHECK_STR(err.message, message);
    CHECK(selection == NULL);
}

#define CHOICE(...)                                                                                \
    &(const ob_case_choice)                                                                        \
    {                                                                                              \
        .size = sizeof(ob_case_choice), __VA_ARGS__                                                \
    }

static void all_cases_are_one_range(void)
{
    check(CHOICE(.op = NULL), "0+6 = 6");
}

/* A name of the config means that entry; another name all entries that it leads to. */
static void operators_go_by_any_of_their_names(void)
{
    check(CHOICE(.op = "torch.add"), "0+3 = 3");
    check(CHOICE(.op = "torch.mul"), "3+1 = 1");
    check(CHOICE(.op = "aten::mul"), "3+1 = 1");
    check(CHOICE(.op = "aten::add.Tensor"), "0+3 4+2 = 5");
    refuse(CHOICE(.op = "torch.ad"), OB_ERR_NOT_FOUND,
           "test.json has no operator \"torch.ad\"; did you mean \"torch.add\"?");
    refuse(CHOICE(.op = "something"), OB_ERR_NOT_FOUND,
           "test.json has no operator \"something\"; `opbench expand -c` lists its cases");
}

static void one_case_goes_by_its_id(void)
{
    check(CHOICE(.only_case = "torch.add|0|0|2"), "2+1 = 1");
    check(CHOICE(.only_case = "aten::add|0|0|1"), "5+1 = 1");
    check(CHOICE(.only_case = "torch.add|0|0|1", .op = "aten::add.Tensor"), "1+1 = 1");
    refuse(CHOICE(.only_case = "torch.add|0|0|3"), OB_ERR_NOT_FOUND,
           "test.json has no case \"torch.add|0|0|3\"; `opbench expand` lists them");
    refuse(CHOICE(.only_case = "torch.add"), OB_ERR_INVALID,
           "\"torch.add\" is not a case; write OPERATOR|CONFIG|BUILD|INPUT");
    refuse(CHOICE(.only_case = "torch.add|0|0|1", .op = "torch.mul"), OB_ERR_INVALID,
           "--case torch.add|0|0|1 is not a case of --op torch.mul; leave one of them out");
}

static void stretches_have_a_first_case_and_an_end(void)
{
    check(CHOICE(.first_case = "torch.add|0|0|1"), "1+5 = 5");
    check(CHOICE(.end_case = "torch.mul|0|0|0"), "0+3 = 3");
    check(CHOICE(.first_case = "torch.add|0|0|1", .end_case = "aten::add|0|0|1"), "1+4 = 4");
    check(CHOICE(.first_case = "torch.add|0|0|1", .op = "aten::add.Tensor"), "1+2 4+2 = 4");
    check(CHOICE(.first_case = "torch.mul|0|0|0", .end_case = "torch.add|0|0|1"), "= 0");
}

static void warnings_are_of_operators_that_are_chosen(void)
{
    CHECK(ob_case_choice_has(context, CHOICE(.op = NULL), "torch.mul"));
    CHECK(ob_case_choice_has(context, CHOICE(.op = "aten::add"), "torch.add"));
    CHECK(!ob_case_choice_has(context, CHOICE(.op = "aten::add"), "torch.mul"));
    CHECK(ob_case_choice_has(context, CHOICE(.only_case = "torch.add|0|0|1"), "torch.add"));
    CHECK(!ob_case_choice_has(context, CHOICE(.only_case = "torch.add|0|0|1"), "torch.ad"));
    CHECK(!ob_case_choice_has(context, CHOICE(.only_case = "torch.add|0|0|1"), "torch.mul"));
}

static void the_choice_says_its_size(void)
{
    refuse(&(const ob_case_choice){.op = "torch.add"}, OB_ERR_INVALID,
           "ob_case_choice.size is not set; set it to sizeof(ob_case_choice)");
}

int main(void)
{
    context = run_context();
    config = run_config(context, CONFIG);
    RUN(all_cases_are_one_range);
    RUN(operators_go_by_any_of_their_names);
    RUN(one_case_goes_by_its_id);
    RUN(stretches_have_a_first_case_and_an_end);
    RUN(warnings_are_of_operators_that_are_chosen);
    RUN(the_choice_says_its_size);
    ob_config_destroy(config);
    ob_context_destroy(context);
    return ob_test_end();
}
