/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole tensors: gathering into dense arrays, copying with conversion, filling.
 */
#include "iterate.h"

#include <string.h>

/* Elements per thread below which a second one costs more than it brings. */
enum { GRAIN = 32768 };

native_class native_class_of(ob_dtype dtype)
{
    switch (dtype) {
    case OB_DTYPE_F64:
        return NATIVE_F64;
    case OB_DTYPE_I64:
        return NATIVE_I64;
    case OB_DTYPE_BOOL:
    case OB_DTYPE_U8:
    case OB_DTYPE_I8:
    case OB_DTYPE_I16:
    case OB_DTYPE_I32:
        return NATIVE_I32;
    default:
        return NATIVE_F32;
    }
}

size_t native_class_size(native_class cls)
{
    return cls == NATIVE_F64 || cls == NATIVE_I64 ? 8 : 4;
}

static size_t element_size(const native_env *env, ob_dtype dtype)
{
    return env->host->dtype_get_info(dtype)->size_bytes;
}

void *native_data(const ob_tensor *tensor)
{
    return native_host()->tensor_data(tensor);
}

typedef struct transfer {
    const native_env *env;
    native_iter iter;
    native_class cls;
    char *dense; /* what a fill repeats */
    size_t size; /* of an element as it is moved */
} transfer;

