/* SPDX-License-Identifier: Apache-2.0
 *
 * What torch.utils.benchmark made of callgrind's files and of tables (tests/golden/torch/callgrind.json).
 * Changed on purpose: a function that holds the whole total is kept, and an index gives the pair.
 * script_tail and unroll show how the original wrote its child script; ours is no unrolled script.
 */
#include "count_test.h"

#define GOLDENS OB_SOURCE_DIR "/tests/golden/torch/"

static size_t seen[8];

/* ---- files ---- */

/* The list with one more pair in its place. */
static ob_json *with_pair(ob_json_doc *doc, const ob_json *pairs, size_t at, int64_t count,
                          const char *function)
{
    ob_json *list = ob_json_new_array(doc), *pair = ob_json_new_array(doc);
    ob_json_append(doc, pair, ob_json_new_int(doc, count), NULL);
    ob_json_append(doc, pair, ob_json_new_string(doc, function, strlen(function)), NULL);
    for (size_t i = 0; i <= ob_json_count(pairs); i++) {
        if (i == at)
            ob_json_append(doc, list, pair, NULL);
        if (i < ob_json_count(pairs))
            ob_json_append(doc, list, ob_json_item(pairs, i), NULL);
    }
    return list;
}

static void check_out_file(const ob_json *c)
{
    static const char MAIN_ONE[] = "/any/tb_cg_gold/./callgrind/one.c:main [/any/tb_cg_gold/one]";
    static const char MAIN_TWO[] = "/any/tb_cg_gold/./callgrind/two.c:main [/any/tb_cg_gold/two]";
    const char *name = ob_json_string(ob_json_get(c, "name"), NULL);
    const ob_json *expect = ob_json_get(c, "expect");
    const ob_json *inclusive = ob_json_get(expect, "inclusive");
    const ob_json *exclusive = ob_json_get(expect, "exclusive");
    int64_t sum = ob_json_int(ob_json_get(expect, "exclusive_sum"), -1);
    ob_json_doc *doc = NULL;
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    if (strcmp(name, "one.out.1") == 0) {
        inclusive = exclusive = with_pair(doc, exclusive, 0, 614, MAIN_ONE);
        sum = 614;
    } else {
        inclusive =
            with_pair(doc, inclusive, 1, strcmp(name, "two.out.1") == 0 ? 729 : 721, MAIN_TWO);
    }

    char path[512];
    ob_count_file *file = NULL;
    ob_err err = {0};
    snprintf(path, sizeof path, GOLDENS "%s", ob_json_string(ob_json_get(c, "file"), NULL));
    CHECK_INT(ob_count_file_read(path, &file, &err), OB_OK);
    CHECK_STR(err.message, "");
    if (file != NULL) {
        CHECK_INT(ob_count_file_format(file), OB_COUNT_CALLGRIND);
        CHECK_INT(ob_count_file_size(file), 1);
        const ob_count_stats *stats = ob_count_file_part(file, 0);
        check_counts(name, ob_count_stats_get(stats)->stmt_exclusive, exclusive);
        check_counts(name, ob_count_stats_get(stats)->stmt_inclusive, inclusive);
        CHECK_INT(ob_count_stats_counts(stats, false), sum);
        CHECK_INT(ob_count_stats_get(stats)->part, name[strlen(name) - 1] - '0');
    }
    ob_count_file_destroy(file);
    ob_json_doc_destroy(doc);
}

static void check_text(const ob_json *c)
{
    const char *name = ob_json_string(ob_json_get(c, "name"), NULL);
    const ob_json *expect = ob_json_get(c, "expect");
    size_t size;
    const char *text = ob_json_string(ob_json_get(c, "text"), &size);
    ob_count_file *file = NULL;
    ob_err err = {0};
    const ob_status status = ob_count_file_parse("a.txt", text, size, &file, &err);
    if (ob_json_get(expect, "error") != NULL) {
        CHECK_INT(status, OB_ERR_SYNTAX);
        CHECK_HAS(err.message, "Failed to parse a.txt");
    } else {
        const ob_json *want = ob_json_get(expect, "value");
        ob_json_doc *doc = NULL;
        CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
        if (strcmp(name, "genuine_function_equal_total_dropped_too") == 0)
            want = with_pair(doc, want, 0, 600, "a.c:hot");
        CHECK_INT(status, OB_OK);
        if (file != NULL) {
            CHECK_INT(ob_count_file_format(file), OB_COUNT_ANNOTATE);
            check_counts(name, ob_count_stats_get(ob_count_file_part(file, 0))->stmt_exclusive,
                         want);
        }
        ob_json_doc_destroy(doc);
    }
    ob_count_file_destroy(file);
}

