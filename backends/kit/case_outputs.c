/* SPDX-License-Identifier: Apache-2.0
 *
 * What a prepared case has computed, in host memory.
 */
#include "kit/prepared_case.h"

/* The tensor in host memory, on a storage as large as the device's: its place in it stays. */
static ob_status bring_tensor(const ob_kit_engine *engine, const ob_tensor *from, ob_value *out,
                              ob_err *err)
{
    const ob_host *host = engine->host;
    const size_t size = host->storage_size(from->storage);
    ob_storage *storage = NULL;
    ob_tensor tensor;
    OB_TRY(host->storage_create(size, &storage, err));
    ob_status status = engine->device->download(engine->env, storage, from->storage, size, err);
    if (status == OB_OK)
        status = host->tensor_init_view(&tensor, storage, from->dtype, from->sizes, from->ndim,
                                        from->strides, from->offset, err);
    host->storage_release(storage);
    OB_TRY(status);
    status = host->value_init_tensor(out, &tensor, err);
    host->tensor_fini(&tensor);
    return status;
}

static ob_status bring(const ob_kit_engine *engine, const ob_value *from, ob_value *out,
                       ob_err *err)
{
    const ob_host *host = engine->host;
    if (engine->device->download == NULL)
        return host->value_copy(out, from, err);
    if (from->kind == OB_VALUE_TENSOR)
        return from->as.tensor->storage != NULL ? bring_tensor(engine, from->as.tensor, out, err)
                                                : host->value_copy(out, from, err);
    OB_TRY(host->value_copy(out, from, err));
    if (!ob_value_is_list(from))
        return OB_OK;
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < from->as.list.count; i++) {
        const ob_value *item = &from->as.list.items[i];
        if (item->kind != OB_VALUE_TENSOR || item->as.tensor->storage == NULL)
            continue;
        host->value_fini(&out->as.list.items[i]);
        out->as.list.items[i] = (ob_value){.kind = OB_VALUE_NONE};
        status = bring_tensor(engine, item->as.tensor, &out->as.list.items[i], err);
    }
    if (status != OB_OK)
        host->value_fini(out);
    return status;
}

ob_status ob_kit_outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err)
{
    const ob_host *host = prepared->engine->host;
    const bool forward = pass == OB_PASS_FORWARD;
    const ob_value *from = forward ? prepared->outputs : prepared->grads;
    const size_t total = forward ? prepared->output_count : prepared->grad_count;
    *count = 0;
    OB_TRY(ob_kit_check_outputs(host, &prepared->progress, pass, total, capacity, err));
    for (size_t i = 0; i < total; i++) {
        const ob_status status = bring(prepared->engine, &from[i], &values[i], err);
        if (status != OB_OK) {
            while (i-- > 0)
                host->value_fini(&values[i]);
            return status;
        }
    }
    *count = total;
    return OB_OK;
}
