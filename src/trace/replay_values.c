/* SPDX-License-Identifier: Apache-2.0
 *
 * A tensor that a call reads is, in this order: what stands under its ids, if shape and dtype agree; a view
 * into what stands under its storage's id, if that is long enough; or new, with a storage as long as all
 * reads until the next writing need, filled with random numbers.
 */
#include "trace/replay_values.h"

#include "gen/fill.h"
#include "gen/sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Random numbers are drawn for so many bytes and repeated: weights of gigabytes cost as much as copying. */
enum { DRAWN_BYTES = 1 << 20, LARGE_BYTES = 64 << 20 };

ob_status ob__replay_values_init(ob_replay_values *values, ob_replay_schedule *plan, uint64_t seed,
                                 ob_err *err)
{
    values->plan = plan;
    values->tensors = calloc(plan->keys.count + (size_t)1, sizeof *values->tensors);
    values->storages = calloc(plan->storages.count + (size_t)1, sizeof(ob_storage *));
    values->held = calloc(plan->storages.count + (size_t)1, sizeof *values->held);
    ob_rng_init(&values->rng, seed, 0);
    if (values->tensors == NULL || values->storages == NULL || values->held == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    return OB_OK;
}

void ob__replay_values_clear(ob_replay_values *values, uint64_t seed)
{
    for (size_t i = 0; values->tensors != NULL && i < values->plan->keys.count; i++)
        ob_value_fini(&values->tensors[i]);
    for (size_t i = 0; values->storages != NULL && i < values->plan->storages.count; i++) {
        ob_storage_release(values->storages[i]);
        values->storages[i] = NULL;
    }
    ob_rng_init(&values->rng, seed, 0);
    values->untouched_bytes = 0;
}

void ob__replay_values_fini(ob_replay_values *values)
{
    if (values->plan == NULL)
        return;
    ob__replay_values_clear(values, 0);
    free(values->tensors);
    free((void *)values->storages);
    free(values->held);
}

ob_dtype ob__replay_values_dtype(const ob_replay_values *values, const ob_trace_tensor *tensor)
{
    return tensor->dtype == OB_DTYPE_F16 && values->half_to_bfloat16 ? OB_DTYPE_BF16
                                                                     : tensor->dtype;
}

static bool fits(const ob_tensor *there, const ob_trace_tensor *wanted, ob_dtype dtype)
{
    return there->dtype == dtype && there->ndim == wanted->ndim &&
           there->layout ==
               (ob__trace_is_sparse(wanted) ? OB_LAYOUT_SPARSE_COO : OB_LAYOUT_STRIDED) &&
           (wanted->ndim == 0 ||
            memcmp(there->sizes, wanted->sizes, (size_t)wanted->ndim * sizeof *wanted->sizes) == 0);
}

/* An id that was used again without a word: the bits of floating-point numbers are no indices, and those of float32 no
 * bfloat16. The parts of complex numbers are real ones. */
static bool can_be_seen_as(ob_dtype held, ob_dtype dtype)
{
    if (held == dtype || (ob_dtype_is_integral(held) && ob_dtype_is_integral(dtype)))
        return true;
    return (held == OB_DTYPE_C64 && dtype == OB_DTYPE_F32) ||
           (held == OB_DTYPE_F32 && dtype == OB_DTYPE_C64) ||
           (held == OB_DTYPE_C128 && dtype == OB_DTYPE_F64) ||
           (held == OB_DTYPE_F64 && dtype == OB_DTYPE_C128);
}

/* Whole elements of data; lo to hi for integers. */
static void fill(ob_replay_values *values, ob_dtype dtype, int64_t lo, int64_t hi, char *data,
                 size_t bytes)
{
    const size_t item = ob_dtype_size(dtype);
    const size_t drawn = bytes < DRAWN_BYTES ? bytes : DRAWN_BYTES;
    if (ob_dtype_is_integral(dtype))
        ob__fill_ints(&values->rng, dtype, lo, hi, data, drawn / item);
    else
        ob__fill_unit(&values->rng, dtype, data, drawn / item);
    memset(data + drawn / item * item, 0, drawn % item);
    for (size_t done = drawn; done < bytes;) {
        const size_t more = bytes - done < done ? bytes - done : done;
        memcpy(data + done, data, more);
        done += more;
    }
}

/* The recorded range, where there is one that the dtype can hold. */
static void find_range(const ob_trace_tensor *tensor, ob_dtype dtype, int64_t *lo, int64_t *hi)
{
    const size_t item = ob_dtype_size(dtype);
    const double end = item < 8 ? (double)(1LL << (8 * item - 1)) : 9e18;
    const bool usable = tensor->has_range && dtype != OB_DTYPE_BOOL && tensor->min >= -end &&
                        tensor->max < end && !(dtype == OB_DTYPE_U8 && tensor->min < 0);
    *lo = usable ? (int64_t)tensor->min : 0;
    *hi = usable ? (int64_t)tensor->max : 1;
}

void ob__replay_values_fill(ob_replay_values *values, const ob_tensor *tensor)
{
    int64_t bytes;
    if (tensor->layout == OB_LAYOUT_STRIDED && tensor->storage != NULL &&
        ob_tensor_numel(tensor) > 0 &&
        ob_shape_span_bytes(tensor->sizes, tensor->strides, tensor->ndim, tensor->dtype, &bytes,
                            NULL) == OB_OK)
        fill(values, tensor->dtype, 0, 1, ob_tensor_data(tensor), (size_t)bytes);
}

static uint64_t resident_bytes(void)
{
    char text[128] = "";
    char *resident;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    const bool got = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    if (!got)
        return 0;
    strtoull(text, &resident, 10); /* all pages, of which those that are there come next */
    return strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* How much of a storage gets values. Tables of embeddings can have more than the machine, and a step reads a few rows of
 * them: where memory is short, the rest of a large one stays as the system gives it, zero and without memory behind it. */
static uint64_t touched_bytes(ob_replay_values *values, ob_dtype dtype, uint64_t need)
{
    if (need <= LARGE_BYTES || ob_dtype_is_integral(dtype) ||
        resident_bytes() + need <= values->max_bytes / 2)
        return need;
    values->untouched_bytes += need - LARGE_BYTES;
    return LARGE_BYTES;
}

static ob_status make_storage(ob_replay_values *values, const ob_trace_tensor *tensor,
                              ob_dtype dtype, uint64_t need, ob_storage **out, ob_err *err)
{
    if (need > values->max_bytes)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "a tensor's storage takes %llu MiB, more than the limit of %llu MiB; "
                          "--max-memory raises it",
                          (unsigned long long)(need >> 20),
                          (unsigned long long)(values->max_bytes >> 20));
    OB_TRY(ob_storage_create((size_t)need, out, err));
    int64_t lo, hi;
    find_range(tensor, dtype, &lo, &hi);
    if (need > 0)
        fill(values, dtype, lo, hi, ob_storage_data(*out),
             (size_t)touched_bytes(values, dtype, need));
    return OB_OK;
}

static ob_status fill_values(void *ctx, const ob_tensor *tensor, ob_err *err)
{
    (void)err;
    ob__replay_values_fill(ctx, tensor);
    return OB_OK;
}

/* A sparse tensor from before the recording, as a rule the gradient of an embedding. Traces do not say how many of its rows
 * there are. */
static ob_status make_sparse(ob_replay_values *values, const ob_trace_tensor *tensor,
                             ob_dtype dtype, ob_value *there, ob_value *out, ob_err *err)
{
    enum { ROWS = 1000 };
    ob__sparse_spec spec = {
        .dtype = dtype, .ndim = tensor->ndim, .sparse_dim = 1, .coalesced = true};
    memcpy(spec.sizes, tensor->sizes, (size_t)tensor->ndim * sizeof *spec.sizes);
    spec.taken = spec.sizes[0] < ROWS ? spec.sizes[0] : ROWS;
    if (spec.sizes[0] > 0 && (uint64_t)(tensor->numel / spec.sizes[0] * spec.taken) >
                                 values->max_bytes / ob_dtype_size(dtype))
        return ob_err_set(err, OB_ERR_LIMIT, "a sparse tensor larger than the limit of %llu MiB",
                          (unsigned long long)(values->max_bytes >> 20));
    ob_tensor made;
    OB_TRY(ob__sparse_make(&spec, &values->rng, fill_values, values, &made, err));
    ob_value value;
    ob_status status = ob_value_init_tensor(&value, &made, err);
    ob_tensor_fini(&made);
    OB_TRY(status);
    status = ob_value_copy(out, &value, err);
    ob_value_fini(there);
    *there = value;
    return status;
}

ob_status ob__replay_values_tensor(ob_replay_values *values, const ob_trace_tensor *tensor,
                                   uint64_t need, ob_value *out, bool *fresh, ob_err *err)
{
    const ob_dtype dtype = ob__replay_values_dtype(values, tensor);
    const uint32_t key = ob__replay_key_number(values->plan, tensor);
    const uint32_t number = ob__replay_storage_number(values->plan, tensor->storage);
    if (fresh != NULL)
        *fresh = false;
    if (ob_dtype_size(dtype) == 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "a tensor of %.60s, a type that opbench does not have",
                          tensor->dtype_text);
    ob_value *there = &values->tensors[key];
    if (there->kind == OB_VALUE_TENSOR && fits(there->as.tensor, tensor, dtype))
        return ob_value_copy(out, there, err);
    if (ob__trace_is_sparse(tensor))
        return make_sparse(values, tensor, dtype, there, out, err);
    ob_tensor view;
    ob_storage *storage = ob_storage_retain(values->storages[number]);
    ob_status status = OB_ERR_NOT_FOUND;
    if (storage != NULL && can_be_seen_as(values->held[number], dtype))
        status = ob_tensor_init_view(&view, storage, dtype, tensor->sizes, tensor->ndim,
                                     tensor->strides, tensor->offset, NULL);
    if (status != OB_OK) {
        ob_storage_release(storage);
        OB_TRY(make_storage(values, tensor, dtype, need, &storage, err));
        status = ob_tensor_init_view(&view, storage, dtype, tensor->sizes, tensor->ndim,
                                     tensor->strides, tensor->offset, err);
        if (fresh != NULL)
            *fresh = !tensor->has_range;
        if (status == OB_OK && tensor->storage >= 0 && values->storages[number] == NULL) {
            values->storages[number] = ob_storage_retain(storage);
            values->held[number] = dtype;
        }
    }
    ob_storage_release(storage);
    OB_TRY(status);
    ob_value made;
    status = ob_value_init_tensor(&made, &view, err);
    ob_tensor_fini(&view);
    OB_TRY(status);
    status = ob_value_copy(out, &made, err);
    if (status == OB_OK && tensor->id >= 0) {
        ob_value_fini(there);
        *there = made;
    } else {
        ob_value_fini(&made);
    }
    return status;
}

void ob__replay_values_put(ob_replay_values *values, const ob_trace_tensor *recorded,
                           ob_value *value)
{
    const uint32_t key = ob__replay_key_number(values->plan, recorded);
    const uint32_t number = ob__replay_storage_number(values->plan, recorded->storage);
    ob_tensor *tensor = value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
    if (tensor == NULL || recorded->id < 0 ||
        (tensor->layout != OB_LAYOUT_STRIDED && !ob__trace_is_sparse(recorded))) {
        ob_value_fini(value);
        return;
    }
    tensor->requires_grad = false;
    /* One that begins at the start of its storage is where later views look. */
    if (recorded->storage >= 0 && recorded->offset == 0 && tensor->storage != NULL &&
        tensor->offset == 0 && values->storages[number] != tensor->storage) {
        ob_storage_release(values->storages[number]);
        values->storages[number] = ob_storage_retain(tensor->storage);
        values->held[number] = tensor->dtype;
    }
    ob_value_fini(&values->tensors[key]);
    values->tensors[key] = *value;
    *value = ob_value_none();
}

void ob__replay_values_free(ob_replay_values *values, const ob_replay_step *step)
{
    const ob_replay_schedule *plan = values->plan;
    for (uint32_t i = 0; i < step->free_count; i++)
        ob_value_fini(&values->tensors[plan->frees[step->first_free + i]]);
    for (uint32_t i = 0; i < step->storage_count; i++) {
        const uint32_t number = plan->storage_frees[step->first_storage + i];
        ob_storage_release(values->storages[number]);
        values->storages[number] = NULL;
    }
}
