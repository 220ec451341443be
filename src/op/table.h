/* SPDX-License-Identifier: Apache-2.0
 *
 * The operator table as its own files see it: entries in the order of the rows, overloads of a base
 * name chained in that order.
 */
#ifndef OB_OP_TABLE_H
#define OB_OP_TABLE_H

#include "op/name_index.h"
#include "opbench/op.h"

typedef struct ob__op_entry {
    ob_op op; /* op.schema is NULL until somebody asks for the operator */
    /* "aten::add.Tensor": where the name stands in the row's schema. */
    const char *name;
    uint32_t name_length;
    uint32_t base_length;   /* "aten::add" */
    uint32_t next_overload; /* OB__INDEX_NONE at the end */
    uint32_t last_overload; /* of the first entry of a base only */
} ob__op_entry;

struct ob_op_table {
    ob__op_entry **chunks; /* entries never move: graphs point to them */
    size_t chunk_count, chunk_capacity, count;
    ob__name_index by_name;    /* "aten::add.Tensor" */
    ob__name_index by_base;    /* "aten::add", to its first entry */
    ob__name_index by_other;   /* the rows' further names, to an entry */
    ob__name_index by_adapter; /* "torch.nn.functional.embedding", to an adapter */
    ob_schema **signatures;    /* of the adapters, parsed on first use */
};

ob__op_entry *ob__table_entry(const ob_op_table *table, uint32_t index);
/* Parses the entry's schema unless that is done. */
ob_status ob__table_load(ob__op_entry *entry, ob_err *err);
/* First entry of "aten::add", or OB__INDEX_NONE. */
uint32_t ob__table_first(const ob_op_table *table, const char *base, size_t length);
/* "" stands for any overload, "default" for the one without a name. */
bool ob__table_has(const ob_op_table *table, const char *base, const char *overload);
bool ob__entry_is_overload(const ob__op_entry *entry, const char *overload);
/* The base name that is spelled most like `base` (both with their namespace), copied to out;
 * false when none is near. */
bool ob__table_nearest(const ob_op_table *table, const char *base, char *out, size_t size);

#endif
