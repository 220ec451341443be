/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operators.
 *
 * The core's own rows are only indexed by name when a table is made, and parsed when somebody asks
 * for them: a program that looks at one operator does not pay for hundreds. A test parses them all.
 * Rows from outside are parsed at once, so that a mistake is reported to whoever adds them.
 */
#include "op/table.h"
#include "op/adapter.h"
#include "op/names.h"
#include "op/rows.h"
#include "op/schema_int.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 };

static const ob_op_row *const GROUPS[] = {
#define OB_ROW_GROUP(group) ob__rows_##group,
#include "op/row_groups.def"
#undef OB_ROW_GROUP
};

ob__op_entry *ob__table_entry(const ob_op_table *table, uint32_t index)
{
    return &table->chunks[index / CHUNK][index % CHUNK];
}

ob_status ob__table_load(ob__op_entry *entry, ob_err *err)
{
    const char *text = entry->op.row->schema;
    return entry->op.schema != NULL ? OB_OK
                                    : ob_schema_parse(text, strlen(text), &entry->op.schema, err);
}

uint32_t ob__table_first(const ob_op_table *table, const char *base, size_t length)
{
    return ob__index_find(&table->by_base, base, length);
}

bool ob__entry_is_overload(const ob__op_entry *entry, const char *overload)
{
    const uint32_t dot = entry->name_length > entry->base_length;
    const char *own = entry->name + entry->base_length + dot;
    const size_t length = entry->name_length - entry->base_length - dot;
    if (strlen(overload) == length && memcmp(own, overload, length) == 0)
        return true;
    return length == 0 && strcmp(overload, "default") == 0;
}

bool ob__table_has(const ob_op_table *table, const char *base, const char *overload)
{
    uint32_t index = ob__table_first(table, base, strlen(base));
    if (overload[0] == '\0')
        return index != OB__INDEX_NONE;
    for (; index != OB__INDEX_NONE; index = ob__table_entry(table, index)->next_overload)
        if (ob__entry_is_overload(ob__table_entry(table, index), overload))
            return true;
    return false;
}

/* The name at the start of a schema's text. */
static ob__op_entry make_entry(const ob_op_row *row, const char *origin)
{
    const char *name = row->schema + strspn(row->schema, " \t\r\n");
    const size_t length = strcspn(name, "( \t\r\n");
    const char *dot = ob__name_dot(name, length);
    return (ob__op_entry){.op = {.row = row, .origin = origin},
                          .name = name,
                          .name_length = (uint32_t)length,
                          .base_length = (uint32_t)(dot != NULL ? (size_t)(dot - name) : length),
                          .next_overload = OB__INDEX_NONE,
                          .last_overload = OB__INDEX_NONE};
}

static const char *next_word(const char **list, size_t *length)
{
    *list += strspn(*list, " ");
    *length = strcspn(*list, " ");
    const char *word = *list;
    *list += *length;
    return *length > 0 ? word : NULL;
}

static size_t count_words(const char *list)
{
    size_t count = 0, length;
    while (list != NULL && next_word(&list, &length) != NULL)
        count++;
    return count;
}

/* The operator that a further name leads to already, or "" */
static void find_holder(const ob_op_table *table, const char *word, size_t length, ob_op_name *out)
{
    char name[sizeof out->base];
    *out = (ob_op_name){.base = ""};
    if (length < sizeof name) {
        memcpy(name, word, length);
        name[length] = '\0';
        if (ob_op_resolve_name(table, name, out, NULL) != OB_OK || !out->known)
            *out = (ob_op_name){.base = ""};
    }
}

/* A further name may be given by several overloads of one operator, not by two operators. */
static ob_status check_other_names(const ob_op_table *table, const ob__op_entry *entry, ob_err *err)
{
    const char *list = entry->op.row->names;
    const char *word;
    size_t length;
    while (list != NULL && (word = next_word(&list, &length)) != NULL) {
        ob_op_name holder;
        find_holder(table, word, length, &holder);
        if (holder.base[0] != '\0' && (strlen(holder.base) != entry->base_length ||
                                       memcmp(holder.base, entry->name, entry->base_length) != 0))
            return ob_err_set(err, OB_ERR_DUPLICATE,
                              "%.*s uses the name '%.*s', which belongs to %s; choose another name",
                              (int)entry->name_length, entry->name, (int)length, word, holder.base);
    }
    return OB_OK;
}

static ob_status check_names(const ob_op_table *table, const ob__op_entry *entry, ob_err *err)
{
    if (memmem(entry->name, entry->base_length, "::", 2) == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "operator '%.*s' has no namespace; write mine::%.*s",
                          (int)entry->name_length, entry->name, (int)entry->name_length,
                          entry->name);
    const uint32_t taken = ob__index_find(&table->by_name, entry->name, entry->name_length);
    if (taken != OB__INDEX_NONE)
        return ob_err_set(err, OB_ERR_DUPLICATE, "operator %.*s already exists (%s)",
                          (int)entry->name_length, entry->name,
                          ob__table_entry(table, taken)->op.origin);
    return check_other_names(table, entry, err);
}

