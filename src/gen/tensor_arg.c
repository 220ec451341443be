/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor arguments. What a tensor is filled with, if the config does not say:
 *
 *   floating, complex   uniform in [0, 1), each part          shape []: uniform in [-10, 10)
 *   integers            uniform in -10..9 (uint8: 0..9)       shape []: the same draw, cut to whole
 *   bool                true or false, equally likely         shape []: true
 *
 * "value_range" draws from that range instead (integers: both ends included), "value" gives one
 * number for all elements, or every element in lists nested as the shape is. The whole storage is
 * filled, gaps between strided elements too: no kernel ever reads memory that was not written. Of a sparse
 * tensor these are the entries.
 */
#include "gen/tensor_arg.h"

#include "config/check_value.h"
#include "gen/element.h"
#include "gen/fill.h"
#include "gen/sparse.h"
#include "tensor/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tensor_spec {
    ob_dtype dtype;
    int ndim;
    int64_t sizes[OB_MAX_DIMS];
    int64_t strides[OB_MAX_DIMS];
    bool has_strides;
    bool requires_grad;
    ob_device device; /* type "" = not given */
    ob_layout layout;
} tensor_spec;

/* An attribute; null is as good as not given. */
static const ob_json *get_attr(const ob_json *arg, const char *name)
{
    const ob_json *node = ob_json_get(arg, name);
    return ob_json_get_kind(node) == OB_JSON_NULL ? NULL : node;
}

static ob_status read_dtype(const ob_json *arg, tensor_spec *spec, ob_arg_path *place)
{
    size_t length;
    const char *name = ob_json_string(ob_json_get(arg, "dtype"), &length);
    if (name == NULL)
        return ob__attr_error(place, arg, "dtype", OB_ERR_CONFIG,
                              "a tensor needs a dtype; give its name, such as \"float\"");
    spec->dtype = ob_dtype_from_name(name, length);
    if (spec->dtype == OB_DTYPE_INVALID)
        return ob__attr_error(place, arg, "dtype", OB_ERR_CONFIG,
                              "unknown dtype '%.64s'; `opbench list dtypes` shows the names", name);
    return OB_OK;
}

/* A list of at most OB_MAX_DIMS whole numbers. */
static ob_status read_numbers(const ob_json *arg, const char *attr, int64_t *out, int *count,
                              ob_arg_path *place)
{
    const ob_json *list = ob_json_get(arg, attr);
    const size_t length = ob_json_count(list);
    if (ob_json_get_kind(list) != OB_JSON_ARRAY)
        return ob__attr_error(place, arg, attr, OB_ERR_CONFIG,
                              "a tensor's %s must be a list of whole numbers, such as [2, 3]",
                              attr);
    if (length > OB_MAX_DIMS)
        return ob__attr_error(place, arg, attr, OB_ERR_LIMIT,
                              "the %s has %zu dimensions, but tensors have at most %d", attr,
                              length, OB_MAX_DIMS);
    for (size_t i = 0; i < length; i++) {
        const ob_json *item = ob_json_item(list, i);
        if (ob_json_get_kind(item) != OB_JSON_INT)
            return ob__attr_error(place, arg, attr, OB_ERR_CONFIG,
                                  "element %zu of the %s is not a whole number", i, attr);
        out[i] = ob_json_int(item, 0);
    }
    *count = (int)length;
    return OB_OK;
}

/* The memory is the host's in any case: the backend that has the device copies, others refuse. */
static ob_status read_device(const ob_json *arg, tensor_spec *spec, ob_arg_path *place)
{
    size_t length = 0;
    ob_err why;
    if (get_attr(arg, "device") == NULL)
        return OB_OK;
    const char *text = ob_json_string(get_attr(arg, "device"), &length);
    if (text == NULL || ob_device_parse(text, length, &spec->device, &why) != OB_OK)
        return ob__attr_error(place, arg, "device", OB_ERR_CONFIG,
                              "a tensor's device must be a name such as \"cpu\" or \"cuda:0\"");
    return OB_OK;
}

