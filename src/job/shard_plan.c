/* SPDX-License-Identifier: Apache-2.0
 *
 * Longest processing time first: of all ways that are quick it leaves the shards nearest to each other. Cases of one cost go round, as
 * they do without costs.
 */
#include "job/shard_plan.h"

#include "opbench/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_SHARDS = UINT16_MAX };

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the division of the cases");
}

/* ---- positions ---- */

static bool append_positions(ob_text *out, const ob_case_range *range)
{
    const char *comma = out->size > 0 ? "," : "";
    if (range->count == 1)
        return ob_text_printf(out, "%s%" PRIu64, comma, range->first);
    return range->count == 2 ? ob_text_printf(out, "%s%" PRIu64 ",%" PRIu64, comma, range->first,
                                              range->first + range->step)
                             : ob_text_printf(out, "%s%" PRIu64 "+%" PRIu64 "*%" PRIu64, comma,
                                              range->first, range->step, range->count);
}

static bool take_number(const char **text, uint64_t *out)
{
    const char *from = *text;
    for (*out = 0; **text >= '0' && **text <= '9'; ++*text) {
        if (*out > (INT64_MAX - 9) / 10)
            return false;
        *out = *out * 10 + (uint64_t)(**text - '0');
    }
    return *text > from;
}

bool ob__positions_next(const char **text, ob_case_range *out)
{
    uint64_t last;
    *out = (ob_case_range){.count = 1, .step = 1};
    if (**text == ',')
        ++*text;
    if (!take_number(text, &out->first))
        return false;
    if (**text == '+' && (++*text, !take_number(text, &out->step) || *(*text)++ != '*' ||
                                       !take_number(text, &out->count)))
        return false;
    return out->step > 0 && out->count > 0 && (**text == ',' || **text == '\0') &&
           !__builtin_mul_overflow(out->count - 1, out->step, &last) && last <= INT64_MAX;
}

bool ob__positions_add(ob_case_range **ranges, size_t *count, size_t *capacity, uint64_t index)
{
    ob_case_range *last = *count > 0 ? &(*ranges)[*count - 1] : NULL;
    if (last != NULL && last->count == 1) {
        last->step = index - last->first;
        last->count = 2;
        return true;
    }
    if (last != NULL && last->first + last->count * last->step == index) {
        last->count++;
        return true;
    }
    if (!OB_RESERVE(*ranges, *capacity, *count + 1) || *ranges == NULL)
        return false;
    (*ranges)[(*count)++] = (ob_case_range){.first = index, .count = 1, .step = 1};
    return true;
}

/* ---- who has what ---- */

typedef struct costed {
    uint64_t cost;
    uint32_t position;
} costed;

static int dearest_first(const void *a, const void *b)
{
    const costed *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Shards by what they have so far, the least on top; of several the first. */
typedef struct shards {
    uint64_t *load; /* by shard */
    uint16_t *heap;
    size_t count;
} shards;

static bool is_less(const shards *s, size_t a, size_t b)
{
    const uint16_t x = s->heap[a], y = s->heap[b];
    return s->load[x] != s->load[y] ? s->load[x] < s->load[y] : x < y;
}

static void sift_down(const shards *s)
{
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->count; child++)
            if (is_less(s, child, least))
                least = child;
        if (least == i)
            return;
        const uint16_t other = s->heap[i];
        s->heap[i] = s->heap[least];
        s->heap[least] = other;
        i = least;
    }
}

static void deal(const costed *sorted, size_t cases, const shards *s, uint16_t *owner)
{
    for (size_t i = 0; i < s->count; i++)
        s->heap[i] = (uint16_t)i;
    for (size_t i = 0; i < cases; i++) {
        const uint16_t to = s->heap[0];
        owner[sorted[i].position] = to;
        s->load[to] += sorted[i].cost;
        sift_down(s);
    }
}

static ob_status describe(const uint16_t *owner, size_t cases, const ob_shard *shard,
                          const shards *s, ob_shard_plan *out, ob_err *err)
{
    const size_t number = (size_t)shard->number - 1;
    for (size_t i = 0; i < cases; i++)
        if (owner[i] == number) {
            out->own_cases++;
            if (!ob__positions_add(&out->own, &out->count, &out->capacity, i))
                return out_of_memory(err);
        }
    for (size_t i = 0; i < out->count; i++)
        if (!append_positions(&out->text, &out->own[i]))
            return out_of_memory(err);
    if (!ob_text_append(&out->text, "", 1))
        return out_of_memory(err);
    for (size_t i = 0; i < s->count; i++) {
        out->total_cost += s->load[i];
        out->largest_cost = s->load[i] > out->largest_cost ? s->load[i] : out->largest_cost;
    }
    out->own_cost = s->load[number];
    XXH64_canonical_t hash;
    XXH64_canonicalFromHash(&hash, XXH3_64bits_withSeed(owner, cases * sizeof *owner, shard->of));
    for (size_t i = 0; i < sizeof hash.digest; i++)
        snprintf(out->hash + 2 * i, 3, "%02x", hash.digest[i]);
    return OB_OK;
}

ob_status ob__shard_plan_check(const ob_shard *shard, ob_err *err)
{
    if (shard->number < 1 || shard->number > shard->of)
        return ob_err_set(err, OB_ERR_INVALID, "shard %" PRIu64 "/%" PRIu64 " does not exist",
                          shard->number, shard->of);
    return shard->of <= MOST_SHARDS
               ? OB_OK
               : ob_err_set(err, OB_ERR_LIMIT,
                            "--shard-by cost: %" PRIu64 " parts are too many; use at most %d",
                            shard->of, MOST_SHARDS);
}

ob_status ob__shard_plan_make(const uint64_t *costs, size_t cases, const ob_shard *shard,
                              ob_shard_plan *out, ob_err *err)
{
    OB_TRY(ob__shard_plan_check(shard, err));
    const size_t of = (size_t)shard->of;
    costed *sorted = malloc((cases + 1) * sizeof *sorted);
    uint16_t *owner = malloc((cases + 1) * sizeof *owner);
    shards s = {
        .load = calloc(of, sizeof *s.load), .heap = malloc(of * sizeof *s.heap), .count = of};
    ob_status status = OB_OK;
    if (sorted != NULL && owner != NULL && s.load != NULL && s.heap != NULL) {
        for (size_t i = 0; i < cases; i++)
            sorted[i] = (costed){.cost = costs[i] < OB_MOST_COST ? costs[i] : OB_MOST_COST,
                                 .position = (uint32_t)i};
        qsort(sorted, cases, sizeof *sorted, dearest_first);
        deal(sorted, cases, &s, owner);
        status = describe(owner, cases, shard, &s, out, err);
    } else {
        status = out_of_memory(err);
    }
    free(sorted);
    free(owner);
    free(s.load);
    free(s.heap);
    return status;
}

void ob__shard_plan_fini(ob_shard_plan *plan)
{
    free(plan->own);
    ob_text_fini(&plan->text);
}

bool ob__shard_plan_has(const ob_shard_plan *plan, uint64_t position)
{
    for (size_t i = 0; plan != NULL && i < plan->count; i++) {
        const ob_case_range *r = &plan->own[i];
        if (position >= r->first && (position - r->first) % r->step == 0 &&
            (position - r->first) / r->step < r->count)
            return true;
    }
    return plan == NULL;
}
