/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of runs.
 */
#include "store/store_int.h"

#include "base/sized.h"
#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

struct ob_store_runs {
    ob_arena arena;
    ob_store_run *items; /* oldest first */
    size_t count, capacity;
    size_t *by_id; /* indices of items */
};

static const char SELECT[] =
    "SELECT r.id, r.machine, r.time, r.host, m.class, r.git_commit, r.branch, r.dirty, r.tags, "
    "r.kernel, r.microcode, r.libraries, r.source, r.version, r.results, r.failed "
    "FROM ob_run r LEFT JOIN ob_machine m ON m.id = r.machine "
    "WHERE r.time >= CAST($1 AS BIGINT) AND (CAST($2 AS TEXT) = '' OR r.branch = $2) "
    "AND (CAST($3 AS TEXT) = '' OR r.host = $3) "
    "AND (CAST($4 AS BIGINT) = 0 OR r.machine = $4) ORDER BY r.time, r.id";

/* "key=value", or "key". What is no object in JSON has no tags. */
static bool has_tag(const char *tags, const char *wanted)
{
    ob_json_doc *doc;
    const char *equals = strchr(wanted, '=');
    char key[256];
    const size_t length = equals != NULL ? (size_t)(equals - wanted) : strlen(wanted);
    if (length >= sizeof key ||
        ob_json_parse("tags", tags, strlen(tags), NULL, &doc, NULL) != OB_OK)
        return false;
    memcpy(key, wanted, length);
    key[length] = '\0';
    const ob_json *value = ob_json_get(ob_json_doc_root(doc), key);
    const char *text = ob_json_string(value, NULL);
    const bool found =
        value != NULL && (equals == NULL || (text != NULL && strcmp(text, equals + 1) == 0));
    ob_json_doc_destroy(doc);
    return found;
}

typedef struct run_reading {
    ob_store_runs *runs;
    const char *tag;
} run_reading;

static ob_status take_run(void *ctx, ob_sql_statement *row, ob_err *err)
{
    const run_reading *r = ctx;
    ob_store_runs *runs = r->runs;
    ob_arena *arena = &runs->arena;
    if (r->tag != NULL && !has_tag(ob__row_text(row, 8), r->tag))
        return OB_OK;
    const int64_t dirty = ob__row_int(row, 7);
    const ob_store_run run = {.id = ob__row_int(row, 0),
                              .machine = ob__row_int(row, 1),
                              .time = ob__row_int(row, 2),
                              .host = ob__row_keep(row, 3, arena),
                              .class_text = ob__row_keep(row, 4, arena),
                              .commit = ob__row_keep(row, 5, arena),
                              .branch = ob__row_keep(row, 6, arena),
                              .dirty = (int8_t)(dirty == 0 || dirty == 1 ? dirty : -1),
                              .tags = ob__row_keep(row, 8, arena),
                              .kernel = ob__row_keep(row, 9, arena),
                              .microcode = ob__row_keep(row, 10, arena),
                              .libraries = ob__row_keep(row, 11, arena),
                              .source = ob__row_keep(row, 12, arena),
                              .version = ob__row_keep(row, 13, arena),
                              .results = (uint64_t)ob__row_int(row, 14),
                              .failed = (uint64_t)ob__row_int(row, 15)};
    const bool kept = run.host != NULL && run.class_text != NULL && run.commit != NULL &&
                      run.branch != NULL && run.tags != NULL && run.kernel != NULL &&
                      run.microcode != NULL && run.libraries != NULL && run.source != NULL &&
                      run.version != NULL;
    if (!kept || !OB_RESERVE(runs->items, runs->capacity, runs->count + 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of runs");
    runs->items[runs->count++] = run;
    return OB_OK;
}

static int compare_ids(const void *a, const void *b, void *items)
{
    const int64_t x = ((const ob_store_run *)items)[*(const size_t *)a].id;
    const int64_t y = ((const ob_store_run *)items)[*(const size_t *)b].id;
    return (x > y) - (x < y);
}

static ob_status index_runs(ob_store_runs *runs, ob_err *err)
{
    runs->by_id = malloc((runs->count + 1) * sizeof *runs->by_id);
    if (runs->by_id == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of runs");
    for (size_t i = 0; i < runs->count; i++)
        runs->by_id[i] = i;
    qsort_r(runs->by_id, runs->count, sizeof *runs->by_id, compare_ids, runs->items);
    return OB_OK;
}

ob_status ob_store_read_runs(ob_store *store, const ob_store_filter *given, ob_store_runs **out,
                             ob_err *err)
{
    ob_store_filter filter;
    OB_TRY(OB__TAKE_OPTIONAL(ob_store_filter, &filter, given, err));
    ob_store_runs *runs = calloc(1, sizeof *runs);
    if (runs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of runs");
    ob__arena_init(&runs->arena, 0);
    const ob_sql_value values[] = {ob__sql_int(filter.since), ob__sql_text(filter.branch),
                                   ob__sql_text(filter.host), ob__sql_int(filter.machine)};
    run_reading reading = {.runs = runs, .tag = filter.tag};
    ob_status status = ob__sql_each(store->sql, SELECT, values, 4, take_run, &reading, err);
    if (status == OB_OK)
        status = index_runs(runs, err);
    if (status == OB_OK)
        *out = runs;
    else
        ob_store_runs_destroy(runs);
    return status;
}

size_t ob_store_runs_count(const ob_store_runs *runs)
{
    return runs->count;
}

const ob_store_run *ob_store_runs_at(const ob_store_runs *runs, size_t index)
{
    return index < runs->count ? &runs->items[index] : NULL;
}

const ob_store_run *ob_store_runs_find(const ob_store_runs *runs, int64_t id)
{
    size_t low = 0, high = runs->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const ob_store_run *run = &runs->items[runs->by_id[middle]];
        if (run->id == id)
            return run;
        if (run->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void ob_store_runs_destroy(ob_store_runs *runs)
{
    if (runs == NULL)
        return;
    ob__arena_fini(&runs->arena);
    free(runs->items);
    free(runs->by_id);
    free(runs);
}