/* Row-major over the places, the channels innermost: [n, c, h, w] lies in memory as [n, h, w, c]. */
static void set_channels_last(tensor_spec *spec)
{
    int64_t step = 1;
    spec->has_strides = true;
    spec->strides[1] = 1;
    step *= spec->sizes[1] > 0 ? spec->sizes[1] : 1;
    for (int i = spec->ndim - 1; i >= 0; i--) {
        if (i == 1)
            continue;
        spec->strides[i] = step;
        step *= spec->sizes[i] > 0 ? spec->sizes[i] : 1;
    }
}

/* The config's check says the same of what it could see; an iterator may have changed the shape since. */
static ob_status read_layout(const ob_json *arg, tensor_spec *spec, ob_arg_path *place)
{
    size_t length = 0;
    ob_err why;
    ob_memory_format format = OB_MEMORY_FORMAT_CONTIGUOUS;
    const char *layout = ob_json_string(get_attr(arg, "layout"), &length);
    if (layout != NULL && !ob_layout_from_name(layout, length, &spec->layout))
        return ob__attr_error(place, arg, "layout", OB_ERR_CONFIG, "unknown layout '%.64s'",
                              layout);
    const char *name = ob_json_string(get_attr(arg, "memory_format"), &length);
    if (name != NULL && !ob_memory_format_from_name(name, length, &format))
        return ob__attr_error(place, arg, "memory_format", OB_ERR_CONFIG,
                              "unknown memory format '%.64s'", name);
    if (ob__check_tensor(arg, &why) != OB_OK)
        return ob__arg_path_error(place, arg, OB_ERR_CONFIG, "%s", why.message);
    if (format == OB_MEMORY_FORMAT_CHANNELS_LAST || format == OB_MEMORY_FORMAT_CHANNELS_LAST_3D)
        set_channels_last(spec);
    return OB_OK;
}

static ob_status read_spec(const ob_json *arg, tensor_spec *spec, ob_arg_path *place)
{
    const ob_json *grad = get_attr(arg, "requires_grad");
    *spec = (tensor_spec){.has_strides = get_attr(arg, "strides") != NULL};
    OB_TRY(read_dtype(arg, spec, place));
    OB_TRY(read_numbers(arg, "shape", spec->sizes, &spec->ndim, place));
    if (spec->has_strides) {
        int count;
        OB_TRY(read_numbers(arg, "strides", spec->strides, &count, place));
        if (count != spec->ndim)
            return ob__attr_error(place, arg, "strides", OB_ERR_CONFIG,
                                  "%d strides for a shape of %d dimensions; give one per dimension",
                                  count, spec->ndim);
    }
    if (grad && ob_json_get_kind(grad) != OB_JSON_BOOL)
        return ob__attr_error(place, arg, "requires_grad", OB_ERR_CONFIG,
                              "requires_grad must be true or false");
    OB_TRY(read_layout(arg, spec, place));
    /* Few operators have a derivative by what is not strided, and the others refuse the whole call. */
    spec->requires_grad =
        ob_json_bool(grad, spec->layout == OB_LAYOUT_STRIDED) && ob_dtype_is_floating(spec->dtype);
    return read_device(arg, spec, place);
}

/* Refused before it is touched: a process that fills more than there is gets killed, and nothing
 * says why. */
static ob_status check_memory(const ob_json *arg, int64_t bytes, ob_arg_path *place)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0 || bytes / page < pages)
        return OB_OK;
    return ob__attr_error(place, arg, "shape", OB_ERR_NOMEM,
                          "the tensor takes %lld bytes, more than this machine's memory; use a "
                          "smaller shape",
                          (long long)bytes);
}

static ob_status describe(const ob_json *arg, const tensor_spec *spec, ob_tensor *out,
                          ob_arg_path *place)
{
    ob_err why;
    const ob_status status = ob_tensor_init_meta(out, spec->dtype, spec->sizes, spec->ndim,
                                                 spec->has_strides ? spec->strides : NULL, &why);
    if (status != OB_OK)
        return ob__attr_error(place, arg, "shape", status, "%s", why.message);
    out->layout = spec->layout;
    out->requires_grad = spec->requires_grad;
    if (spec->device.type[0] != '\0')
        out->device = spec->device;
    return OB_OK;
}

