/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzer: parameters drawn at random, and tensors whose sizes, steps and memory layout follow from
 * them. A spec says what may be drawn; a draw is one set of values that passed the constraints and
 * the bounds of the tensors.
 *
 *     const ob_fuzz_parameter parameters[] = {
 *         {.name = "k0", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(16, 16 * 1024)},
 *         {.name = "k1", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(16, 16 * 1024)}};
 *     const double most = 0.75;
 *     const ob_fuzz_tensor tensors[] = {
 *         {.name = "x", .size = {"k0", "k1"}, .probability_contiguous = &most},
 *         {.name = "y", .size = {"k0", "1"}, .probability_contiguous = &most}};
 *     const ob_fuzz_spec spec = {.size = sizeof spec,
 *                                .parameters = parameters,
 *                                .parameter_size = sizeof *parameters,
 *                                .parameter_count = 2,
 *                                .tensors = tensors,
 *                                .tensor_size = sizeof *tensors,
 *                                .tensor_count = 2};
 *     status = ob_fuzzer_create(&spec, 0, &fuzzer, &err);
 *     status = ob_fuzzer_take(fuzzer, 10, see_draw, ctx, &err);
 *
 * Draw i depends on the spec, the seed and i alone: not on the machine, not on the draws before it.
 * docs/fuzz.md has the rules and the JSON form of a spec. One thread at a time per fuzzer.
 */
#ifndef OPBENCH_FUZZ_H
#define OPBENCH_FUZZ_H

#include "opbench/json.h"
#include "opbench/opbench.h"
#include "opbench/text.h"
#include "opbench/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what may be drawn ---- */

typedef enum ob_fuzz_distribution {
    OB_FUZZ_UNIFORM, /* whole bounds: whole numbers, both ends included; else reals in [min, max) */
    OB_FUZZ_LOGUNIFORM, /* whole numbers from min > 0 to max, both included */
    OB_FUZZ_CHOICE,     /* one of the choices */
} ob_fuzz_distribution;

/* One choice: a value, or the value that another parameter has in the same draw. */
typedef struct ob_fuzz_choice {
    const char *alias; /* name of a parameter; NULL = value counts */
    ob_value value;    /* none, bool, int, double or str */
    double probability;
} ob_fuzz_choice;

/* The last parameter of a name replaces those before it. */
typedef struct ob_fuzz_parameter {
    const char *name;
    ob_fuzz_distribution distribution;
    ob_value min, max; /* int or double; OB_FUZZ_RANGE fills both with ints */
    const ob_fuzz_choice *choices;
    size_t choice_count; /* their probabilities add up to 1, within 1e-5 */
    bool strict;         /* drawn once per draw, and kept when other parameters are drawn again */
} ob_fuzz_parameter;

#define OB_FUZZ_INT(number)                                                                        \
    {                                                                                              \
        .kind = OB_VALUE_INT, .as = {.integer = (number) }                                         \
    }
#define OB_FUZZ_REAL(number)                                                                       \
    {                                                                                              \
        .kind = OB_VALUE_DOUBLE, .as = {.real = (number) }                                         \
    }
/* The members min and max of a parameter. */
#define OB_FUZZ_RANGE(low, high) .min = OB_FUZZ_INT(low), .max = OB_FUZZ_INT(high)

/* Texts of a tensor are names of parameters, or literals ("1", "0.5", "true"). */
typedef struct ob_fuzz_tensor {
    const char *name;
    const char *size[OB_MAX_DIMS];  /* up to the first NULL */
    const char *steps[OB_MAX_DIMS]; /* the element distance per dimension; missing ones are 1 */
    const double *probability_contiguous; /* NULL = 0.5 */
    int64_t min_elements, max_elements;   /* 0 = no bound */
    int64_t max_allocation_bytes;         /* of the memory that the steps span; 0 = no bound */
    const char *dim_parameter;  /* number of dimensions: size and steps are cut or filled with 1 */
    const char *roll_parameter; /* by how many places size and steps are rotated; NULL = none */
    const char *dtype;          /* NULL = "float32" */
    bool sparse;                /* COO; steps, contiguity and bytes do not apply */
    /* Sparse only. NULL = the parameter of the same name, if there is one. */
    const char *sparse_dim; /* else all dimensions are sparse */
    const char *nnz;        /* else it follows from density; one of the two is needed */
    const char *density;
    const char *coalesced; /* else true */
} ob_fuzz_tensor;

/* Whether a draw is wanted. Its tensors are not made yet: tensor_count is 0. */
typedef bool (*ob_fuzz_accept_fn)(void *ctx, const ob_fuzz_draw *draw);

