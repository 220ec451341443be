/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse COO tensors with random places: for configs and for the fuzzer.
 */
#ifndef OB_GEN_SPARSE_H
#define OB_GEN_SPARSE_H

#include "opbench/rng.h"
#include "opbench/tensor.h"

/* The leading sparse_dim dimensions are indexed, the others are dense blocks. */
typedef struct ob__sparse_spec {
    ob_dtype dtype;
    int ndim, sparse_dim; /* 0 <= sparse_dim <= ndim */
    int64_t sizes[OB_MAX_DIMS];
    int64_t taken;  /* places that are taken, all different; at most as many as there are */
    bool coalesced; /* false: each of them is stored twice */
} ob__sparse_spec;

/* How many places the leading dimensions have. */
ob_status ob__sparse_places(const ob__sparse_spec *spec, int64_t *places, ob_err *err);
/* ceil(places * density), 0 <= density <= 1. */
int64_t ob__sparse_share(int64_t places, double density);
/* Fills the values; may fail. */
typedef ob_status (*ob__sparse_fill)(void *ctx, const ob_tensor *values, ob_err *err);
/* Every set of places is as likely as any other. Places are drawn first, then fill is called for the values. */
ob_status ob__sparse_make(const ob__sparse_spec *spec, ob_rng *rng, ob__sparse_fill fill, void *ctx,
                          ob_tensor *out, ob_err *err);

#endif
