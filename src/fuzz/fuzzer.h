/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a fuzzer: a spec whose names are resolved to numbers of parameters, and room for one
 * draw.
 */
#ifndef OB_FUZZ_FUZZER_H
#define OB_FUZZ_FUZZER_H

#include "base/arena.h"
#include "fuzz/expression.h"
#include "opbench/fuzz.h"
#include "opbench/plugin.h"
#include "opbench/rng.h"

enum {
    OB__FUZZ_MAX_ATTEMPTS = 1000,
    OB__FUZZ_MAX_NAMES = 1024, /* parameters, tensors, constraints */
    OB__FUZZ_MAX_CHOICES = 1 << 16,
    /* What the elements of integer tensors are, both ends included. */
    OB__FUZZ_INT_LOWEST = 1,
    OB__FUZZ_INT_HIGHEST = 126,
};

typedef struct ob__fuzz_choice {
    ptrdiff_t alias; /* number of a parameter; -1 = value counts */
    ob_value value;
    double up_to; /* the sum of the probabilities so far */
} ob__fuzz_choice;

typedef struct ob__fuzz_parameter {
    ob_fuzz_distribution distribution;
    bool strict;
    ob_value min, max;
    ob__fuzz_choice *choices;
    size_t choice_count;
} ob__fuzz_parameter;

/* A number of a parameter, or a literal. */
typedef struct ob__fuzz_operand {
    bool given;
    ptrdiff_t parameter; /* -1 = literal counts */
    ob_value literal;
} ob__fuzz_operand;

typedef struct ob__fuzz_tensor {
    const char *name;
    ob_dtype dtype;
    bool sparse;
    size_t size_count, step_count;
    ob__fuzz_operand size[OB_MAX_DIMS], steps[OB_MAX_DIMS];
    ob__fuzz_operand dim, roll, sparse_dim, nnz, density, coalesced;
    double probability_contiguous;
    int64_t min_elements, max_elements, max_allocation_bytes; /* 0 = none */
} ob__fuzz_tensor;

/* What a parameter was before aliases are resolved. */
typedef struct ob__fuzz_raw {
    ptrdiff_t alias; /* -1 = value counts */
    ob_value value;
} ob__fuzz_raw;

struct ob_fuzzer {
    ob_arena arena; /* holds everything below */
    uint64_t seed;
    const char **names;
    ob__fuzz_parameter *parameters;
    size_t parameter_count;
    ob__fuzz_tensor *tensors;
    size_t tensor_count;
    ob__expression *constraints;
    size_t constraint_count;
    ob_fuzz_accept_fn accept;
    void *accept_ctx;

    uint64_t generated, rejected;
    ob_fuzz_draw draw;
    ob__fuzz_raw *raw;
    ob_value *values;
    ob_fuzz_tensor_info *infos;
};

/* Where the parts of a spec stand in a document, for errors; nodes may be NULL. */
typedef struct ob__fuzz_positions {
    const ob_json *const *parameters, *const *tensors, *const *constraints;
} ob__fuzz_positions;

/* ob_fuzzer_create with places (may be NULL). */
ob_status ob__fuzzer_create(const ob_fuzz_spec *spec, const ob__fuzz_positions *places,
                            uint64_t seed, ob_fuzzer **out, ob_err *err);
/* Fills an empty fuzzer from a spec (compile.c). */
ob_status ob__fuzz_compile(ob_fuzzer *fuzzer, const ob_fuzz_spec *spec,
                           const ob__fuzz_positions *places, ob_err *err);

/* Draws the parameters that are not kept from an earlier attempt (parameter.c). */
void ob__fuzz_draw_parameters(ob_fuzzer *fuzzer, ob_rng *rng, bool first_attempt);
/* raw to values; a circle of aliases is an error. */
ob_status ob__fuzz_resolve_aliases(ob_fuzzer *fuzzer, ob_err *err);

/* Sizes and steps of a tensor from the values; *fits says whether its bounds hold (tensor.c). */
ob_status ob__fuzz_measure_tensor(const ob_fuzzer *fuzzer, const ob__fuzz_tensor *tensor,
                                  ob_fuzz_tensor_info *info, bool *fits, ob_err *err);
/* Draws the order of the dimensions in memory and sets what follows from it. */
ob_status ob__fuzz_lay_out(const ob__fuzz_tensor *tensor, ob_rng *rng, ob_fuzz_tensor_info *info,
                           ob_err *err);
/* A whole number; an error for other kinds, which names `what`. */
ob_status ob__fuzz_operand_int(const ob_fuzzer *fuzzer, const ob__fuzz_operand *operand,
                               const char *tensor, const char *what, int64_t *out, ob_err *err);
/* nnz, density and coalesced of a sparse tensor whose sizes are set (sparse.c). */
ob_status ob__fuzz_measure_sparse(const ob_fuzzer *fuzzer, const ob__fuzz_tensor *tensor,
                                  ob_fuzz_tensor_info *info, bool *fits, ob_err *err);
/* How many different places a sparse tensor takes. */
int64_t ob__fuzz_taken(const ob_fuzz_tensor_info *info);
ob_status ob__fuzz_make_sparse(const ob_fuzz_tensor_info *info, ob_rng *rng, ob_tensor *out,
                               ob_err *err);
/* Uniform elements, as the original's default constructor makes them. */
void ob__fuzz_fill(ob_rng *rng, const ob_tensor *tensor);

/* FuzzConfigIterator, registered as a plug-in's is. */
extern const ob_plugin ob__fuzz_builtin;

#endif
