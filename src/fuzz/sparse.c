/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse COO tensors of a draw. The leading sparse_dim dimensions are indexed, the others are dense
 * blocks. density is the share of the places that are taken: ceil(places * density) of them, all
 * different; nnz says their number instead. An uncoalesced tensor stores each place twice.
 */
#include "fuzz/fuzzer.h"

#include <math.h>
#include <stdlib.h>
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
        const double share = ceil((double)places * info->density);
        taken = share >= (double)places ? places : (int64_t)share;
    }
    *fits = taken <= places &&
            !__builtin_mul_overflow(taken, (int64_t)(info->is_coalesced ? 1 : 2), &entries);
    if (*fits)
        info->nnz = entries;
    return OB_OK;
}

/* ---- memory ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted numbers without those that repeat; returns how many are left. */
static size_t sort_unique(int64_t *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

/* `count` different numbers below `places`, every set as likely as any other, sorted. */
static void choose_places(ob_rng *rng, int64_t places, int64_t *out, size_t count)
{
    size_t have = 0;
    if (count > (uint64_t)places / 2) { /* most of them: walk over all */
        for (int64_t place = 0; have < count; place++)
            if ((uint64_t)ob_rng_int(rng, 0, places - place - 1) < count - have)
                out[have++] = place;
        return;
    }
    while (have < count) {
        for (size_t i = have; i < count; i++)
            out[i] = ob_rng_int(rng, 0, places - 1);
        have = sort_unique(out, count);
    }
}

/* The coordinates of the places, [sparse_dim, nnz]; an uncoalesced tensor has them twice. */
static ob_status make_indices(const ob_fuzz_tensor_info *info, ob_rng *rng, ob_tensor *out,
                              ob_err *err)
{
    const int64_t sizes[2] = {info->sparse_dim, info->nnz};
    const size_t count = (size_t)(info->is_coalesced ? info->nnz : info->nnz / 2);
    int64_t places;
    OB_TRY(ob_shape_numel(info->size, info->sparse_dim, &places, err));
    int64_t *chosen = malloc((count + 1) * sizeof *chosen);
    if (chosen == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu indices", count);
    const ob_status status = ob_tensor_init(out, OB_DTYPE_I64, sizes, 2, NULL, err);
    if (status == OB_OK) {
        int64_t *data = ob_tensor_data(out);
        choose_places(rng, places, chosen, count);
        for (int d = info->sparse_dim - 1; d >= 0; d--)
            for (size_t i = 0; i < (size_t)info->nnz; i++) {
                data[(size_t)d * (size_t)info->nnz + i] = chosen[i % count] % info->size[d];
                if (i + count >= (size_t)info->nnz) /* its last use */
                    chosen[i % count] /= info->size[d];
            }
    }
    free(chosen);
    return status;
}

static ob_status make_values(const ob_fuzz_tensor_info *info, ob_rng *rng, ob_tensor *out,
                             ob_err *err)
{
    int64_t sizes[OB_MAX_DIMS + 1] = {info->nnz};
    for (int i = 0; i < info->dense_dim; i++)
        sizes[i + 1] = info->size[info->sparse_dim + i];
    if (info->dense_dim + 1 > OB_MAX_DIMS)
        return ob_err_set(err, OB_ERR_LIMIT, "the values would have more than %d dimensions",
                          OB_MAX_DIMS);
    OB_TRY(ob_tensor_init(out, info->dtype, sizes, info->dense_dim + 1, NULL, err));
    ob__fuzz_fill(rng, out);
    return OB_OK;
}

ob_status ob__fuzz_make_sparse(const ob_fuzz_tensor_info *info, ob_rng *rng, ob_tensor *out,
                               ob_err *err)
{
    ob_tensor indices, values;
    OB_TRY(make_indices(info, rng, &indices, err));
    ob_status status = make_values(info, rng, &values, err);
    if (status == OB_OK) {
        status = ob_tensor_init_sparse(out, info->size, info->ndim, &indices, &values, err);
        ob_tensor_fini(&values);
    }
    ob_tensor_fini(&indices);
    return status;
}
