/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run, as rows: one place for command line, worker and repro line.
 */
#include "run/identity.h"

#include "base/option_field.h"
#include "base/sized.h"
#include "base/text_append.h"
#include "run/pinned_threads.h"
#include "run/wrap.h"

#include <string.h>

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, ob_run_options, field, __VA_ARGS__)
#define AFFECTS .affects_measurement = true

#define BACKEND .group = "Backend"
#define MEASURING .group = "Measuring"
#define PROCESSES .group = "Threads and processes"
#define CHECKS .group = "Checks and counts"
#define LABELS .group = "Labels"

static const ob_option ROWS[] = {
    ROW(STRING, "backend", backend, BACKEND, AFFECTS, .value = "NAME",
        .otherwise = OB_REFERENCE_BACKEND,
        .help =
            "Backend to run on; several (a,b) take turns on every case and are compared with the "
            "first. They alternate in blocks on one CPU. `opbench list backends` lists them."),
    ROW(STRING, "backend-options", backend_options, .rare = true, BACKEND, AFFECTS, .value = "LIST",
        .help = "The backend's own options, as name=value,name=value; with several backends, "
                "NAME.name=value."),
    ROW(STRING, "device", device, BACKEND, AFFECTS, .letter = 'd', .value = "DEVICE",
        .otherwise = "the backend's first",
        .help = "Device: cpu, cuda:0, opencl:0, ... From a list (cpu,opencl:0), each backend takes "
                "the first it supports."),
    ROW(INT, "warmup", warmup, MEASURING, AFFECTS, .letter = 'w', .value = "N", .initial = "1",
        .help = "Warm-up iterations; 0 or less: none."),
    ROW(DOUBLE, "warmup-time", warmup_time_s, .rare = true, MEASURING, AFFECTS, .unit = "seconds",
        .open = true, .max = 1e6,
        .help = "Warm up for at least this long, whatever --warmup says."),
    ROW(INT, "iteration", iteration, MEASURING, AFFECTS, .letter = 'i', .value = "N",
        .initial = "1", .help = "Measured iterations; 0 or less: none."),
    ROW(DOUBLE, "min-time", min_time_s, MEASURING, AFFECTS, .unit = "seconds", .open = true,
        .max = 1e6,
        .help =
            "Measure until the samples add up to this time, instead of a number of iterations."),
    ROW(INT, "min-samples", min_samples, .rare = true, MEASURING, AFFECTS, .value = "N",
        .max = 1e12,
        .help = "Take at least this many samples, whatever --min-time and --precision say."),
    ROW(DOUBLE, "precision", precision, MEASURING, AFFECTS, .value = "FRACTION", .open = true,
        .max = 1,
        .help =
            "Measure until the 95 % confidence interval of the median is within this fraction of "
            "it, such as 0.01."),
    ROW(FLAG, "backward", backward, MEASURING, AFFECTS, .letter = 'b',
        .help = "Also measure the backward pass."),
    ROW(CHOICE, "exec-mode", exec_mode, .rare = true, MEASURING, AFFECTS, .value = "MODE",
        .choices = "discrete|continuous|continuous_events", .initial = "discrete",
        .help = "One sample per iteration; per block of iterations; or per iteration, timed by the "
                "device's events. A call given on the command line defaults to continuous, unless "
                "-i or a cold cache is given."),
    ROW(INT, "block", block, .rare = true, MEASURING, AFFECTS, .value = "N", .max = 1e12,
        .otherwise = "all in one block", .help = "Iterations per block in continuous mode."),
    ROW(DOUBLE, "block-time", block_time_s, .rare = true, MEASURING, AFFECTS, .unit = "seconds",
        .open = true, .max = 1e6, .otherwise = "0.001, or a twentieth of --min-time",
        .help = "How long a block should take in continuous mode with --min-time or --precision."),
    ROW(DOUBLE, "turn-time", turn_time_s, .rare = true, MEASURING, AFFECTS, .unit = "seconds",
        .open = true, .max = 1e6, .otherwise = "a block, or 0.001",
        .help = "With several backends: how long each runs before the next one takes its turn."),
    ROW(CHOICE, "cache", cache, MEASURING, AFFECTS, .value = "STATE", .choices = "hot|cold",
        .otherwise = "hot",
        .help = "Leave operands in the cache between samples, or flush them (discrete mode)."),
    ROW(CHOICE, "cuda-l2-cache", l2_cache, .rare = true, MEASURING, AFFECTS, .value = "STATE",
        .choices = "on|off", .help = "PARAM's name for --cache: on is hot, off is cold."),
    ROW(INT, "num-threads", threads, PROCESSES, AFFECTS, .value = "N", .min = 1, .max = 4096,
        .initial = "1", .help = "Threads for every library underneath."),
    ROW(STRING, "pin", pin, PROCESSES, AFFECTS, .value = "CPUS", .otherwise = "any",
        .help = "Run only on these CPUs, such as 3 or 0,2,4-7, one thread on each."),
    ROW(STRING, "membind", membind, .rare = true, PROCESSES, AFFECTS, .value = "NODE",
        .otherwise = "any", .help = "Take all memory from this NUMA node, or these, such as 0,2."),
    ROW(STRING, "wrap", wrap, .rare = true, PROCESSES, AFFECTS, .value = "COMMAND",
        .help = "Start the worker under this command, such as 'perf stat -d' or 'numactl "
                "--interleave=all'; what it prints when it ends goes to standard error and into "
                "the last record."),
    ROW(INT, "seed", seed, .rare = true, MEASURING, AFFECTS, .value = "N",
        .max = 9223372036854775807.0, .initial = "0", .help = "Seed for the generated data."),
    ROW(INT, "processes", processes, PROCESSES, AFFECTS, .value = "N", .min = 1, .max = 10000,
        .initial = "1",
        .help = "Measure each case in this many fresh processes, each with its own warm-up and "
                "samples; one record holds them all, and six or more give a 95 % interval."),
    ROW(DOUBLE, "case-timeout", case_timeout_s, PROCESSES, .unit = "seconds", .max = 1e9,
        .otherwise = "no limit", .help = "Fail a case that takes longer, and continue."),
    ROW(INT, "max-memory", max_memory_mib, .rare = true, PROCESSES, .unit = "MiB", .max = 1e9,
        .otherwise = "three quarters of the machine's memory",
        .help = "Fail a case that needs more, and continue."),
    ROW(FLAG, "profile", profile, .rare = true, .group = "Output", .letter = 'p',
        .help = "Write a trace file for Chrome or Perfetto: phases, cases, iterations."),
    ROW(FLAG, "inference-mode", inference_mode, .rare = true, BACKEND, AFFECTS,
        .help = "Skip autograd's bookkeeping, if the backend has any."),
    ROW(FLAG, "check", check, CHECKS, AFFECTS,
        .help = "Check results, and with -b gradients, against a reference within the error bounds "
                "of their dtype, before and after measuring; a wrong result fails the case."),
    ROW(FLAG, "count", count, CHECKS, AFFECTS,
        .help = "Also count instructions: each case once more in a process under valgrind, and "
                "with the processor's own counters if it has any."),
    ROW(CHOICE, "count-with", count_with, .rare = true, CHECKS, AFFECTS, .value = "SOURCE",
        .choices = "callgrind|perf_event", .otherwise = "both",
        .help = "With --count: count only in this way."),
    ROW(INT, "count-number", count_number, .rare = true, CHECKS, AFFECTS, .value = "N", .min = 1,
        .max = 1 << 30, .initial = "10", .help = "With --count: number of iterations to count."),
    ROW(STRING, "count-dir", count_dir, .rare = true, CHECKS, .value = "DIR",
        .help = "With --count: keep the counts by function in this folder, for `opbench count "
                "show` and `diff`."),
    ROW(DOUBLE, "count-timeout", count_timeout_s, .rare = true, CHECKS, .unit = "seconds",
        .max = 1e9, .initial = "600",
        .help = "With --count: how long a case may take under valgrind; 0: no limit."),
    ROW(CHOICE, "library-caps", library_caps, .rare = true, BACKEND, AFFECTS, .value = "STATE",
        .choices = "on|quiet|off", .otherwise = "$OPBENCH_LIBRARY_CAPS, else on",
        .help = "Correct libraries that would use instructions this machine announces but does not "
                "have, or kernels far below what it can do: on reports it on standard error, quiet "
                "does not; the header record has it either way."),
    ROW(STRING, "roofline", roofline, .rare = true, CHECKS, .value = "FILE|off",
        .otherwise = "$OPBENCH_ROOFLINE, else what `opbench roofline` measured on this machine",
        .help = "The ceilings to compare results with: what share of the attainable speed they "
                "reach, and what bounds them."),
    {.name = NULL},
};