static ob_status allocate(const ob_json *arg, const tensor_spec *spec, ob_tensor *out,
                          ob_arg_path *place)
{
    ob_err why;
    int64_t bytes;
    OB_TRY(describe(arg, spec, out, place));
    ob_shape_span_bytes(out->sizes, out->strides, out->ndim, out->dtype, &bytes, NULL);
    OB_TRY(check_memory(arg, bytes, place));
    const ob_status status = ob_storage_create((size_t)bytes, &out->storage, &why);
    return status == OB_OK ? OB_OK : ob__attr_error(place, arg, "shape", status, "%s", why.message);
}

/* ---- filling ---- */

/* All elements that the storage has room for, gaps included. */
typedef struct target {
    ob_dtype dtype;
    void *data;
    size_t count;
} target;

static target target_of(const ob_tensor *tensor)
{
    return (target){.dtype = tensor->dtype,
                    .data = ob_storage_data(tensor->storage),
                    .count = ob_storage_size(tensor->storage) / ob_dtype_size(tensor->dtype)};
}

static void fill_default(const ob_tensor *tensor, ob_rng *rng)
{
    const target t = target_of(tensor);
    const bool is_unsigned = t.dtype == OB_DTYPE_U8;
    if (tensor->ndim == 0) {
        const double real = ob_rng_uniform(rng, is_unsigned ? 0 : -10, 10);
        const bool complex = ob_dtype_get_info(t.dtype)->cls == OB_DTYPE_CLASS_COMPLEX;
        const double imag = complex ? ob_rng_uniform(rng, -10, 10) : 0;
        /* A draw that is exactly 0 is as good as none, but true is promised. */
        const ob_element e =
            ob__element_from_real(t.dtype, t.dtype == OB_DTYPE_BOOL ? 1 : real, imag);
        ob__fill_copies(t.dtype, &e, t.data, t.count);
    } else if (ob_dtype_is_floating(t.dtype)) {
        ob__fill_unit(rng, t.dtype, t.data, t.count);
    } else if (t.dtype == OB_DTYPE_BOOL) {
        ob__fill_ints(rng, t.dtype, 0, 1, t.data, t.count);
    } else {
        ob__fill_ints(rng, t.dtype, is_unsigned ? 0 : -10, 9, t.data, t.count);
    }
}

static ob_status fill_int_range(const ob_json *arg, const ob_tensor *tensor, ob_rng *rng,
                                ob_arg_path *place)
{
    const ob_json *range = get_attr(arg, "value_range");
    const ob_json *first = ob_json_item(range, 0), *second = ob_json_item(range, 1);
    const int64_t lo = ob_json_int(first, 0), hi = ob_json_int(second, 0);
    const target t = target_of(tensor);
    int64_t min, max;
    ob__int_limits(t.dtype, &min, &max);
    if (ob_json_get_kind(first) != OB_JSON_INT || ob_json_get_kind(second) != OB_JSON_INT ||
        lo > hi)
        return ob__attr_error(
            place, arg, "value_range", OB_ERR_CONFIG,
            "the value_range of an integer tensor must be [lowest, highest], both whole numbers");
    if (lo < min || hi > max)
        return ob__attr_error(place, arg, "value_range", OB_ERR_CONFIG,
                              "%s cannot hold [%lld, %lld]; stay within [%lld, %lld]",
                              ob_dtype_get_info(t.dtype)->torch_name, (long long)lo, (long long)hi,
                              (long long)min, (long long)max);
    ob__fill_ints(rng, t.dtype, lo, hi, t.data, t.count);
    return OB_OK;
}

static bool is_number(const ob_json *node)
{
    return ob_json_get_kind(node) == OB_JSON_INT || ob_json_get_kind(node) == OB_JSON_REAL;
}

