/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run, as rows: one place for command line, worker and repro line.
 */
#include "run/identity.h"

#include "base/number.h"
#include "base/text.h"

#include <string.h>

#define AT(field) .offset = offsetof(ob_run_options, field)

static const ob_option ROWS[] = {
    {.name = "backend",
     .type = OB_OPTION_STRING,
     AT(backend),
     .value = "NAME",
     .help = "Who computes; `opbench list backends` shows them. native if not given."},
    {.name = "backend-options",
     .type = OB_OPTION_STRING,
     AT(backend_options),
     .value = "LIST",
     .help = "Options of the backend itself, as name=value,name=value."},
    {.name = "device",
     .letter = 'd',
     .type = OB_OPTION_STRING,
     AT(device),
     .value = "DEVICE",
     .help = "Where: cpu (if not given), cuda:0, opencl:0, ..."},
    {.name = "warmup",
     .letter = 'w',
     .type = OB_OPTION_INT,
     AT(warmup),
     .value = "N",
     .help = "Warm-up iterations (1); 0 or less: none."},
    {.name = "iteration",
     .letter = 'i',
     .type = OB_OPTION_INT,
     AT(iteration),
     .value = "N",
     .help = "Measured iterations (1); 0 or less: none."},
    {.name = "min-time",
     .type = OB_OPTION_DOUBLE,
     AT(min_time_s),
     .value = "SECONDS",
     .max = 1e6,
     .help = "Measure until the samples took so long, instead of a number of iterations."},
    {.name = "precision",
     .type = OB_OPTION_DOUBLE,
     AT(precision),
     .value = "SHARE",
     .max = 1,
     .help = "Measure until the 95 % confidence interval of the mean is within this share of it, "
             "such as 0.01."},
    {.name = "backward",
     .letter = 'b',
     .type = OB_OPTION_FLAG,
     AT(backward),
     .help = "Include the backward pass."},
    {.name = "exec-mode",
     .type = OB_OPTION_CHOICE,
     AT(exec_mode),
     .value = "MODE",
     .choices = "discrete|continuous|continuous_events",
     .help = "One sample per iteration; per block of iterations; or per iteration by the device's "
             "events. discrete if not given."},
    {.name = "block",
     .type = OB_OPTION_INT,
     AT(block),
     .value = "N",
     .max = 1e12,
     .help = "Iterations per block in continuous mode; all of them if not given."},
    {.name = "cache",
     .type = OB_OPTION_CHOICE,
     AT(cache),
     .value = "STATE",
     .choices = "hot|cold",
     .help = "Leave operands in the cache between samples, or flush them (discrete mode)."},
    {.name = "cuda-l2-cache",
     .type = OB_OPTION_CHOICE,
     AT(l2_cache),
     .value = "STATE",
     .choices = "on|off",
     .help = "The same in PARAM's words: on is hot, off is cold."},
    {.name = "num-threads",
     .type = OB_OPTION_INT,
     AT(threads),
     .value = "N",
     .min = 1,
     .max = 4096,
     .help = "Threads of every library underneath (1)."},
    {.name = "pin",
     .type = OB_OPTION_INT,
     AT(cpu),
     .value = "CPU",
     .max = 4095,
     .help = "Run on this CPU alone."},
    {.name = "seed",
     .type = OB_OPTION_INT,
     AT(seed),
     .value = "N",
     .help = "Seed of the generated data (0)."},
    {.name = "case-timeout",
     .type = OB_OPTION_DOUBLE,
     AT(case_timeout_s),
     .value = "SECONDS",
     .max = 1e9,
     .help = "A case that takes longer fails, and the run goes on; none if not given."},
    {.name = "max-memory",
     .type = OB_OPTION_INT,
     AT(max_memory_mib),
     .value = "MIB",
     .max = 1e9,
     .help = "A case that needs more fails, and the run goes on; three quarters of the machine's "
             "memory if not given."},
    {.name = "inference-mode",
     .type = OB_OPTION_FLAG,
     AT(inference_mode),
     .help = "Without autograd's bookkeeping, where the backend has it."},
    {.name = NULL},
};

const ob_option *ob_run_option_rows(void)
{
    return ROWS;
}

void ob_run_options_init(ob_run_options *options)
{
    *options = (ob_run_options){.warmup = 1,
                                .iteration = 1,
                                .exec_mode = "discrete",
                                .cache = "hot",
                                .threads = 1,
                                .cpu = -1};
}

ob_status ob_run_options_check(const ob_run_options *options, ob_err *err)
{
    const bool cold = options->l2_cache != NULL ? strcmp(options->l2_cache, "off") == 0
                                                : strcmp(options->cache, "cold") == 0;
    if (cold && strcmp(options->exec_mode, "discrete") != 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "a cold cache goes with --exec-mode discrete only: in a block every "
                          "iteration but the first finds the cache as the one before left it");
    if (options->min_time_s > 0 && options->precision > 0)
        return OB_OK; /* both: the precision rule with a least time */
    if (options->precision < 0 || options->precision >= 1)
        return ob_err_set(err, OB_ERR_INVALID,
                          "--precision is a share between 0 and 1, such as "
                          "0.01");
    return OB_OK;
}

/* ---- as words ---- */

static bool same(const ob_option *row, const char *a, const char *b)
{
    switch (row->type) {
    case OB_OPTION_FLAG:
        return *(const bool *)a == *(const bool *)b;
    case OB_OPTION_INT:
        return *(const int64_t *)a == *(const int64_t *)b;
    case OB_OPTION_DOUBLE:
        return memcmp(a, b, sizeof(double)) == 0;
    case OB_OPTION_STRING:
    case OB_OPTION_CHOICE: {
        const char *x = *(const char *const *)a, *y = *(const char *const *)b;
        return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
    }
    }
    return true;
}

/* The value as text, behind "=". */
static bool append_value(ob_text *text, const ob_option *row, const char *field)
{
    char digits[32];
    if (row->type == OB_OPTION_FLAG)
        return true;
    if (!ob__text_append(text, "=", 1))
        return false;
    if (row->type == OB_OPTION_INT)
        return ob__text_append_i64(text, *(const int64_t *)field);
    if (row->type == OB_OPTION_DOUBLE)
        return ob__text_append(text, digits, ob__format_double(*(const double *)field, digits));
    return ob__text_append_str(text, *(const char *const *)field);
}

bool ob__run_options_words(const ob_run_options *options, ob_text *words)
{
    ob_run_options defaults;
    bool ok = true;
    ob_run_options_init(&defaults);
    for (const ob_option *row = ROWS; ok && row->name != NULL; row++) {
        const char *field = (const char *)options + row->offset;
        const bool text = row->type == OB_OPTION_STRING || row->type == OB_OPTION_CHOICE;
        if (same(row, field, (const char *)&defaults + row->offset) ||
            (text && *(const char *const *)field == NULL))
            continue;
        ok = ob__text_append_str(words, "--") && ob__text_append_str(words, row->name) &&
             append_value(words, row, field) && ob__text_append(words, "", 1);
    }
    return ok;
}

ob_status ob_run_options_print(const ob_run_options *options, ob_text *text, ob_err *err)
{
    const size_t mark = text->size;
    ob_text words = {0};
    bool ok = ob__run_options_words(options, &words);
    for (size_t at = 0; ok && at < words.size; at += strlen(words.data + at) + 1)
        ok = (text->size == mark || ob__text_append(text, " ", 1)) &&
             ob__text_append_word(text, words.data + at);
    ob_text_fini(&words);
    if (ok)
        return OB_OK;
    text->size = mark;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options' text");
}