static bool reserve(ob_op_table *table, size_t rows, size_t other_names)
{
    const size_t chunks = (table->count + rows + CHUNK - 1) / CHUNK;
    if (table->count + rows >= OB__INDEX_NONE)
        return false;
    if (!OB_RESERVE(table->chunks, table->chunk_capacity, chunks))
        return false;
    while (table->chunk_count < chunks) {
        ob__op_entry *chunk = malloc(CHUNK * sizeof *chunk);
        if (chunk == NULL)
            return false;
        table->chunks[table->chunk_count++] = chunk;
    }
    return ob__index_reserve(&table->by_name, rows) && ob__index_reserve(&table->by_base, rows) &&
           ob__index_reserve(&table->by_other, other_names);
}

/* Names are checked and room is reserved: cannot fail. */
static void insert(ob_op_table *table, const ob__op_entry *entry)
{
    const uint32_t index = (uint32_t)table->count++;
    ob__op_entry *own = ob__table_entry(table, index);
    *own = *entry;
    ob__index_put(&table->by_name, own->name, own->name_length, index);
    const uint32_t first = ob__table_first(table, own->name, own->base_length);
    if (first == OB__INDEX_NONE) {
        ob__index_put(&table->by_base, own->name, own->base_length, index);
        own->last_overload = index;
    } else {
        ob__op_entry *head = ob__table_entry(table, first);
        ob__table_entry(table, head->last_overload)->next_overload = index;
        head->last_overload = index;
    }
    const char *list = own->op.row->names;
    const char *word;
    size_t length;
    while (list != NULL && (word = next_word(&list, &length)) != NULL)
        if (ob__index_find(&table->by_other, word, length) == OB__INDEX_NONE)
            ob__index_put(&table->by_other, word, length, index);
}

ob_status ob_op_table_add(ob_op_table *table, const ob_op_row *row, const char *origin, ob_err *err)
{
    if (row->schema == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "an operator row needs a schema");
    ob__op_entry entry = make_entry(row, origin);
    ob_status status = ob__table_load(&entry, err);
    if (status == OB_OK)
        status = check_names(table, &entry, err);
    if (status == OB_OK && !reserve(table, 1, count_words(row->names)))
        status = ob_err_set(err, OB_ERR_NOMEM, "out of memory while adding an operator");
    if (status != OB_OK) {
        ob_schema_destroy(entry.op.schema);
        return status;
    }
    insert(table, &entry);
    return OB_OK;
}

static bool index_adapters(ob_op_table *table)
{
    const size_t count = ob__adapter_count();
    table->signatures = calloc(count, sizeof(ob_schema *));
    if (table->signatures == NULL || !ob__index_reserve(&table->by_adapter, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *name = ob__adapter_at(i)->signature;
        ob__index_put(&table->by_adapter, name, strcspn(name, "("), (uint32_t)i);
    }
    return true;
}

static ob_status add_built_in(ob_op_table *table, ob_err *err)
{
    size_t rows = 0, other_names = 0;
    for (size_t g = 0; g < sizeof GROUPS / sizeof GROUPS[0]; g++) {
        for (const ob_op_row *row = GROUPS[g]; row->schema != NULL; row++) {
            rows++;
            other_names += count_words(row->names);
        }
    }
    if (!reserve(table, rows, other_names))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory while making the operator table");
    for (size_t g = 0; g < sizeof GROUPS / sizeof GROUPS[0]; g++) {
        for (const ob_op_row *row = GROUPS[g]; row->schema != NULL; row++) {
            const ob__op_entry entry = make_entry(row, "built in");
            OB_TRY(check_names(table, &entry, err));
            insert(table, &entry);
        }
    }
    return OB_OK;
}

ob_status ob_op_table_create_empty(ob_op_table **out, ob_err *err)
{
    ob_op_table *table = calloc(1, sizeof *table);
    *out = NULL;
    if (table == NULL || !index_adapters(table)) {
        ob_op_table_destroy(table);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory while making the operator table");
    }
    *out = table;
    return OB_OK;
}

ob_status ob_op_table_create(ob_op_table **out, ob_err *err)
{
    OB_TRY(ob_op_table_create_empty(out, err));
    const ob_status status = add_built_in(*out, err);
    if (status != OB_OK) {
        ob_op_table_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ob_op_table_destroy(ob_op_table *table)
{
    if (table == NULL)
        return;
    for (uint32_t i = 0; i < table->count; i++)
        ob_schema_destroy(ob__table_entry(table, i)->op.schema);
    for (size_t i = 0; i < table->chunk_count; i++)
        free(table->chunks[i]);
    for (size_t i = 0; table->signatures != NULL && i < ob__adapter_count(); i++)
        ob_schema_destroy(table->signatures[i]);
    free(table->signatures);
    free(table->chunks);
    ob__index_fini(&table->by_name);
    ob__index_fini(&table->by_base);
    ob__index_fini(&table->by_other);
    ob__index_fini(&table->by_adapter);
    free(table);
}

size_t ob_op_table_count(const ob_op_table *table)
{
    return table->count;
}

static const ob_op *loaded(const ob_op_table *table, uint32_t index)
{
    ob__op_entry *entry = ob__table_entry(table, index);
    return ob__table_load(entry, NULL) == OB_OK ? &entry->op : NULL;
}

const ob_op *ob_op_table_at(const ob_op_table *table, size_t index)
{
    return loaded(table, (uint32_t)index);
}

const ob_op *ob_op_table_find(const ob_op_table *table, const char *full_name)
{
    const uint32_t index = ob__index_find(&table->by_name, full_name, strlen(full_name));
    return index != OB__INDEX_NONE ? loaded(table, index) : NULL;
}
