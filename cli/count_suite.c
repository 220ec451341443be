/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count -s SUITE: counts every snippet of a suite. Standard output gets one line per snippet, or one JSON
 * object with --json; progress and failures go to standard error. --ci writes the file of the original's
 * runs, --baseline compares with an earlier run.
 */
#include "count.h"
#include "interrupts.h"

#include "opbench/suite_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct suite_job {
    ob_cli *cli;
    const ob_count_options *options;
    const ob_snippets *snippets;
    int64_t **counts; /* by snippet, `repeats` each; NULL = none */
    ob_count_file *baseline;
    size_t failed, grown, compared;
    time_t start;
    double start_s;
} suite_job;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one result ---- */

static void print_label(ob_cli *cli, const ob_snippet *s)
{
    for (size_t i = 0; i < s->label_parts; i++)
        ob__cli_printf(cli, "%s%s", i > 0 ? " / " : "", s->label[i]);
    if (s->runtime[0] != '\0')
        ob__cli_printf(cli, "  %s, %s", s->runtime, s->autograd);
    ob__cli_printf(cli, "  %s, %" PRId64 " thread%s", ob_language_label(s->args.language),
                   s->args.num_threads, s->args.num_threads > 1 ? "s" : "");
}

/* The earlier count of the same snippet, or NULL. */
static const ob_count_stats *find_baseline(const suite_job *j, const char *key)
{
    for (size_t i = 0; key != NULL && i < ob_count_file_size(j->baseline); i++) {
        const ob_count_stats *stats = ob_count_file_part(j->baseline, i);
        const char *label = ob_count_stats_get(stats)->task.label;
        if (label != NULL && strcmp(label, key) == 0)
            return stats;
    }
    return NULL;
}

/* What changed, function by function, and whether that is too much. */
static ob_status compare(suite_job *j, const ob_count_stats *stats, ob_err *err)
{
    const ob_count_stats *before = find_baseline(j, ob_count_stats_get(stats)->task.label);
    if (before == NULL)
        return OB_OK;
    const int64_t old = ob_count_stats_counts(before, true);
    const int64_t new = ob_count_stats_counts(stats, true);
    j->compared++;
    if (new == old)
        return OB_OK;
    const bool grown = (double)new > (double)old *(1.0 + j->options->max_regression / 100.0);
    j->grown += grown;
    ob__cli_warn(j->cli, "%s: %" PRId64 " instructions instead of %" PRId64 " (%+.2f %%)%s",
                 ob_count_stats_get(stats)->task.label, new, old,
                 old == 0 ? 0.0 : 100.0 * (double)(new - old) / (double)old,
                 grown ? ": more than allowed" : "");
    ob_count_stats *a = NULL, *b = NULL;
    ob_counts *delta = NULL;
    ob_text text = {0};
    ob_status status = ob_count_stats_standardise(before, &a, err);
    if (status == OB_OK)
        status = ob_count_stats_standardise(stats, &b, err);
    if (status == OB_OK)
        status = ob_count_stats_delta(b, a, false, &delta, err);
    if (status == OB_OK)
        status = ob_counts_print(delta, NULL, &text, err);
    if (status == OB_OK)
        fprintf(stderr, "%.*s\n", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_counts_destroy(delta);
    ob_count_stats_destroy(a);
    ob_count_stats_destroy(b);
    return status;
}

static ob_status print_result(suite_job *j, const ob_suite_result *r, ob_err *err)
{
    /* The first of several counts is the one that differs, if any does. */
    const ob_count_stats *stats = r->stats[r->stats_count - 1];
    ob_json_doc *doc;
    ob_json *node;
    char *line = NULL;
    size_t length;
    if (!j->options->json) {
        print_label(j->cli, r->snippet);
        ob__cli_printf(j->cli, ":  ");
        for (size_t i = 0; i < r->stats_count; i++)
            ob__cli_printf(j->cli, "%s%" PRId64, i > 0 ? ", " : "", j->counts[r->index][i]);
        ob__cli_printf(j->cli, "\n");
        return OB_OK;
    }
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_count_stats_to_json(stats, doc, &node, err);
    if (status == OB_OK)
        status = ob_json_print(node, &line, &length, err);
    if (status == OB_OK)
        ob__cli_printf(j->cli, "%s\n", line);
    free(line);
    ob_json_doc_destroy(doc);
    return status;
}

static ob_status take_result(void *ctx, const ob_suite_result *r, ob_err *err)
{
    suite_job *j = ctx;
    char progress[128];
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s\033[K",
                ob_progress_format(r->done, r->total, r->cores, r->mean_s, now_s() - j->start_s,
                                   progress, sizeof progress));
    if (r->status != OB_OK) {
        char *key = NULL;
        j->failed++;
        OB_TRY(ob_snippet_key(r->snippet, &key, err));
        ob__cli_warn(j->cli, "%s failed after %d attempt%s: %s", key, r->attempts,
                     r->attempts == 1 ? "" : "s", r->reason);
        free(key);
        return OB_OK;
    }
    j->counts[r->index] = calloc(r->stats_count, sizeof(int64_t));
    if (j->counts[r->index] == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    for (size_t i = 0; i < r->stats_count; i++)
        j->counts[r->index][i] = ob_count_stats_counts(r->stats[i], true);
    OB_TRY(print_result(j, r, err));
    return j->baseline == NULL ? OB_OK : compare(j, r->stats[r->stats_count - 1], err);
}

/* ---- the file of the original ---- */

static ob_status write_ci(const suite_job *j, ob_err *err)
{
    char md5[OB_MD5_TEXT];
    OB_TRY(ob_snippets_md5(j->snippets, md5, err));
    FILE *file = fopen(j->options->ci, "we");
    if (file == NULL)
        return ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", j->options->ci,
                          strerror(errno));
    static const char STANDARD[] = "4d55e8abf881ad38bb617a96714c1296";
    fprintf(file,
            "{\"version\": %d, \"md5\": \"%s\", \"start_time\": %lld, \"end_time\": %lld, "
            "\"values\": {",
            strcmp(md5, STANDARD) == 0 ? 0 : -1, md5, (long long)j->start, (long long)time(NULL));
    const char *between = "";
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < ob_snippets_count(j->snippets); i++) {
        ob_json_doc *doc = NULL;
        char *key = NULL, *quoted = NULL;
        size_t length;
        if (j->counts[i] == NULL)
            continue;
        status = ob_snippet_key(ob_snippets_get(j->snippets, i), &key, err);
        if (status == OB_OK)
            status = ob_json_doc_create(&doc, err);
        if (status == OB_OK)
            status =
                ob_json_print(ob_json_new_string(doc, key, strlen(key)), &quoted, &length, err);
        if (status == OB_OK) {
            fprintf(file, "%s%s: {\"times\": [], \"counts\": [", between, quoted);
            for (int64_t k = 0; k < j->options->repeats; k++)
                fprintf(file, "%s%" PRId64, k > 0 ? ", " : "", j->counts[i][k]);
            fputs("]}", file);
            between = ", ";
        }
        free(key);
        free(quoted);
        ob_json_doc_destroy(doc);
    }
    fputs("}}\n", file);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", j->options->ci,
                          strerror(errno));
    return status;
}