/* ---- operations ---- */

static bool starts_with_b(void *ctx, const char *function)
{
    (void)ctx;
    return function[0] == 'b' && strstr(function, ".c:") != NULL;
}

static bool rename_to_f(void *ctx, const char *function, ob_text *out)
{
    (void)ctx;
    (void)function;
    (void)out;
    return true; /* the empty name for all */
}

/* By the name of the case; NULL in *out and OB_OK: it is one that makes no table. */
static ob_status apply(const char *name, ob_counts *const *in, ob_counts **out, ob_err *err)
{
    if (strcmp(name, "add") == 0 || strcmp(name, "add_inclusive_mismatch") == 0)
        return ob_counts_add(in[0], in[1], out, err);
    if (strcmp(name, "sub_self_empty") == 0)
        return ob_counts_subtract(in[0], in[0], out, err);
    if (strcmp(name, "filter") == 0)
        return ob_counts_filter(in[0], starts_with_b, NULL, out, err);
    if (strcmp(name, "transform_cancels") == 0)
        return ob_counts_rename(in[0], rename_to_f, NULL, out, err);
    if (strcmp(name, "ties_sorted_by_name_desc") == 0)
        return ob_counts_scale(in[0], 1.0, out, err);
    if (strcmp(name, "slice") == 0)
        return ob_counts_slice(in[0], 0, 2, out, err);
    if (strcmp(name, "sum") == 0)
        CHECK_INT(ob_counts_sum(in[0]), 157);
    else if (strcmp(name, "len") == 0)
        CHECK_INT(ob_counts_size(in[0]), 3);
    else if (strcmp(name, "index_int_is_malformed") == 0)
        CHECK_STR(ob_counts_row(in[0], 1).function, "b.c:g");
    else
        OB_TEST_FAIL("no test for the case %s", name);
    return OB_OK;
}

static void check_operation(const ob_json *c)
{
    const char *name = ob_json_string(ob_json_get(c, "name"), NULL);
    const ob_json *inputs = ob_json_get(c, "inputs"), *expect = ob_json_get(c, "expect");
    ob_counts *in[2] = {NULL}, *out = NULL;
    for (size_t i = 0; i < ob_json_count(inputs) && i < 2; i++)
        in[i] = counts_of(ob_json_item(ob_json_item(inputs, i), 0),
                          ob_json_bool(ob_json_item(ob_json_item(inputs, i), 1), false));
    ob_err err = {0};
    const ob_status status = apply(name, in, &out, &err);
    const ob_json *error = ob_json_get(expect, "error");
    if (error != NULL) {
        CHECK_INT(status, OB_ERR_INVALID);
        CHECK_STR(err.message, ob_json_string(ob_json_item(error, 1), NULL));
    } else if (out != NULL) {
        check_counts(name, out, ob_json_get(expect, "value"));
        CHECK_INT(ob_counts_sum(out), ob_json_int(ob_json_get(expect, "sum"), -1));
        CHECK_INT(ob_counts_is_inclusive(out), ob_json_bool(ob_json_get(expect, "inclusive"), 0));
        CHECK_INT(ob_counts_is_truncated(out),
                  ob_json_bool(ob_json_get(expect, "truncate_rows"), 0));
    }
    ob_counts_destroy(in[0]);
    ob_counts_destroy(in[1]);
    ob_counts_destroy(out);
}

static void check_standard_name(const ob_json *c)
{
    const ob_count row = {.count = 1, .function = ob_json_string(ob_json_get(c, "input"), NULL)};
    ob_counts *counts = NULL, *standard = NULL;
    CHECK_INT(ob_counts_create(&row, 1, false, &counts, NULL), OB_OK);
    CHECK_INT(ob_counts_standardise(counts, &standard, NULL), OB_OK);
    CHECK_STR(ob_counts_row(standard, 0).function, ob_json_string(ob_json_get(c, "expect"), NULL));
    ob_counts_destroy(counts);
    ob_counts_destroy(standard);
}

