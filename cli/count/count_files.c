/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count show and diff: counts that are in files already. What the options ask for is done to all
 * tables of a count first, so that text and JSON show the same.
 */
#include "count_command.h"

#include "opbench/count.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static bool has_text(void *ctx, const char *function)
{
    return ctx == NULL || strstr(function, ctx) != NULL;
}

/* One table as the options want it; NULL stays NULL. */
static ob_status select_rows(const ob_counts *table, const ob_count_options *o, ob_counts **out,
                             ob_err *err)
{
    ob_counts *quiet = NULL;
    *out = NULL;
    if (table == NULL)
        return OB_OK;
    if (o->denoise)
        OB_TRY(ob_counts_denoise(table, &quiet, err));
    const ob_status status =
        ob_counts_filter(quiet != NULL ? quiet : table, has_text, (void *)o->match, out, err);
    ob_counts_destroy(quiet);
    return status;
}

/* The count with the rows that are wanted in all of its tables. */
static ob_status select_all(const ob_count_stats *stats, const ob_count_options *o,
                            ob_count_stats **out, ob_err *err)
{
    ob_count_stats_params params = *ob_count_stats_get(stats);
    const ob_counts **places[] = {&params.stmt_exclusive, &params.stmt_inclusive,
                                  &params.baseline_exclusive, &params.baseline_inclusive};
    enum { COUNT = sizeof places / sizeof places[0] };
    ob_counts *made[COUNT] = {NULL};
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < COUNT; i++) {
        status = select_rows(*places[i], o, &made[i], err);
        *places[i] = made[i];
    }
    if (status == OB_OK)
        status = ob_count_stats_create(&params, out, err);
    for (size_t i = 0; i < COUNT; i++)
        ob_counts_destroy(made[i]);
    return status;
}

static ob_status prepare(const ob_count_stats *stats, const ob_count_options *o,
                         ob_count_stats **out, ob_err *err)
{
    ob_count_stats *standard = NULL, *less = NULL;
    ob_status status = OB_OK;
    *out = NULL;
    if (o->standardise) {
        status = ob_count_stats_standardise(stats, &standard, err);
        stats = standard;
    }
    if (status == OB_OK && o->less_baseline) {
        status = ob_count_stats_subtract_baseline(stats, &less, err);
        stats = less;
    }
    if (status == OB_OK)
        status = select_all(stats, o, out, err);
    ob_count_stats_destroy(standard);
    ob_count_stats_destroy(less);
    return status;
}

/* ---- files ---- */

static bool is_wanted(const ob_count_stats *stats, size_t index, const ob_count_options *o)
{
    const int64_t part = ob_count_stats_get(stats)->part;
    return o->part == 0 || o->part == (part != 0 ? part : (int64_t)index + 1);
}

static size_t wanted_count(const ob_count_file *file, const ob_count_options *o)
{
    size_t wanted = 0;
    for (size_t i = 0; i < ob_count_file_size(file); i++)
        wanted += is_wanted(ob_count_file_part(file, i), i, o);
    return wanted;
}

static ob_status open_file(const char *path, const ob_count_options *o, ob_count_file **file,
                           ob_err *err)
{
    OB_TRY(ob_count_file_read(path, file, err));
    if (wanted_count(*file, o) > 0)
        return OB_OK;
    const bool empty = ob_count_file_size(*file) == 0;
    ob_count_file_destroy(*file);
    *file = NULL;
    if (empty)
        return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                             "it has no counts; give what opbench count wrote");
    return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                         "it has no part %lld; leave --part out to see all parts",
                         (long long)o->part);
}

/* ---- printing ---- */

static ob_counts_style style_of(const ob_count_options *o)
{
    return (ob_counts_style){
        .size = sizeof(ob_counts_style), .line_width = (size_t)o->width, .all_rows = o->all_rows};
}

