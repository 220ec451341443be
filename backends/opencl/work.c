/* SPDX-License-Identifier: Apache-2.0
 *
 * Making and enqueueing launches; see work.h.
 */
#include "work.h"

#include "opbench/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

bool ocl_is_whole(ob_dtype dtype)
{
    return (OB_KIT_WHOLES & (1u << dtype)) != 0;
}

const char *ocl_compute_type(ob_dtype dtype)
{
    switch (dtype) {
    case OB_DTYPE_F64:
        return "double";
    case OB_DTYPE_I64:
        return "long";
    default:
        return ocl_is_whole(dtype) ? "int" : "float";
    }
}

size_t ocl_compute_size(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F64 || dtype == OB_DTYPE_I64 ? 8 : 4;
}

const char *ocl_dtype_name(const ocl_maker *m, ob_dtype dtype)
{
    return m->env->host->dtype_get_info(dtype)->name;
}

const char *ocl_bytes_type(const ocl_maker *m, ob_dtype dtype)
{
    switch (m->env->host->dtype_get_info(dtype)->size_bytes) {
    case 1:
        return "u8";
    case 2:
        return "i16";
    case 4:
        return "i32";
    default:
        return "i64";
    }
}

/* ---- the state of a call ---- */

ob_status ocl_maker_open(ob_kit_call *call, ocl_maker *out, ob_err *err)
{
    void *state = call->state;
    if (state == NULL)
        OB_TRY(ob_kit_state(call, sizeof(ocl_work), &state, err));
    ocl_work *work = state;
    work->env = call->env;
    *out = (ocl_maker){.env = call->env, .work = work, .op = call->op->schema->name};
    return OB_OK;
}

static void leave_faulty(ocl_work *work)
{
    for (ocl_work **at = &work->env->faulty; work->site_count > 0 && *at != NULL;
         at = &(*at)->next_faulty) {
        if (*at == work) {
            *at = work->next_faulty;
            return;
        }
    }
}

void ocl_work_clear(ocl_work *work)
{
    leave_faulty(work);
    for (size_t i = 0; i < work->count; i++)
        work->env->cl.ReleaseKernel(work->launches[i].kernel);
    free(work->launches);
    for (size_t i = 0; i < work->storage_count; i++)
        work->env->host->storage_release(work->storages[i]);
    free(work->storages);
    *work = (ocl_work){.env = work->env};
}

static ob_status add_storage(ocl_maker *m, size_t size, ob_storage **out, ob_err *err)
{
    ocl_work *work = m->work;
    if (!OB_RESERVE(work->storages, work->storage_capacity, work->storage_count + 1))
        return m->env->host->err_set(err, OB_ERR_NOMEM, "out of memory for the buffers of a call");
    OB_TRY(ocl_storage_create(m->env, size, out, err));
    work->storages[work->storage_count++] = *out;
    return OB_OK;
}

ob_status ocl_temporary(ocl_maker *m, size_t size, ocl_buffer **out, ob_err *err)
{
    ob_storage *storage;
    OB_TRY(add_storage(m, size, &storage, err));
    *out = m->env->host->storage_data(storage);
    return OB_OK;
}

ob_status ocl_temporary_tensor(ocl_maker *m, ob_dtype dtype, const int64_t *sizes, int ndim,
                               ob_tensor *out, ob_err *err)
{
    OB_TRY(m->env->host->tensor_init_meta(out, dtype, sizes, ndim, NULL, err));
    const size_t element = m->env->host->dtype_get_info(dtype)->size_bytes;
    return add_storage(m, (size_t)ob_kit_numel(out) * element, &out->storage, err);
}

/* ---- enqueueing ---- */

/* Hot. Every command has an event of OpenCL's: its times, and the only word of a failure on the device. */
ob_status ocl_work_enqueue(const ocl_work *work, ob_err *err)
{
    ob_kit_env *env = work->env;
    const ocl_launch *const end = work->launches + work->count;
    for (const ocl_launch *launch = work->launches; launch < end; launch++) {
        cl_event event = NULL;
        const cl_int code =
            env->cl.EnqueueNDRangeKernel(env->queue, launch->kernel, launch->dims, NULL,
                                         launch->global, launch->local, 0, NULL, &event);
        if (code != CL_SUCCESS)
            return ocl_fail(env->host, code, "enqueueing a kernel", err);
        ocl_note_command(env, event);
    }
    return OB_OK;
}

