/* SPDX-License-Identifier: Apache-2.0
 *
 * Throwing a case's operands out of all caches, line by line where the processor can, else by reading
 * over twice the size of a large last-level cache.
 */
#include "native.h"

#include "kit/prepared_case.h"

#include <stdlib.h>

#if defined(__x86_64__)
static const char HOW[] = "clflush of the operands";

static void flush_storage(const ob_host *host, const ob_storage *storage)
{
    const char *data = host->storage_data(storage);
    const size_t size = host->storage_size(storage);
    for (size_t at = 0; at < size; at += 64)
        __builtin_ia32_clflush(data + at);
}

static ob_status flush_end(const ob_host *host, ob_err *err)
{
    (void)host, (void)err;
    __builtin_ia32_mfence();
    return OB_OK;
}
#elif defined(__aarch64__)
static const char HOW[] = "dc civac of the operands";

static void flush_storage(const ob_host *host, const ob_storage *storage)
{
    const char *data = host->storage_data(storage);
    const size_t size = host->storage_size(storage);
    uint64_t cache_type;
    __asm__("mrs %0, ctr_el0" : "=r"(cache_type));
    const size_t line = (size_t)4 << (cache_type >> 16 & 15); /* the smallest of all data caches */
    for (size_t at = 0; at < size; at += line)
        __asm__ volatile("dc civac, %0" : : "r"(data + at) : "memory");
}

static ob_status flush_end(const ob_host *host, ob_err *err)
{
    (void)host, (void)err;
    __asm__ volatile("dsb ish" : : : "memory");
    return OB_OK;
}
#else
static const char HOW[] = "256 MiB read";

static void flush_storage(const ob_host *host, const ob_storage *storage)
{
    (void)host, (void)storage;
}

static ob_status flush_end(const ob_host *host, ob_err *err)
{
    const size_t size = (size_t)256 << 20;
    volatile char *sweep = malloc(size);
    if (sweep == NULL)
        return host->err_set(err, OB_ERR_NOMEM, "out of memory for the cache sweep");
    for (size_t at = 0; at < size; at += 64)
        sweep[at] = (char)at;
    free((void *)sweep);
    return OB_OK;
}
#endif

static void flush_value(const ob_host *host, const ob_value *value)
{
    if (value->kind == OB_VALUE_TENSOR && value->as.tensor->storage != NULL)
        flush_storage(host, value->as.tensor->storage);
    if (value->kind != OB_VALUE_LIST)
        return;
    for (size_t i = 0; i < value->as.list.count; i++) {
        const ob_value *item = &value->as.list.items[i];
        if (item->kind == OB_VALUE_TENSOR && item->as.tensor->storage != NULL)
            flush_storage(host, item->as.tensor->storage);
    }
}

/* Whether the value's storage is the arena, which is flushed once. */
static bool in_arena(const ob_prepared *prepared, const ob_value *value)
{
    return value->kind == OB_VALUE_TENSOR && value->as.tensor->storage == prepared->arena;
}

ob_status native_flush_cache(ob_backend *backend, ob_prepared *prepared, const char **how,
                             ob_err *err)
{
    const ob_host *host = backend->env.host;
    *how = HOW;
    for (int p = 0; prepared != NULL && p < 2; p++) {
        const ob_kit_pass *pass = &prepared->passes[p];
        for (size_t i = 0; pass->graph != NULL && i < pass->graph->edge_count; i++) {
            if (!in_arena(prepared, &pass->values[i]))
                flush_value(host, &pass->values[i]);
        }
    }
    if (prepared != NULL && prepared->arena != NULL)
        flush_storage(host, prepared->arena);
    if (prepared != NULL && prepared->scratch != NULL)
        flush_storage(host, prepared->scratch);
    return flush_end(host, err);
}
