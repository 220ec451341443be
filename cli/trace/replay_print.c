/* SPDX-License-Identifier: Apache-2.0
 *
 * What came of a replay, as text or as JSON lines.
 */
#include "interrupts.h"
#include "output_file.h"
#include "replay_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const ob_json *object, const char *key)
{
    const char *text = ob_json_string(ob_json_get(object, key), NULL);
    return text != NULL ? text : "";
}

static long long int_of(const ob_json *object, const char *key)
{
    return (long long)ob_json_int(ob_json_get(object, key), 0);
}

static double real_of(const ob_json *object, const char *key)
{
    return ob_json_real(ob_json_get(object, key), (double)NAN);
}

/* Libraries explain at length; the first sentence says what is wrong, --json has all of it. */
static int first_sentence(const char *text)
{
    enum { SHORT = 160 };
    const char *end = strpbrk(text, "\n");
    const char *stop = strstr(text, ". ");
    size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
    if (length > SHORT && stop != NULL && (size_t)(stop - text) < length)
        length = (size_t)(stop - text);
    return (int)(length > 2 * SHORT ? 2 * SHORT : length);
}

static void print_skips(ob_cli *cli, const char *title, const ob_json *list)
{
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *row = ob_json_item(list, i);
        const char *reason = text_of(row, "reason");
        ob__cli_printf(cli, "%s  %6lld  %s: %.*s\n", i == 0 ? title : "            ",
                       int_of(row, "count"), text_of(row, "name"), first_sentence(reason), reason);
    }
}

static const char *interval_text(const ob_json *row, char *out, size_t size)
{
    char low[32], high[32];
    if (isnan(real_of(row, "ci_low")))
        return "";
    snprintf(out, size, "%s to %s", ob_time_format(real_of(row, "ci_low"), low, sizeof low),
             ob_time_format(real_of(row, "ci_high"), high, sizeof high));
    return out;
}

static ob_status print_operators(ob_cli *cli, const ob_json *list, ob_err *err)
{
    enum { OPERATOR, CALLS, TIME, SHARE, INTERVAL };
    static const ob_column COLUMNS[] = {
        [OPERATOR] = {.title = "operator"},
        [CALLS] = {.title = "calls", .hint = OB_HINT_COUNT, .least_width = 8},
        [TIME] = {.title = "time", .hint = OB_HINT_TIME, .least_width = 10},
        [SHARE] = {.title = "share", .hint = OB_HINT_SHARE, .least_width = 6},
        [INTERVAL] = {.title = "95 % interval", .flags = OB_COLUMN_NOT_EMPTY}};
    ob_table *table = ob_table_create();
    for (size_t c = 0; table != NULL && c < sizeof COLUMNS / sizeof *COLUMNS; c++)
        ob_table_add_column(table, &COLUMNS[c]);
    for (size_t i = 0; table != NULL && i < ob_json_count(list); i++) {
        const ob_json *row = ob_json_item(list, i);
        char interval[80];
        ob_table_add_row(table);
        ob_table_set_text(table, OPERATOR, text_of(row, "name"));
        ob_table_set_number(table, CALLS, (double)int_of(row, "count"));
        ob_table_set_number(table, TIME, real_of(row, "time_ns"));
        ob_table_set_number(table, SHARE, real_of(row, "share"));
        ob_table_set_text(table, INTERVAL, interval_text(row, interval, sizeof interval));
    }
    ob__cli_printf(cli, "\n");
    return ob__cli_print_table(cli, table, NULL, err);
}

static void print_times(ob_cli *cli, const ob_json *times)
{
    char mean[32], half[32], median[32];
    const double low = real_of(times, "ci_low"), high = real_of(times, "ci_high");
    const long long passes = int_of(times, "iterations");
    if (passes == 0) {
        ob__cli_printf(cli, "time        no pass was measured\n");
        return;
    }
    ob__cli_printf(cli, "time        %s per pass",
                   ob_time_format(real_of(times, "mean"), mean, sizeof mean));
    if (!isnan(low))
        ob__cli_printf(cli, " +- %s (95 %%)", ob_time_format((high - low) / 2, half, sizeof half));
    if (passes > 2)
        ob__cli_printf(cli, ", median %s",
                       ob_time_format(real_of(times, "median"), median, sizeof median));
    ob__cli_printf(cli, "; %lld %s after %lld to warm up\n", passes,
                   passes == 1 ? "pass" : "passes", int_of(times, "warmup"));
}

