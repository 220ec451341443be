/* SPDX-License-Identifier: Apache-2.0
 *
 * Reference-counted bytes. The count is atomic because libraries release what they were given from
 * threads of their own; the bytes are not protected.
 */
#include "opbench/tensor.h"

#include <stdatomic.h>
#include <stdlib.h>

/* One cache line, and the widest vector register. */
enum { ALIGNMENT = 64 };

struct ob_storage {
    _Atomic uint32_t count;
    void *data;
    size_t size_bytes;
    ob_device device;
    ob_storage_deleter deleter;
    void *ctx;
};

static void free_data(void *data, size_t size_bytes, void *ctx)
{
    (void)size_bytes;
    (void)ctx;
    free(data);
}

ob_status ob_storage_wrap(void *data, size_t size_bytes, const ob_device *device,
                          ob_storage_deleter deleter, void *ctx, ob_storage **out, ob_err *err)
{
    static const ob_device CPU = {.type = "cpu", .index = -1};
    *out = NULL;
    if (data == NULL && size_bytes > 0)
        return ob_err_set(err, OB_ERR_INVALID, "%zu bytes at a null address cannot be wrapped",
                          size_bytes);
    ob_storage *storage = malloc(sizeof *storage);
    if (storage == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "no memory for a tensor's storage record");
    *storage = (ob_storage){.data = data,
                            .size_bytes = size_bytes,
                            .device = device ? *device : CPU,
                            .deleter = deleter,
                            .ctx = ctx};
    atomic_init(&storage->count, 1);
    *out = storage;
    return OB_OK;
}

ob_status ob_storage_create(size_t size_bytes, ob_storage **out, ob_err *err)
{
    *out = NULL;
    if (size_bytes > PTRDIFF_MAX - ALIGNMENT)
        return ob_err_set(
            err, OB_ERR_NOMEM,
            "a tensor of %zu bytes is larger than any machine's memory; use a smaller shape",
            size_bytes);
    /* Exactly so many, so that a sanitizer sees a byte too far; an empty storage still gets an address. */
    void *data = NULL;
    if (posix_memalign(&data, ALIGNMENT, size_bytes > 0 ? size_bytes : 1) != 0)
        data = NULL;
    if (data == NULL)
        return ob_err_set(err, OB_ERR_NOMEM,
                          "no memory for a tensor of %zu bytes; use a smaller shape or free memory",
                          size_bytes);
    const ob_status status = ob_storage_wrap(data, size_bytes, NULL, free_data, NULL, out, err);
    if (status != OB_OK)
        free(data);
    return status;
}

ob_storage *ob_storage_retain(ob_storage *storage)
{
    if (storage)
        atomic_fetch_add_explicit(&storage->count, 1, memory_order_relaxed);
    return storage;
}

void ob_storage_release(ob_storage *storage)
{
    /* Acquire and release: what other threads wrote before is done when the deleter runs. */
    if (storage == NULL || atomic_fetch_sub_explicit(&storage->count, 1, memory_order_acq_rel) != 1)
        return;
    if (storage->deleter)
        storage->deleter(storage->data, storage->size_bytes, storage->ctx);
    free(storage);
}

void *ob_storage_data(const ob_storage *storage)
{
    return storage ? storage->data : NULL;
}

size_t ob_storage_size(const ob_storage *storage)
{
    return storage ? storage->size_bytes : 0;
}

const ob_device *ob_storage_device(const ob_storage *storage)
{
    return storage ? &storage->device : NULL;
}

uint32_t ob_storage_use_count(const ob_storage *storage)
{
    return storage ? atomic_load_explicit(&storage->count, memory_order_relaxed) : 0;
}
