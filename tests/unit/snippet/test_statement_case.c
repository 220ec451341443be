/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements as cases: one case for all sides, of which each finds its own code.
 */
#include "../run/run_test.h"

#include "opbench/snippet_run.h"
#include "run/case_maker.h"

static ob_context *context;

static const ob_snippet_options CLANG = {
    .size = sizeof CLANG, .cc = "clang", .cflags = "-O3 -DX='a b'", .ldflags = "-lmine"};
static const ob_timer_args OLD_CODE = {
    .size = sizeof OLD_CODE, .stmt = "x++;", .setup = "int x;", .language = OB_LANGUAGE_C};
static const ob_timer_args NEW_CODE = {
    .size = sizeof NEW_CODE, .stmt = "--x;", .language = OB_LANGUAGE_C};
static const ob_code_side OLD = {.size = sizeof OLD, .name = "old", .args = &OLD_CODE};
static const ob_code_side NEW = {
    .size = sizeof NEW, .name = "new", .args = &NEW_CODE, .options = &CLANG};
static const ob_code_side *const SIDES[] = {&OLD, &NEW};
static const ob_code_case ONE = {
    .size = sizeof ONE, .name = "adding", .sides = SIDES, .side_count = 2};

/* "operator|id|statement|setup|threads: repro" as the side says. */
static const char *told(const ob_case *c, const char *side, int64_t threads)
{
    static char line[1024];
    const ob_case_maker *maker = ob_snippet_maker();
    ob_run_options options;
    ob_record record;
    ob_text repro = {0};
    ob_run_options_init(&options);
    options.side = side;
    options.threads = threads;
    options.repro_before = "A=b ";
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    record.result.backend = "native";
    maker->identify(&options, c, &record.result);
    CHECK(maker->print_repro(&options, c, &repro) && ob_text_append(&repro, "", 1));
    const ob_record_result *r = &record.result;
    CHECK(r->backend == NULL);
    snprintf(line, sizeof line, "%s|%s|%s|%s|%d: %s", r->op_name, r->id, r->task.stmt,
             r->task.setup != NULL ? r->task.setup : "-", (int)r->threads, repro.data);
    ob_text_fini(&repro);
    return line;
}

static void sides_find_their_code(void)
{
    const ob_code_case *const cases[] = {&ONE};
    ob_config *config;
    ob_cases *all;
    const ob_case *c;
    ob_err err;
    CHECK_INT(ob_snippet_open_config(context, cases, 1, &config, &err), OB_OK);
    CHECK_INT(ob_config_case_count(config), 1);
    CHECK_INT(ob_cases_open(config, NULL, &all, &err), OB_OK);
    CHECK_INT(ob_cases_next(all, &c, &err), OB_OK);
    CHECK_STR(told(c, "old", 1),
              "C|adding|x++;|int x;|1: A=b opbench time --lang c --setup 'int x;' 'x++;'");
    CHECK_STR(told(c, "new", 2),
              "C|adding|--x;|-|2: A=b opbench time --cc=clang --cflags='-O3 -DX='\\''a b'\\''' "
              "--ldflags=-lmine --lang c --num-threads 2 -- '--x;'");
    CHECK_STR(told(c, NULL, 1),
              "C|adding|x++;|int x;|1: A=b opbench time --lang c --setup 'int x;' 'x++;'");
    ob_cases_close(all);
    ob_config_destroy(config);
}

/* Its inputs in one line. */
static void print_input(const ob_code_case *one, char **out)
{
    const ob_code_case *const cases[] = {one};
    ob_config *config;
    ob_cases *all;
    const ob_case *c;
    size_t length;
    ob_err err;
    CHECK_INT(ob_snippet_open_config(context, cases, 1, &config, &err), OB_OK);
    CHECK_INT(ob_cases_open(config, NULL, &all, &err), OB_OK);
    CHECK_INT(ob_cases_next(all, &c, &err), OB_OK);
    CHECK_INT(ob_json_print(ob_case_input(c), out, &length, &err), OB_OK);
    ob_cases_close(all);
    ob_config_destroy(config);
}

/* What few give is in a case only where a side has it: the key of the others stays what it was. */
static void rare_texts_are_there_when_given(void)
{
    const ob_snippet_options options = {
        .size = sizeof options, .std = "c99", .libs = "m ./x.so", .compile_timeout_s = 7};
    ob_code_side side = NEW;
    const ob_code_side *const sides[] = {&OLD, &side};
    const ob_code_case one = {.size = sizeof one, .name = "n", .sides = sides, .side_count = 2};
    char *text;
    print_input(&ONE, &text);
    CHECK(strstr(text, "\"std\"") == NULL && strstr(text, "\"libs\"") == NULL &&
          strstr(text, "compile_timeout_s") == NULL);
    free(text);
    side.options = &options;
    print_input(&one, &text);
    CHECK_HAS(text,
              "\"std\": {\"type\": \"genericlist\", \"value\": [{\"type\": \"str\", \"value\": "
              "\"\"}, {\"type\": \"str\", \"value\": \"c99\"}]}");
    CHECK_HAS(text, "\"value\": \"m ./x.so\"");
    free(text);
}

/* A config from elsewhere cannot name code: without the maker its operator is nobody's. */
static void only_the_maker_runs_code(void)
{
    const ob_code_case *const cases[] = {&ONE};
    ob_run_options options;
    ob_config *config;
    ob_cases *all;
    const ob_case *c;
    ob_err err;
    ob_run_options_init(&options);
    CHECK_INT(ob_snippet_open_config(context, cases, 1, &config, &err), OB_OK);
    CHECK_INT(ob_cases_open(config, NULL, &all, &err), OB_OK);
    CHECK_INT(ob_cases_next(all, &c, &err), OB_OK);
    CHECK(ob__maker_of(&options, c) == NULL);
    options.maker = ob_snippet_maker();
    CHECK(ob__maker_of(&options, c) == ob_snippet_maker());
    ob_cases_close(all);
    ob_config_destroy(config);
}

static void bad_code_is_refused(void)
{
    const ob_timer_args code = {.size = sizeof code, .stmt = "\xe4", .language = OB_LANGUAGE_C};
    const ob_code_side latin = {.size = sizeof latin, .name = "x", .args = &code};
    const ob_code_side *const sides[] = {&latin};
    const ob_code_case bad = {.size = sizeof bad, .name = "n", .sides = sides, .side_count = 1};
    const ob_code_case empty = {.size = sizeof empty, .name = "n"};
    const ob_code_case *const cases[] = {&bad}, *const empties[] = {&empty};
    ob_config *config;
    ob_err err;
    CHECK_INT(ob_snippet_open_config(context, cases, 1, &config, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "the text of stmt is not UTF-8");
    CHECK_INT(ob_snippet_open_config(context, empties, 1, &config, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "code can have 1 to 32 sides");
}

int main(void)
{
    context = run_context();
    RUN(sides_find_their_code);
    RUN(rare_texts_are_there_when_given);
    RUN(only_the_maker_runs_code);
    RUN(bad_code_is_refused);
    ob_context_destroy(context);
    return ob_test_end();
}
