/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of cases from a file of records: what a case took in all, with all that was made ready for it, is just what a machine has to
 * bear. They become whole numbers at once, and sums of these do not depend on any order.
 */
#include "job/shard_costs.h"

#include "opbench/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct stored {
    uint64_t name; /* hash of key and backend */
    uint64_t sum, count;
} stored;

struct ob_stored_costs {
    stored *items;
    size_t count, capacity;
};

static uint64_t hash_name(const char *key, const char *backend)
{
    return XXH3_64bits_withSeed(backend, strlen(backend), XXH3_64bits(key, strlen(key)));
}

static ob_status add(ob_stored_costs *costs, const char *key, const char *backend, uint64_t cost,
                     ob_err *err)
{
    if (!OB_RESERVE(costs->items, costs->capacity, costs->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the times of cases");
    costs->items[costs->count++] =
        (stored){.name = hash_name(key, backend), .sum = cost, .count = 1};
    return OB_OK;
}

/* With what starting processes took: a machine waits for that too. */
static ob_status take(ob_stored_costs *costs, const ob_record *record, ob_err *err)
{
    const ob_record_result *r = &record->result;
    if (record->kind != OB_RECORD_RESULT_LINE || r->part_of != NULL || r->key == NULL ||
        !isfinite(r->seconds) || !(r->seconds > 0))
        return OB_OK;
    const double seconds =
        r->seconds + (isfinite(r->start_seconds) && r->start_seconds > 0 ? r->start_seconds : 0);
    const double most = (double)OB_MOST_COST;
    const double cost = seconds * 1e6;
    const uint64_t whole = cost < 1 ? 1 : cost < most ? (uint64_t)cost : OB_MOST_COST;
    OB_TRY(add(costs, r->key, "", whole, err));
    return r->backend != NULL ? add(costs, r->key, r->backend, whole, err) : OB_OK;
}

static int by_name(const void *a, const void *b)
{
    const stored *x = a, *y = b;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Those of one name become one. */
static void join_equal(ob_stored_costs *costs)
{
    size_t kept = 0;
    if (costs->count == 0)
        return;
    qsort(costs->items, costs->count, sizeof *costs->items, by_name);
    for (size_t i = 1; i < costs->count; i++) {
        const stored *item = &costs->items[i];
        stored *last = &costs->items[kept];
        if (item->name != last->name) {
            costs->items[++kept] = *item;
            continue;
        }
        last->sum += item->sum;
        last->count++;
    }
    costs->count = kept + 1;
}

static ob_status read_records(ob_stored_costs *costs, const char *path, ob_err *err)
{
    const ob_record_reader_params params = {.size = sizeof params, .whole_lines_only = true};
    ob_record_reader *reader;
    const ob_record *record;
    ob_status status;
    OB_TRY(ob_record_reader_open(path, &params, &reader, err));
    while ((status = ob_record_reader_next(reader, &record, err)) == OB_OK &&
           (status = take(costs, record, err)) == OB_OK)
        ;
    ob_record_reader_close(reader);
    return status == OB_END ? OB_OK : status;
}

ob_status ob__stored_costs_read(const char *path, ob_stored_costs **out, ob_err *err)
{
    ob_stored_costs *costs = calloc(1, sizeof *costs);
    *out = NULL;
    if (costs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the times of cases");
    ob_status status = read_records(costs, path, err);
    if (status == OB_OK && costs->count == 0)
        status = ob_err_set(err, OB_ERR_INVALID,
                            "%s has no timed cases; name a file that `opbench run` wrote, or leave "
                            "out --shard-costs",
                            path);
    if (status != OB_OK) {
        ob__stored_costs_destroy(costs);
        return status;
    }
    join_equal(costs);
    *out = costs;
    return OB_OK;
}

void ob__stored_costs_destroy(ob_stored_costs *costs)
{
    if (costs == NULL)
        return;
    free(costs->items);
    free(costs);
}

bool ob__stored_costs_find(const ob_stored_costs *costs, const char *key, const char *backend,
                           uint64_t *cost)
{
    const char *const names[] = {backend, ""};
    for (size_t i = backend != NULL ? 0 : 1; costs != NULL && i < 2; i++) {
        const stored wanted = {.name = hash_name(key, names[i])};
        const stored *found =
            bsearch(&wanted, costs->items, costs->count, sizeof *costs->items, by_name);
        if (found != NULL) {
            *cost = found->sum / found->count;
            return true;
        }
    }
    return false;
}
