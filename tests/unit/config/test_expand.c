/* SPDX-License-Identifier: Apache-2.0
 *
 * What macros expand to, beyond the recorded expansions: fractions, alternatives, copies everywhere.
 */
#include "config_testing.h"

#define T(shape) "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": " shape "}"
#define TX(shape, more)                                                                            \
    "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": " shape ", " more "}"
#define RANGED "\"__range__\": [\"shape\"]"

static void fractions_step_in_decimal(void)
{
    CHECK_STR(cases_text(open_range("{\"args\": [{\"type\": \"float\", \"value\": [0.1, 0.5, 0.1], "
                                    "\"__range__\": [\"value\"]}]}")),
              "0|0|0_0 {\"args\": [{\"type\": \"float\", \"value\": 0.1}]}\n"
              "0|0|0_1 {\"args\": [{\"type\": \"float\", \"value\": 0.2}]}\n"
              "0|0|0_2 {\"args\": [{\"type\": \"float\", \"value\": 0.3}]}\n"
              "0|0|0_3 {\"args\": [{\"type\": \"float\", \"value\": 0.4}]}\n"
              "0|0|0_4 {\"args\": [{\"type\": \"float\", \"value\": 0.5}]}\n");
    CHECK_STR(
        cases_text(open_range("{\"args\": [{\"type\": \"double\", \"value\": [1, -1e0, -0.75], "
                              "\"__range__\": [\"value\"]}]}")),
        "0|0|0_0 {\"args\": [{\"type\": \"double\", \"value\": 1.0}]}\n"
        "0|0|0_1 {\"args\": [{\"type\": \"double\", \"value\": 0.25}]}\n"
        "0|0|0_2 {\"args\": [{\"type\": \"double\", \"value\": -0.5}]}\n");
    CHECK_STR(cases_text(open_range("{\"args\": [{\"type\": \"double\", \"value\": [1e-30, 2e-30, "
                                    "1e-30], \"__range__\": [\"value\"]}]}")),
              "0|0|0_0 {\"args\": [{\"type\": \"double\", \"value\": 1e-30}]}\n"
              "0|0|0_1 {\"args\": [{\"type\": \"double\", \"value\": 2e-30}]}\n");
}

static void lists_iterate_alternatives(void)
{
    CHECK_STR(cases_text(open_range("{\"args\": [{\"type\": \"int\", \"value\": [3, 1, 4], "
                                    "\"__list__\": [\"value\"]}]}")),
              "0|0|0_0 {\"args\": [{\"type\": \"int\", \"value\": 3}]}\n"
              "0|0|0_1 {\"args\": [{\"type\": \"int\", \"value\": 1}]}\n"
              "0|0|0_2 {\"args\": [{\"type\": \"int\", \"value\": 4}]}\n");
    CHECK_STR(cases_text(
                  open_range("{\"args\": [" TX("[[1, 2], [3]]", "\"__list__\": [\"shape\"]") "]}")),
              "0|0|0_0 {\"args\": [" T("[1, 2]") "]}\n0|0|0_1 {\"args\": [" T("[3]") "]}\n");
    CHECK_STR(
        cases_text(
            open_range("{\"kwargs\": {\"t\": " TX("[2]", "\"requires_grad\": [true, false], "
                                                         "\"__list__\": \"requires_grad\"") "}}")),
        "0|0|0_0 {\"args\": [], \"kwargs\": {\"t\": " TX(
            "[2]", "\"requires_grad\": true") "}}\n"
                                              "0|0|0_1 {\"args\": [], \"kwargs\": {\"t\": " TX(
                                                  "[2]", "\"requires_grad\": false") "}}\n");
}

