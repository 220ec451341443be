/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run, as rows: one place for command line, worker and repro line.
 */
#include "run/identity.h"

#include "base/number.h"
#include "base/text_append.h"

#include <string.h>

static const ob_option ROWS[] = {OB_RUN_OPTION_ROWS(0), OB_TIMER_OPTION_ROWS(0), {.name = NULL}};

enum { OB_COUNT_NUMBER = 10, OB_COUNT_TIMEOUT_S = 600 };

void ob_run_options_init(ob_run_options *options)
{
    *options = (ob_run_options){.warmup = 1,
                                .iteration = 1,
                                .exec_mode = "discrete",
                                .threads = 1,
                                .cpu = -1,
                                .processes = 1,
                                .count_number = OB_COUNT_NUMBER,
                                .count_timeout_s = OB_COUNT_TIMEOUT_S,
                                .timer = {.number = OB_TIMER_NUMBER,
                                          .min_run_time_s = -1,
                                          .max_run_time_s = 10,
                                          .threshold = 0.1}};
}

/* Options that would be passed over in silence, or that ask for two things at once. */
static const char *contradiction(const ob_run_options *o)
{
    const bool discrete = strcmp(o->exec_mode, "discrete") == 0;
    const bool by_rule = o->min_time_s > 0 || o->precision > 0;
    const struct {
        bool asked;
        const char *why;
    } rows[] = {
        {ob__options_cold(o) && !discrete,
         "a cold cache goes with --exec-mode discrete only: in a block every iteration but the "
         "first finds the cache as the one before left it"},
        {o->l2_cache != NULL && o->cache != NULL &&
             (strcmp(o->l2_cache, "off") == 0) != (strcmp(o->cache, "cold") == 0),
         "--cache and --cuda-l2-cache ask for opposite things (on is hot, off is cold); give one "
         "of them"},
        {o->block > 0 && strcmp(o->exec_mode, "continuous") != 0,
         "--block has no meaning in discrete and continuous_events mode, where every iteration is "
         "a sample; leave it out, or give --exec-mode continuous"},
        {o->threads > 1 && o->cpu >= 0,
         "--pin would put all of --num-threads on one CPU; leave one of them out. To keep several "
         "threads on some CPUs, start opbench under taskset"},
        {o->inference_mode && o->backward,
         "--inference-mode drops what the backward pass needs; leave out one of it and -b"},
        {by_rule && o->iteration != 1,
         "-i fixes the number of iterations, and --min-time and --precision measure until they "
         "are satisfied; give one or the other"},
        {o->timer.method != NULL && (by_rule || !discrete || ob__options_cold(o)),
         "the Timer measures in blocks of its own, with a hot cache; leave out its "
         "method, or the options that say otherwise"},
        {!o->count && o->count_repeats == 0 &&
             (o->count_with != NULL || o->count_dir != NULL || o->count_number != OB_COUNT_NUMBER),
         "--count-with, --count-dir and --count-number say how --count counts; give --count too"},
        {o->count_dir != NULL && !ob__options_count_with(o, "callgrind"),
         "--count-dir keeps what callgrind finds by function; leave it out with --count-with "
         "perf_event"},
        {o->precision < 0 || o->precision >= 1,
         "--precision is a share between 0 and 1, such as 0.01"},
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
    options->count = false;
    options->count_with = options->count_dir = NULL;
    options->count_number = OB_COUNT_NUMBER;
    options->count_timeout_s = OB_COUNT_TIMEOUT_S;
}

ob_status ob_run_options_check(const ob_run_options *options, ob_err *err)
{
    const char *why = contradiction(options);
    return why == NULL ? OB_OK : ob_err_set(err, OB_ERR_INVALID, "%s", why);
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
    if (!ob_text_append(text, "=", 1))
        return false;
    if (row->type == OB_OPTION_INT)
        return ob__text_append_i64(text, *(const int64_t *)field);
    if (row->type == OB_OPTION_DOUBLE)
        return ob_text_append(text, digits, ob__format_double(*(const double *)field, digits));
    return ob_text_append_str(text, *(const char *const *)field);
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
        ok = ob_text_append_str(words, "--") && ob_text_append_str(words, row->name) &&
             append_value(words, row, field) && ob_text_append(words, "", 1);
    }
    return ok;
}

ob_status ob_run_options_print(const ob_run_options *options, ob_text *text, ob_err *err)
{
    const size_t mark = text->size;
    ob_text words = {0};
    bool ok = ob__run_options_words(options, &words);
    for (size_t at = 0; ok && at < words.size; at += strlen(words.data + at) + 1)
        ok = (text->size == mark || ob_text_append(text, " ", 1)) &&
             ob__text_append_word(text, words.data + at);
    ob_text_fini(&words);
    if (ok)
        return OB_OK;
    text->size = mark;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the options' text");
}
