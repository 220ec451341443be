/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that the original's CI writes: {version, md5, start_time, end_time, values}, where values has, by the
 * key of a snippet, all times and all counts of its rounds.
 */
#include "count_command.h"
#include "output_file.h"

#include "opbench/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the standard set has. */
static const char STANDARD_MD5[] = "4d55e8abf881ad38bb617a96714c1296";
enum { STANDARD_VERSION = 0, OTHER_VERSION = -1 };

/* ---- values ---- */

/* Adds numbers, each divided, to a list. */
static ob_status add(ob_count_numbers *to, const ob_reals *more, double divisor, ob_err *err)
{
    if (!OB_RESERVE(to->items, to->capacity, to->count + more->count))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts and times");
    for (size_t i = 0; i < more->count; i++)
        to->items[to->count++] = more->items[i] / divisor;
    return OB_OK;
}

ob_status ob__count_values_add(ob_count_values *v, const ob_record_result *r, ob_err *err)
{
    v->failed = v->failed || !ob_record_status_get_info(r->status)->ran;
    OB_TRY(add(&v->counts, &r->instructions.counts, 1, err));
    return add(&v->times, &r->raw_times_s, (double)r->number_per_run, err);
}

void ob__count_values_fini(ob_count_values *values)
{
    free(values->counts.items);
    free(values->times.items);
    *values = (ob_count_values){.failed = false};
}

/* ---- the file ---- */

static ob_status write_key(FILE *file, const ob_snippet *s, ob_err *err)
{
    ob_json_doc *doc = NULL;
    char *key = NULL, *quoted = NULL;
    size_t length;
    ob_status status = ob_snippet_key(s, &key, err);
    if (status == OB_OK)
        status = ob_json_doc_create(&doc, err);
    if (status == OB_OK)
        status = ob_json_print(ob_json_new_string(doc, key, strlen(key)), &quoted, &length, err);
    if (status == OB_OK)
        fputs(quoted, file);
    free(key);
    free(quoted);
    ob_json_doc_destroy(doc);
    return status;
}

static ob_status write_values(FILE *file, const ob_snippets *snippets,
                              const ob_count_values *values, ob_err *err)
{
    const char *between = "";
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        const ob_count_values *v = &values[i];
        if (v->failed || v->counts.count == 0)
            continue;
        fputs(between, file);
        between = ", ";
        OB_TRY(write_key(file, ob_snippets_at(snippets, i), err));
        fputs(": {\"times\": [", file);
        for (size_t k = 0; k < v->times.count; k++)
            fprintf(file, "%s%.17g", k > 0 ? ", " : "", v->times.items[k]);
        fputs("], \"counts\": [", file);
        for (size_t k = 0; k < v->counts.count; k++)
            fprintf(file, "%s%.0f", k > 0 ? ", " : "", v->counts.items[k]);
        fputs("]}", file);
    }
    return OB_OK;
}

ob_status ob__count_check_ci(const char *path, bool force, ob_err *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return OB_OK;
    const bool there = stat(path, &st) == 0;
    if (there && S_ISREG(st.st_mode) && st.st_size > 0 && !force)
        return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                             "already exists; --force replaces it");
    FILE *file = fopen(path, "ae");
    if (file == NULL || fclose(file) != 0)
        return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL,
                             "cannot be written: %s; choose another place", strerror(errno));
    if (!there)
        unlink(path); /* it comes back when there is something to put into it */
    return OB_OK;
}

static ob_status print_ci(FILE *file, const ob_snippets *snippets, const ob_count_values *values,
                          time_t start, ob_err *err)
{
    char md5[OB_MD5_TEXT];
    OB_TRY(ob_snippets_md5(snippets, md5, err));
    fprintf(file,
            "{\"version\": %d, \"md5\": \"%s\", \"start_time\": %lld, \"end_time\": %lld, "
            "\"values\": {",
            strcmp(md5, STANDARD_MD5) == 0 ? STANDARD_VERSION : OTHER_VERSION, md5,
            (long long)start, (long long)time(NULL));
    const ob_status status = write_values(file, snippets, values, err);
    fputs("}}\n", file);
    return status;
}

int ob__count_write_ci(ob_cli *cli, const char *path, const ob_snippets *snippets,
                       const ob_count_values *values, time_t start)
{
    char *text = NULL;
    size_t size = 0;
    ob_err err;
    FILE *file = open_memstream(&text, &size);
    ob_status status = file == NULL ? OB_OK : print_ci(file, snippets, values, start, &err);
    if (file == NULL || fclose(file) != 0)
        status = ob_err_set(&err, OB_ERR_NOMEM, "out of memory for the file of --ci");
    const int code =
        status == OB_OK ? ob__cli_write_file(cli, path, text, size) : ob__cli_fail(cli, &err);
    free(text);
    return code;
}