static ob_status print_table(ob_cli *cli, const ob_counts *table, const ob_count_options *o,
                             ob_err *err)
{
    const ob_counts_style style = style_of(o);
    ob_text text = {0};
    const ob_status status = ob_counts_print(table, &style, &text, err);
    if (status == OB_OK) {
        ob__cli_write(cli, text.data, text.size);
        ob__cli_write(cli, "\n", 1);
    }
    ob_text_fini(&text);
    return status;
}

/* Whose counts they are, where that is known. */
static ob_status print_task(ob_cli *cli, const ob_count_stats *stats, ob_err *err)
{
    ob_text text = {0};
    if (ob_count_stats_get(stats)->task.stmt == NULL)
        return OB_OK;
    const ob_status status = ob_count_stats_print(stats, &text, err);
    if (status == OB_OK) {
        ob__cli_write(cli, text.data, text.size);
        ob__cli_write(cli, "\n\n", 2);
    }
    ob_text_fini(&text);
    return status;
}

static ob_status show_part(ob_cli *cli, const ob_count_stats *stats, const ob_count_options *o,
                           ob_err *err)
{
    if (o->json) {
        ob_json_doc *doc;
        ob_json *node;
        OB_TRY(ob_json_doc_create(&doc, err));
        ob_status status = ob_count_stats_to_json(stats, doc, &node, err);
        if (status == OB_OK)
            status = ob__cli_print_json(cli, node, err);
        ob_json_doc_destroy(doc);
        return status;
    }
    const ob_count_stats_params *is = ob_count_stats_get(stats);
    const ob_counts *table = o->inclusive ? is->stmt_inclusive : is->stmt_exclusive;
    if (table == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "it has no %s counts",
                          o->inclusive ? "inclusive" : "exclusive");
    OB_TRY(print_task(cli, stats, err));
    return print_table(cli, table, o, err);
}

/* number: how many counts were shown before; there is an empty line between two. */
static ob_status show_file(ob_cli *cli, const ob_count_options *o, const char *path, bool heading,
                           size_t *number, ob_err *err)
{
    ob_count_file *file;
    OB_TRY(open_file(path, o, &file, err));
    ob_status status = OB_OK;
    heading = !o->json && (heading || wanted_count(file, o) > 1);
    for (size_t i = 0; status == OB_OK && i < ob_count_file_size(file); i++) {
        const ob_count_stats *stats = ob_count_file_part(file, i);
        ob_count_stats *ready;
        if (!is_wanted(stats, i, o))
            continue;
        status = prepare(stats, o, &ready, err);
        if (status != OB_OK)
            break;
        const int64_t part = ob_count_stats_get(stats)->part;
        if (heading)
            ob__cli_printf(cli, "%s%s, part %lld:\n", *number > 0 ? "\n" : "", path,
                           (long long)(part != 0 ? part : (int64_t)i + 1));
        status = show_part(cli, ready, o, err);
        ob_count_stats_destroy(ready);
        (*number)++;
    }
    ob_count_file_destroy(file);
    return status;
}

int ob__count_show(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count)
{
    if (count == 0)
        return ob__cli_usage_error(cli, "no file to show; name callgrind's, or one that opbench "
                                        "count --json wrote");
    size_t number = 0;
    for (size_t i = 0; i < count; i++) {
        ob_err err;
        if (show_file(cli, options, files[i], count > 1, &number, &err) != OB_OK)
            return ob__cli_fail(cli, &err);
    }
    return OB_EXIT_OK;
}

/* ---- diff ---- */

/* The first part that is wanted, prepared. */
static ob_status read_one(ob_cli *cli, const ob_count_options *o, const char *path,
                          ob_count_stats **out, ob_err *err)
{
    ob_count_file *file;
    OB_TRY(open_file(path, o, &file, err));
    if (wanted_count(file, o) > 1)
        ob__cli_warn(cli, "%s has %zu counts; using the first, choose another with --part", path,
                     wanted_count(file, o));
    size_t index = 0;
    while (!is_wanted(ob_count_file_part(file, index), index, o))
        index++;
    const ob_status status = prepare(ob_count_file_part(file, index), o, out, err);
    ob_count_file_destroy(file);
    return status;
}

