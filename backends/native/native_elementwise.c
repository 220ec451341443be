/* SPDX-License-Identifier: Apache-2.0
 *
 * The elementwise engine; see native_elementwise.h.
 */
#include "native_elementwise.h"

#include <stdatomic.h>

/* Elements per thread below which a second one costs more than it brings. */
enum { GRAIN = 32768 };

/* ---- setting up ---- */

static native_class class_for(const native_env *env, const ob_kit_elementwise_args *args,
                              bool is_test)
{
    ob_dtype dtype = args->out->dtype;
    if (is_test || args->in_place)
        dtype = ob_kit_promote(env->host, args->inputs, 3);
    native_class cls = native_class_of(dtype);
    const native_loop_fn *versions = env->loops->loop[args->loop];
    if (versions[cls] == NULL) /* integers given to a function of reals */
        cls = args->out->dtype == OB_DTYPE_F64 ? NATIVE_F64 : NATIVE_F32;
    return cls;
}

static void add_input(native_elementwise *work, int k, const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR) {
        native_iter_add(&work->iter, value->as.tensor);
        return;
    }
    const bool whole = work->cls == NATIVE_I32 || work->cls == NATIVE_I64;
    work->number_real[k] = ob_kit_value_real(value);
    work->number_integer[k] = ob_kit_value_integer(value);
    if (whole)
        native_iter_add_number(&work->iter, OB_DTYPE_I64, &work->number_integer[k]);
    else
        native_iter_add_number(&work->iter, OB_DTYPE_F64, &work->number_real[k]);
}

/* A clamp between two numbers that are in order is a hardtanh, which reads one array instead of three. */
static bool clamps_to_numbers(const ob_kit_elementwise_args *args)
{
    return args->loop == OB_KIT_LOOP_clamp && args->inputs[1]->kind != OB_VALUE_TENSOR &&
           args->inputs[2]->kind != OB_VALUE_TENSOR &&
           ob_kit_value_real(args->inputs[1]) <= ob_kit_value_real(args->inputs[2]);
}

static ob_status init(const native_env *env, const ob_kit_elementwise_args *args,
                      native_elementwise *work, ob_err *err)
{
    const ob_kit_loop_kind kind = ob_kit_loop_kind_of(args->loop);
    *work = (native_elementwise){
        .inputs = ob_kit_loop_operands(args->loop),
        .has_mask = kind == OB_KIT_KIND_MASK1 || kind == OB_KIT_KIND_MASK2,
        .is_test = kind == OB_KIT_KIND_TEST1 || kind == OB_KIT_KIND_TEST2,
        .name = args->name,
    };
    work->cls = class_for(env, args, work->is_test);
    work->loop = env->loops->loop[args->loop][work->cls];
    if (work->loop == NULL)
        return env->host->err_set(err, OB_ERR_UNSUPPORTED,
                                  "the native backend has no loop of %s for %s; use another dtype",
                                  args->name, env->host->dtype_get_info(args->out->dtype)->name);
    native_iter_init(&work->iter, args->out);
    for (int k = 0; k < work->inputs && args->inputs[k] != NULL; k++)
        add_input(work, k, args->inputs[k]);
    if (work->has_mask)
        native_iter_add(&work->iter, args->mask);
    for (int k = 0; k < 4; k++) {
        if (args->scalars[k] != NULL) {
            work->real[k] = ob_kit_value_real(args->scalars[k]);
            work->integer[k] = ob_kit_value_integer(args->scalars[k]);
        }
    }
    native_iter_finish(&work->iter, false);
    native_iter_tile(&work->iter);
    return OB_OK;
}

ob_status native_elementwise_init(const native_env *env, const ob_kit_elementwise_args *args,
                                  native_elementwise *work, ob_err *err)
{
    if (!clamps_to_numbers(args))
        return init(env, args, work, err);
    ob_kit_elementwise_args simple = *args;
    simple.loop = OB_KIT_LOOP_hardtanh;
    for (int k = 0; k < 2; k++) {
        simple.scalars[k] = args->inputs[k + 1];
        simple.inputs[k + 1] = NULL;
    }
    return init(env, &simple, work, err);
}

/* ---- running ---- */

typedef struct job {
    const native_env *env;
    const native_elementwise *work;
    atomic_bool zero_divisor; /* set by any thread, never cleared */
} job;

static ob_dtype result_dtype(const native_elementwise *work)
{
    return work->is_test ? OB_DTYPE_BOOL : native_class_dtype(work->cls);
}

/* Whether every operand is used where it stands, so that chunks need not fit into buffers. */
static bool is_direct(const native_elementwise *work)
{
    bool direct = native_iter_is_dense(&work->iter, 0, result_dtype(work));
    for (int k = 0; k < work->inputs; k++)
        direct = direct && native_iter_is_dense(&work->iter, k + 1, native_class_dtype(work->cls));
    return direct && !work->has_mask;
}

static void run_range(void *ctx, int64_t begin, int64_t end)
{
    job *const j = ctx;
    const native_elementwise *work = j->work;
    const native_loops *loops = j->env->loops;
    _Alignas(64) char buffers[4][NATIVE_CHUNK * 8];
    _Alignas(64) char mask[NATIVE_CHUNK];
    const void *constants[3] = {NULL, NULL, NULL};
    native_loop_args args = {.real = work->real, .integer = work->integer};
    native_cursor cursor;
    native_cursor_seek(&cursor, &work->iter, begin);
    for (int k = 0; k < work->inputs; k++) {
        const native_operand *operand = &work->iter.operands[k + 1];
        if (operand->constant) {
            loops->load[operand->dtype][work->cls](operand->data, 0, buffers[k + 1],
                                                   end - begin < NATIVE_CHUNK ? end - begin
                                                                              : NATIVE_CHUNK);
            constants[k] = buffers[k + 1];
        }
    }
    const bool direct_all = is_direct(work);
    for (int64_t at = begin; at < end;) {
        const int64_t count = direct_all ? native_cursor_row(&cursor, end - at)
                                         : native_cursor_chunk(&cursor, end - at);
        for (int k = 0; k < work->inputs; k++)
            args.in[k] = constants[k] != NULL ? constants[k]
                                              : native_cursor_load(&cursor, loops, k + 1, work->cls,
                                                                   buffers[k + 1], count);
        if (work->has_mask)
            args.in[work->inputs] =
                native_cursor_load_raw(&cursor, work->inputs + 1, 1, mask, count);
        void *direct = native_cursor_direct(&cursor, 0, result_dtype(work), count);
        args.out = direct != NULL ? direct : buffers[0];
        args.count = count;
        work->loop(&args);
        if (direct == NULL && work->is_test)
            native_cursor_store_raw(&cursor, 0, 1, buffers[0], count);
        else if (direct == NULL)
            native_cursor_store(&cursor, loops, 0, work->cls, buffers[0], count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
    if (args.zero_divisor)
        atomic_store(&j->zero_divisor, true);
}

ob_status native_elementwise_run(const native_env *env, const native_elementwise *work, ob_err *err)
{
    job j = {.env = env, .work = work};
    native_iter_run(env, &work->iter, GRAIN, run_range, &j);
    if (atomic_load(&j.zero_divisor))
        return env->host->err_set(err, OB_ERR_INVALID,
                                  "%s: an integer is divided by zero; give a divisor without zeros",
                                  work->name);
    return OB_OK;
}