/* Every alternative is checked as one value would be. */
static void alternatives_are_checked(void)
{
    static const struct {
        const char *args, *says;
    } WRONG[] = {
        {TX("[[1, 2], [3, -4]]", "\"__list__\": [\"shape\"]"), "\"shape\" would hold -4"},
        {TX("[[-1, 2], [3, 4]]", "\"__list__\": [\"shape\"]"), "\"shape\" would hold -1"},
        {TX("[[1, 2], [3, [4, 5]]]", "\"__list__\": [\"shape\"]"), "is a list"},
        {TX("[[1, 2], 3]", "\"__list__\": [\"shape\"]"),
         "an alternative of \"shape\" must be a list of sizes"},
        {TX("[[4, 4], [3037000500, 3037000500]]", "\"__list__\": [\"shape\"]"), "shape"},
        {TX("[2]", "\"__range__\": [\"device\"], \"device\": \"x y\""), "device"},
        {"{\"type\": \"int\", \"value\": 3, \"__list__\": [\"value\"]}",
         "\"value\" is iterated over, so it must be a list of alternatives, not"},
        {"{\"type\": \"int\", \"value\": [3, \"x\"], \"__list__\": [\"value\"]}", "\"value\""},
        {"{\"type\": \"genericlist\", \"value\": [{\"type\": \"int\", \"value\": 1}], "
         "\"__list__\": [\"value\"]}",
         "an alternative of \"value\" must be a list of arguments, not"},
        {"{\"type\": \"genericlist\", \"value\": [[{\"type\": \"int\", \"value\": 1}], "
         "[{\"type\": \"int\", \"value\": \"x\"}]], \"__list__\": [\"value\"]}",
         "\"value\""},
        {"{\"type\": \"int\", \"value\": [1, 2], \"__range__\": 7}",
         "\"__range__\" must be a list of attribute names"},
        {"{\"type\": \"int\", \"value\": [1, 2], \"__range__\": [7]}",
         "it must list attribute names"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        char entry[512];
        snprintf(entry, sizeof entry, "{\"args\": [%s]}", WRONG[i].args);
        ob_config *config = open_range(entry);
        if (config != NULL)
            OB_TEST_FAIL("taken: %s", entry);
        ob_config_destroy(config);
        CHECK_HAS(messages, WRONG[i].says);
    }
    CHECK_STR(cases_text(open_range(
                  "{\"args\": [{\"type\": \"genericlist\", \"value\": [[{\"type\": \"int\", "
                  "\"value\": 1}], []], \"__list__\": [\"value\"]}]}")),
              "0|0|0_0 {\"args\": [{\"type\": \"genericlist\", \"value\": [{\"type\": \"int\", "
              "\"value\": 1}]}]}\n"
              "0|0|0_1 {\"args\": [{\"type\": \"genericlist\", \"value\": []}]}\n");
}

/* Macros that do nothing are told of. */
static void idle_macros_are_told(void)
{
    static const struct {
        const char *args, *says;
    } ROWS[] = {
        {"{\"type\": \"int\", \"value\": 1, \"__range__\": [\"other\"]}",
         "\"__range__\" names \"other\", which this argument does not have; it has no effect"},
        {"{\"type\": \"int\", \"value\": 1, \"__copy__\": []}",
         "\"__copy__\" has no effect on an argument of type \"int\"; only tensors copy"},
        {"{\"type\": \"int\", \"value\": [3, 1], \"__range__\": [\"value\"]}",
         "the range is empty: its ends are in the wrong order for its step"},
        {"{\"type\": \"int\", \"value\": [], \"__list__\": [\"value\"]}",
         "the list is empty, so this entry gives no cases"},
        {"{\"type\": \"int\", \"value\": [1, 3, -1], \"__range__\": [\"value\"]}",
         "the range is empty: its ends are in the wrong order for its step"},
        {TX("[2]", "\"device\": \"cpu\", \"__range__\": [\"device\"]"), ""},
        {"{\"type\": \"none\", \"__range__\": [\"other\"]}", ""},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char entry[512];
        snprintf(entry, sizeof entry, "{\"args\": [%s]}", ROWS[i].args);
        ob_config *config = open_range(entry);
        CHECK(config != NULL);
        ob_config_destroy(config);
        if (ROWS[i].says[0] == '\0')
            CHECK_STR(messages, "");
        CHECK_HAS(messages, ROWS[i].says);
    }
}

static void copies_follow_alternatives(void)
{
    CHECK_STR(cases_text(open_range(
                  "{\"args\": [" TX("[[1, 2], [3, 4]]", "\"__list__\": [\"shape\"]") ", " TX(
                      "[-1]", "\"__copy__\": [{\"shape\": [0, [0, -1]]}]") "]}")),
              "0|0|0_0 {\"args\": [" T("[1, 2]") ", " T("[2]") "]}\n"
                                                               "0|0|0_1 {\"args\": [" T(
                                                                   "[3, 4]") ", " T("[4]") "]}\n");
    CHECK(open_range("{\"args\": [" TX("[[1, 2], [3]]", "\"__list__\": [\"shape\"]") ", " TX(
              "[-1]", "\"__copy__\": [{\"shape\": [0, [0, 0]]}]") "]}") == NULL);
    CHECK_HAS(messages, "alternatives of \"shape\" of equal length; they have 2 and 1 elements");
}

static void copies_reach_kwargs_and_out_of_containers(void)
{
    /* By name from kwargs; a container's item 0 is the target itself, so index 0 means args[0]. */
    CHECK_STR(
        cases_text(open_range("{\"args\": [" TX(
            "[[2, 3]]",
            RANGED) ", {\"type\": \"tuple\", "
                    "\"value\": [" TX(
                        "[-1]",
                        "\"__"
                        "copy"
                        "__"
                        "\": "
                        "[{"
                        "\"sh"
                        "ape"
                        "\": "
                        "[0, "
                        "[0, "
                        "0]]}"
                        "]") "]}], \"kwargs\": {\"a\": " TX("[-1, 7]",
                                                            "\"__copy__\": "
                                                            "[{\"shape\": [0, [\"b\", "
                                                            "0]]}]") ", \"b\": " TX("[-"
                                                                                    "1"
                                                                                    "]",
                                                                                    "\""
                                                                                    "__"
                                                                                    "co"
                                                                                    "py"
                                                                                    "__"
                                                                                    "\""
                                                                                    ": "
                                                                                    "[{"
                                                                                    "\""
                                                                                    "sh"
                                                                                    "ap"
                                                                                    "e"
                                                                                    "\""
                                                                                    ": "
                                                                                    "[0"
                                                                                    ", "
                                                                                    "[0"
                                                                                    ", "
                                                                                    "0]"
                                                                                    "]}"
                                                                                    "]") "}}")),
        "0|0|0_0 {\"args\": [" T("[2]") ", {\"type\": \"tuple\", \"value\": [" T(
            "[2]") "]}], \"kwargs\": {\"a\": " T("[2, 7]") ", \"b\": " T("[2]") "}}\n"
                                                                                "0|0|0_1 "
                                                                                "{\"args\": [" T(
                                                                                    "["
                                                                                    "3"
                                                                                    "]") ", "
                                                                                         "{\"type\""
                                                                                         ": "
                                                                                         "\"tuple\""
                                                                                         ", "
                                                                                         "\"value\""
                                                                                         ": [" T(
                                                                                             "["
                                                                                             "3"
                                                                                             "]") "]}], "
                                                                                                  "\"kwarg"
                                                                                                  "s\": "
                                                                                                  "{\"a\":"
                                                                                                  " " T(
                                                                                                      "["
                                                                                                      "3"
                                                                                                      ","
                                                                                                      " "
                                                                                                      "7"
                                                                                                      "]") ", \"b\": " T("[3]") "}}\n");
}

static void of_two_copies_onto_one_element_the_last_counts(void)
{
    CHECK_STR(
        cases_text(open_range("{\"args\": [" T("[5, 6]") ", " TX(
            "[-1]", "\"__copy__\": [{\"shape\": [0, [0, 0]]}, {\"shape\": [0, [0, 1]]}]") "]}")),
        "0|0|0_0 {\"args\": [" T("[5, 6]") ", " T("[6]") "]}\n");
}

static void cycles_are_refused(void)
{
    CHECK(open_range("{\"args\": [" TX("[-1]", "\"__copy__\": [{\"shape\": [0, [1, 0]]}]") ", " TX(
              "[-1]",
              "\"__copy__\": [{\"shape\": [0, [2, 0]]}]") ", " TX("[-1]",
                                                                  "\"__copy__\": [{\"shape\": [0, "
                                                                  "[0, 0]]}]") "]}") == NULL);
    CHECK_HAS(messages, "this copy depends on itself");
    CHECK(open_range("{\"args\": [" TX("[3]", "\"__copy__\": [{\"shape\": [0, [0, 0]]}]") "]}") ==
          NULL);
    CHECK_HAS(messages, "this copy depends on itself");
    /* Two arguments that copy from each other, but not the same elements. */
    CHECK_STR(cases_text(open_range(
                  "{\"args\": [" TX("[-1, 2]", "\"__copy__\": [{\"shape\": [0, [1, 1]]}]") ", " TX(
                      "[-1, 9]", "\"__copy__\": [{\"shape\": [0, [0, 1]]}]") "]}")),
              "0|0|0_0 {\"args\": [" T("[9, 2]") ", " T("[2, 9]") "]}\n");
}

static void a_second_build_sees_no_leftovers(void)
{
    ob_config *config = open_config(
        "{\"torch.nn.Linear\": {\"build_iterator\": \"RangeConfigIterator\", "
        "\"input_iterator\": \"RangeConfigIterator\", "
        "\"build_data_generator\": \"PyTorch:DefaultDataGenerator\", "
        "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": [{"
        "\"build\": [{\"args\": [{\"type\": \"int\", \"value\": [4, 5], \"__range__\": "
        "[\"value\"]}]}], "
        "\"input\": [{\"args\": [" TX("[-1]", "\"__copy__\": [{\"shape\": [0, [1, 0]]}]") ", " TX(
            "[[1, 2]]", RANGED) "]}]}]}}");
    CHECK_STR(cases_text(config), "0|0_0|0_0 {\"args\": [" T("[1]") ", " T(
                                      "[1]") "]}\n"
                                             "0|0_0|0_1 {\"args\": [" T("[2]") ", " T(
                                                 "[2]") "]}\n"
                                                        "0|0_1|0_0 {\"args\": [" T("[1]") ", " T(
                                                            "[1]") "]}\n"
                                                                   "0|0_1|0_1 {\"args\": [" T(
                                                                       "[2]") ", " T("[2]") "]}\n");
}

static void dummy_gives_one_empty_call(void)
{
    CHECK_STR(
        cases_text(open_config("{\"torch.add\": {\"input_iterator\": \"DummyConfigIterator\", "
                               "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
                               "\"config\": [{\"input\": [1, 2, 3]}]}}")),
        "0|0|0 {\"args\": [], \"kwargs\": {}}\n");
}

static void extra_keys_stay_only_where_nothing_is_expanded(void)
{
    CHECK_STR(cases_text(open_config("{\"torch.add\": {\"input_data_generator\": "
                                     "\"PyTorch:DefaultDataGenerator\", \"config\": [{\"input\": "
                                     "[{\"count\": 3, \"args\": []}]}]}}")),
              "0|0|0 {\"count\": 3, \"args\": []}\n");
    CHECK_STR(cases_text(open_range("{\"count\": 3, \"args\": []}")), "0|0|0_0 {\"args\": []}\n");
}

int main(void)
{
    RUN(fractions_step_in_decimal);
    RUN(lists_iterate_alternatives);
    RUN(alternatives_are_checked);
    RUN(idle_macros_are_told);
    RUN(copies_follow_alternatives);
    RUN(copies_reach_kwargs_and_out_of_containers);
    RUN(of_two_copies_onto_one_element_the_last_counts);
    RUN(cycles_are_refused);
    RUN(a_second_build_sees_no_leftovers);
    RUN(dummy_gives_one_empty_call);
    RUN(extra_keys_stay_only_where_nothing_is_expanded);
    return ob_test_end();
}
