/* SPDX-License-Identifier: Apache-2.0
 *
 * Which places of a sparse tensor are taken, and the tensor made of them.
 */
#include "gen/sparse.h"

#include <math.h>
#include <stdlib.h>

ob_status ob__sparse_places(const ob__sparse_spec *spec, int64_t *places, ob_err *err)
{
    return ob_shape_numel(spec->sizes, spec->sparse_dim, places, err);
}

int64_t ob__sparse_share(int64_t places, double density)
{
    const double share = ceil((double)places * density);
    return share >= (double)places ? places : (int64_t)share;
}

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

/* The coordinates of the places, [sparse_dim, entries]; an uncoalesced tensor has them twice. */
static ob_status make_indices(const ob__sparse_spec *spec, int64_t entries, ob_rng *rng,
                              ob_tensor *out, ob_err *err)
{
    const int64_t sizes[2] = {spec->sparse_dim, entries};
    const size_t count = (size_t)spec->taken;
    int64_t places;
    OB_TRY(ob__sparse_places(spec, &places, err));
    int64_t *chosen = malloc((count + 1) * sizeof *chosen);
    if (chosen == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %zu indices", count);
    const ob_status status = ob_tensor_init(out, OB_DTYPE_I64, sizes, 2, NULL, err);
    if (status == OB_OK) {
        int64_t *data = ob_tensor_data(out);
        choose_places(rng, places, chosen, count);
        for (int d = spec->sparse_dim - 1; d >= 0; d--)
            for (size_t i = 0; i < (size_t)entries; i++) {
                data[(size_t)d * (size_t)entries + i] = chosen[i % count] % spec->sizes[d];
                if (i + count >= (size_t)entries) /* its last use */
                    chosen[i % count] /= spec->sizes[d];
            }
    }
    free(chosen);
    return status;
}

static ob_status make_values(const ob__sparse_spec *spec, int64_t entries, ob_tensor *out,
                             ob_err *err)
{
    const int dense_dim = spec->ndim - spec->sparse_dim;
    int64_t sizes[OB_MAX_DIMS + 1] = {entries};
    for (int i = 0; i < dense_dim; i++)
        sizes[i + 1] = spec->sizes[spec->sparse_dim + i];
    if (dense_dim + 1 > OB_MAX_DIMS)
        return ob_err_set(err, OB_ERR_LIMIT, "the values would have more than %d dimensions",
                          OB_MAX_DIMS);
    return ob_tensor_init(out, spec->dtype, sizes, dense_dim + 1, NULL, err);
}

ob_status ob__sparse_make(const ob__sparse_spec *spec, ob_rng *rng, ob__sparse_fill fill, void *ctx,
                          ob_tensor *out, ob_err *err)
{
    ob_tensor indices, values;
    int64_t entries;
    if (__builtin_mul_overflow(spec->taken, (int64_t)(spec->coalesced ? 1 : 2), &entries))
        return ob_err_set(err, OB_ERR_OVERFLOW, "a sparse tensor with too many entries");
    OB_TRY(make_indices(spec, entries, rng, &indices, err));
    ob_status status = make_values(spec, entries, &values, err);
    if (status == OB_OK) {
        status = fill(ctx, &values, err);
        if (status == OB_OK)
            status = ob_tensor_init_sparse(out, spec->sizes, spec->ndim, &indices, &values, err);
        ob_tensor_fini(&values);
    }
    ob_tensor_fini(&indices);
    return status;
}
