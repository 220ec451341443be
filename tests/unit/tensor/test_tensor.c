/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "opbench/tensor.h"

#include <pthread.h>

#define SIZES(...) ((const int64_t[]){__VA_ARGS__})

typedef struct deleted {
    int calls;
    void *data;
    size_t size_bytes;
} deleted;

static void count_delete(void *data, size_t size_bytes, void *ctx)
{
    deleted *d = ctx;
    d->calls++;
    d->data = data;
    d->size_bytes = size_bytes;
}

static void storage_life(void)
{
    deleted d = {0};
    char bytes[24];
    ob_storage *storage;
    const ob_device device = {.type = "cuda", .index = 2};
    CHECK_INT(ob_storage_wrap(bytes, sizeof bytes, &device, count_delete, &d, &storage, NULL),
              OB_OK);
    CHECK_INT(ob_storage_use_count(storage), 1);
    CHECK(ob_storage_retain(storage) == storage);
    CHECK_INT(ob_storage_use_count(storage), 2);
    CHECK(ob_storage_data(storage) == bytes);
    CHECK_INT(ob_storage_size(storage), 24);
    CHECK_STR(ob_storage_device(storage)->type, "cuda");
    CHECK_INT(ob_storage_device(storage)->index, 2);
    ob_storage_release(storage);
    CHECK_INT(d.calls, 0);
    ob_storage_release(storage);
    CHECK_INT(d.calls, 1);
    CHECK(d.data == bytes);
    CHECK_INT(d.size_bytes, 24);

    CHECK_INT(ob_storage_wrap(bytes, 1, NULL, NULL, NULL, &storage, NULL), OB_OK);
    CHECK_STR(ob_storage_device(storage)->type, "cpu");
    ob_storage_release(storage); /* no deleter */
    ob_err err;
    CHECK_INT(ob_storage_wrap(NULL, 1, NULL, NULL, NULL, &storage, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "1 bytes at a null address");
    CHECK(storage == NULL);
    CHECK(ob_storage_retain(NULL) == NULL);
    ob_storage_release(NULL);
    CHECK(ob_storage_data(NULL) == NULL);
    CHECK_INT(ob_storage_size(NULL), 0);
    CHECK_INT(ob_storage_use_count(NULL), 0);
}

static void *retain_and_release(void *storage)
{
    for (int i = 0; i < 200000; i++)
        ob_storage_release(ob_storage_retain(storage));
    return NULL;
}

static void storage_threads(void)
{
    enum { THREADS = 4 };
    deleted d = {0};
    char byte;
    ob_storage *storage;
    pthread_t threads[THREADS];
    CHECK_INT(ob_storage_wrap(&byte, 1, NULL, count_delete, &d, &storage, NULL), OB_OK);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, retain_and_release, storage), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(d.calls, 0);
    CHECK_INT(ob_storage_use_count(storage), 1);
    ob_storage_release(storage);
    CHECK_INT(d.calls, 1);
}

static void storage_alignment(void)
{
    for (size_t size = 0; size < 200; size += 7) {
        ob_storage *storage;
        CHECK_INT(ob_storage_create(size, &storage, NULL), OB_OK);
        CHECK_INT((uintptr_t)ob_storage_data(storage) % 64, 0);
        CHECK(ob_storage_data(storage) != NULL);
        CHECK_INT(ob_storage_size(storage), size);
        memset(ob_storage_data(storage), 0xa5, size);
        ob_storage_release(storage);
    }
    ob_storage *storage;
    ob_err err;
    CHECK_INT(ob_storage_create(SIZE_MAX, &storage, &err), OB_ERR_NOMEM);
    CHECK_HAS(err.message, "a tensor of 18446744073709551615 bytes");
    CHECK(storage == NULL);
}

