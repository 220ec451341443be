/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of the native backend: what they may use.
 *
 * opbench/kit.h says what a kernel is. The tables are native_kernels_<group>.c; native_kernel_groups.def lists the groups.
 */
#ifndef OB_NATIVE_KERNEL_H
#define OB_NATIVE_KERNEL_H

#include "opbench/kit.h"

/* What arithmetic is done in: f16, bf16 and f32 in float; integers up to 32 bits and bool in int32. */
typedef enum native_class {
    NATIVE_F32,
    NATIVE_F64,
    NATIVE_I32,
    NATIVE_I64,
    NATIVE_CLASS_COUNT,
} native_class;

/* An element of an array of floats, or of doubles. */
static inline double native_get(native_class cls, const void *array, int64_t i)
{
    return cls == NATIVE_F64 ? ((const double *)array)[i] : (double)((const float *)array)[i];
}
static inline void native_put(native_class cls, void *array, int64_t i, double value)
{
    if (cls == NATIVE_F64)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

typedef struct native_loops native_loops; /* loops.h: inner loops of one instruction set */

/* One opened backend, as kernels see it. */
typedef struct ob_kit_env native_env;
struct ob_kit_env {
    const ob_host *host;
    const native_loops *loops;
    bool best_isa;            /* no instruction set was asked for by name */
    int threads;              /* may change between runs */
    struct native_team *team; /* team.h */
    uint64_t seed;
    /* NULL until the setup of a kernel that needs it opens it (blas.h); the framework sets its threads
     * and closes it. */
    struct native_blas *blas;
};

/* The host's table, as the plug-in's entry function got it. */
const ob_host *native_host(void);

/* ---- memory and elements (elements.c) ---- */

native_class native_class_of(ob_dtype dtype); /* not for complex */
size_t native_class_size(native_class cls);
void *native_data(const ob_tensor *tensor); /* first element */

/* Elements in row-major order of the logical shape, converted; `to` and `from` are dense arrays of
 * the class's type (float, double, int32_t, int64_t). Work is spread over env->threads. */
void native_gather(const native_env *env, const ob_tensor *from, native_class cls, void *to);
void native_scatter(const native_env *env, const ob_tensor *to, native_class cls, const void *from);
/* The same for count elements from data on, `stride` elements apart, on the calling thread. */
void native_load(const native_env *env, ob_dtype dtype, const void *data, int64_t stride,
                 native_class cls, void *to, int64_t count);
void native_store(const native_env *env, ob_dtype dtype, void *data, int64_t stride,
                  native_class cls, const void *from, int64_t count);
/* to = from, with broadcasting and conversion; the tensors do not overlap (or are the same). */
ob_status native_copy(const native_env *env, const ob_tensor *to, const ob_tensor *from,
                      ob_err *err);
/* Whether native_copy knows how: all but conversions from and to complex numbers. */
bool native_can_copy(ob_dtype to, ob_dtype from);
void native_fill(const native_env *env, const ob_tensor *to, double value);
/* Fills with the bytes of one element. */
void native_fill_bytes(const native_env *env, const ob_tensor *to, const void *element);
/* Element at an address, for indices: any integer dtype. */
int64_t native_load_index(ob_dtype dtype, const void *data);

/* ---- threads (team.c) ---- */

/* Calls fn for disjoint ranges that cover [0, count), on up to env->threads threads, with ranges of
 * at least `grain`. With one thread, or little work, fn runs on the caller and no thread is started; so
 * it does when called from within fn: the outermost loop is the one that is spread. */
typedef void (*native_range_fn)(void *ctx, int64_t begin, int64_t end);
void native_parallel(const native_env *env, int64_t count, int64_t grain, native_range_fn fn,
                     void *ctx);

/* ---- tables (native_kernels.c) ---- */

#define NATIVE_GROUP(group) extern const ob_kit_kernel native_kernels_##group[];
#include "native_kernel_groups.def"
#undef NATIVE_GROUP

#endif
