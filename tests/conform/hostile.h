/* SPDX-License-Identifier: Apache-2.0
 *
 * Hostile calls: what the parts of `conform PLUGIN hostile` share.
 *
 * A call is an operator's row and a value for each of its arguments: those of a call that is known to be right, changed
 * here and there, or values of the right types drawn from nothing. Every call follows from (seed, number) alone.
 */
#ifndef OB_TEST_HOSTILE_H
#define OB_TEST_HOSTILE_H

#include "conform.h"

#include "opbench/rng.h"

/* Right calls of every operator that the goldens reach: as they stand, decomposed, and derived. Tensors are
 * metas, but for the goldens' own. */
typedef struct hostile_seeds {
    ob_value **calls; /* arg_count values each */
    size_t *op;       /* the operator's place in the table */
    size_t count, capacity;
    const ob_op_table *table;
} hostile_seeds;

ob_status hostile_seeds_add(hostile_seeds *seeds, const char *goldens_path, ob_err *err);
void hostile_seeds_fini(hostile_seeds *seeds);

typedef struct hostile_call {
    const ob_op *op;
    size_t op_index;
    ob_value *args; /* op->schema->arg_count */
    bool tame;      /* inputs obey the row's constraints: indices are in range */
    bool
        own; /* tensors keep the elements of the call that this one was made of, where they have some */
    bool backward;
    ob_rng rng; /* for what comes after: storages and elements */
} hostile_call;

/* Metas only. */
ob_status hostile_call_make(const hostile_seeds *seeds, uint64_t seed, uint64_t number,
                            hostile_call *out, ob_err *err);
void hostile_call_fini(hostile_call *call);
/* "aten::add.Tensor(f32[2,3], ...)", cut where `out` ends. */
void hostile_call_print(const hostile_call *call, char *out, size_t size);
/* Gives every tensor a storage of exactly its size, and elements. OB_ERR_INVALID for tensors that cannot be, which nobody
 * may make. */
ob_status hostile_call_fill(hostile_call *call, ob_err *err);

/* ---- values ---- */

/* True once in so many. */
bool hostile_once_in(ob_rng *rng, int count);
int64_t hostile_int(ob_rng *rng);
ob_dtype hostile_dtype(ob_rng *rng);
/* A value of the schema's type, or None for an optional one. */
ob_status hostile_value(ob_rng *rng, const ob_type *type, ob_value *out, ob_err *err);
/* Changes one thing about the value, which stands for an argument of that type. */
ob_status hostile_change(ob_rng *rng, const ob_type *type, ob_value *value, ob_err *err);
/* Changes all tensors and sizes of a call alike, so that it may well stay right. */
void hostile_change_all(ob_rng *rng, ob_value *args, size_t count);

#endif
