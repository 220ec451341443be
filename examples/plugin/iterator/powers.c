/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in with one config iterator, PowersOfTwoIterator. Each entry of the list gets a key
 * "power":
 *
 *   {"args": [{"type": "tensor", "dtype": "float", "shape": [1, 64]}],
 *    "power": {"arg": 0, "dim": 0, "from": 3, "to": 10}}
 *
 * and stands for 8 cases: the given dimension of the given argument is 2^3, 2^4, ... 2^10. Ids are
 * "<entry>_<step>". Nothing is made in advance: a case is made when its index is asked for.
 */
#include <opbench/plugin.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_EXPONENT = 40 };

typedef struct powers {
    const ob_host *host;
    const ob_json *entries;
    uint64_t *first;  /* index of each entry's first case, and the total behind the last */
    ob_json_doc *doc; /* holds the item given last */
} powers;

static int64_t power_of(const ob_host *host, const ob_json *entry, const char *key)
{
    return host->json_int(host->json_get(host->json_get(entry, "power"), key), -1);
}

static ob_status error_at(const ob_host *host, const ob_json *node, const char *what, ob_err *err)
{
    return host->err_set_at(err, OB_ERR_CONFIG, NULL, host->json_line(node),
                            host->json_column(node), NULL, "%s", what);
}

static ob_status validate_entry(const ob_host *host, const ob_json *entry, ob_err *err)
{
    const ob_json *power = host->json_get(entry, "power");
    if (power == NULL)
        return error_at(host, entry,
                        "PowersOfTwoIterator needs \"power\": {\"arg\", \"dim\", \"from\", \"to\"} "
                        "in each entry",
                        err);
    const int64_t from = power_of(host, entry, "from"), to = power_of(host, entry, "to");
    if (from < 0 || to < from || to > LARGEST_EXPONENT)
        return error_at(host, power, "\"from\" and \"to\" must be 0 <= from <= to <= 40", err);
    const ob_json *args = host->json_get(entry, "args");
    const int64_t arg = power_of(host, entry, "arg");
    if (arg < 0 || (uint64_t)arg >= host->json_count(args))
        return error_at(host, power, "\"arg\" must be the place of an argument, from 0", err);
    const ob_json *shape = host->json_get(host->json_item(args, (size_t)arg), "shape");
    const int64_t dim = power_of(host, entry, "dim");
    if (dim < 0 || (uint64_t)dim >= host->json_count(shape))
        return error_at(host, power, "\"dim\" must be a dimension of that argument, from 0", err);
    return OB_OK;
}

/* The same for args->key "build" and "input". */
static ob_status powers_validate(const ob_iterator_args *args, ob_err *err)
{
    const ob_host *host = args->host;
    for (size_t i = 0; i < host->json_count(args->entries); i++)
        OB_TRY(validate_entry(host, host->json_item(args->entries, i), err));
    return OB_OK;
}

static void powers_close(void *state)
{
    powers *p = state;
    if (p == NULL)
        return;
    p->host->json_doc_destroy(p->doc);
    free(p->first);
    free(p);
}

static ob_status powers_open(const ob_iterator_args *args, void **state, ob_err *err)
{
    const ob_host *host = args->host;
    const size_t count = host->json_count(args->entries);
    *state = NULL;
    powers *p = calloc(1, sizeof *p);
    uint64_t *first = calloc(count + 1, sizeof *first);
    if (p == NULL || first == NULL) {
        free(p);
        free(first);
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    }
    *p = (powers){.host = host, .entries = args->entries, .first = first};
    for (size_t i = 0; i < count; i++) {
        const ob_json *entry = host->json_item(args->entries, i);
        first[i + 1] =
            first[i] + (uint64_t)(power_of(host, entry, "to") - power_of(host, entry, "from") + 1);
    }
    *state = p;
    return OB_OK;
}

static uint64_t powers_count(void *state)
{
    const powers *p = state;
    return p->first[p->host->json_count(p->entries)];
}

/* A copy of `from` (a list or an object) in which the member at `place` is `with`. The parts that
 * stay the same are shared with the config, which outlives the iterator. NULL when memory is
 * out. */
static const ob_json *with_member(powers *p, const ob_json *from, size_t place, const ob_json *with,
                                  ob_err *err)
{
    const ob_host *host = p->host;
    const bool is_list = host->json_get_kind(from) == OB_JSON_ARRAY;
    ob_json *copy = is_list ? host->json_new_array(p->doc) : host->json_new_object(p->doc);
    for (size_t i = 0; copy != NULL && with != NULL && i < host->json_count(from); i++) {
        const ob_json *member = i == place ? with : host->json_item(from, i);
        const ob_status status =
            is_list ? host->json_append(p->doc, copy, member, err)
                    : host->json_set(p->doc, copy, host->json_key(from, i), member, err);
        if (status != OB_OK)
            return NULL;
    }
    return with != NULL ? copy : NULL;
}

static size_t place_of_key(const ob_host *host, const ob_json *object, const char *key)
{
    size_t i = 0;
    while (i < host->json_count(object) && strcmp(host->json_key(object, i), key) != 0)
        i++;
    return i;
}

/* The entry with 2^exponent in its place and without "power". */
static const ob_json *materialise(powers *p, const ob_json *entry, int64_t exponent, ob_err *err)
{
    const ob_host *host = p->host;
    const size_t place = (size_t)power_of(host, entry, "arg");
    const ob_json *args = host->json_get(entry, "args");
    const ob_json *arg = host->json_item(args, place);
    const ob_json *shape = host->json_get(arg, "shape");

    const ob_json *size = host->json_new_int(p->doc, INT64_C(1) << exponent);
    shape = with_member(p, shape, (size_t)power_of(host, entry, "dim"), size, err);
    arg = with_member(p, arg, place_of_key(host, arg, "shape"), shape, err);
    args = with_member(p, args, place, arg, err);
    ob_json *result = host->json_new_object(p->doc);
    for (size_t i = 0; result != NULL && args != NULL && i < host->json_count(entry); i++) {
        const char *key = host->json_key(entry, i);
        if (strcmp(key, "power") == 0)
            continue;
        const ob_json *member = strcmp(key, "args") == 0 ? args : host->json_item(entry, i);
        if (host->json_set(p->doc, result, key, member, err) != OB_OK)
            return NULL;
    }
    return args != NULL ? result : NULL;
}

static ob_status powers_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    powers *p = state;
    const ob_host *host = p->host;
    size_t number = 0;
    while (p->first[number + 1] <= index)
        number++;
    const ob_json *entry = host->json_item(p->entries, number);
    const uint64_t step = index - p->first[number];

    host->json_doc_destroy(p->doc); /* the item before is not needed any more */
    p->doc = NULL;
    OB_TRY(host->json_doc_create(&p->doc, err));
    item->entry = materialise(p, entry, power_of(host, entry, "from") + (int64_t)step, err);
    if (item->entry == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory");
    snprintf(item->id, sizeof item->id, "%zu_%" PRIu64, number, step);
    return OB_OK;
}

static const ob_iterator_desc ITERATOR = {
    .name = "PowersOfTwoIterator",
    .help = "one dimension runs over powers of two",
    .validate = powers_validate,
    .open = powers_open,
    .count = powers_count,
    .at = powers_at,
    .close = powers_close,
};

static const ob_iterator_desc *const ITERATORS[] = {&ITERATOR, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "example-iterator",
    .version = "1.0",
    .iterators = ITERATORS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *table, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *table, ob_reason *why_not)
{
    (void)table, (void)why_not; /* every function of an iterator is given the table */
    return &PLUGIN;
}
