/* SPDX-License-Identifier: Apache-2.0
 *
 * What generators and iterators of plug-ins say of entries: types of their own, checks of one argument and of a whole
 * entry, builds that come with their inputs; and where a config says it.
 */
#include "opbench/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An argument "even" must be even, in lists too; an entry has at most two arguments. */
static ob_status check_even(const ob_json *arg, ob_err *err)
{
    const int64_t value = ob_json_int(ob_json_get(arg, "value"), 1);
    return value % 2 == 0 ? OB_OK : ob_err_set(err, OB_ERR_INVALID, "%d is odd", (int)value);
}

static const ob_arg_attr EVEN_ATTRS[] = {{.name = "value", .kind = OB_ATTR_INT}, {.name = NULL}};
static const ob_arg_type TYPES[] = {{.name = "even", .attrs = EVEN_ATTRS, .check = check_even},
                                    {.name = NULL}};

static int validated;

static ob_status check_entry(const ob_host *host, const ob_json *entry, ob_err *err)
{
    (void)host;
    validated++;
    return ob_json_count(ob_json_get(entry, "args")) <= 2
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID, "more than two");
}

static ob_status generate_none(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    (void)args, (void)out;
    return ob_err_set(err, OB_ERR_UNSUPPORTED, "nothing to see");
}

static const ob_generator_desc
    PLAIN = {.name = "plain", .help = "h", .generate = generate_none},
    TYPED = {.name = "typed", .help = "h", .types = TYPES, .generate = generate_none},
    WHOLE = {.name = "whole", .help = "h", .validate = check_entry, .generate = generate_none};
static const ob_generator_desc *const GENERATORS[] = {&PLAIN, &TYPED, &WHOLE, NULL};

/* Two items: an entry with 4, and one with the number that the list's first entry has; the second comes with a build. */
typedef struct pair_state {
    ob_json_doc *doc;
    const ob_json *items[2], *build;
} pair_state;

static ob_status open_pair(const ob_iterator_args *args, void **state, ob_err *err)
{
    pair_state *s = calloc(1, sizeof *s);
    char text[128];
    snprintf(text, sizeof text,
             "[{\"args\": [{\"type\": \"even\", \"value\": 4}]}, "
             "{\"args\": [{\"type\": \"even\", \"value\": %d}]}, {\"args\": []}]",
             (int)ob_json_int(ob_json_get(ob_json_item(args->entries, 0), "number"), 0));
    *state = s;
    const ob_status status = ob_json_parse("pair", text, strlen(text), NULL, &s->doc, err);
    for (size_t i = 0; i < 2; i++)
        s->items[i] = ob_json_item(ob_json_doc_root(s->doc), i);
    s->build = ob_json_get(ob_json_item(args->entries, 0), "builds") != NULL
                   ? ob_json_item(ob_json_doc_root(s->doc), 2)
                   : NULL;
    return status;
}

static uint64_t count_pair(void *state)
{
    (void)state;
    return 2;
}

static ob_status pair_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)err;
    const pair_state *s = state;
    snprintf(item->id, sizeof item->id, "p%d", (int)index);
    item->entry = s->items[index];
    item->build = index == 1 ? s->build : NULL;
    return OB_OK;
}

static void close_pair(void *state)
{
    ob_json_doc_destroy(((pair_state *)state)->doc);
    free(state);
}

static const ob_iterator_desc PAIR = {.name = "pair",
                                      .help = "h",
                                      .open = open_pair,
                                      .count = count_pair,
                                      .at = pair_at,
                                      .close = close_pair};
static const ob_iterator_desc *const ITERATORS[] = {&PAIR, NULL};
static const ob_plugin own_part = {OB_PLUGIN_HEAD, .name = "own", .generators = GENERATORS,
                                   .iterators = ITERATORS};

#define TEST_PARTS &own_part
#include "config_testing.h"