typedef struct ob_fuzz_spec {
    size_t size; /* sizeof(ob_fuzz_spec) */
    const ob_fuzz_parameter *parameters;
    size_t parameter_size; /* sizeof(ob_fuzz_parameter) */
    size_t parameter_count;
    const ob_fuzz_tensor *tensors;
    size_t tensor_size; /* sizeof(ob_fuzz_tensor) */
    size_t tensor_count;
    const char *const *constraints; /* "k0 % 2 == 0 and k0 > k1": docs/fuzz.md has the grammar */
    size_t constraint_count;
    ob_fuzz_accept_fn accept; /* asked after the constraints; NULL = all are wanted */
    void *accept_ctx;
} ob_fuzz_spec;

/* ---- what was drawn ---- */

typedef struct ob_fuzz_tensor_info {
    const char *name;
    ob_dtype dtype;
    bool sparse;
    int ndim;
    int64_t size[OB_MAX_DIMS];
    int64_t strides[OB_MAX_DIMS]; /* in elements */
    int64_t steps[OB_MAX_DIMS];
    int64_t allocation[OB_MAX_DIMS]; /* size times steps: the memory that it is a view of */
    int order[OB_MAX_DIMS];          /* dimensions from the slowest to the fastest in memory */
    int64_t numel;
    int64_t allocation_bytes;
    bool is_contiguous;
    /* Sparse only; strides, steps, allocation and order are not set then. */
    int sparse_dim, dense_dim;
    int64_t nnz; /* stored entries; uncoalesced: each place is stored twice */
    bool is_coalesced;
    double density;
} ob_fuzz_tensor_info;

/* Valid until the next draw of the same fuzzer. */
struct ob_fuzz_draw {
    uint64_t index;
    uint64_t attempts;        /* how many sets of parameters it took */
    const char *const *names; /* of the parameters */
    const ob_value *values;   /* aliases are resolved; strings are the fuzzer's */
    size_t parameter_count;
    const ob_fuzz_tensor_info *tensors;
    size_t tensor_count;
};

/* ---- fuzzers ---- */

/* Checks the spec and copies all of it. */
ob_status ob_fuzzer_create(const ob_fuzz_spec *spec, uint64_t seed, ob_fuzzer **out, ob_err *err);
/* Errors have the line and column of the offending node; file and path are for the caller to
 * add. */
ob_status ob_fuzzer_open_json(const ob_json *spec, const uint64_t *seed, ob_fuzzer **out,
                              ob_err *err);
uint64_t ob_fuzzer_seed(const ob_fuzzer *fuzzer);

/* Draws 0 to count - 1 in order; stops at the first error, including one from fn. */
typedef ob_status (*ob_fuzz_draw_fn)(void *ctx, const ob_fuzz_draw *draw, ob_err *err);
ob_status ob_fuzzer_take(ob_fuzzer *fuzzer, uint64_t count, ob_fuzz_draw_fn fn, void *ctx,
                         ob_err *err);
/* The fraction of parameter sets refused so far, over the fuzzer's life; 0 before the first. */
double ob_fuzzer_rejection_rate(const ob_fuzzer *fuzzer);

/* ---- a draw ---- */

/* The value of a parameter; NULL when there is none of that name. */
const ob_value *ob_fuzz_draw_get(const ob_fuzz_draw *draw, const char *name);
/* NULL when there is none of that name. */
const ob_fuzz_tensor_info *ob_fuzz_draw_tensor(const ob_fuzz_draw *draw, const char *name);
/* Makes the tensor with its memory: floating and complex elements in [0, 1), integers in 1..126,
 * bools are either. The draw must be of this fuzzer and still valid. *out is the caller's:
 * ob_tensor_fini. */
ob_status ob_fuzz_draw_make(const ob_fuzzer *fuzzer, const ob_fuzz_draw *draw, size_t tensor,
                            ob_tensor *out, ob_err *err);

/* ---- presets ---- */

typedef struct ob_fuzz_preset_info {
    const char *name;       /* "unary" */
    const char *torch_name; /* "UnaryOpFuzzer"; taken as a name too */
    const char *dtype;      /* of its tensors, unless another is given */
    const char *help;       /* one line */
} ob_fuzz_preset_info;

/* NULL past the last one. */
const ob_fuzz_preset_info *ob_fuzz_preset_at(size_t index);
/* By either name; NULL when there is none. */
const ob_fuzz_preset_info *ob_fuzz_preset_find(const char *name);

typedef struct ob_fuzz_preset_params {
    size_t size;                       /* sizeof(ob_fuzz_preset_params) */
    const char *name;                  /* either name */
    const char *dtype;                 /* NULL = the preset's own */
    const double *probability_regular; /* spectral only; NULL = 1 */
} ob_fuzz_preset_params;

ob_status ob_fuzzer_open_preset(const ob_fuzz_preset_params *params, uint64_t seed, ob_fuzzer **out,
                                ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
