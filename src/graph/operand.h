/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands: what stands in an argument of a call. An operand owns its value and its items.
 */
#ifndef OB_GRAPH_OPERAND_H
#define OB_GRAPH_OPERAND_H

#include "opbench/graph.h"

ob_operand ob__operand_edge(ob_edge_id edge);
ob_operand ob__operand_item(ob_edge_id edge, size_t index);
ob_operand ob__operand_value(ob_value value); /* takes value over */
ob_operand ob__operand_none(void);

ob_status ob__operand_copy(ob_operand *out, const ob_operand *in, ob_err *err);
void ob__operand_fini(ob_operand *operand); /* leaves a constant None */
/* malloc'ed array and its items; NULL is allowed. */
void ob__operands_free(ob_operand *operands, size_t count);

/* A list of items, which are taken over (also on failure; the array itself is not). A constant when
 * every item is one. */
ob_status ob__operand_init_list(ob_operand *out, ob_operand *items, size_t count, ob_err *err);

bool ob__operand_is_none(const ob_operand *operand);
bool ob__operand_is_list(const ob_graph *graph, const ob_operand *operand);
/* Items of a constant list, a LIST or a list edge; 0 for anything else. */
size_t ob__operand_count(const ob_graph *graph, const ob_operand *operand);
/* index < count; *out is a copy. */
ob_status ob__operand_get(const ob_graph *graph, const ob_operand *operand, size_t index,
                          ob_operand *out, ob_err *err);

/* The tensor behind an EDGE or ITEM, borrowed; NULL when the operand is no single tensor. */
const ob_tensor *ob__operand_tensor(const ob_graph *graph, const ob_operand *operand);
/* True if a tensor in it requires a gradient. */
bool ob__operand_requires_grad(const ob_graph *graph, const ob_operand *operand);

/* Values for binding. Binding reorders, repeats and converts values but knows no edges; so each
 * tensor carries its edge in a tag (the offset, which means nothing in a meta tensor), and
 * ob__operand_from_tagged finds the edges again and restores the tensor in place. */
ob_status ob__operand_to_tagged(const ob_graph *graph, const ob_operand *operand, ob_value *out,
                                ob_err *err);
ob_status ob__operand_from_tagged(const ob_graph *graph, ob_value *tagged, ob_operand *out,
                                  ob_err *err);

/* Positional and keyword operands of a call. Names are borrowed. */
typedef struct ob__operand_call {
    const ob_operand *args;
    size_t arg_count;
    const char *const *kwarg_names;
    const ob_operand *kwargs;
    size_t kwarg_count;
} ob__operand_call;

/* The call with tagged values, for ob_schema_bind and ob_op_resolve_call. `values` is malloc'ed and
 * holds all of them; free with ob__tagged_fini. */
typedef struct ob__tagged_call {
    ob_call call;
    ob_value *values;
    size_t count;
} ob__tagged_call;
ob_status ob__tagged_init(const ob_graph *graph, const ob__operand_call *call, ob__tagged_call *out,
                          ob_err *err);
void ob__tagged_fini(ob__tagged_call *tagged);

/* Binds operands to a schema; *bound is a malloc'ed array of schema->arg_count operands. */
ob_status ob__operands_bind(const ob_graph *graph, const ob_schema *schema,
                            const ob__operand_call *call, ob_operand **bound, ob_err *err);

#endif