static ob_config *open_with(const char *generator, const char *iterator, const char *more,
                            const char *entries)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "{\"torch.add\": {\"input_data_generator\": \"%s\", \"input_iterator\": \"%s\", "
             "\"config\": [{\"input\": [%s]}]%s}}",
             generator, iterator, entries, more);
    return open_config(text);
}

static void check_refused(const char *generator, const char *iterator, const char *entries,
                          const char *part)
{
    CHECK(open_with(generator, iterator, "", entries) == NULL);
    CHECK_HAS(messages, part);
}

/* The first item is checked when a config is opened, the others as they come: number `good` is refused then. */
static void check_late(const char *generator, const char *iterator, const char *entries, int good,
                       const char *path, const char *message)
{
    ob_config *config = open_with(generator, iterator, "", entries);
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    ob_err err;
    CHECK(config != NULL);
    CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
    for (int i = 0; i < good; i++)
        CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
    CHECK(ob_cases_next(cases, &c, &err) != OB_OK);
    CHECK(c == NULL);
    CHECK_STR(err.message, message);
    if (path != NULL) {
        CHECK_HAS(err.path, path);
        CHECK_STR(err.file, "t.json");
        CHECK_INT(err.line, 1);
    }
    ob_cases_close(cases);
    ob_config_destroy(config);
}

#define EVEN(value) "{\"type\": \"even\", \"value\": " value "}"
#define RANGE "RangeConfigIterator"
#define DEFAULT "DefaultConfigIterator"

static void own_types(void)
{
    CHECK_STR(cases_text(open_with("typed", DEFAULT, "", "{\"args\": [" EVEN("2") "]}")),
              "0|0|0 {\"args\": [{\"type\": \"even\", \"value\": 2}]}\n");
    CHECK_STR(messages, "");
    check_refused("typed", DEFAULT, "{\"args\": [" EVEN("2") ", " EVEN("3") "]}",
                  ".config[0].input[0].args[1]: 3 is odd");
    check_refused("typed", DEFAULT, "{\"kwargs\": {\"k\": " EVEN("5") "}}",
                  ".config[0].input[0].kwargs.k: 5 is odd");
    check_refused(
        "typed", DEFAULT,
        "{\"args\": [{\"type\": \"genericlist\", \"value\": [" EVEN("2") ", " EVEN("7") "]}]}",
        ".args[0].value[1]: 7 is odd");
    /* The core's types are there too; this one is not theirs. */
    check_refused("plain", DEFAULT, "{\"args\": [" EVEN("2") "]}", "\"even\"");
    /* Each case of a range. */
    CHECK_STR(cases_text(open_with("typed", RANGE, "",
                                   "{\"args\": [{\"type\": \"even\", \"value\": [2, 6, 2], "
                                   "\"__range__\": [\"value\"]}]}")),
              "0|0|0_0 {\"args\": [{\"type\": \"even\", \"value\": 2}]}\n"
              "0|0|0_1 {\"args\": [{\"type\": \"even\", \"value\": 4}]}\n"
              "0|0|0_2 {\"args\": [{\"type\": \"even\", \"value\": 6}]}\n");
    check_late("typed", RANGE,
               "{\"args\": [{\"type\": \"even\", \"value\": [2, 6], \"__range__\": "
               "[\"value\"]}]}",
               1, ".config[0].input[0].args[0]", "3 is odd");
}

static void whole_entries(void)
{
#define ONE "{\"type\": \"int\", \"value\": 1}"
    validated = 0;
    CHECK_STR(cases_text(open_with("whole", DEFAULT, "", "{\"args\": [" ONE ", " ONE "]}")),
              "0|0|0 {\"args\": [{\"type\": \"int\", \"value\": 1}, {\"type\": \"int\", \"value\": "
              "1}]}\n");
    CHECK(validated > 0);
    check_refused("whole", DEFAULT, "{\"args\": [" ONE ", " ONE ", " ONE "]}",
                  ".config[0].input[0]: more than two");
    CHECK_HAS(messages, "t.json:1:");
    check_late("whole", DEFAULT, "{\"args\": [" ONE "]}, {\"args\": [" ONE ", " ONE ", " ONE "]}",
               1, ".config[0].input[1]", "more than two");
}

