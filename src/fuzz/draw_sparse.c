/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse COO tensors of a draw. The leading sparse_dim dimensions are indexed, the others are dense
 * blocks. density is the share of the places that are taken: ceil(places * density) of them, all
 * different; nnz says their number instead. An uncoalesced tensor stores each place twice.
 */
#include "fuzz/fuzzer.h"
#include "gen/sparse.h"

#include <string.h>

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static ob_status resolve_density(const ob_fuzzer *f, const ob__fuzz_tensor *t, double *out,
                                 ob_err *err)
{
    const ob__fuzz_operand *operand = &t->density;
    const ob_value *value =
        operand->parameter >= 0 ? &f->values[operand->parameter] : &operand->literal;
    *out = value->kind == OB_VALUE_DOUBLE ? value->as.real
           : value->kind == OB_VALUE_INT  ? (double)value->as.integer
                                          : -1;
    if (*out >= 0 && *out <= 1)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "sparse tensor \"%.64s\": the density must be a number from 0 to 1", t->name);
}

int64_t ob__fuzz_taken(const ob_fuzz_tensor_info *info)
{
    return info->is_coalesced ? info->nnz : info->nnz / 2;
}

ob_status ob__fuzz_measure_sparse(const ob_fuzzer *f, const ob__fuzz_tensor *t,
                                  ob_fuzz_tensor_info *info, bool *fits, ob_err *err)
{
    int64_t sparse_dim = info->ndim, coalesced = 1, places, taken, entries;
    if (t->sparse_dim.given)
        OB_TRY(ob__fuzz_operand_int(f, &t->sparse_dim, t->name, "sparse_dim", &sparse_dim, err));
    if (t->coalesced.given)
        OB_TRY(ob__fuzz_operand_int(f, &t->coalesced, t->name, "coalesced", &coalesced, err));
    info->sparse_dim = (int)clamp(sparse_dim, info->ndim);
    info->dense_dim = info->ndim - info->sparse_dim;
    info->is_coalesced = coalesced != 0;
    OB_TRY(ob_shape_numel(info->size, info->sparse_dim, &places, err));
    if (t->nnz.given) {
        OB_TRY(ob__fuzz_operand_int(f, &t->nnz, t->name, "nnz", &taken, err));
        if (taken < 0)
            return ob_err_set(err, OB_ERR_INVALID, "sparse tensor \"%.64s\": nnz is %lld", t->name,
                              (long long)taken);
        info->density = places > 0 ? (double)taken / (double)places : 0;
    } else {
        OB_TRY(resolve_density(f, t, &info->density, err));
        taken = ob__sparse_share(places, info->density);
    }
    *fits = taken <= places &&
            !__builtin_mul_overflow(taken, (int64_t)(info->is_coalesced ? 1 : 2), &entries);
    if (*fits)
        info->nnz = entries;
    return OB_OK;
}

/* ---- memory ---- */

typedef struct filling {
    ob_rng *rng;
} filling;

static ob_status fill(void *ctx, const ob_tensor *values, ob_err *err)
{
    (void)err;
    ob__fuzz_fill(((filling *)ctx)->rng, values);
    return OB_OK;
}

ob_status ob__fuzz_make_sparse(const ob_fuzz_tensor_info *info, ob_rng *rng, ob_tensor *out,
                               ob_err *err)
{
    ob__sparse_spec spec = {.dtype = info->dtype,
                            .ndim = info->ndim,
                            .sparse_dim = info->sparse_dim,
                            .taken = ob__fuzz_taken(info),
                            .coalesced = info->is_coalesced};
    filling f = {rng};
    memcpy(spec.sizes, info->size, sizeof info->size);
    return ob__sparse_make(&spec, rng, fill, &f, out, err);
}