static ob_status print_text(ob_cli *cli, const ob_replay_line *line, const ob_json *result,
                            ob_err *err)
{
    const ob_json *coverage = ob_json_get(result, "coverage");
    ob__cli_printf(cli, "trace       %s%s%s, %lld calls\n", text_of(result, "trace"),
                   ob_json_get(result, "iteration") != NULL ? ", " : "",
                   text_of(result, "iteration"), int_of(result, "calls"));
    ob__cli_printf(cli, "backend     %s, %lld %s%s\n", text_of(result, "backend"),
                   (long long)line->run.threads, line->run.threads == 1 ? "thread" : "threads",
                   ob_json_bool(ob_json_get(result, "half_to_bfloat16"), false)
                       ? ", bfloat16 in place of half"
                       : "");
    ob__cli_printf(
        cli, "coverage    %lld of %lld computing calls (%.1f %%), %lld of %lld operators\n",
        int_of(coverage, "ran"), int_of(coverage, "compute"), 100 * real_of(coverage, "nodes"),
        int_of(coverage, "operators_ran"), int_of(coverage, "operators_compute"));
    print_skips(cli, "skipped     ", ob_json_get(result, "skipped"));
    print_skips(cli, "inner calls ", ob_json_get(result, "replaced"));
    print_skips(cli, "in float32  ", ob_json_get(result, "in_float32"));
    if (!line->compute_only)
        print_skips(cli, "not compute ", ob_json_get(result, "not_compute"));
    print_times(cli, ob_json_get(result, "times"));
    if (ob_json_get_kind(ob_json_get(result, "peak_bytes")) == OB_JSON_INT)
        ob__cli_printf(cli, "peak memory %.1f MiB\n",
                       (double)int_of(result, "peak_bytes") / 1048576);
    if (int_of(result, "untouched_bytes") > 0)
        ob__cli_printf(cli,
                       "            %.1f MiB of large tensors are zero, because memory is short\n",
                       (double)int_of(result, "untouched_bytes") / 1048576);
    if (ob_json_bool(ob_json_get(result, "interrupted"), false))
        ob__cli_printf(cli, "interrupted before the end\n");
    return print_operators(cli, ob_json_get(result, "operators"), err);
}

/* A line per operator, the summary last. */
static ob_status make_lines(const ob_json *result, char **out, size_t *size, ob_err *err)
{
    const ob_json *list = ob_json_get(result, "operators");
    *out = NULL;
    *size = 0;
    for (size_t i = 0; i <= ob_json_count(list); i++) {
        char *line;
        size_t length;
        OB_TRY(ob_json_print(i < ob_json_count(list) ? ob_json_item(list, i) : result, &line,
                             &length, err));
        char *longer = realloc(*out, *size + length + 1);
        if (longer == NULL) {
            free(line);
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the result");
        }
        *out = longer;
        memcpy(longer + *size, line, length);
        longer[*size + length] = '\n';
        *size += length + 1;
        free(line);
    }
    return OB_OK;
}

/* What was measured must not be lost because another run has the file, so this waits. */
static int append_file(ob_cli *cli, const char *path, const char *text, size_t size)
{
    ob_result_file *file;
    ob_err err;
    ob_status status = ob__cli_append_to(cli, path, true, true, &file, &err);
    for (const char *at = text; status == OB_OK && at < text + size;) {
        const size_t length = strcspn(at, "\n") + 1;
        status = ob_result_file_append_line(file, at, length, &err);
        at += length;
    }
    const ob_status closed = ob_result_file_close(file, status == OB_OK ? &err : NULL);
    return status == OB_OK && closed == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

int ob__replay_print(ob_cli *cli, const ob_replay_line *line, const ob_json *result)
{
    const ob_json *coverage = ob_json_get(result, "coverage");
    int code = int_of(coverage, "ran") == int_of(coverage, "compute") ? OB_EXIT_OK : OB_EXIT_FAILED;
    char *lines = NULL;
    size_t size = 0;
    ob_err err;
    if (ob_json_bool(ob_json_get(result, "interrupted"), false))
        code = OB_EXIT_INTERRUPTED;
    if (make_lines(result, &lines, &size, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    else if (line->json)
        ob__cli_write(cli, lines, size);
    else if (print_text(cli, line, result, &err) != OB_OK)
        code = ob__cli_fail(cli, &err);
    if (lines != NULL && line->output != NULL && !line->no_isolate) {
        const int written = append_file(cli, line->output, lines, size);
        code = written != OB_EXIT_OK ? written : code;
    }
    free(lines);
    return code;
}