static const ob_option TIMER_ROWS[] = {
    ROW(CHOICE, "method", timer.method, .rare = true, MEASURING, AFFECTS, .value = "METHOD",
        .choices = "blocked|adaptive|timeit", .otherwise = "blocked",
        .help = "Blocks for a given time; blocks until their spread is small; or one block of "
                "--number."),
    ROW(INT, "number", timer.number, MEASURING, AFFECTS, .letter = 'n', .value = "N", .min = 1,
        .max = 1e15, .initial = OB_OPTION_NUMBER(OB_TIMER_NUMBER),
        .help = "timeit: iterations in the block; implies --method timeit."),
    ROW(DOUBLE, "min-run-time", timer.min_run_time_s, MEASURING, AFFECTS, .unit = "seconds",
        .max = 1e6, .initial = "-1",
        .otherwise =
            OB_OPTION_NUMBER(OB_TIMER_MIN_RUN_TIME_S) " seconds; adaptive " OB_OPTION_NUMBER(
                OB_ADAPTIVE_MIN_RUN_TIME_S),
        .help = "Measure for at least this long, all blocks together."),
    ROW(DOUBLE, "max-run-time", timer.max_run_time_s, .rare = true, MEASURING, AFFECTS,
        .unit = "seconds", .max = 1e6, .initial = OB_OPTION_NUMBER(OB_ADAPTIVE_MAX_RUN_TIME_S),
        .help = "adaptive: give up after this long; 0: never."),
    ROW(DOUBLE, "max-spread", timer.threshold, .rare = true, MEASURING, AFFECTS,
        .value = "FRACTION", .max = 1e6, .initial = OB_OPTION_NUMBER(OB_ADAPTIVE_THRESHOLD),
        .help = "adaptive: continue until the interquartile range is below this fraction of the "
                "median."),
    ROW(STRING, "label", timer.label, LABELS, .value = "TEXT",
        .help = "What is being measured; comparisons have one table per label."),
    ROW(STRING, "sub-label", timer.sub_label, .rare = true, LABELS, .value = "TEXT",
        .otherwise = "the call",
        .help = "Which implementation; comparisons have one row per sub-label."),
    ROW(STRING, "description", timer.description, .rare = true, LABELS, .value = "TEXT",
        .help = "Which inputs; comparisons have one column per description."),
    ROW(STRING, "env", timer.env, .rare = true, LABELS, .value = "TEXT",
        .help = "Which environment, such as a branch; comparisons group rows by it."),
    {.name = NULL},
};