static void convert_range(void *ctx, int64_t begin, int64_t end)
{
    const transfer *t = ctx;
    const ob_dtype dtype = native_class_dtype(t->cls);
    _Alignas(64) char buffer[NATIVE_CHUNK * 8];
    native_cursor cursor;
    native_cursor_seek(&cursor, &t->iter, begin);
    for (int64_t at = begin; at < end;) {
        const int64_t count = native_cursor_chunk(&cursor, end - at);
        void *direct = native_cursor_direct(&cursor, 0, dtype, count);
        void *to = direct != NULL ? direct : buffer;
        const void *from = native_cursor_load(&cursor, t->env->loops, 1, t->cls, to, count);
        if (direct == NULL)
            native_cursor_store(&cursor, t->env->loops, 0, t->cls, from, count);
        else if (from != to)
            memcpy(to, from, (size_t)count * native_class_size(t->cls));
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

void native_gather(const native_env *env, const ob_tensor *from, native_class cls, void *to)
{
    transfer t = {.env = env, .cls = cls};
    native_iter_init(&t.iter, from);
    native_iter_add_dense(&t.iter, native_class_dtype(cls), to);
    native_iter_lead(&t.iter, 1);
    native_iter_finish(&t.iter, false);
    native_iter_tile(&t.iter);
    native_iter_run(env, &t.iter, GRAIN, convert_range, &t);
}

void native_scatter(const native_env *env, const ob_tensor *to, native_class cls, const void *from)
{
    transfer t = {.env = env, .cls = cls};
    native_iter_init(&t.iter, to);
    native_iter_add_dense(&t.iter, native_class_dtype(cls), (void *)(uintptr_t)from);
    native_iter_finish(&t.iter, false);
    native_iter_tile(&t.iter);
    native_iter_run(env, &t.iter, GRAIN, convert_range, &t);
}

void native_load(const native_env *env, ob_dtype dtype, const void *data, int64_t stride,
                 native_class cls, void *to, int64_t count)
{
    env->loops->load[dtype][cls](data, stride * (int64_t)element_size(env, dtype), to, count);
}

void native_store(const native_env *env, ob_dtype dtype, void *data, int64_t stride,
                  native_class cls, const void *from, int64_t count)
{
    env->loops->store[dtype][cls](data, stride * (int64_t)element_size(env, dtype), from, count);
}

/* ---- copies ---- */

/* The type through which a conversion loses nothing that both ends can hold. */
static native_class class_between(ob_dtype from, ob_dtype to)
{
    const native_class a = native_class_of(from), b = native_class_of(to);
    return a == b ? a : a == NATIVE_I32 || a == NATIVE_I64 ? b : a;
}

static void move_range(void *ctx, int64_t begin, int64_t end)
{
    const transfer *t = ctx;
    _Alignas(64) char buffer[NATIVE_CHUNK * 16];
    native_cursor cursor;
    native_cursor_seek(&cursor, &t->iter, begin);
    for (int64_t at = begin; at < end;) {
        const int64_t moved = native_cursor_move_rows(&cursor, t->size, end - at);
        at += moved;
        if (moved > 0)
            continue;
        const int64_t count = native_cursor_chunk(&cursor, end - at);
        const void *from = native_cursor_load_raw(&cursor, 1, t->size, buffer, count);
        native_cursor_store_raw(&cursor, 0, t->size, from, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

void native_move(const native_env *env, const native_iter *iter, size_t size)
{
    transfer t = {.env = env, .iter = *iter, .size = size};
    native_iter_tile(&t.iter);
    native_iter_run(env, &t.iter, GRAIN, move_range, &t);
}

static bool is_complex(ob_dtype dtype)
{
    return dtype == OB_DTYPE_C64 || dtype == OB_DTYPE_C128;
}

bool native_can_copy(ob_dtype to, ob_dtype from)
{
    return to == from || (!is_complex(to) && !is_complex(from));
}

ob_status native_copy(const native_env *env, const ob_tensor *to, const ob_tensor *from,
                      ob_err *err)
{
    const bool same = to->dtype == from->dtype;
    if (!native_can_copy(to->dtype, from->dtype))
        return env->host->err_set(
            err, OB_ERR_UNSUPPORTED,
            "the native backend does not convert %s to %s; convert the input first",
            env->host->dtype_get_info(from->dtype)->name,
            env->host->dtype_get_info(to->dtype)->name);
    transfer t = {.env = env,
                  .cls = same ? NATIVE_F32 : class_between(from->dtype, to->dtype),
                  .size = element_size(env, to->dtype)};
    native_iter_init(&t.iter, to);
    native_iter_add(&t.iter, from);
    if (t.iter.operands[0].data == t.iter.operands[1].data && same)
        return OB_OK;
    native_iter_finish(&t.iter, false);
    native_iter_tile(&t.iter);
    native_iter_run(env, &t.iter, GRAIN, same ? move_range : convert_range, &t);
    return OB_OK;
}

static void fill_range(void *ctx, int64_t begin, int64_t end)
{
    const transfer *t = ctx;
    native_cursor cursor;
    native_cursor_seek(&cursor, &t->iter, begin);
    for (int64_t at = begin; at < end;) {
        const int64_t count = native_cursor_chunk(&cursor, end - at);
        native_cursor_store_raw(&cursor, 0, t->size, t->dense, count);
        native_cursor_advance(&cursor, count);
        at += count;
    }
}

void native_fill_bytes(const native_env *env, const ob_tensor *to, const void *element)
{
    _Alignas(64) char pattern[NATIVE_CHUNK * 16];
    transfer t = {.env = env, .dense = pattern, .size = element_size(env, to->dtype)};
    native_iter_init(&t.iter, to);
    native_iter_finish(&t.iter, false);
    const int64_t filled = t.iter.count < NATIVE_CHUNK ? t.iter.count : NATIVE_CHUNK;
    for (int64_t i = 0; i < filled; i++)
        memcpy(pattern + (size_t)i * t.size, element, t.size);
    native_parallel(env, t.iter.count, GRAIN, fill_range, &t);
}

void native_fill(const native_env *env, const ob_tensor *to, double value)
{
    char element[16] = {0};
    if (to->dtype == OB_DTYPE_C64)
        memcpy(element, &(float){(float)value}, sizeof(float));
    else if (to->dtype == OB_DTYPE_C128)
        memcpy(element, &value, sizeof value);
    else
        env->loops->store[to->dtype][NATIVE_F64](element, 16, &value, 1);
    native_fill_bytes(env, to, element);
}

int64_t native_load_index(ob_dtype dtype, const void *data)
{
    switch (dtype) {
    case OB_DTYPE_I64:
        return *(const int64_t *)data;
    case OB_DTYPE_I32:
        return *(const int32_t *)data;
    case OB_DTYPE_I16:
        return *(const int16_t *)data;
    case OB_DTYPE_I8:
        return *(const int8_t *)data;
    default:
        return *(const uint8_t *)data;
    }
}
