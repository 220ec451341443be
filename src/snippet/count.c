/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting a snippet: its process runs under callgrind, which collects only around blocks and writes a file after
 * each. Blocks of n and 2n runs alternate; their difference is n runs without the switching, the loop's
 * start and the interpreter's way in and out.
 */
#include "base/text.h"
#include "snippet/lines.h"
#include "snippet/process.h"
#include "snippet/suite_int.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    DEFAULT_NUMBER = 100,
    MOST_WARMUP = 10,
    PYTHON_WARMUP = 100,
    MOST_NUMBER = 1 << 30,
    MOST_REPEATS = 1000
};

/* valgrind has no AVX-512; libraries that would ask the kernel or the user rather than the processor are told.
 * Without fast bins malloc has nothing to consolidate from time to time, which would be counted in some
 * repeats and not in others. */
static const char *const VARIABLES[] = {"ATEN_CPU_CAPABILITY=avx2",
                                        "ONEDNN_MAX_CPU_ISA=AVX2",
                                        "DNNL_MAX_CPU_ISA=AVX2",
                                        "OPENBLAS_CORETYPE=Haswell",
                                        "MKL_ENABLE_INSTRUCTIONS=AVX2",
                                        "GLIBC_TUNABLES=glibc.malloc.mxfast=0",
                                        NULL};

typedef struct counting {
    ob_arena arena;
    char dir[1024]; /* "" = none; removed at the end */
    int64_t number, repeats;
    bool baseline;
    const ob_task_spec *task;
} counting;

/* ---- the folder ---- */

static ob_status make_dir(counting *c, ob_err *err)
{
    const char *parent = getenv("TMPDIR");
    parent = parent == NULL || parent[0] != '/' ? "/tmp" : parent;
    const int length = snprintf(c->dir, sizeof c->dir, "%s/opbench-count-XXXXXX", parent);
    if ((size_t)length < sizeof c->dir && mkdtemp(c->dir) != NULL)
        return OB_OK;
    const int why = errno;
    c->dir[0] = '\0';
    return ob_err_set(err, OB_ERR_IO, "no folder for counts in %s: %s", parent, strerror(why));
}

static void remove_dir(const counting *c)
{
    DIR *dir = c->dir[0] == '\0' ? NULL : opendir(c->dir);
    if (dir == NULL)
        return;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(c->dir);
}

/* ---- tables ---- */

/* The count of the file with this number. */
static ob_status read_dump(const counting *c, int64_t number, ob_count_file **out, ob_err *err)
{
    char path[sizeof c->dir + 64];
    snprintf(path, sizeof path, "%s/callgrind.out.%" PRId64, c->dir, number);
    const ob_status status = ob_count_file_read(path, out, err);
    if (status == OB_ERR_IO)
        return ob_err_set(err, OB_ERR_BACKEND,
                          "Failed to collect callgrind profile:\nvalgrind wrote no counts; opbench "
                          "must be built with valgrind's headers");
    return status;
}

/* Snippets are compiled in "/", so their own lines are in "//stmt". */
static bool own_name(void *ctx, const char *function, ob_text *out)
{
    (void)ctx;
    return ob__text_append_str(out, function + (strncmp(function, "//", 2) == 0 ? 2 : 0));
}

static ob_status delta(const ob_count_stats *more, const ob_count_stats *less, bool inclusive,
                       ob_counts **out, ob_err *err)
{
    ob_counts *difference;
    OB_TRY(ob_count_stats_delta(more, less, inclusive, &difference, err));
    const ob_status status = ob_counts_rename(difference, own_name, NULL, out, err);
    ob_counts_destroy(difference);
    return status;
}

/* What `second` has more than `first`: tables of n runs. */
static ob_status subtract(const ob_count_file *first, const ob_count_file *second,
                          ob_counts **exclusive, ob_counts **inclusive, ob_err *err)
{
    const ob_count_stats *a = ob_count_file_part(first, 0), *b = ob_count_file_part(second, 0);
    OB_TRY(delta(b, a, false, exclusive, err));
    return delta(b, a, true, inclusive, err);
}

static ob_status read_pair(const counting *c, int64_t number, ob_counts **exclusive,
                           ob_counts **inclusive, ob_err *err)
{
    ob_count_file *first = NULL, *second = NULL;
    *exclusive = *inclusive = NULL;
    ob_status status = read_dump(c, number, &first, err);
    if (status == OB_OK)
        status = read_dump(c, number + 1, &second, err);
    if (status == OB_OK)
        status = subtract(first, second, exclusive, inclusive, err);
    ob_count_file_destroy(first);
    ob_count_file_destroy(second);
    return status;
}