const ob_option *ob_run_option_rows(void)
{
    return ROWS;
}

const ob_option *ob_timer_option_rows(void)
{
    return TIMER_ROWS;
}

void ob_run_options_init_sized(ob_run_options *options, size_t size)
{
    ob_run_options own = {.size = sizeof own};
    ob_options_init(ROWS, &own, NULL);
    ob_options_init(TIMER_ROWS, &own, NULL);
    options->size = size;
    OB__GIVE(ob_run_options, options, &own, NULL);
}

/* Options that would be passed over in silence, or that ask for two things at once. */
static const char *contradiction(const ob_run_options *o)
{
    const bool discrete = strcmp(o->exec_mode, "discrete") == 0;
    ob_run_options usual;
    ob_run_options_init(&usual);
    const bool by_rule = o->min_time_s > 0 || o->precision > 0;
    const struct {
        bool asked;
        const char *why;
    } rows[] = {
        {ob__options_cold(o) && !discrete,
         "a cold cache only works with --exec-mode discrete: in a block, every iteration but the "
         "first finds the cache as the previous one left it"},
        {o->l2_cache != NULL && o->cache != NULL &&
             (strcmp(o->l2_cache, "off") == 0) != (strcmp(o->cache, "cold") == 0),
         "--cache and --cuda-l2-cache conflict (on is hot, off is cold); give only one of them"},
        {o->block > 0 && strcmp(o->exec_mode, "continuous") != 0,
         "--block has no effect in discrete and continuous_events mode, where every iteration is a "
         "sample; leave it out, or give --exec-mode continuous"},
        {o->min_samples > 0 && !by_rule, "--min-samples goes with --min-time or --precision; "
                                         "without these, --iteration sets the number of samples"},
        {o->block_time_s > 0 &&
             (o->block > 0 || !by_rule || strcmp(o->exec_mode, "continuous") != 0),
         "--block-time is for blocks of estimated length; give it with --exec-mode continuous and "
         "--min-time or --precision, without --block"},
        {o->inference_mode && o->backward,
         "--inference-mode drops what the backward pass needs; leave out --inference-mode or -b"},
        {by_rule && o->iteration != usual.iteration,
         "-i fixes the number of iterations, but --min-time and --precision measure until they are "
         "satisfied; give one or the other"},
        {o->timer.method != NULL && (by_rule || !discrete),
         "the Timer chooses its own blocks; leave out its method, or the options that say "
         "otherwise"},
        {o->timer.method != NULL && strcmp(o->timer.method, "adaptive") == 0 && ob__options_cold(o),
         "the adaptive Timer uses blocks, in which the cache is hot; leave out --adaptive or "
         "--cache cold"},
        {!o->count && o->count_repeats == 0 &&
             (o->count_with != NULL || o->count_dir != NULL ||
              o->count_number != usual.count_number),
         "--count-with, --count-dir and --count-number say how --count counts; add --count"},
        {o->count_dir != NULL && !ob__options_count_with(o, "callgrind"),
         "--count-dir keeps callgrind's counts by function; leave it out with --count-with "
         "perf_event"},
        {o->precision < 0 || o->precision >= 1,
         "--precision must be a fraction between 0 and 1, such as 0.01"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].asked)
            return rows[i].why;
    return NULL;
}