static void meta(void)
{
    ob_tensor t;
    CHECK_INT(ob_tensor_init_meta(&t, OB_DTYPE_F32, SIZES(2, 3), 2, NULL, NULL), OB_OK);
    CHECK(t.storage == NULL);
    CHECK(ob_tensor_data(&t) == NULL);
    CHECK_INT(ob_tensor_numel(&t), 6);
    CHECK(ob_tensor_is_contiguous(&t));
    CHECK_STR(t.device.type, "cpu");
    CHECK_INT(t.device.index, -1);
    /* From its own sizes, as a rule that changes one tensor in place does. */
    t.sizes[1] = 4;
    CHECK_INT(ob_tensor_init_meta(&t, OB_DTYPE_I8, t.sizes, t.ndim, NULL, NULL), OB_OK);
    CHECK_INT(t.sizes[0], 2);
    CHECK_INT(t.sizes[1], 4);
    CHECK_INT(t.strides[0], 4);
    ob_tensor_fini(&t);
    CHECK_INT(t.dtype, OB_DTYPE_INVALID);
    CHECK_INT(ob_tensor_init_meta(&t, OB_DTYPE_COUNT, SIZES(2), 1, NULL, NULL), OB_ERR_INVALID);
    CHECK_INT(t.dtype, OB_DTYPE_INVALID);
    CHECK_INT(t.ndim, 0);
    ob_tensor_fini(&t); /* a failed one can be finished */
    ob_tensor_fini(NULL);
}

static void owned(void)
{
    ob_tensor t, copy;
    CHECK_INT(ob_tensor_init(&t, OB_DTYPE_I32, SIZES(2, 3), 2, SIZES(8, 2), NULL), OB_OK);
    CHECK_INT(ob_storage_size(t.storage), 4 * (8 + 4 + 1));
    CHECK(!ob_tensor_is_contiguous(&t));
    t.requires_grad = true;
    CHECK_INT(ob_tensor_copy(&copy, &t, NULL), OB_OK);
    CHECK(copy.storage == t.storage);
    CHECK(copy.requires_grad);
    CHECK_INT(ob_storage_use_count(t.storage), 2);
    ob_tensor_fini(&t);
    CHECK_INT(ob_storage_use_count(copy.storage), 1);
    memset(ob_tensor_data(&copy), 0, ob_storage_size(copy.storage));
    ob_tensor_fini(&copy);

    ob_err err;
    CHECK_INT(ob_tensor_init(&t, OB_DTYPE_F64, SIZES(INT64_MAX / 8), 1, NULL, &err), OB_ERR_NOMEM);
    CHECK_HAS(err.message, "bytes is larger than any machine's memory; use a smaller shape");
    CHECK(t.storage == NULL);
    CHECK_INT(t.dtype, OB_DTYPE_INVALID);
}

static void contiguity(void)
{
    static const struct {
        int64_t sizes[3], strides[3];
        bool yes;
    } CASES[] = {
        {{2, 3, 4}, {12, 4, 1}, true}, {{2, 3, 4}, {12, 4, 2}, false},
        {{1, 3, 4}, {99, 4, 1}, true}, {{2, 1, 4}, {4, 77, 1}, true},
        {{2, 0, 4}, {1, 2, 3}, true},  {{2, 3, 4}, {1, 2, 6}, false},
        {{1, 1, 1}, {0, 0, 0}, true},  {{2, 1, 1}, {0, 1, 1}, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_tensor t;
        CHECK_INT(ob_tensor_init_meta(&t, OB_DTYPE_U8, CASES[i].sizes, 3, CASES[i].strides, NULL),
                  OB_OK);
        CHECK_INT(ob_tensor_is_contiguous(&t), CASES[i].yes);
    }
}

static void views(void)
{
    ob_storage *s;
    ob_tensor v;
    ob_err err;
    CHECK_INT(ob_storage_create(40, &s, NULL), OB_OK);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F32, SIZES(2, 3), 2, SIZES(5, 1), 2, NULL),
              OB_OK);
    CHECK_INT((char *)ob_tensor_data(&v) - (char *)ob_storage_data(s), 8);
    CHECK_INT(ob_storage_use_count(s), 2);
    ob_tensor_fini(&v);
    CHECK_INT(ob_storage_use_count(s), 1);

    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F32, SIZES(2, 3), 2, SIZES(5, 1), 3, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "the view ends at byte 44, but its storage has only 40 bytes");
    CHECK(v.storage == NULL);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F32, SIZES(11), 1, NULL, 0, &err),
              OB_ERR_INVALID);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F32, SIZES(1), 1, NULL, -1, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "offset -1 is negative");
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F64, SIZES(1), 1, NULL, INT64_MAX / 4, &err),
              OB_ERR_OVERFLOW);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_U8, SIZES(1), 1, NULL, INT64_MAX, &err),
              OB_ERR_OVERFLOW);
    CHECK_INT(ob_tensor_init_view(&v, NULL, OB_DTYPE_U8, SIZES(1), 1, NULL, 0, &err),
              OB_ERR_INVALID);
    /* Empty views: at the end yes, beyond it no, so that the address is one of the storage. */
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_U8, SIZES(0), 1, NULL, 40, NULL), OB_OK);
    ob_tensor_fini(&v);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_U8, SIZES(0), 1, NULL, 41, NULL), OB_ERR_INVALID);
    /* An expanded tensor: a million elements on one. */
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F64, SIZES(1000000), 1, SIZES(0), 4, NULL),
              OB_OK);
    ob_tensor_fini(&v);
    ob_storage_release(s);

    _Alignas(16) char bytes[32];
    CHECK_INT(ob_storage_wrap(bytes + 4, 24, NULL, NULL, NULL, &s, NULL), OB_OK);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F32, SIZES(6), 1, NULL, 0, NULL), OB_OK);
    ob_tensor_fini(&v);
    CHECK_INT(ob_tensor_init_view(&v, s, OB_DTYPE_F64, SIZES(1), 1, NULL, 0, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "not aligned for float64");
    ob_storage_release(s);
}