static void check_table_text(const ob_json *c)
{
    ob_counts *counts =
        counts_of(ob_json_get(c, "data"), ob_json_bool(ob_json_get(c, "inclusive"), false));
    const ob_counts_style style = {
        .size = sizeof style,
        .line_width = (size_t)ob_json_int(ob_json_get(c, "linewidth"), 0),
        .all_rows = !ob_json_bool(ob_json_get(c, "truncate_rows"), true)};
    ob_text text = {0};
    CHECK_INT(ob_counts_print(counts, &style, &text, NULL), OB_OK);
    char *got = text_string(&text);
    CHECK_STR(below_heading(got), below_heading(ob_json_string(ob_json_get(c, "expect"), NULL)));
    free(got);
    ob_text_fini(&text);
    ob_counts_destroy(counts);
}

static const char *text_of(const ob_json *object, const char *key)
{
    return ob_json_string(ob_json_get(object, key), NULL);
}

static void check_stats_text(const ob_json *c)
{
    const ob_json *task = ob_json_get(c, "task_spec");
    ob_counts *statement = counts_of(ob_json_get(c, "stmt_exclusive"), false);
    ob_counts *baseline = counts_of(ob_json_get(c, "baseline_exclusive"), false);
    const ob_count_stats_params params = {
        .size = sizeof params,
        .task = {.stmt = text_of(task, "stmt"),
                 .setup = text_of(task, "setup"),
                 .global_setup = text_of(task, "global_setup"),
                 .label = text_of(task, "label"),
                 .sub_label = text_of(task, "sub_label"),
                 .description = text_of(task, "description"),
                 .env = text_of(task, "env"),
                 .num_threads = ob_json_int(ob_json_get(task, "num_threads"), 0)},
        .number_per_run = ob_json_int(ob_json_get(c, "number_per_run"), 0),
        .built_with_debug_symbols = ob_json_bool(ob_json_get(c, "debug"), false),
        .stmt_exclusive = statement,
        .baseline_exclusive = baseline};
    ob_count_stats *stats = NULL;
    ob_text text = {0};
    CHECK_INT(ob_count_stats_create(&params, &stats, NULL), OB_OK);
    CHECK_INT(ob_count_stats_counts(stats, false), ob_json_int(ob_json_get(c, "counts"), -1));
    CHECK_INT(ob_count_stats_counts(stats, true),
              ob_json_int(ob_json_get(c, "counts_denoise"), -1));
    CHECK_INT(ob_count_stats_print(stats, &text, NULL), OB_OK);
    char *got = text_string(&text);
    CHECK_STR(below_heading(got), below_heading(text_of(c, "expect")));
    free(got);
    ob_text_fini(&text);
    ob_count_stats_destroy(stats);
    ob_counts_destroy(statement);
    ob_counts_destroy(baseline);
}

/* ---- */

typedef struct kind {
    const char *name;
    void (*check)(const ob_json *c); /* NULL = not ours */
} kind;

static const kind KINDS[] = {
    {"parse_out", check_out_file},
    {"parse_text", check_text},
    {"op", check_operation},
    {"standardize", check_standard_name},
    {"repr_counts", check_table_text},
    {"repr_stats", check_stats_text},
    {"valgrind_failure", NULL},
    {"script_tail", NULL},
    {"unroll", NULL},
};

static void check_case(const ob_json *c)
{
    const char *name = ob_json_string(ob_json_get(c, "kind"), NULL);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(KINDS[i].name, name) != 0)
            continue;
        if (KINDS[i].check != NULL) {
            KINDS[i].check(c);
            seen[i]++;
        }
        return;
    }
    OB_TEST_FAIL("unknown kind %s", name);
}

static void goldens(void)
{
    ob_json_doc *doc = NULL;
    CHECK_INT(ob_json_parse_file(GOLDENS "callgrind.json", NULL, &doc, NULL), OB_OK);
    const ob_json *cases = doc == NULL ? NULL : ob_json_get(ob_json_doc_root(doc), "cases");
    for (size_t i = 0; i < ob_json_count(cases); i++)
        check_case(ob_json_item(cases, i));
    CHECK_INT(seen[0], 3);
    CHECK_INT(seen[1], 10);
    CHECK_INT(seen[2], 10);
    CHECK_INT(seen[3], 6);
    CHECK_INT(seen[4], 6);
    CHECK_INT(seen[5], 3);
    ob_json_doc_destroy(doc);
}

int main(void)
{
    RUN(goldens);
    return ob_test_end();
}
