/* SPDX-License-Identifier: Apache-2.0
 *
 * The fuzzers for operators that PyTorch ships: one or two tensors of one to three dimensions, from
 * 4096 to 32 Mi elements. Names, ranges and probabilities are the original's; the second tensor of
 * `binary` takes its own steps here.
 */
#include "base/nearest.h"
#include "base/sized.h"
#include "fuzz/fuzzer.h"

#include <string.h>

enum {
    MIN_SIZE = 16,
    MAX_SIZE = 16 << 20,
    MAX_SPECTRAL_SIZE = 16 << 10,
    MIN_ELEMENTS = 4 << 10,
    MAX_ELEMENTS = 32 << 20,
    MAX_REGULAR = 189, /* 2^a 3^b 5^c above MIN_SIZE, up to MAX_SPECTRAL_SIZE */
};
#define MAX_BYTES ((int64_t)2 << 30)

static const double MOSTLY_CONTIGUOUS = 0.75;

#define VALUE(number, share)                                                                       \
    {                                                                                              \
        .value = OB_FUZZ_INT(number), .probability = (share)                                       \
    }
#define REAL(number, share)                                                                        \
    {                                                                                              \
        .value = OB_FUZZ_REAL(number), .probability = (share)                                      \
    }
#define BOOL(truth, share)                                                                         \
    {                                                                                              \
        .value = {.kind = OB_VALUE_BOOL, .as = {.boolean = (truth)}}, .probability = (share)       \
    }
#define ALIAS(target, share)                                                                       \
    {                                                                                              \
        .alias = (target), .probability = (share)                                                  \
    }
/* The members of a parameter that is one of a table's choices. */
#define ONE_OF(table)                                                                              \
    .distribution = OB_FUZZ_CHOICE, .choices = (table),                                            \
    .choice_count = sizeof(table) / sizeof *(table)

static const ob_fuzz_choice DIMS[] = {VALUE(1, 0.3), VALUE(2, 0.4), VALUE(3, 0.3)};
static const ob_fuzz_choice STEPS[] = {VALUE(1, 0.8), VALUE(2, 0.06), VALUE(4, 0.06),
                                       VALUE(8, 0.04), VALUE(16, 0.04)};
static const ob_fuzz_choice SPARSE_DIMS[] = {VALUE(1, 0.4), VALUE(2, 0.4), VALUE(3, 0.2)};
static const ob_fuzz_choice DENSITIES[] = {REAL(0.1, 0.4), REAL(0.05, 0.3), REAL(0.01, 0.3)};
static const ob_fuzz_choice EITHER[] = {BOOL(true, 0.5), BOOL(false, 0.5)};

#define POWER(exponent) VALUE((int64_t)1 << (exponent), 1.0 / 21)
static const ob_fuzz_choice POWERS[] = {
    POWER(4),  POWER(5),  POWER(6),  POWER(7),  POWER(8),  POWER(9),  POWER(10),
    POWER(11), POWER(12), POWER(13), POWER(14), POWER(15), POWER(16), POWER(17),
    POWER(18), POWER(19), POWER(20), POWER(21), POWER(22), POWER(23), POWER(24)};