static const ob_counts *table_of(const ob_count_stats *stats, const ob_count_options *o)
{
    const ob_count_stats_params *is = ob_count_stats_get(stats);
    return o->inclusive ? is->stmt_inclusive : is->stmt_exclusive;
}

static ob_status print_change_text(ob_cli *cli, const ob_count_options *o, const ob_counts *before,
                                   const ob_counts *after, ob_err *err)
{
    const ob_counts_style style = style_of(o);
    ob_text text = {0};
    const ob_status status = ob_counts_print_change(before, after, &style, &text, err);
    if (status == OB_OK)
        ob__cli_printf(cli, "%.*s\n", (int)text.size, text.data);
    ob_text_fini(&text);
    return status;
}

/* Of two counts that both have the table. label: whose it is, or NULL. */
static ob_status print_change(ob_cli *cli, const ob_count_options *o, const ob_count_stats *before,
                              const ob_count_stats *after, const char *label, ob_err *err)
{
    const ob_counts *old = table_of(before, o), *new = table_of(after, o);
    if (!o->json) {
        if (label != NULL)
            ob__cli_printf(cli, "%s:\n", label);
        return print_change_text(cli, o, old, new, err);
    }
    ob_json_doc *doc;
    ob_json *node;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_counts_change_to_json(old, new, doc, &node, err);
    if (status == OB_OK && label != NULL)
        status =
            ob_json_set(doc, node, "label", ob_json_new_string(doc, label, strlen(label)), err);
    if (status == OB_OK)
        status = ob__cli_print_json(cli, node, err);
    ob_json_doc_destroy(doc);
    return status;
}

/* Counts of other numbers of runs differ whatever the code does. */
static ob_status check_numbers(const ob_count_stats *before, const ob_count_stats *after,
                               ob_err *err)
{
    const int64_t old = ob_count_stats_get(before)->number_per_run;
    const int64_t new = ob_count_stats_get(after)->number_per_run;
    if (old == new || old == 0 || new == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "the old count is of %lld runs and the new one of %lld; count both with the "
                      "same --number",
                      (long long)old, (long long)new);
}

static ob_status diff_one(ob_cli *cli, const ob_count_options *o, const char *const *files,
                          ob_err *err)
{
    ob_count_stats *before = NULL, *after = NULL;
    ob_counts *delta = NULL;
    ob_status status = read_one(cli, o, files[0], &before, err);
    if (status == OB_OK)
        status = read_one(cli, o, files[1], &after, err);
    if (status == OB_OK)
        status = check_numbers(before, after, err);
    if (status == OB_OK)
        status = ob_count_stats_delta(after, before, o->inclusive, &delta, err);
    if (status == OB_OK)
        status = print_change(cli, o, before, after, NULL, err);
    ob_counts_destroy(delta);
    ob_count_stats_destroy(before);
    ob_count_stats_destroy(after);
    return status;
}

/* ---- diff of many ---- */

/* Whether the file has many counts that can be told apart: those of a suite or a config. */
static bool is_of_many(const ob_count_file *file)
{
    for (size_t i = 0; i < ob_count_file_size(file); i++) {
        const ob_count_stats_params *is = ob_count_stats_get(ob_count_file_part(file, i));
        if (is->task.label == NULL && is->key == NULL)
            return false;
    }
    return ob_count_file_size(file) > 1;
}

/* The old count that the new one belongs to, of those that have no partner yet; NULL = there is none. The same one may
 * be there several times: each has its own. */
static const ob_count_stats *take_partner(const ob_count_file *before, const ob_count_stats *new,
                                          bool *taken)
{
    size_t best = 0;
    int best_match = 0;
    for (size_t i = 0; i < ob_count_file_size(before) && best_match < 2; i++) {
        const int match = taken[i] ? 0 : ob_count_stats_match(ob_count_file_part(before, i), new);
        if (match > best_match) {
            best = i;
            best_match = match;
        }
    }
    if (best_match == 0)
        return NULL;
    taken[best] = true;
    return ob_count_file_part(before, best);
}

