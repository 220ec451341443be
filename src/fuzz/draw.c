/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzers and their draws. Draw i has random numbers of its own: stream i for the parameters and the
 * layout, a stream beside it for each tensor's elements. So a draw is reached without those before
 * it, and describing it gives what making it gives.
 */
#include "fuzz/fuzzer.h"

#include "base/sized.h"
#include "gen/fill.h"

#include <stdlib.h>
#include <string.h>

/* Streams of elements; draws are numbered below. */
static const uint64_t ELEMENT_STREAM = (uint64_t)1 << 63;

ob_status ob__fuzzer_create(const ob_fuzz_spec *spec, const ob__fuzz_positions *places,
                            uint64_t seed, ob_fuzzer **out, ob_err *err)
{
    *out = NULL;
    ob_fuzzer *f = calloc(1, sizeof *f);
    if (f == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the fuzzer");
    ob__arena_init(&f->arena, 0);
    f->seed = seed;
    const ob_status status = ob__fuzz_compile(f, spec, places, err);
    if (status != OB_OK) {
        ob_fuzzer_destroy(f);
        return status;
    }
    *out = f;
    return OB_OK;
}

/* The lists of a caller, whose elements may be of another size. */
static ob_status take_lists(ob_fuzz_spec *spec, ob_fuzz_parameter *parameters,
                            ob_fuzz_tensor *tensors, ob_err *err)
{
    for (size_t i = 0; i < spec->parameter_count; i++)
        OB_TRY(ob__take_element(&parameters[i], sizeof *parameters,
                                (const char *)spec->parameters + i * spec->parameter_size,
                                spec->parameter_size, "ob_fuzz_parameter", err));
    for (size_t i = 0; i < spec->tensor_count; i++)
        OB_TRY(ob__take_element(&tensors[i], sizeof *tensors,
                                (const char *)spec->tensors + i * spec->tensor_size,
                                spec->tensor_size, "ob_fuzz_tensor", err));
    spec->parameters = parameters;
    spec->tensors = tensors;
    return OB_OK;
}

ob_status ob_fuzzer_create(const ob_fuzz_spec *spec, uint64_t seed, ob_fuzzer **out, ob_err *err)
{
    ob_fuzz_spec own;
    *out = NULL;
    OB_TRY(OB__TAKE(ob_fuzz_spec, &own, spec, err));
    ob_fuzz_parameter *parameters = calloc(own.parameter_count + 1, sizeof *parameters);
    ob_fuzz_tensor *tensors = calloc(own.tensor_count + 1, sizeof *tensors);
    ob_status status = parameters != NULL && tensors != NULL
                           ? take_lists(&own, parameters, tensors, err)
                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the fuzzer");
    if (status == OB_OK)
        status = ob__fuzzer_create(&own, NULL, seed, out, err);
    free(parameters);
    free(tensors);
    return status;
}

void ob_fuzzer_destroy(ob_fuzzer *f)
{
    if (f == NULL)
        return;
    ob__arena_fini(&f->arena);
    free(f);
}

uint64_t ob_fuzzer_seed(const ob_fuzzer *f)
{
    return f->seed;
}

double ob_fuzzer_rejection_rate(const ob_fuzzer *f)
{
    return f->generated == 0 ? 0 : (double)f->rejected / (double)f->generated;
}

/* ---- drawing ---- */

static ob_status pass_constraints(ob_fuzzer *f, bool *passed, ob_err *err)
{
    *passed = true;
    for (size_t i = 0; i < f->constraint_count && *passed; i++) {
        int64_t truth;
        OB_TRY(ob__expression_eval(&f->constraints[i], f->values, &truth, err));
        *passed = truth != 0;
    }
    if (*passed && f->accept != NULL)
        *passed = f->accept(f->accept_ctx, &f->draw);
    return OB_OK;
}

static ob_status pass_bounds(ob_fuzzer *f, bool *passed, ob_err *err)
{
    for (size_t i = 0; i < f->tensor_count && *passed; i++)
        OB_TRY(ob__fuzz_measure_tensor(f, &f->tensors[i], &f->infos[i], passed, err));
    return OB_OK;
}

static ob_status generate(ob_fuzzer *f, ob_rng *rng, ob_err *err)
{
    bool passed = false;
    while (!passed) {
        if (f->draw.attempts == OB__FUZZ_MAX_ATTEMPTS)
            return ob_err_set(err, OB_ERR_LIMIT,
                              "Failed to generate a set of valid parameters: draw %llu was refused "
                              "%d times by the constraints or the tensors' bounds; loosen them, or "
                              "draw from narrower ranges",
                              (unsigned long long)f->draw.index, (int)OB__FUZZ_MAX_ATTEMPTS);
        ob__fuzz_draw_parameters(f, rng, f->draw.attempts == 0);
        OB_TRY(ob__fuzz_resolve_aliases(f, err));
        f->draw.attempts++;
        f->generated++;
        OB_TRY(pass_constraints(f, &passed, err));
        OB_TRY(pass_bounds(f, &passed, err));
        f->rejected += !passed;
    }
    return OB_OK;
}

ob_status ob_fuzzer_draw(ob_fuzzer *f, uint64_t index, const ob_fuzz_draw **out, ob_err *err)
{
    ob_rng rng;
    *out = NULL;
    if (index >= ELEMENT_STREAM)
        return ob_err_set(err, OB_ERR_INVALID, "draws are numbered below 2^63");
    f->draw = (ob_fuzz_draw){.index = index,
                             .names = f->names,
                             .values = f->values,
                             .parameter_count = f->parameter_count,
                             .tensors = f->infos};
    ob_rng_init(&rng, f->seed, index);
    OB_TRY(generate(f, &rng, err));
    for (size_t i = 0; i < f->tensor_count; i++)
        if (!f->tensors[i].sparse)
            OB_TRY(ob__fuzz_lay_out(&f->tensors[i], &rng, &f->infos[i], err));
    f->draw.tensor_count = f->tensor_count;
    *out = &f->draw;
    return OB_OK;
}

ob_status ob_fuzzer_take(ob_fuzzer *f, uint64_t count, ob_fuzz_draw_fn fn, void *ctx, ob_err *err)
{
    for (uint64_t i = 0; i < count; i++) {
        const ob_fuzz_draw *draw;
        OB_TRY(ob_fuzzer_draw(f, i, &draw, err));
        OB_TRY(fn(ctx, draw, err));
    }
    return OB_OK;
}

/* ---- draws ---- */

const ob_value *ob_fuzz_draw_get(const ob_fuzz_draw *draw, const char *name)
{
    for (size_t i = 0; i < draw->parameter_count; i++)
        if (strcmp(draw->names[i], name) == 0)
            return &draw->values[i];
    return NULL;
}

int64_t ob_fuzz_draw_int(const ob_fuzz_draw *draw, const char *name, int64_t fallback)
{
    const ob_value *value = ob_fuzz_draw_get(draw, name);
    if (value != NULL && value->kind == OB_VALUE_INT)
        return value->as.integer;
    return value != NULL && value->kind == OB_VALUE_BOOL ? value->as.boolean : fallback;
}

const ob_fuzz_tensor_info *ob_fuzz_draw_tensor(const ob_fuzz_draw *draw, const char *name)
{
    for (size_t i = 0; i < draw->tensor_count; i++)
        if (strcmp(draw->tensors[i].name, name) == 0)
            return &draw->tensors[i];
    return NULL;
}

void ob__fuzz_fill(ob_rng *rng, const ob_tensor *tensor)
{
    void *data = ob_storage_data(tensor->storage);
    const size_t count = ob_storage_size(tensor->storage) / ob_dtype_size(tensor->dtype);
    if (ob_dtype_is_floating(tensor->dtype))
        ob__fill_unit(rng, tensor->dtype, data, count);
    else if (tensor->dtype == OB_DTYPE_BOOL)
        ob__fill_ints(rng, tensor->dtype, 0, 1, data, count);
    else
        ob__fill_ints(rng, tensor->dtype, OB__FUZZ_INT_LOWEST, OB__FUZZ_INT_HIGHEST, data, count);
}

ob_status ob_fuzz_draw_make(const ob_fuzzer *f, const ob_fuzz_draw *draw, size_t tensor,
                            ob_tensor *out, ob_err *err)
{
    ob_rng rng;
    if (tensor >= draw->tensor_count)
        return ob_err_set(err, OB_ERR_INVALID, "the draw has %zu tensors; there is no tensor %zu",
                          draw->tensor_count, tensor);
    const ob_fuzz_tensor_info *info = &draw->tensors[tensor];
    ob_rng_init(&rng, f->seed, ELEMENT_STREAM | draw->index);
    ob_rng_seek(&rng, (uint64_t)tensor << 48); /* further than any tensor's elements reach */
    if (info->sparse)
        return ob__fuzz_make_sparse(info, &rng, out, err);
    ob_storage *storage;
    OB_TRY(ob_storage_create((size_t)info->allocation_bytes, &storage, err));
    const ob_status status = ob_tensor_init_view(out, storage, info->dtype, info->size, info->ndim,
                                                 info->strides, 0, err);
    ob_storage_release(storage);
    if (status == OB_OK)
        ob__fuzz_fill(&rng, out);
    return status;
}