#define K_CHOICES(i)                                                                               \
    {                                                                                              \
        ALIAS("k_any_" #i, 0.8), ALIAS("k_pow2_" #i, 0.2)                                          \
    }
#define Y_CHOICES(i)                                                                               \
    {                                                                                              \
        ALIAS("k" #i, 0.8), VALUE(1, 0.2)                                                          \
    }
static const ob_fuzz_choice K[3][2] = {K_CHOICES(0), K_CHOICES(1), K_CHOICES(2)};
static const ob_fuzz_choice BROADCAST[3][2] = {Y_CHOICES(0), Y_CHOICES(1), Y_CHOICES(2)};
static const ob_fuzz_choice SAME[3][1] = {{ALIAS("k0", 1)}, {ALIAS("k1", 1)}, {ALIAS("k2", 1)}};

#define ANY(i, high)                                                                               \
    {                                                                                              \
        .name = "k_any_" #i, .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(MIN_SIZE, high)     \
    }
#define DRAWN(parameter, table)                                                                    \
    {                                                                                              \
        .name = (parameter), ONE_OF(table)                                                         \
    }
#define KEPT(parameter, table)                                                                     \
    {                                                                                              \
        .name = (parameter), ONE_OF(table), .strict = true                                         \
    }
/* k_any_i, k_pow2_i, and k_i that is one of them. */
#define SIZES                                                                                      \
    ANY(0, MAX_SIZE), ANY(1, MAX_SIZE), ANY(2, MAX_SIZE), DRAWN("k_pow2_0", POWERS),               \
        DRAWN("k_pow2_1", POWERS), DRAWN("k_pow2_2", POWERS), KEPT("k0", K[0]), KEPT("k1", K[1]),  \
        KEPT("k2", K[2])
#define RANDOM_VALUE                                                                               \
    {                                                                                              \
        .name = "random_value", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(0, UINT32_MAX)      \
    }

static const ob_fuzz_parameter UNARY[] = {KEPT("dim", DIMS),        SIZES,
                                          DRAWN("x_step_0", STEPS), DRAWN("x_step_1", STEPS),
                                          DRAWN("x_step_2", STEPS), RANDOM_VALUE};
static const ob_fuzz_parameter BINARY[] = {KEPT("dim", DIMS),          SIZES,
                                           KEPT("y_k0", BROADCAST[0]), KEPT("y_k1", BROADCAST[1]),
                                           KEPT("y_k2", BROADCAST[2]), DRAWN("x_step_0", STEPS),
                                           DRAWN("y_step_0", STEPS),   DRAWN("x_step_1", STEPS),
                                           DRAWN("y_step_1", STEPS),   DRAWN("x_step_2", STEPS),
                                           DRAWN("y_step_2", STEPS),   RANDOM_VALUE};
static const ob_fuzz_parameter SPARSE_UNARY[] = {
    KEPT("dim_parameter", DIMS), KEPT("sparse_dim", SPARSE_DIMS), SIZES,
    DRAWN("density", DENSITIES), DRAWN("coalesced", EITHER),      RANDOM_VALUE};
static const ob_fuzz_parameter SPARSE_BINARY[] = {
    KEPT("dim_parameter", DIMS), KEPT("sparse_dim", SPARSE_DIMS), SIZES,
    KEPT("y_k0", SAME[0]),       KEPT("y_k1", SAME[1]),           KEPT("y_k2", SAME[2]),
    DRAWN("density", DENSITIES), DRAWN("coalesced", EITHER),      RANDOM_VALUE};
/* The choices of k_regular_i and k_i are made by open_spectral. */
static const ob_fuzz_parameter SPECTRAL[] = {
    KEPT("ndim", DIMS),
    ANY(0, MAX_SPECTRAL_SIZE),
    ANY(1, MAX_SPECTRAL_SIZE),
    ANY(2, MAX_SPECTRAL_SIZE),
    {.name = "k_regular_0"},
    {.name = "k_regular_1"},
    {.name = "k_regular_2"},
    {.name = "k0"},
    {.name = "k1"},
    {.name = "k2"},
    DRAWN("step_0", STEPS),
    DRAWN("step_1", STEPS),
    DRAWN("step_2", STEPS),
};
enum { REGULAR_AT = 4, REGULAR_K_AT = 7 }; /* where in SPECTRAL */

#define BOUNDS .min_elements = MIN_ELEMENTS, .max_elements = MAX_ELEMENTS
#define DENSE(dim)                                                                                 \
    .dim_parameter = (dim), .probability_contiguous = &MOSTLY_CONTIGUOUS,                          \
    .max_allocation_bytes = MAX_BYTES
#define SPARSE                                                                                     \
    .sparse = true, .dim_parameter = "dim_parameter", .sparse_dim = "sparse_dim",                  \
    .density = "density", .coalesced = "coalesced", BOUNDS

static const ob_fuzz_tensor UNARY_TENSORS[] = {{.name = "x",
                                                .size = {"k0", "k1", "k2"},
                                                .steps = {"x_step_0", "x_step_1", "x_step_2"},
                                                DENSE("dim"),
                                                BOUNDS}};
static const ob_fuzz_tensor BINARY_TENSORS[] = {{.name = "x",
                                                 .size = {"k0", "k1", "k2"},
                                                 .steps = {"x_step_0", "x_step_1", "x_step_2"},
                                                 DENSE("dim"),
                                                 BOUNDS},
                                                {.name = "y",
                                                 .size = {"y_k0", "y_k1", "y_k2"},
                                                 .steps = {"y_step_0", "y_step_1", "y_step_2"},
                                                 DENSE("dim")}};
static const ob_fuzz_tensor SPECTRAL_TENSORS[] = {{.name = "x",
                                                   .size = {"k0", "k1", "k2"},
                                                   .steps = {"step_0", "step_1", "step_2"},
                                                   DENSE("ndim"),
                                                   BOUNDS}};
static const ob_fuzz_tensor SPARSE_TENSORS[] = {
    {.name = "x", .size = {"k0", "k1", "k2"}, SPARSE},
    {.name = "y", .size = {"y_k0", "y_k1", "y_k2"}, SPARSE}};

typedef struct preset {
    ob_fuzz_preset_info info;
    const ob_fuzz_parameter *parameters;
    size_t parameter_count;
    const ob_fuzz_tensor *tensors;
    size_t tensor_count;
} preset;

#define PARAMETERS(table) .parameters = (table), .parameter_count = sizeof(table) / sizeof *(table)

static const preset PRESETS[] = {
    {.info = {.name = "unary",
              .torch_name = "UnaryOpFuzzer",
              .dtype = "float32",
              .help = "one tensor x"},
     PARAMETERS(UNARY),
     .tensors = UNARY_TENSORS,
     .tensor_count = 1},
    {.info = {.name = "binary",
              .torch_name = "BinaryOpFuzzer",
              .dtype = "float32",
              .help = "two tensors x and y; y is broadcast to x"},
     PARAMETERS(BINARY),
     .tensors = BINARY_TENSORS,
     .tensor_count = 2},
    {.info = {.name = "spectral",
              .torch_name = "SpectralOpFuzzer",
              .dtype = "float64",
              .help = "one tensor x with sizes that are products of 2, 3 and 5"},
     PARAMETERS(SPECTRAL),
     .tensors = SPECTRAL_TENSORS,
     .tensor_count = 1},
    {.info = {.name = "sparse_unary",
              .torch_name = "UnaryOpSparseFuzzer",
              .dtype = "float32",
              .help = "one sparse tensor x"},
     PARAMETERS(SPARSE_UNARY),
     .tensors = SPARSE_TENSORS,
     .tensor_count = 1},
    {.info = {.name = "sparse_binary",
              .torch_name = "BinaryOpSparseFuzzer",
              .dtype = "float32",
              .help = "two sparse tensors x and y of the same size"},
     PARAMETERS(SPARSE_BINARY),
     .tensors = SPARSE_TENSORS,
     .tensor_count = 2},
};
enum { PRESET_COUNT = sizeof PRESETS / sizeof *PRESETS };

const ob_fuzz_preset_info *ob_fuzz_preset_at(size_t index)
{
    return index < PRESET_COUNT ? &PRESETS[index].info : NULL;
}

static const preset *find(const char *name)
{
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (strcmp(PRESETS[i].info.name, name) == 0 ||
            strcmp(PRESETS[i].info.torch_name, name) == 0)
            return &PRESETS[i];
    return NULL;
}

const ob_fuzz_preset_info *ob_fuzz_preset_find(const char *name)
{
    const preset *found = find(name);
    return found != NULL ? &found->info : NULL;
}

/* Sizes that fast Fourier transforms like, in rising order; returns how many. */
static size_t make_regular(ob_fuzz_choice *out)
{
    size_t count = 0;
    for (int64_t size = MIN_SIZE + 1; size <= MAX_SPECTRAL_SIZE; size++) {
        int64_t rest = size;
        static const int64_t PRIMES[] = {2, 3, 5};
        for (size_t i = 0; i < 3; i++)
            while (rest % PRIMES[i] == 0)
                rest /= PRIMES[i];
        if (rest == 1 && count < MAX_REGULAR)
            out[count++] = (ob_fuzz_choice)VALUE(size, 0);
    }
    for (size_t i = 0; i < count; i++)
        out[i].probability = 1.0 / (double)count;
    return count;
}

static ob_status open_spectral(const ob_fuzz_spec *plain, double regular, uint64_t seed,
                               ob_fuzzer **out, ob_err *err)
{
    ob_fuzz_parameter parameters[sizeof SPECTRAL / sizeof *SPECTRAL];
    ob_fuzz_choice sizes[MAX_REGULAR];
    ob_fuzz_choice k[3][2] = {
        {ALIAS("k_regular_0", regular), ALIAS("k_any_0", 1 - regular)},
        {ALIAS("k_regular_1", regular), ALIAS("k_any_1", 1 - regular)},
        {ALIAS("k_regular_2", regular), ALIAS("k_any_2", 1 - regular)},
    };
    const size_t size_count = make_regular(sizes);
    memcpy(parameters, SPECTRAL, sizeof parameters);
    for (size_t i = 0; i < 3; i++) {
        parameters[REGULAR_AT + i] = (ob_fuzz_parameter){.name = SPECTRAL[REGULAR_AT + i].name,
                                                         .distribution = OB_FUZZ_CHOICE,
                                                         .choices = sizes,
                                                         .choice_count = size_count};
        parameters[REGULAR_K_AT + i] =
            (ob_fuzz_parameter)KEPT(SPECTRAL[REGULAR_K_AT + i].name, k[i]);
    }
    ob_fuzz_spec spec = *plain;
    spec.parameters = parameters;
    return ob_fuzzer_create(&spec, seed, out, err);
}

ob_status ob_fuzzer_open_preset(const ob_fuzz_preset_params *params, uint64_t seed, ob_fuzzer **out,
                                ob_err *err)
{
    ob_fuzz_preset_params own;
    *out = NULL;
    OB_TRY(OB__TAKE(ob_fuzz_preset_params, &own, params, err));
    params = &own;
    const preset *p = find(params->name);
    const double regular = params->probability_regular != NULL ? *params->probability_regular : 1.0;
    ob_fuzz_tensor tensors[2];
    if (p == NULL) {
        ob_nearest nearest;
        ob__nearest_start(&nearest, params->name, strlen(params->name));
        for (size_t i = 0; i < PRESET_COUNT; i++)
            ob__nearest_offer(&nearest, PRESETS[i].info.name);
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "there is no preset '%.64s'%s; the presets are unary, binary, spectral, "
                          "sparse_unary and sparse_binary",
                          params->name,
                          ob__near_text(nearest.best, ", did you mean ", "", "").text);
    }
    if (params->probability_regular != NULL && p->parameters != SPECTRAL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "probability_regular is only for the preset spectral; leave it out");
    for (size_t i = 0; i < p->tensor_count; i++) {
        tensors[i] = p->tensors[i];
        tensors[i].dtype = params->dtype != NULL ? params->dtype : p->info.dtype;
    }
    const ob_fuzz_spec spec = {.size = sizeof spec,
                               .parameters = p->parameters,
                               .parameter_size = sizeof(ob_fuzz_parameter),
                               .parameter_count = p->parameter_count,
                               .tensors = tensors,
                               .tensor_size = sizeof(ob_fuzz_tensor),
                               .tensor_count = p->tensor_count};
    return p->parameters == SPECTRAL ? open_spectral(&spec, regular, seed, out, err)
                                     : ob_fuzzer_create(&spec, seed, out, err);
}
