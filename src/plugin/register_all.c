/* SPDX-License-Identifier: Apache-2.0
 *
 * Registration, all or nothing: every struct of a batch is brought to full size, checked, and
 * compared with what is there and with the rest of the batch; memory for all is reserved; only then
 * is anything added.
 *
 * Full size: a plug-in that was built with older headers knows a shorter struct. Its structs are
 * copied into longer ones whose last fields are zero, so that no other code has to ask for sizes.
 */
#include "plugin/registry.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* One list of the batch on its way into the registry. */
typedef struct staged {
    const char *what;
    ob__entry_list *list;
    ob__entry **entries;
    size_t count;
} staged;

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
}

/* desc itself, or a longer copy of it whose new fields are zero; NULL when memory is out. */
static const void *to_full_size(ob_arena *arena, const void *desc, size_t given, size_t full)
{
    if (given == 0 || given >= full)
        return desc;
    char *copy = ob__arena_alloc(arena, full);
    if (copy == NULL)
        return NULL;
    memcpy(copy, desc, given);
    memset(copy + given, 0, full - given);
    return copy;
}

/* A backend whose rows were built with other headers, with rows of full size. */
static const ob_backend_desc *with_full_rows(ob_arena *arena, const ob_backend_desc *desc,
                                             size_t given)
{
    size_t count = 0;
    if (desc->options == NULL || given == 0 || given == sizeof(ob_option))
        return desc;
    const char *rows = (const char *)desc->options;
    const size_t known = given < sizeof(ob_option) ? given : sizeof(ob_option);
    while (((const ob_option *)(const void *)(rows + count * given))->name != NULL)
        count++;
    ob_option *full = ob__arena_alloc_array(arena, count + 1, sizeof *full);
    ob_backend_desc *copy = ob__arena_alloc(arena, sizeof *copy);
    if (full == NULL || copy == NULL)
        return NULL;
    memset(full, 0, (count + 1) * sizeof *full);
    for (size_t i = 0; i < count; i++)
        memcpy(&full[i], rows + i * given, known);
    *copy = *desc;
    copy->options = full;
    return copy;
}

static size_t list_length(const void *const *list)
{
    size_t count = 0;
    while (list != NULL && list[count] != NULL)
        count++;
    return count;
}

static ob_status reserve(ob__entry_list *list, size_t more, ob_err *err)
{
    return OB_RESERVE(list->items, list->capacity, list->count + more) ? OB_OK : no_memory(err);
}

/* The batch's lists point to different structs; how each is copied and checked. */
typedef struct list_kind {
    const char *what;
    size_t full_size;
    ob_status (*check)(const void *desc, ob_err *err);
    const char *(*name)(const void *desc);
} list_kind;