static void foreign_iterators(void)
{
    CHECK_STR(cases_text(open_with("typed", "pair", "", "{\"number\": 8}")),
              "0|0|p0 {\"args\": [{\"type\": \"even\", \"value\": 4}]}\n"
              "0|0|p1 {\"args\": [{\"type\": \"even\", \"value\": 8}]}\n");
    check_late("typed", "pair", "{\"number\": 9}", 1, NULL, "9 is odd");
    /* Without checks of its own, the generator's types are checked. */
    check_refused("plain", "pair", "{\"number\": 8}", "\"even\"");
}

static ob_status second_case(ob_config *config, const ob_json **build, ob_err *err)
{
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    CHECK(config != NULL);
    CHECK_INT(ob_cases_open(config, NULL, &cases, NULL), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, err), OB_OK);
    CHECK(ob_case_build(c) == NULL && ob_case_build_generator(c) == NULL);
    const ob_status status = ob_cases_next(cases, &c, err);
    if (status == OB_OK) {
        *build = ob_case_build(c);
        CHECK_INT(ob_json_count(ob_json_get(*build, "args")), 0);
        CHECK_STR(ob_case_build_generator(c)->name, "plain");
        CHECK_STR(ob_case_input_generator(c)->name, "typed");
        CHECK_STR(ob_case_op_name(c), "torch.add");
        CHECK_INT(ob_case_index(c), 1);
    }
    ob_cases_close(cases);
    ob_config_destroy(config);
    return status;
}

static void builds_with_inputs(void)
{
    const ob_json *build = NULL;
    ob_err err;
    CHECK_INT(second_case(open_with("typed", "pair", ", \"build_data_generator\": \"plain\"",
                                    "{\"number\": 8, \"builds\": true}"),
                          &build, &err),
              OB_OK);
    CHECK_INT(second_case(open_with("typed", "pair", "", "{\"number\": 8, \"builds\": true}"),
                          &build, &err),
              OB_ERR_CONFIG);
    CHECK_HAS(err.message,
              "the iterator of the inputs supplies the builds; add \"build_data_generator\"");
}

static void opens_files(void)
{
    char path[] = "/tmp/opbench_config_XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fputs("{\"torch.add\": {\"input_data_generator\": \"plain\", \"config\": [{\"input\": "
          "[{\"args\": []}]}]}}",
          file);
    fclose(file);
    ob_config *config = NULL;
    ob_err err;
    CHECK_INT(ob_config_open_file(test_context(), path, NULL, &config, &err), OB_OK);
    CHECK_STR(ob_config_name(config), path);
    CHECK_INT(ob_config_op_count(config), 1);
    CHECK_STR(ob_config_op_name(config, 0), "torch.add");
    CHECK(ob_config_op_name(config, 1) == NULL);
    CHECK(ob_json_get(ob_config_json(config), "torch.add") != NULL);
    ob_config_destroy(config);
    remove(path);
    messages[0] = '\0';
    CHECK_INT(ob_config_open_file(test_context(), path, NULL, &config, &err), OB_ERR_IO);
    CHECK(config == NULL);
    CHECK_STR(err.file, path);
    CHECK_HAS(messages, path);
    CHECK(open_config("{") == NULL);
    CHECK_HAS(messages, "t.json:1:2: error: ");
}

int main(void)
{
    RUN(own_types);
    RUN(whole_entries);
    RUN(foreign_iterators);
    RUN(builds_with_inputs);
    RUN(opens_files);
    ob_context_destroy(test_context());
    return ob_test_end();
}