static ob_status read_all(const counting *c, ob_count_stats **stats, ob_err *err)
{
    ob_count_stats_params params = {
        .task = *c->task, .number_per_run = c->number, .built_with_debug_symbols = true};
    ob_counts *baseline_exclusive = NULL, *baseline_inclusive = NULL;
    ob_status status = OB_OK;
    if (c->baseline)
        status = read_pair(c, 2 * c->repeats + 1, &baseline_exclusive, &baseline_inclusive, err);
    params.baseline_exclusive = baseline_exclusive;
    params.baseline_inclusive = baseline_inclusive;
    int64_t made = 0;
    for (; status == OB_OK && made < c->repeats; made++) {
        ob_counts *exclusive, *inclusive;
        status = read_pair(c, 2 * made + 1, &exclusive, &inclusive, err);
        params.stmt_exclusive = exclusive;
        params.stmt_inclusive = inclusive;
        if (status == OB_OK)
            status = ob_count_stats_create(&params, &stats[made], err);
        ob_counts_destroy(exclusive);
        ob_counts_destroy(inclusive);
        if (status != OB_OK)
            break;
    }
    if (status != OB_OK)
        while (made-- > 0)
            ob_count_stats_destroy(stats[made]);
    ob_counts_destroy(baseline_exclusive);
    ob_counts_destroy(baseline_inclusive);
    return status;
}

/* ---- running ---- */

/* valgrind's own words about instructions that it does not know. */
static ob_status explain(ob_status status, ob_err *err)
{
    if (err == NULL || (strstr(err->message, "nrecognised instruction") == NULL &&
                        strstr(err->message, "SIGILL") == NULL &&
                        strstr(err->message, "Illegal instruction") == NULL))
        return status;
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "valgrind cannot run this code: it uses instructions that valgrind does not "
                      "know, such as those of AVX-512; use code for AVX2");
}

static ob_status run_blocks(const counting *c, const ob_timer_args *args,
                            const ob_snippet_options *options, const ob_snippet_wrap *wrap,
                            ob_err *err)
{
    ob_snippet_process *process;
    char request[96];
    double ignored;
    OB_TRY(explain(ob__snippet_start(args, options, wrap, &process, err), err));
    /* The interpreter adapts code that it has seen often enough. */
    const int64_t least = args->language == OB_LANGUAGE_PYTHON ? PYTHON_WARMUP : MOST_WARMUP;
    const int64_t warmup =
        args->language == OB_LANGUAGE_PYTHON || c->number > least ? least : c->number;
    snprintf(request, sizeof request, "count %" PRId64 " %" PRId64 " %" PRId64 "\n", c->number,
             warmup, c->repeats);
    ob_status status = ob__snippet_ask(process, request, &ignored, err);
    if (status == OB_OK && c->baseline) {
        snprintf(request, sizeof request, "baseline %" PRId64 "\n", c->number);
        status = ob__snippet_ask(process, request, &ignored, err);
    }
    if (status == OB_OK) {
        /* The last file may still be under way; the process ends when its socket is closed. */
        ob__child_end(&process->child, 60.0);
    }
    ob_snippet_close(process);
    return explain(status, err);
}

static ob_status count(counting *c, const ob_timer_args *args, const ob_snippet_options *options,
                       ob_count_stats **stats, ob_err *err)
{
    const char *valgrind;
    const char *name =
        options != NULL && options->valgrind != NULL ? options->valgrind : "valgrind";
    OB_TRY(ob__find_program(&c->arena, name, &valgrind, err));
    OB_TRY(make_dir(c, err));
    const char *out =
        ob__join(&c->arena, "",
                 (const char *const[]){"--callgrind-out-file=", c->dir, "/callgrind.out", NULL});
    if (out == NULL)
        return ob__snippet_no_memory(err);
    const char *const words[] = {valgrind,
                                 "--tool=callgrind",
                                 "-q",
                                 "--vgdb=no", /* no pipes to leave behind */
                                 "--instr-atstart=no",
                                 "--collect-atstart=no",
                                 "--compress-strings=yes",
                                 out,
                                 NULL};
    const ob_snippet_wrap wrap = {.words = words, .variables = VARIABLES, .counts = true};
    OB_TRY(run_blocks(c, args, options, &wrap, err));
    return read_all(c, stats, err);
}

ob_status ob_snippet_count(const ob_timer_args *args, const ob_task_spec *task,
                           const ob_snippet_count_params *params, const ob_snippet_options *options,
                           ob_count_stats **stats, ob_err *err)
{
    counting c = {.number = params->number == 0 ? DEFAULT_NUMBER : params->number,
                  .repeats = params->repeats == 0 ? 1 : params->repeats,
                  .baseline = args->language == OB_LANGUAGE_PYTHON && !params->no_baseline,
                  .task = task};
    if (c.number < 1 || c.number > MOST_NUMBER || c.repeats < 1 || c.repeats > MOST_REPEATS)
        return ob_err_set(err, OB_ERR_INVALID, "give 1 to %d runs and 1 to %d repeats", MOST_NUMBER,
                          MOST_REPEATS);
    ob__arena_init(&c.arena, 0);
    const ob_status status = count(&c, args, options, stats, err);
    remove_dir(&c);
    ob__arena_fini(&c.arena);
    return status;
}