/* "torch.add: torch.add(f32[4], f32[4]), native": all that tells a count from the others of its file. */
static bool append_name(const ob_count_stats *stats, ob_text *out)
{
    const ob_task_spec *task = &ob_count_stats_get(stats)->task;
    return ob_text_append_str(out, task->label != NULL ? task->label : task->stmt) &&
           (task->sub_label == NULL || ob_text_printf(out, ": %s", task->sub_label)) &&
           (task->description == NULL || ob_text_printf(out, ", %s", task->description)) &&
           ob_text_append(out, "", 1);
}

static ob_status diff_pair(ob_cli *cli, const ob_count_options *o, const ob_count_stats *before,
                           const ob_count_stats *after, size_t *equal, ob_err *err)
{
    ob_count_stats *old = NULL, *new = NULL;
    ob_counts *delta = NULL;
    ob_text name = {.data = NULL};
    ob_status status = check_numbers(before, after, err);
    if (status == OB_OK)
        status = prepare(before, o, &old, err);
    if (status == OB_OK)
        status = prepare(after, o, &new, err);
    if (status == OB_OK)
        status = ob_count_stats_delta(new, old, o->inclusive, &delta, err);
    if (status == OB_OK && ob_counts_size(delta) == 0)
        (*equal)++;
    else if (status == OB_OK)
        status = append_name(after, &name) ? print_change(cli, o, old, new, name.data, err)
                                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    ob_text_fini(&name);
    ob_counts_destroy(delta);
    ob_count_stats_destroy(old);
    ob_count_stats_destroy(new);
    return status;
}

/* How many are equal, or only in one of the files, goes to standard error. */
static ob_status diff_many(ob_cli *cli, const ob_count_options *o, const ob_count_file *before,
                           const ob_count_file *after, ob_err *err)
{
    bool *taken = calloc(ob_count_file_size(before) + 1, sizeof *taken);
    size_t equal = 0, both = 0;
    ob_status status = OB_OK;
    if (taken == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    for (size_t i = 0; status == OB_OK && i < ob_count_file_size(after); i++) {
        const ob_count_stats *new = ob_count_file_part(after, i);
        const ob_count_stats *old = take_partner(before, new, taken);
        both += old != NULL;
        if (old != NULL)
            status = diff_pair(cli, o, old, new, &equal, err);
    }
    free(taken);
    OB_TRY(status);
    if (both == 0)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "the two files have no counts with the same name; give files of one suite or config");
    fprintf(stderr, "opbench count: %zu of %zu counts are equal", equal, both);
    if (both < ob_count_file_size(after) || both < ob_count_file_size(before))
        fprintf(stderr, "; %zu are only in the old file and %zu only in the new one",
                ob_count_file_size(before) - both, ob_count_file_size(after) - both);
    fputc('\n', stderr);
    return OB_OK;
}

/* *done: both have many, and are compared. */
static ob_status try_many(ob_cli *cli, const ob_count_options *o, const char *const *files,
                          bool *done, ob_err *err)
{
    ob_count_file *before = NULL, *after = NULL;
    ob_status status = ob_count_file_read(files[0], &before, err);
    if (status == OB_OK)
        status = ob_count_file_read(files[1], &after, err);
    *done = status == OB_OK && is_of_many(before) && is_of_many(after);
    if (*done)
        status = diff_many(cli, o, before, after, err);
    ob_count_file_destroy(before);
    ob_count_file_destroy(after);
    return status;
}

int ob__count_diff(ob_cli *cli, const ob_count_options *options, const char *const *files,
                   size_t count)
{
    bool done = false;
    ob_status status = OB_OK;
    ob_err err;
    if (count != 2)
        return ob__cli_usage_error(cli, "diff takes two files, the old one and the new one");
    /* Standard input can be read once, and one part is not many. */
    if (options->part == 0 && strcmp(files[0], "-") != 0 && strcmp(files[1], "-") != 0)
        status = try_many(cli, options, files, &done, &err);
    if (status == OB_OK && !done)
        status = diff_one(cli, options, files, &err);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}
