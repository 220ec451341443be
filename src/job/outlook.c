/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking at cases before they are measured. Whatever cannot be found out is not known: the run itself will say what is
 * wrong with a case.
 */
#include "job/outlook.h"

#include "base/utf8.h"
#include "result/run_conditions.h"
#include "run/known_size.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LOOKS = 4096 };

typedef struct part {
    const ob_part_cases *from;
    ob_cases *cases; /* NULL = they are not known */
    uint64_t first;  /* among the cases of all parts */
} part;

struct ob_outlook {
    part *parts;
    size_t part_count;
    uint64_t count;              /* cases of all parts */
    uint64_t step;               /* how many cases an item of sums stands for */
    double sums[MOST_LOOKS + 1]; /* sizes of all before it */
    size_t sum_count;
    size_t call_width;
    bool repeats_calls, has_backward;
    char *calls[MOST_LOOKS];
    size_t call_count;
    ob_text call;
};

/* Where the case stands in its config. */
static uint64_t place_of(const part *p, uint64_t index)
{
    for (size_t i = 0; i < p->from->count; i++) {
        const ob_case_range *range = &p->from->ranges[i];
        if (index < range->count)
            return range->first + index * (range->step > 0 ? range->step : 1);
        index -= range->count;
    }
    return 0;
}

static const ob_case *find_case(ob_outlook *o, uint64_t index)
{
    const ob_case *c = NULL;
    for (size_t i = 0; i < o->part_count; i++) {
        part *p = &o->parts[i];
        if (index < p->first || index >= p->first + p->from->cases || p->cases == NULL)
            continue;
        if (ob_cases_seek(p->cases, place_of(p, index - p->first), NULL) != OB_OK ||
            ob_cases_next(p->cases, &c, NULL) != OB_OK)
            return NULL;
    }
    return c;
}

/* As the table shows it. */
static const char *call_of(ob_outlook *o, const ob_case *c)
{
    o->call.size = 0;
    if (ob_case_print_call(c, &o->call, NULL) != OB_OK || !ob_text_append(&o->call, "", 1))
        return NULL;
    return ob__short_call(o->call.data);
}

static void keep_call(ob_outlook *o, const char *call)
{
    const char *last = o->call_count > 0 ? o->calls[o->call_count - 1] : NULL;
    const size_t width = ob__utf8_count(call);
    const bool again = last != NULL && strcmp(last, call) == 0;
    o->call_width = width > o->call_width ? width : o->call_width;
    /* Whether the one before stands before it in the table, too. */
    o->repeats_calls = o->repeats_calls || (again && o->step == 1 && o->part_count == 1);
    char *copy = again ? NULL : strdup(call);
    if (copy != NULL)
        o->calls[o->call_count++] = copy;
}

static void look(ob_outlook *o)
{
    o->step = o->count / MOST_LOOKS + 1;
    for (uint64_t i = 0; i < o->count && o->sum_count < MOST_LOOKS; i += o->step) {
        const ob_case *c = find_case(o, i);
        const char *call = c != NULL ? call_of(o, c) : NULL;
        const double size = c == NULL ? 0
                                      : (double)ob__known_bytes(ob_case_build(c)) +
                                            (double)ob__known_bytes(ob_case_input(c));
        const uint64_t stands_for = o->count - i < o->step ? o->count - i : o->step;
        o->sums[o->sum_count + 1] = o->sums[o->sum_count] + size * (double)stands_for;
        o->sum_count++;
        if (call != NULL)
            keep_call(o, call);
    }
}

ob_outlook *ob__outlook_open(const ob_job_part *parts, const ob_part_cases *cases, size_t count)
{
    ob_outlook *o = calloc(1, sizeof *o);
    if (o != NULL)
        o->parts = calloc(count, sizeof *o->parts);
    if (o == NULL || o->parts == NULL) {
        free(o);
        return NULL;
    }
    o->part_count = count;
    for (size_t i = 0; i < count; i++) {
        o->parts[i] = (part){.from = &cases[i], .first = o->count};
        /* A step of a trace is no call that a line could show, and its size is no case's. */
        if (parts[i].options->maker == NULL &&
            ob_cases_open(parts[i].config, NULL, &o->parts[i].cases, NULL) != OB_OK)
            o->parts[i].cases = NULL;
        o->count += cases[i].cases;
        o->has_backward = o->has_backward || parts[i].options->backward;
    }
    look(o);
    return o;
}

void ob__outlook_close(ob_outlook *o)
{
    if (o == NULL)
        return;
    for (size_t i = 0; i < o->part_count; i++)
        ob_cases_close(o->parts[i].cases);
    for (size_t i = 0; i < o->call_count; i++)
        free(o->calls[i]);
    ob_text_fini(&o->call);
    free(o->parts);
    free(o);
}

/* Of all cases before this one; those that an item stands for are of one size. */
static double sum_before(const ob_outlook *o, uint64_t index)
{
    const uint64_t item = index / o->step;
    if (item >= o->sum_count)
        return o->sums[o->sum_count];
    const double share = (double)(index % o->step) / (double)o->step;
    return o->sums[item] + share * (o->sums[item + 1] - o->sums[item]);
}

double ob__outlook_size(const ob_outlook *o, uint64_t first, uint64_t end)
{
    return sum_before(o, end) - sum_before(o, first);
}

const char *ob__outlook_call(ob_outlook *o, uint64_t index)
{
    const ob_case *c = index < o->count ? find_case(o, index) : NULL;
    return c != NULL ? call_of(o, c) : NULL;
}

size_t ob__outlook_call_width(const ob_outlook *o)
{
    return o->call_width;
}

const char *const *ob__outlook_calls(const ob_outlook *o, size_t *count)
{
    *count = o->call_count;
    return (const char *const *)o->calls;
}

bool ob__outlook_has_backward(const ob_outlook *o)
{
    return o->has_backward;
}

bool ob__outlook_repeats_calls(const ob_outlook *o)
{
    return o->repeats_calls;
}
