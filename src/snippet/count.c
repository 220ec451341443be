/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting a snippet: its process runs under callgrind, which collects only around blocks and writes a file after
 * each. Blocks of n and 2n runs alternate; their difference is n runs without the switching, the loop's
 * start and the interpreter's way in and out.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "count/debug_symbols.h"
#include "count/valgrind.h"
#include "snippet/snippet_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WARMUP = 10, PYTHON_WARMUP = 100, MOST_NUMBER = 1 << 30, MOST_REPEATS = 1000 };

typedef struct counting {
    ob_valgrind valgrind;
    int64_t number, repeats;
    bool baseline;
    ob_task_spec task;
} counting;

/* ---- tables ---- */

/* How much of a name is before "[DIR/<hash>.so]", the object of a snippet; all of it where it is another's. */
static size_t length_without_hash(const char *name)
{
    static const char END[] = OB_OBJECT_END "]";
    enum { DIGITS = 32 };
    const size_t length = strlen(name), end = DIGITS + strlen(END);
    const char *bracket = strrchr(name, '[');
    if (bracket == NULL || length < end + 2 || strcmp(name + length - strlen(END), END) != 0 ||
        strspn(name + length - end, "0123456789abcdef") != DIGITS || name[length - end - 1] != '/')
        return length;
    return (size_t)(bracket - name);
}

/* The same in every build: snippets are compiled in "/", so their own lines are in "//stmt", and their objects have hashes
 * for names. */
static bool own_name(void *ctx, const char *function, ob_text *out)
{
    (void)ctx;
    function += strncmp(function, "//", 2) == 0 ? 2 : 0;
    const size_t kept = length_without_hash(function);
    return ob_text_append(out, function, kept) &&
           (function[kept] == '\0' || ob_text_append_str(out, "[snippet]"));
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
    ob_status status = ob__valgrind_read(&c->valgrind, number, &first, err);
    if (status == OB_OK)
        status = ob__valgrind_read(&c->valgrind, number + 1, &second, err);
    if (status == OB_OK)
        status = subtract(first, second, exclusive, inclusive, err);
    ob_count_file_destroy(first);
    ob_count_file_destroy(second);
    return status;
}

static ob_status read_all(const counting *c, ob_count_stats **stats, ob_err *err)
{
    ob_count_stats_params params = {
        .size = sizeof params, .task = c->task, .number_per_run = c->number};
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
        params.built_with_debug_symbols = ob__built_with_debug_symbols(exclusive);
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

/* What valgrind says about instructions that it does not know, in words that help. */
static ob_status explain(ob_status status, ob_err *err)
{
    return status != OB_OK && err != NULL && ob__valgrind_cannot(err->message)
               ? ob__valgrind_unable(err)
               : status;
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
    snprintf(request, sizeof request, "count %" PRId64 " %" PRId64 " %" PRId64, c->number, warmup,
             c->repeats);
    ob_status status = ob__snippet_ask(process, request, &ignored, err);
    if (status == OB_OK && c->baseline) {
        snprintf(request, sizeof request, "baseline %" PRId64, c->number);
        status = ob__snippet_ask(process, request, &ignored, err);
    }
    if (status == OB_OK) {
        /* The last file may still be under way; the process ends when its socket is closed. */
        ob__process_end(&process->child, 60.0);
        if (ob__is_stopped(&process->child.stop))
            status = ob__interrupted(err);
    }
    ob_snippet_close(process);
    return explain(status, err);
}

static ob_status count(counting *c, const ob_timer_args *args, const ob_snippet_options *options,
                       ob_count_stats **stats, ob_err *err)
{
    OB_TRY(ob__valgrind_open(&c->valgrind, options->valgrind, err));
    const ob_snippet_wrap wrap = {
        .words = c->valgrind.words, .variables = ob__valgrind_variables, .counts = true};
    OB_TRY(run_blocks(c, args, options, &wrap, err));
    return read_all(c, stats, err);
}

ob_status ob_snippet_count(const ob_timer_args *args, const ob_task_spec *task,
                           const ob_snippet_count_params *params, const ob_snippet_options *options,
                           ob_count_stats **stats, ob_err *err)
{
    ob_snippet_options own;
    ob_snippet_count_params how;
    ob_timer_args code;
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &own, options, err));
    OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_count_params, &how, params, err));
    OB_TRY(OB__TAKE(ob_timer_args, &code, args, err));
    counting c = {.number = how.number == 0 ? OB_SNIPPET_NUMBER : how.number,
                  .repeats = how.repeats == 0 ? 1 : how.repeats,
                  .baseline = code.language == OB_LANGUAGE_PYTHON && !how.no_baseline};
    if (c.number < 1 || c.number > MOST_NUMBER || c.repeats < 1 || c.repeats > MOST_REPEATS)
        return ob_err_set(err, OB_ERR_INVALID, "give 1 to %d runs and 1 to %d repeats", MOST_NUMBER,
                          MOST_REPEATS);
    ob_arena arena;
    ob__arena_init(&arena, 0);
    ob_status status = ob__snippet_task(&arena, task, &c.task, err);
    if (status == OB_OK)
        status = count(&c, &code, &own, stats, err);
    ob__valgrind_close(&c.valgrind);
    ob__arena_fini(&arena);
    return status;
}