static ob_status fill_range(const ob_json *arg, const ob_tensor *tensor, ob_rng *rng,
                            ob_arg_path *place)
{
    const ob_json *range = get_attr(arg, "value_range");
    const ob_json *first = ob_json_item(range, 0), *second = ob_json_item(range, 1);
    const target t = target_of(tensor);
    if (ob_json_get_kind(range) != OB_JSON_ARRAY || ob_json_count(range) != 2 ||
        !is_number(first) || !is_number(second))
        return ob__attr_error(place, arg, "value_range", OB_ERR_CONFIG,
                              "a value_range must be a list of two numbers, [lowest, highest]");
    if (!ob_dtype_is_floating(t.dtype))
        return fill_int_range(arg, tensor, rng, place);
    const double a = ob_json_real(first, 0), b = ob_json_real(second, 0);
    const double limit = ob__real_limit(t.dtype);
    if (!(fabs(a) <= limit && fabs(b) <= limit))
        return ob__attr_error(place, arg, "value_range", OB_ERR_CONFIG,
                              "%s cannot hold this value_range; stay within %g on both sides of 0",
                              ob_dtype_get_info(t.dtype)->torch_name, limit);
    ob__fill_reals(rng, t.dtype, fmin(a, b), fmax(a, b), t.data, t.count);
    return OB_OK;
}

/* One level per dimension, so no deeper than OB_MAX_DIMS. offset counts elements. */
static ob_status fill_lists(const ob_json *node, const ob_tensor *tensor, int dim, int64_t offset,
                            ob_arg_path *place)
{
    if (dim == tensor->ndim) {
        const size_t size = ob_dtype_size(tensor->dtype);
        const char *wanted;
        ob_element e;
        if (!ob__element_from_json(tensor->dtype, node, &e, &wanted))
            return ob__arg_path_error(place, node, OB_ERR_CONFIG, "this is not a valid %s; give %s",
                                      ob_dtype_get_info(tensor->dtype)->torch_name, wanted);
        memcpy((char *)ob_tensor_data(tensor) + (size_t)offset * size, &e, size);
        return OB_OK;
    }
    const int64_t size = tensor->sizes[dim];
    if (ob_json_get_kind(node) != OB_JSON_ARRAY || ob_json_count(node) != (uint64_t)size)
        return ob__arg_path_error(place, node, OB_ERR_CONFIG,
                                  "the shape needs a list of %lld here (dimension %d); nest lists "
                                  "like the shape, or give one number for all elements",
                                  (long long)size, dim);
    for (int64_t i = 0; i < size; i++) {
        const size_t mark = ob__arg_path_enter_index(place, (size_t)i);
        OB_TRY(fill_lists(ob_json_item(node, (size_t)i), tensor, dim + 1,
                          offset + i * tensor->strides[dim], place));
        ob__arg_path_leave(place, mark);
    }
    return OB_OK;
}

static ob_status fill_value(const ob_json *arg, const ob_tensor *tensor, ob_arg_path *place)
{
    const ob_json *value = get_attr(arg, "value");
    const target t = target_of(tensor);
    ob_element e = {.bytes = {0}};
    const char *wanted;
    if (ob_json_get_kind(value) == OB_JSON_ARRAY) {
        ob__fill_copies(t.dtype, &e, t.data, t.count); /* the gaps */
        const size_t mark = ob__arg_path_enter_key(place, "value");
        const ob_status status = fill_lists(value, tensor, 0, 0, place);
        ob__arg_path_leave(place, mark);
        return status;
    }
    if (!ob__element_from_json(t.dtype, value, &e, &wanted))
        return ob__attr_error(place, arg, "value", OB_ERR_CONFIG, "this is not a valid %s; give %s",
                              ob_dtype_get_info(t.dtype)->torch_name, wanted);
    ob__fill_copies(t.dtype, &e, t.data, t.count);
    return OB_OK;
}

/* What a filling needs to know. */
typedef struct filling {
    const ob_json *arg;
    ob_rng *rng;
    ob_arg_path *place;
} filling;

/* What the command line named, in the state it was in then. Its strides are the tensor's: there are no gaps. */
static ob_status fill_from_file(const ob_json *arg, const ob_tensor *tensor, ob_arg_path *place)
{
    ob_npy npy;
    ob_err why;
    const char *path = ob_json_string(get_attr(arg, OB__NPY), NULL);
    const char *hash = ob_json_string(get_attr(arg, OB__NPY_HASH), NULL);
    if (path == NULL || hash == NULL)
        return ob__attr_error(place, arg, OB__NPY, OB_ERR_CONFIG,
                              "a file must be named on the command line: npy:FILE");
    ob_status status = ob__npy_look(path, &npy, &why);
    if (status == OB_OK &&
        (npy.dtype != tensor->dtype || npy.data_bytes != ob_storage_size(tensor->storage)))
        status = ob_err_set(&why, OB_ERR_STATE, "%s no longer holds the same array", path);
    npy.hash = strtoull(hash, NULL, 16);
    if (status == OB_OK)
        status = ob__npy_load(path, &npy, ob_storage_data(tensor->storage), &why);
    return status == OB_OK ? OB_OK : ob__attr_error(place, arg, OB__NPY, status, "%s", why.message);
}