ob_status ocl_run(const ob_kit_call *call, ob_err *err)
{
    return call->state != NULL ? ocl_work_enqueue(call->state, err) : OB_OK;
}

/* ---- building a launch ---- */

ob_status ocl_begin(ocl_maker *m, const ocl_spec *spec, ocl_builder *out, ob_err *err)
{
    *out = (ocl_builder){.maker = m, .status = OB_OK};
    return ocl_kernel_create(m->env, spec->file, spec->options, spec->expression, spec->kernel,
                             &out->kernel, err);
}

void ocl_put(ocl_builder *builder, const void *value, size_t size)
{
    const cl_int code =
        builder->maker->env->cl.SetKernelArg(builder->kernel, builder->next++, size, value);
    if (builder->code == CL_SUCCESS)
        builder->code = code;
}

void ocl_put_long(ocl_builder *builder, int64_t value)
{
    const cl_long number = value;
    ocl_put(builder, &number, sizeof number);
}

void ocl_put_buffer(ocl_builder *builder, const ocl_buffer *buffer)
{
    ocl_put(builder, &buffer->mem, sizeof buffer->mem);
}

void ocl_put_tensor(ocl_builder *builder, const ob_tensor *tensor)
{
    ocl_put_buffer(builder, builder->maker->env->host->storage_data(tensor->storage));
}

void ocl_put_number(ocl_builder *builder, ob_dtype dtype, double real, int64_t whole)
{
    const float single = (float)real;
    const cl_int small = (cl_int)whole;
    if (dtype == OB_DTYPE_F64)
        ocl_put(builder, &real, sizeof real);
    else if (dtype == OB_DTYPE_I64)
        ocl_put(builder, &whole, sizeof whole);
    else if (ocl_is_whole(dtype))
        ocl_put(builder, &small, sizeof small);
    else
        ocl_put(builder, &single, sizeof single);
}

void ocl_put_fault(ocl_builder *builder, const char *argument)
{
    ocl_work *work = builder->maker->work;
    ob_kit_env *env = work->env;
    if (work->site_count == OCL_MAX_SITES) {
        builder->status = OB_ERR_LIMIT;
        return;
    }
    if (work->site_count == 0) {
        work->op = builder->maker->op;
        work->next_faulty = env->faulty;
        env->faulty = work;
    }
    env->next_site = env->next_site == INT32_MAX ? 1 : env->next_site + 1;
    work->sites[work->site_count++] = (ocl_site){.number = env->next_site, .argument = argument};
    ocl_put(builder, &env->fault, sizeof env->fault);
    ocl_put(builder, &env->next_site, sizeof env->next_site);
}

static ob_status add_launch(ocl_work *work, const ocl_launch *launch, ob_err *err)
{
    if (!OB_RESERVE(work->launches, work->capacity, work->count + 1))
        return work->env->host->err_set(err, OB_ERR_NOMEM,
                                        "out of memory for the launches of a call");
    work->launches[work->count++] = *launch;
    return OB_OK;
}

ob_status ocl_end(ocl_builder *builder, const ocl_range *range, ob_err *err)
{
    ob_kit_env *env = builder->maker->env;
    ocl_launch launch = {.kernel = builder->kernel, .dims = range->dims};
    for (cl_uint d = 0; d < range->dims; d++) {
        const size_t local = range->local[d];
        launch.local[d] = local;
        launch.global[d] = (range->global[d] + local - 1) / local * local;
    }
    ob_status status = builder->status;
    if (status != OB_OK)
        status =
            env->host->err_set(err, status, "%s checks too many arguments", builder->maker->op);
    else if (builder->code != CL_SUCCESS)
        status = ocl_fail(env->host, builder->code, "setting the arguments of a kernel", err);
    else
        status = add_launch(builder->maker->work, &launch, err);
    if (status != OB_OK)
        env->cl.ReleaseKernel(builder->kernel);
    return status;
}

ocl_range ocl_range_of(const ob_kit_env *env, int64_t count)
{
    const size_t most = env->device.max_group < 256 ? env->device.max_group : 256;
    ocl_range range = {.dims = 1, .global = {(size_t)count}, .local = {1}};
    while (range.local[0] * 2 <= most && (int64_t)range.local[0] < count)
        range.local[0] *= 2;
    return range;
}
