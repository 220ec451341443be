/* SPDX-License-Identifier: Apache-2.0
 *
 * Registration, all or nothing: every struct of it is brought to full size, checked, and
 * compared with what is there and with its rest; memory for all is reserved; only then
 * is anything added.
 *
 * Full size: a plug-in that was built with older headers knows a shorter struct. Its structs are
 * copied into longer ones whose last fields are zero, so that no other code has to ask for sizes.
 */
#include "plugin/registry.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* One list of a registration on its way into the registry. */
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

/* Rows that begin with a name and end with a row that has none, in their full size; NULL when memory is out. */
static const void *full_rows(ob_arena *arena, const void *rows, size_t given, size_t full)
{
    const char *from = rows;
    size_t count = 0;
    if (rows == NULL || given == 0 || given == full)
        return rows;
    for (const char *name; memcpy(&name, from + count * given, sizeof name), name != NULL;)
        count++;
    char *copy = ob__arena_alloc_array(arena, count + 1, full);
    if (copy == NULL)
        return NULL;
    memset(copy, 0, (count + 1) * full);
    for (size_t i = 0; i < count; i++)
        memcpy(copy + i * full, from + i * given, given < full ? given : full);
    return copy;
}

static bool is_other_size(size_t given, size_t full)
{
    return given != 0 && given != full;
}

/* desc itself, or a copy that points to rows in their full size; NULL when memory is out. */
static const void *complete_backend(ob_arena *arena, const void *desc,
                                    const ob__registration *sizes)
{
    const ob_backend_desc *old = desc;
    ob_backend_desc *copy = ob__arena_alloc(arena, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = *old;
    copy->options = full_rows(arena, old->options, sizes->option_size, sizeof(ob_option));
    if (old->reference != NULL)
        copy->reference =
            to_full_size(arena, old->reference, sizes->reference_size, sizeof(ob_reference_desc));
    if ((old->options != NULL && copy->options == NULL) ||
        (old->reference != NULL && copy->reference == NULL))
        return NULL;
    return copy->options == old->options && copy->reference == old->reference ? desc : copy;
}

static const void *complete_generator(ob_arena *arena, const void *desc,
                                      const ob__registration *sizes)
{
    const ob_generator_desc *old = desc;
    if (old->types == NULL || !(is_other_size(sizes->arg_type_size, sizeof(ob_arg_type)) ||
                                is_other_size(sizes->arg_attr_size, sizeof(ob_arg_attr))))
        return desc;
    const size_t given = sizes->arg_type_size != 0 ? sizes->arg_type_size : sizeof(ob_arg_type);
    const ob_arg_type *rows = full_rows(arena, old->types, given, sizeof *rows);
    size_t count = 0;
    while (rows != NULL && rows[count].name != NULL)
        count++;
    ob_generator_desc *copy = ob__arena_alloc(arena, sizeof *copy);
    ob_arg_type *types = ob__arena_alloc_array(arena, count + 1, sizeof *types);
    if (rows == NULL || copy == NULL || types == NULL)
        return NULL;
    *copy = *old;
    copy->types = types;
    memcpy(types, rows, (count + 1) * sizeof *types);
    for (size_t i = 0; i < count; i++) {
        types[i].attrs = full_rows(arena, rows[i].attrs, sizes->arg_attr_size, sizeof(ob_arg_attr));
        if (types[i].attrs == NULL && rows[i].attrs != NULL)
            return NULL;
    }
    return copy;
}

static const void *complete_iterator(ob_arena *arena, const void *desc,
                                     const ob__registration *sizes)
{
    (void)arena, (void)sizes;
    return desc;
}

static const ob_op_row *complete_operator(ob_arena *arena, const ob_op_row *row,
                                          const ob__registration *sizes)
{
    if (row == NULL || row->constraints == NULL ||
        !is_other_size(sizes->constraint_size, sizeof(ob_constraint)))
        return row;
    ob_op_row *copy = ob__arena_alloc(arena, sizeof *copy);
    if (copy == NULL)
        return NULL;
    *copy = *row;
    copy->constraints =
        full_rows(arena, row->constraints, sizes->constraint_size, sizeof(ob_constraint));
    return copy->constraints != NULL ? copy : NULL;
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

/* Its lists point to different structs; how each is copied and checked. */
typedef struct list_kind {
    const char *what;
    size_t full_size;
    const void *(*complete)(ob_arena *arena, const void *desc, const ob__registration *sizes);
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
                                          .complete = complete_##noun,                             \
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
    const ob__registration *sizes; /* of what the structs point to */
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
        if (desc != NULL)
            desc = kind->complete(&context->arena, desc, args->sizes);
        if (entry == NULL || desc == NULL)
            return no_memory(err);
        *entry = (ob__entry){.desc = desc, .origin = args->origin};
        out->entries[i] = entry;
        OB_TRY(kind->check(desc, err));
        const char *name = kind->name(desc);
        const ob__entry *taken = ob__entry_find(args->list, name);
        if (taken != NULL)
            return ob_err_set(err, OB_ERR_DUPLICATE,
                              "the %s '%s' already exists (%s); rename one of the two", kind->what,
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

/* *rows are its rows in full size, all of them fit to be added. */
static ob_status stage_operators(ob_context *context, const ob__registration *added,
                                 const ob_op_row ***rows, size_t *count, ob_err *err)
{
    *count = list_length((const void *const *)added->operators);
    if (*count == 0)
        return OB_OK;
    *rows = ob__arena_alloc_array(&context->arena, *count, sizeof(**rows));
    if (*rows == NULL)
        return no_memory(err);
    for (size_t i = 0; i < *count; i++) {
        (*rows)[i] = complete_operator(&context->arena,
                                       to_full_size(&context->arena, added->operators[i],
                                                    added->operator_size, sizeof(ob_op_row)),
                                       added);
        if ((*rows)[i] == NULL)
            return no_memory(err);
    }
    return rehearse(context, *rows, *count, added->origin, err);
}

ob_status ob__registry_add(ob_context *context, const ob__registration *added, ob_err *err)
{
    const stage_args lists[] = {
        {.kind = &KIND_backend,
         .list = &context->backends,
         .descs = (const void *const *)added->backends,
         .given_size = added->backend_size,
         .sizes = added,
         .origin = added->origin},
        {.kind = &KIND_generator,
         .list = &context->generators,
         .descs = (const void *const *)added->generators,
         .given_size = added->generator_size,
         .sizes = added,
         .origin = added->origin},
        {.kind = &KIND_iterator,
         .list = &context->iterators,
         .descs = (const void *const *)added->iterators,
         .given_size = added->iterator_size,
         .sizes = added,
         .origin = added->origin},
    };
    enum { LIST_COUNT = sizeof lists / sizeof lists[0] };
    staged ready[LIST_COUNT];
    for (size_t i = 0; i < LIST_COUNT; i++)
        OB_TRY(stage(context, &lists[i], &ready[i], err));
    const ob_op_row **rows = NULL;
    size_t row_count = 0;
    OB_TRY(stage_operators(context, added, &rows, &row_count, err));

    for (size_t i = 0; i < row_count; i++)
        OB_TRY(add_operator(context->operators, rows[i], added->origin, err));
    for (size_t i = 0; i < LIST_COUNT; i++)
        commit(&ready[i]);
    return OB_OK;
}