#define LIST_KIND(noun)                                                                            \
    static ob_status check_##noun(const void *desc, ob_err *err)                                   \
    {                                                                                              \
        return ob__check_##noun(desc, err);                                                        \
    }                                                                                              \
    static const char *name_##noun(const void *desc)                                               \
    {                                                                                              \
        return ((const ob_##noun##_desc *)desc)->name;                                             \
    }                                                                                              \
    static const list_kind KIND_##noun = {.what = #noun,                                           \
                                          .full_size = sizeof(ob_##noun##_desc),                   \
                                          .check = check_##noun,                                   \
                                          .name = name_##noun}
LIST_KIND(backend);
LIST_KIND(generator);
LIST_KIND(iterator);
#undef LIST_KIND

typedef struct stage_args {
    const list_kind *kind;
    ob__entry_list *list;
    const void *const *descs;
    size_t given_size;
    size_t option_size; /* backends: of their rows */
    const char *origin;
} stage_args;

static ob_status stage(ob_context *context, const stage_args *args, staged *out, ob_err *err)
{
    const list_kind *kind = args->kind;
    *out = (staged){.what = kind->what, .list = args->list, .count = list_length(args->descs)};
    if (out->count == 0)
        return OB_OK;
    OB_TRY(reserve(args->list, out->count, err));
    out->entries = ob__arena_alloc_array(&context->arena, out->count, sizeof(*out->entries));
    if (out->entries == NULL)
        return no_memory(err);
    for (size_t i = 0; i < out->count; i++) {
        ob__entry *entry = ob__arena_alloc(&context->arena, sizeof *entry);
        const void *desc =
            to_full_size(&context->arena, args->descs[i], args->given_size, kind->full_size);
        if (desc != NULL && kind == &KIND_backend)
            desc = with_full_rows(&context->arena, desc, args->option_size);
        if (entry == NULL || desc == NULL)
            return no_memory(err);
        *entry = (ob__entry){.desc = desc, .origin = args->origin};
        out->entries[i] = entry;
        OB_TRY(kind->check(desc, err));
        const char *name = kind->name(desc);
        const ob__entry *taken = ob__entry_find(args->list, name);
        if (taken != NULL)
            return ob_err_set(err, OB_ERR_DUPLICATE,
                              "the %s '%s' exists already (%s); rename one of the two", kind->what,
                              name, taken->origin);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(kind->name(out->entries[j]->desc), name) == 0)
                return ob_err_set(err, OB_ERR_DUPLICATE,
                                  "the %s '%s' is given twice; remove one of the two", kind->what,
                                  name);
        }
    }
    return OB_OK;
}

static void commit(const staged *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->list->items[s->list->count++] = s->entries[i];
}

static ob_status add_operator(ob_op_table *table, const ob_op_row *row, const char *origin,
                              ob_err *err)
{
    ob_err why;
    ob_err_clear(&why);
    const ob_status status = ob_op_table_add(table, row, origin, &why);
    if (status == OB_ERR_SYNTAX)
        return ob_err_set(err, OB_ERR_INVALID, "the schema '%.200s' cannot be read (column %u): %s",
                          row->schema, why.column, why.message);
    if (status != OB_OK)
        ob_err_set(err, status, "%s", why.message);
    return status;
}

static ob_status check_last(const ob_op_table *table, ob_err *err)
{
    const ob_op *op = ob_op_table_at(table, ob_op_table_count(table) - 1);
    return op != NULL ? ob__check_types(op->schema, err) : no_memory(err);
}

/* A table takes rows one by one and gives none back. So all rows are first added to a second table
 * with the same content: what succeeds there succeeds in the context's own, unless memory runs
 * out. */
static ob_status rehearse(const ob_context *context, const ob_op_row *const *rows, size_t count,
                          const char *origin, ob_err *err)
{
    ob_op_table *table = NULL;
    OB_TRY(ob_op_table_create(&table, err));
    ob_status status = OB_OK;
    /* The core's rows come first in both. */
    for (size_t i = ob_op_table_count(table);
         status == OB_OK && i < ob_op_table_count(context->operators); i++) {
        const ob_op *op = ob_op_table_at(context->operators, i);
        status = op != NULL ? add_operator(table, op->row, op->origin, err) : no_memory(err);
    }
    for (size_t i = 0; status == OB_OK && i < count; i++) {
        status = add_operator(table, rows[i], origin, err);
        if (status == OB_OK && strcmp(origin, OB__ORIGIN_BUILTIN) != 0)
            status = check_last(table, err);
    }
    ob_op_table_destroy(table);
    return status;
}

/* *rows are the batch's rows in full size, all of them fit to be added. */
static ob_status stage_operators(ob_context *context, const ob__batch *batch,
                                 const ob_op_row ***rows, size_t *count, ob_err *err)
{
    *count = list_length((const void *const *)batch->operators);
    if (*count == 0)
        return OB_OK;
    *rows = ob__arena_alloc_array(&context->arena, *count, sizeof(**rows));
    if (*rows == NULL)
        return no_memory(err);
    for (size_t i = 0; i < *count; i++) {
        (*rows)[i] = to_full_size(&context->arena, batch->operators[i], batch->operator_size,
                                  sizeof(ob_op_row));
        if ((*rows)[i] == NULL)
            return no_memory(err);
    }
    return rehearse(context, *rows, *count, batch->origin, err);
}

ob_status ob__registry_add(ob_context *context, const ob__batch *batch, ob_err *err)
{
    const stage_args lists[] = {
        {.kind = &KIND_backend,
         .list = &context->backends,
         .descs = (const void *const *)batch->backends,
         .given_size = batch->backend_size,
         .option_size = batch->option_size,
         .origin = batch->origin},
        {.kind = &KIND_generator,
         .list = &context->generators,
         .descs = (const void *const *)batch->generators,
         .given_size = batch->generator_size,
         .origin = batch->origin},
        {.kind = &KIND_iterator,
         .list = &context->iterators,
         .descs = (const void *const *)batch->iterators,
         .given_size = batch->iterator_size,
         .origin = batch->origin},
    };
    enum { LIST_COUNT = sizeof lists / sizeof lists[0] };
    staged ready[LIST_COUNT];
    for (size_t i = 0; i < LIST_COUNT; i++)
        OB_TRY(stage(context, &lists[i], &ready[i], err));
    const ob_op_row **rows = NULL;
    size_t row_count = 0;
    OB_TRY(stage_operators(context, batch, &rows, &row_count, err));

    for (size_t i = 0; i < row_count; i++)
        OB_TRY(add_operator(context->operators, rows[i], batch->origin, err));
    for (size_t i = 0; i < LIST_COUNT; i++)
        commit(&ready[i]);
    return OB_OK;
}