bool ob__options_count_with(const ob_run_options *options, const char *source)
{
    return options->count &&
           (options->count_with == NULL || strcmp(options->count_with, source) == 0);
}

void ob__options_no_count(ob_run_options *options)
{
    ob_run_options usual;
    ob_run_options_init(&usual);
    options->count = false;
    options->count_with = options->count_dir = NULL;
    options->count_number = usual.count_number;
    options->count_timeout_s = usual.count_timeout_s;
}

ob_status ob_run_options_check(const ob_run_options *options, ob_err *err)
{
    ob_run_options own;
    OB_TRY(OB__TAKE(ob_run_options, &own, options, err));
    const char *why = contradiction(&own);
    ob_command_words words = {.count = 0};
    ob_pins pins;
    if (why != NULL)
        return ob_err_set(err, OB_ERR_INVALID, "%s", why);
    const ob_status status = ob__wrap_words(own.wrap, &words, err);
    ob__command_words_fini(&words);
    OB_TRY(status);
    return ob__pins_read(own.pin, own.threads, &pins, err);
}

/* ---- as words ---- */

bool ob__run_options_words(const ob_run_options *options, ob_text *words)
{
    return ob__options_append_words(ROWS, options, words) &&
           ob__options_append_words(TIMER_ROWS, options, words);
}

ob_status ob_run_options_print(const ob_run_options *options, ob_text *text, ob_err *err)
{
    const size_t mark = text->size;
    ob_text words = {0};
    ob_run_options own;
    OB_TRY(OB__TAKE(ob_run_options, &own, options, err));
    bool ok = ob__run_options_words(&own, &words);
    for (size_t at = 0; ok && at < words.size; at += strlen(words.data + at) + 1)
        ok = (text->size == mark || ob_text_append(text, " ", 1)) &&
             ob__text_append_word(text, words.data + at);
    ob_text_fini(&words);
    if (ok)
        return OB_OK;
    text->size = mark;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options' text");
}