static void sparse(void)
{
    ob_tensor indices, values, t, copy;
    ob_err err;
    CHECK_INT(ob_tensor_init(&indices, OB_DTYPE_I64, SIZES(2, 3), 2, NULL, NULL), OB_OK);
    CHECK_INT(ob_tensor_init(&values, OB_DTYPE_F32, SIZES(3, 4), 2, NULL, NULL), OB_OK);
    int64_t *index = ob_tensor_data(&indices);
    memcpy(index, SIZES(0, 4, 2, 5, 0, 1), 6 * sizeof *index);
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6, 4), 3, &indices, &values, NULL), OB_OK);
    CHECK_INT(t.layout, OB_LAYOUT_SPARSE_COO);
    CHECK_INT(t.dtype, OB_DTYPE_F32);
    CHECK_INT(ob_tensor_numel(&t), 120);
    CHECK(ob_tensor_data(&t) == NULL);
    CHECK(!ob_tensor_is_contiguous(&t));
    CHECK_INT(ob_storage_use_count(values.storage), 2);
    CHECK_INT(ob_tensor_copy(&copy, &t, NULL), OB_OK);
    CHECK_INT(ob_storage_use_count(values.storage), 3);
    CHECK_INT(ob_storage_use_count(indices.storage), 3);
    ob_tensor inner; /* a sparse tensor is no part of another */
    CHECK_INT(ob_tensor_init_sparse(&inner, SIZES(5, 6, 4), 3, &indices, &t, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "must be strided");
    ob_tensor_fini(&t);
    ob_tensor_fini(&copy);
    CHECK_INT(ob_storage_use_count(values.storage), 1);
    CHECK_INT(ob_storage_use_count(indices.storage), 1);

    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(4, 6, 4), 3, &indices, &values, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "index 4 (column 1) is outside dimension 0 of size 4");
    index[3] = -1;
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6, 4), 3, &indices, &values, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "index -1 (column 0) is outside dimension 1 of size 6");
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6, 9), 3, &indices, &values, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "the values have size 4 where dimension 2 of the shape has 9");
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6), 2, &indices, &values, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "2 sparse and 1 dense dimensions do not make the 2 of the shape");
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6, 4), 3, &values, &values, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "must be int64 of shape [sparse_dim, nnz]");
    values.device = (ob_device){.type = "cuda", .index = 0};
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6, 4), 3, &indices, &values, &err),
              OB_ERR_INVALID);
    CHECK_HAS(err.message, "same device");
    ob_tensor_fini(&values);
    CHECK_INT(ob_tensor_init(&values, OB_DTYPE_F32, SIZES(2), 1, NULL, NULL), OB_OK);
    CHECK_INT(ob_tensor_init_sparse(&t, SIZES(5, 6), 2, &indices, &values, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "with 3 index columns needs as many entries");
    CHECK_INT(t.dtype, OB_DTYPE_INVALID);
    ob_tensor_fini(&values);
    ob_tensor_fini(&indices);
}

int main(void)
{
    RUN(storage_life);
    RUN(storage_threads);
    RUN(storage_alignment);
    RUN(meta);
    RUN(owned);
    RUN(contiguity);
    RUN(views);
    RUN(sparse);
    return ob_test_end();
}
