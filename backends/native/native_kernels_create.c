/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors made from nothing, and filling.
 */
#include "native_elementwise.h"

#include "kit/tensor_pieces.h"

#include <string.h>

/* One element with a number's value. Whole numbers do not pass through double. */
static void make_element(const native_env *env, ob_dtype dtype, const ob_value *value,
                         void *element)
{
    if (value == NULL)
        return;
    const double real = ob_kit_value_real(value);
    const int64_t integer = ob_kit_value_integer(value);
    if (dtype == OB_DTYPE_C64) {
        const bool both = value->kind == OB_VALUE_COMPLEX;
        const float parts[2] = {(float)(both ? value->as.complex.real : real),
                                (float)(both ? value->as.complex.imag : 0)};
        memcpy(element, parts, sizeof parts);
    } else if (dtype == OB_DTYPE_C128) {
        const bool both = value->kind == OB_VALUE_COMPLEX;
        const double parts[2] = {both ? value->as.complex.real : real,
                                 both ? value->as.complex.imag : 0};
        memcpy(element, parts, sizeof parts);
    } else if (value->kind == OB_VALUE_DOUBLE) {
        env->loops->store[dtype][NATIVE_F64](element, 16, &real, 1);
    } else {
        env->loops->store[dtype][NATIVE_I64](element, 16, &integer, 1);
    }
}

typedef struct fill {
    const ob_tensor *to;
    _Alignas(16) char element[16];
} fill;

static ob_status setup_fill(ob_kit_call *call, const ob_tensor *to, const ob_value *value,
                            ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(fill), &state, err));
    fill *work = state;
    work->to = to;
    make_element(call->env, to->dtype, value, work->element);
    return OB_OK;
}

static ob_status setup_constant(ob_kit_call *call, ob_err *err)
{
    const ob_value value = ob_value_int(call->kernel->variant);
    return setup_fill(call, ob_kit_output(call, 0), &value, err);
}

static ob_status setup_given(ob_kit_call *call, ob_err *err)
{
    return setup_fill(call, ob_kit_output(call, 0), ob_kit_given_number(call), err);
}

static ob_status run_fill(const ob_kit_call *call, ob_err *err)
{
    const fill *work = call->state;
    (void)err;
    native_fill_bytes(call->env, work->to, work->element);
    return OB_OK;
}

static ob_status run_fill_tensor(const ob_kit_call *call, ob_err *err)
{
    return native_copy(call->env, call->args[0].as.tensor, call->args[1].as.tensor, err);
}

/* Uninitialised tensors. */
static ob_status run_nothing(const ob_kit_call *call, ob_err *err)
{
    (void)call, (void)err;
    return OB_OK;
}

/* ---- sequences ---- */

typedef struct sequence {
    const ob_tensor *to;
    int64_t count;
    double start, end, step;
    int64_t whole_start, whole_step;
    bool whole;
} sequence;

static ob_status setup_arange(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(sequence), &state, err));
    sequence *work = state;
    const ob_tensor *out = ob_kit_output(call, 0);
    const native_class cls = native_class_of(out->dtype);
    *work = (sequence){.to = out,
                       .count = ob_kit_numel(out),
                       .start = ob_kit_arg_double(call, "start", 0),
                       .step = ob_kit_arg_double(call, "step", 1),
                       .whole_start = ob_kit_arg_int(call, "start", 0),
                       .whole_step = ob_kit_arg_int(call, "step", 1),
                       .whole = cls == NATIVE_I32 || cls == NATIVE_I64};
    return OB_OK;
}

static ob_status run_arange(const ob_kit_call *call, ob_err *err)
{
    const sequence *work = call->state;
    char *data = native_data(work->to);
    const int64_t stride = work->to->strides[0];
    const size_t size = call->env->host->dtype_get_info(work->to->dtype)->size_bytes;
    double real[256];
    int64_t whole[256];
    (void)err;
    for (int64_t at = 0; at < work->count; at += 256) {
        const int64_t n = work->count - at < 256 ? work->count - at : 256;
        for (int64_t i = 0; i < n; i++) {
            real[i] = work->start + (double)(at + i) * work->step;
            whole[i] = (int64_t)((uint64_t)work->whole_start +
                                 (uint64_t)(at + i) * (uint64_t)work->whole_step);
        }
        native_store(call->env, work->to->dtype, data + at * stride * (int64_t)size, stride,
                     work->whole ? NATIVE_I64 : NATIVE_F64,
                     work->whole ? (const void *)whole : (const void *)real, n);
    }
    return OB_OK;
}

static ob_status setup_linspace(ob_kit_call *call, ob_err *err)
{
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(sequence), &state, err));
    sequence *work = state;
    const ob_tensor *out = ob_kit_output(call, 0);
    *work = (sequence){.to = out,
                       .count = ob_kit_numel(out),
                       .start = ob_kit_arg_double(call, "start", 0),
                       .end = ob_kit_arg_double(call, "end", 0)};
    work->step = work->count > 1 ? (work->end - work->start) / (double)(work->count - 1) : 0;
    return OB_OK;
}

/* Each half is counted from its own end, so that both ends are exact. */
static ob_status run_linspace(const ob_kit_call *call, ob_err *err)
{
    const sequence *work = call->state;
    char *data = native_data(work->to);
    const size_t size = call->env->host->dtype_get_info(work->to->dtype)->size_bytes;
    (void)err;
    for (int64_t i = 0; i < work->count; i++) {
        const bool low = i < work->count / 2 || work->count == 1;
        const double value = low ? work->start + work->step * (double)i
                                 : work->end - work->step * (double)(work->count - i - 1);
        native_store(call->env, work->to->dtype, data + i * work->to->strides[0] * (int64_t)size, 1,
                     NATIVE_F64, &value, 1);
    }
    return OB_OK;
}

#define OB_KIT_CONSTANT(op, number)                                                                \
    {.name = (op),                                                                                 \
     .dtypes = OB_KIT_ALL,                                                                         \
     .setup = setup_constant,                                                                      \
     .run = run_fill,                                                                              \
     .variant = (number)},
#define OB_KIT_GIVEN(op)                                                                           \
    {.name = (op), .dtypes = OB_KIT_ALL, .setup = setup_given, .run = run_fill},
#define OB_KIT_EMPTY(op) {.name = (op), .dtypes = OB_KIT_ALL, .run = run_nothing},
#define SEQUENCE(op, word)                                                                         \
    {                                                                                              \
        .name = (op), .dtypes = OB_KIT_NUMBERS, .setup = setup_##word, .run = run_##word           \
    }

const ob_kit_kernel native_kernels_create[] = {
    {.name = "aten::fill_.Tensor", .dtypes = OB_KIT_REALS, .run = run_fill_tensor},
    SEQUENCE("aten::arange", arange),
    SEQUENCE("aten::arange.start", arange),
    SEQUENCE("aten::arange.start_step", arange),
    SEQUENCE("aten::linspace", linspace),
#include "kit/create.def"
    {.name = NULL},
};