static ob_status fill(void *ctx, const ob_tensor *tensor, ob_err *err)
{
    const filling *f = ctx;
    (void)err; /* the place has it */
    if (get_attr(f->arg, OB__NPY))
        return fill_from_file(f->arg, tensor, f->place);
    if (get_attr(f->arg, "value"))
        return fill_value(f->arg, tensor, f->place);
    if (get_attr(f->arg, "value_range"))
        return fill_range(f->arg, tensor, f->rng, f->place);
    fill_default(tensor, f->rng);
    return OB_OK;
}

/* ---- sparse ---- */

static ob_status make_sparse(const ob_json *arg, const tensor_spec *spec, filling *f,
                             ob_tensor *out)
{
    const ob_json *nnz = get_attr(arg, "nnz");
    ob__sparse_spec sparse = {.dtype = spec->dtype,
                              .ndim = spec->ndim,
                              .sparse_dim =
                                  (int)ob_json_int(get_attr(arg, "sparse_dim"), spec->ndim),
                              .coalesced = ob_json_bool(get_attr(arg, "coalesced"), true)};
    ob_err why;
    int64_t places, bytes;
    memcpy(sparse.sizes, spec->sizes, sizeof sparse.sizes);
    if (ob__sparse_places(&sparse, &places, &why) != OB_OK)
        return ob__attr_error(f->place, arg, "shape", why.code, "%s", why.message);
    sparse.taken = nnz != NULL
                       ? ob_json_int(nnz, 0)
                       : ob__sparse_share(places, ob_json_real(get_attr(arg, "density"), 0));
    if (sparse.taken > places)
        return ob__attr_error(f->place, arg, "nnz", OB_ERR_CONFIG,
                              "%lld entries do not fit: the leading %d dimensions have %lld places",
                              (long long)sparse.taken, sparse.sparse_dim, (long long)places);
    if (__builtin_mul_overflow(sparse.taken, 8 * ((int64_t)spec->ndim + 1), &bytes))
        bytes = INT64_MAX;
    OB_TRY(check_memory(arg, bytes, f->place));
    const ob_status status = ob__sparse_make(&sparse, f->rng, fill, f, out, f->place->err);
    if (status != OB_OK)
        return status;
    out->layout = spec->layout;
    out->requires_grad = spec->requires_grad;
    if (spec->device.type[0] != '\0')
        out->device = spec->device;
    return OB_OK;
}

ob_status ob__make_tensor(const ob_json *arg, ob_rng *rng, ob_value *out, ob_arg_path *place)
{
    tensor_spec spec;
    ob_tensor tensor;
    filling f = {.arg = arg, .rng = rng, .place = place};
    ob_status status = OB_OK;
    *out = ob_value_none();
    OB_TRY(read_spec(arg, &spec, place));
    if (ob_layout_is_sparse(spec.layout)) {
        OB_TRY(make_sparse(arg, &spec, &f, &tensor));
    } else {
        OB_TRY(allocate(arg, &spec, &tensor, place));
        status = fill(&f, &tensor, place->err);
    }
    if (status == OB_OK)
        status = ob_value_init_tensor(out, &tensor, place->err);
    ob_tensor_fini(&tensor);
    return status;
}

ob_status ob__describe_tensor(const ob_json *arg, ob_value *out, ob_arg_path *place)
{
    tensor_spec spec;
    ob_tensor tensor;
    *out = ob_value_none();
    OB_TRY(read_spec(arg, &spec, place));
    if (ob_layout_is_sparse(spec.layout))
        return ob__attr_error(place, arg, "layout", OB_ERR_UNSUPPORTED,
                              "the entries of a sparse tensor are always drawn at random");
    OB_TRY(describe(arg, &spec, &tensor, place));
    const ob_status status = ob_value_init_tensor(out, &tensor, place->err);
    ob_tensor_fini(&tensor);
    return status;
}
