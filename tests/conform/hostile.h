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
#include "run/backend_ops.h"

#include "opbench/rng.h"

/* Where choices come from: a generator; or bytes, as a fuzzer gives them. When they are at an end every choice is the
 * least one, so that a short input stands for a simple call. */
typedef struct hostile_dice {
    ob_rng rng; /* beside bytes: for what they do not choose one by one, the elements of tensors */
    const uint8_t *bytes;
    size_t left;
} hostile_dice;

/* Right calls of one operator. */
typedef struct hostile_op_seeds {
    ob_value **calls; /* arg_count values each */
    size_t count;
} hostile_op_seeds;

/* Right calls of every operator that the goldens reach: as they stand, decomposed, and derived. Tensors are
 * metas, but for the goldens' own. */
typedef struct hostile_seeds {
    hostile_op_seeds *ops; /* by their places in the table */
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
    hostile_dice dice; /* for what comes after: storages and elements */
} hostile_call;

/* Metas only. */
ob_status hostile_call_make(const hostile_seeds *seeds, uint64_t seed, uint64_t number,
                            hostile_call *out, ob_err *err);
/* The bytes are read until the call is filled. */
ob_status hostile_call_from_bytes(const hostile_seeds *seeds, const uint8_t *bytes, size_t size,
                                  hostile_call *out, ob_err *err);
void hostile_call_fini(hostile_call *call);
/* "aten::add.Tensor(f32[2,3], ...)", cut where `out` ends. */
void hostile_call_print(const hostile_call *call, char *out, size_t size);
/* Gives every tensor a storage of exactly its size, and elements. OB_ERR_INVALID for tensors that cannot be, which nobody
 * may make. */
ob_status hostile_call_fill(hostile_call *call, ob_err *err);

/* ---- what comes of it ---- */

typedef enum hostile_outcome {
    RAN,
    IMPOSSIBLE,         /* a tensor that leaves its storage, refused by whoever makes tensors */
    REFUSED_BY_ROW,     /* no graph: the operator's row says why */
    REFUSED_BY_BACKEND, /* supports */
    REFUSED_IN_PREPARE,
    REFUSED_IN_RUN, /* an index in the data is out of range */
    TOO_LARGE,      /* right as far as anyone can tell, and not run */
    OUTCOMES
} hostile_outcome;

/* Of a backend with operators of its own: whether it and the rows agree. */
typedef enum hostile_opinion { AGREED, ROW_IS_STRICTER, ROW_IS_LOOSER, OPINIONS } hostile_opinion;

/* Fills the call and does with it what a run would do. */
hostile_outcome hostile_try(const subject *s, hostile_call *call, ob_err *err);
/* The call again, without its row: the library says itself what it takes. */
hostile_opinion hostile_ask_library(const subject *s, hostile_call *call, ob_backend_ops **ops,
                                    hostile_outcome of_row);
/* Whether a refusal names the operator, or one that it is made of. */
bool hostile_is_named(const hostile_call *call, const ob_err *err);

/* ---- values ---- */

/* From low to high. */
int64_t hostile_roll(hostile_dice *dice, int64_t low, int64_t high);

/* True once in so many. */
bool hostile_once_in(hostile_dice *dice, int count);
int64_t hostile_int(hostile_dice *dice);
ob_dtype hostile_dtype(hostile_dice *dice);
/* A value of the schema's type, or None for an optional one. */
ob_status hostile_value(hostile_dice *dice, const ob_type *type, ob_value *out, ob_err *err);
/* Changes one thing about the value, which stands for an argument of that type. */
ob_status hostile_change(hostile_dice *dice, const ob_type *type, ob_value *value, ob_err *err);
/* Changes all tensors and sizes of a call alike, so that it may well stay right. */
void hostile_change_all(hostile_dice *dice, ob_value *args, size_t count);

#endif