/* ---- the run ---- */

static ob_status run_all(suite_job *j, ob_err *err)
{
    const ob_count_options *o = j->options;
    const ob_suite_run_params params = {
        .options = ob__snippet_line_options(&o->snippet, o->timeout),
        .count = {.number = o->number, .repeats = o->repeats, .no_baseline = true},
        .jobs = o->jobs,
        .retries = o->retries,
        .on_result = take_result,
        .stop = ob__cli_interrupts,
        .ctx = j};
    OB_TRY(ob_snippets_make_models(j->snippets, &params.options, err));
    ob_status status = ob_suite_run(j->snippets, &params, err);
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (status == OB_END)
        status = ob_err_set(err, OB_ERR_STATE, "interrupted");
    if ((status == OB_OK || status == OB_ERR_STATE) && o->ci != NULL)
        OB_TRY(write_ci(j, err));
    return status;
}

static void remove_models(const ob_snippets *snippets, const char *dir)
{
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        const char *path = ob_snippets_get(snippets, i)->model_path;
        char *source = path == NULL ? NULL : strdup(path);
        if (source == NULL)
            continue;
        unlink(source);
        source[strlen(source) - 1] = 'y';
        unlink(source);
        free(source);
    }
    rmdir(dir);
}

static ob_status run_in(suite_job *j, const ob_suite *suite, const char *dir, ob_err *err)
{
    ob_snippets *snippets = NULL;
    const char *lang = j->options->snippet.lang;
    ob_language language = OB_LANGUAGE_PYTHON;
    if (lang != NULL)
        OB_TRY(ob_language_parse(lang, &language, err));
    const ob_expand_options expand = {.models_dir = dir, .only = lang != NULL ? &language : NULL};
    OB_TRY(ob_suite_expand(suite, &expand, &snippets, err));
    j->snippets = snippets;
    j->counts = calloc(ob_snippets_count(snippets) + 1, sizeof *j->counts);
    ob_status status =
        j->counts == NULL ? ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts") : OB_OK;
    if (status == OB_OK && j->options->baseline != NULL)
        status = ob_count_file_read(j->options->baseline, &j->baseline, err);
    if (status == OB_OK)
        status = run_all(j, err);
    for (size_t i = 0; j->counts != NULL && i < ob_snippets_count(snippets); i++)
        free(j->counts[i]);
    free((void *)j->counts);
    ob_count_file_destroy(j->baseline);
    remove_models(snippets, dir);
    ob_snippets_destroy(snippets);
    return status;
}

int ob__count_suite(ob_cli *cli, const ob_count_options *options)
{
    suite_job j = {.cli = cli, .options = options, .start = time(NULL), .start_s = now_s()};
    const char *parent = getenv("TMPDIR");
    char dir[1024];
    ob_suite *suite = NULL;
    ob_err err;
    ob_status status = ob_suite_read(options->suite, &suite, &err);
    parent = parent == NULL || parent[0] != '/' ? "/tmp" : parent;
    const int length = snprintf(dir, sizeof dir, "%s/opbench-models-XXXXXX", parent);
    if (status == OB_OK && ((size_t)length >= sizeof dir || mkdtemp(dir) == NULL))
        status =
            ob_err_set(&err, OB_ERR_IO, "no folder for models in %s: %s", parent, strerror(errno));
    if (status == OB_OK) {
        ob__cli_catch_interrupts(cli);
        status = run_in(&j, suite, dir, &err);
    }
    ob_suite_destroy(suite);
    if (status == OB_ERR_STATE)
        return 130;
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    if (options->baseline != NULL)
        ob__cli_warn(cli, "%zu of %zu counts grew by more than %g %%", j.grown, j.compared,
                     options->max_regression);
    return j.failed > 0 || j.grown > 0 ? OB_EXIT_FAILED : OB_EXIT_OK;
}
