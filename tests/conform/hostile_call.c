/* SPDX-License-Identifier: Apache-2.0
 *
 * One call: made from a right one or from nothing, given memory of exactly its size, and printed.
 */
#include "hostile.h"

#include "gen/fill.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Of one tensor's memory. What spans more is expanded: its sizes stay huge, its memory is small. */
enum { MOST_BYTES = 1 << 20, MOST_DRAWN = 251 };

static ob_status copy_seed(const hostile_seeds *seeds, hostile_call *call, ob_err *err)
{
    const hostile_op_seeds *of = &seeds->ops[call->op_index];
    if (of->count == 0)
        return OB_ERR_NOT_FOUND;
    const ob_value *chosen = of->calls[hostile_roll(&call->dice, 0, (int64_t)of->count - 1)];
    for (size_t a = 0; a < call->op->schema->arg_count; a++)
        OB_TRY(ob_value_copy(&call->args[a], &chosen[a], err));
    return OB_OK;
}

static ob_status draw_all(hostile_call *call, ob_err *err)
{
    const ob_schema *schema = call->op->schema;
    for (size_t a = 0; a < schema->arg_count; a++) {
        const ob_schema_arg *arg = &schema->args[a];
        ob_value_fini(&call->args[a]);
        if (arg->has_default && hostile_once_in(&call->dice, 2))
            OB_TRY(ob_value_copy(&call->args[a], &arg->default_value, err));
        else
            OB_TRY(hostile_value(&call->dice, arg->type, &call->args[a], err));
    }
    return OB_OK;
}

static ob_status change_some(hostile_call *call, ob_err *err)
{
    static const int counts[] = {0, 0, 1, 1, 1, 1, 2, 2, 3, 5};
    const ob_schema *schema = call->op->schema;
    hostile_dice *dice = &call->dice;
    const int alike = hostile_once_in(dice, 2) ? 0 : (int)hostile_roll(dice, 1, 3);
    for (int i = 0; i < alike; i++)
        hostile_change_all(dice, call->args, schema->arg_count);
    const int changes = counts[hostile_roll(dice, 0, sizeof counts / sizeof *counts - 1)];
    for (int i = 0; i < changes && schema->arg_count > 0; i++) {
        const size_t a = (size_t)hostile_roll(dice, 0, (int64_t)schema->arg_count - 1);
        OB_TRY(hostile_change(dice, schema->args[a].type, &call->args[a], err));
    }
    return OB_OK;
}

static ob_status make(const hostile_seeds *seeds, size_t op_index, hostile_call *out, ob_err *err)
{
    hostile_dice *dice = &out->dice;
    out->op_index = op_index;
    out->op = ob_op_table_at(seeds->table, out->op_index);
    if (out->op == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    out->args = calloc(out->op->schema->arg_count + 1, sizeof *out->args);
    if (out->args == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    out->tame = !hostile_once_in(dice, 5);
    out->own = hostile_once_in(dice, 4);
    out->backward = hostile_once_in(dice, 4);
    ob_status status = hostile_once_in(dice, 10) ? OB_ERR_NOT_FOUND : copy_seed(seeds, out, err);
    if (status == OB_ERR_NOT_FOUND)
        status = draw_all(out, err);
    return status == OB_OK ? change_some(out, err) : status;
}

ob_status hostile_call_make(const hostile_seeds *seeds, uint64_t seed, uint64_t number,
                            hostile_call *out, ob_err *err)
{
    *out = (hostile_call){.tame = true};
    ob_rng_init(&out->dice.rng, seed, number);
    /* All operators in turn, so that none is left out by chance. */
    return make(seeds, number % ob_op_table_count(seeds->table), out, err);
}

ob_status hostile_call_from_bytes(const hostile_seeds *seeds, const uint8_t *bytes, size_t size,
                                  hostile_call *out, ob_err *err)
{
    *out = (hostile_call){.dice = {.bytes = bytes, .left = size}};
    const int64_t last = (int64_t)ob_op_table_count(seeds->table) - 1;
    const size_t op_index = (size_t)hostile_roll(&out->dice, 0, last);
    ob_rng_init(&out->dice.rng, (uint64_t)hostile_roll(&out->dice, 0, 255), 0);
    return make(seeds, op_index, out, err);
}

void hostile_call_fini(hostile_call *call)
{
    for (size_t a = 0; call->args != NULL && a < call->op->schema->arg_count; a++)
        ob_value_fini(&call->args[a]);
    free(call->args);
    *call = (hostile_call){.op = NULL};
}

/* ---- memory ---- */

static void free_data(void *data, size_t size_bytes, void *ctx)
{
    (void)size_bytes;
    (void)ctx;
    free(data);
}

/* Of exactly the size, so that a sanitizer sees what is read or written beside it. */
static ob_status create_storage(size_t size, ob_storage **out, ob_err *err)
{
    void *data = NULL;
    if (posix_memalign(&data, 64, size > 0 ? size : 1) != 0)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = ob_storage_wrap(data, size, NULL, free_data, NULL, out, err);
    if (status != OB_OK)
        free(data);
    return status;
}

static void draw_elements(hostile_call *call, ob_dtype dtype, void *data, size_t count)
{
    hostile_dice *dice = &call->dice;
    if (ob_dtype_is_floating(dtype)) {
        ob__fill_reals(&dice->rng, dtype, -2, 2, data, count);
    } else if (call->tame || dtype == OB_DTYPE_BOOL) {
        ob__fill_ints(&dice->rng, dtype, 0, dtype == OB_DTYPE_BOOL ? 1 : 3, data, count);
    } else if (hostile_once_in(dice, 3)) { /* indices into anything that has an element */
        memset(data, 0, count * ob_dtype_size(dtype));
    } else if (dtype == OB_DTYPE_I64) {
        for (size_t i = 0; i < count; i++)
            ((int64_t *)data)[i] = hostile_int(dice);
    } else {
        for (size_t i = 0; i < count * ob_dtype_size(dtype); i++)
            ((uint8_t *)data)[i] =
                (uint8_t)(hostile_once_in(dice, 2) ? 255 : hostile_roll(dice, 0, 4));
    }
}

/* The first ones are drawn and then repeated: drawing would take most of the time of a call. */
static void fill_elements(hostile_call *call, ob_dtype dtype, void *data, size_t count)
{
    const size_t item = ob_dtype_size(dtype);
    size_t filled = count < MOST_DRAWN ? count : MOST_DRAWN;
    draw_elements(call, dtype, data, filled);
    while (filled < count) {
        const size_t more = filled < count - filled ? filled : count - filled;
        memcpy((char *)data + filled * item, data, more * item);
        filled += more;
    }
}

/* The bytes that the tensor spans; where they are too many, huge dimensions are expanded. */
static int64_t span(ob_tensor *t)
{
    int64_t bytes = 0;
    for (int d = 0; d <= t->ndim; d++) {
        if (ob_shape_span_bytes(t->sizes, t->strides, t->ndim, t->dtype, &bytes, NULL) == OB_OK &&
            bytes <= MOST_BYTES)
            return bytes;
        if (d < t->ndim)
            t->strides[d] = 0;
    }
    return 0;
}

static ob_status fill_tensor(hostile_call *call, ob_tensor *t, ob_storage **shared, ob_err *err)
{
    ob_tensor view;
    ob_storage *storage = NULL;
    const int64_t item = (int64_t)ob_dtype_size(t->dtype), bytes = span(t);
    const int64_t size = bytes + t->offset * item;
    /* One element too few, now and then: no tensor may come of it. */
    const bool cut = size > 0 && bytes > 0 && hostile_once_in(&call->dice, 200);
    const bool take = *shared != NULL && ob_storage_size(*shared) >= (size_t)size &&
                      hostile_once_in(&call->dice, 12);
    if (take)
        storage = ob_storage_retain(*shared);
    else
        OB_TRY(create_storage((size_t)(cut ? size - item : size), &storage, err));
    const size_t filled = ob_storage_size(storage);
    if (!take && call->own && filled > 0 && ob_storage_size(t->storage) >= filled)
        memcpy(ob_storage_data(storage), ob_storage_data(t->storage), filled);
    else if (!take)
        fill_elements(call, t->dtype, ob_storage_data(storage), filled / (size_t)item);
    ob_status status = ob_tensor_init_view(&view, storage, t->dtype, t->sizes, t->ndim, t->strides,
                                           t->offset, err);
    if (status == OB_OK && cut && !take) {
        fprintf(stderr, "there is a tensor that leaves its storage\n");
        abort();
    }
    if (*shared == NULL)
        *shared = ob_storage_retain(storage);
    ob_storage_release(storage);
    if (status != OB_OK)
        return status;
    view.requires_grad = call->backward && ob_dtype_is_floating(t->dtype);
    ob_tensor_fini(t);
    *t = view;
    return OB_OK;
}

static ob_status fill_value(hostile_call *call, ob_value *value, ob_storage **shared, ob_err *err)
{
    if (value->kind == OB_VALUE_TENSOR)
        return fill_tensor(call, value->as.tensor, shared, err);
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        OB_TRY(fill_value(call, &value->as.list.items[i], shared, err));
    return OB_OK;
}

ob_status hostile_call_fill(hostile_call *call, ob_err *err)
{
    ob_storage *shared = NULL;
    ob_status status = OB_OK;
    for (size_t a = 0; status == OB_OK && a < call->op->schema->arg_count; a++)
        status = fill_value(call, &call->args[a], &shared, err);
    ob_storage_release(shared);
    return status;
}

/* ---- printing ---- */

typedef struct printer {
    char *out;
    size_t size, at;
} printer;

static void put(printer *p, const char *format, ...) OB_PRINTF(2, 3);

static void put(printer *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = p->at < p->size ? vsnprintf(p->out + p->at, p->size - p->at, format, args) : 0;
    va_end(args);
    p->at += n > 0 ? (size_t)n : 0;
}

static void put_numbers(printer *p, const int64_t *values, int count)
{
    put(p, "[");
    for (int i = 0; i < count; i++)
        put(p, "%s%lld", i > 0 ? "," : "", (long long)values[i]);
    put(p, "]");
}

static void put_value(printer *p, const ob_value *value)
{
    const ob_tensor *t = value->kind == OB_VALUE_TENSOR ? value->as.tensor : NULL;
    switch (value->kind) {
    case OB_VALUE_TENSOR:
        put(p, "%s", ob_dtype_get_info(t->dtype)->name);
        put_numbers(p, t->sizes, t->ndim);
        if (!ob_tensor_is_contiguous(t)) {
            put(p, "/");
            put_numbers(p, t->strides, t->ndim);
        }
        if (t->offset != 0)
            put(p, "+%lld", (long long)t->offset);
        break;
    case OB_VALUE_INT:
        put(p, "%lld", (long long)value->as.integer);
        break;
    case OB_VALUE_BOOL:
        put(p, "%s", value->as.boolean ? "True" : "False");
        break;
    case OB_VALUE_DOUBLE:
        put(p, "%g", value->as.real);
        break;
    case OB_VALUE_STR:
        put(p, "\"%s\"", value->as.str.text);
        break;
    case OB_VALUE_DTYPE:
        put(p, "dtype %d", (int)value->as.dtype);
        break;
    case OB_VALUE_MEMORY_FORMAT:
        put(p, "memory_format %d", (int)value->as.memory_format);
        break;
    case OB_VALUE_LIST:
        put(p, "(");
        for (size_t i = 0; i < value->as.list.count; i++) {
            put(p, "%s", i > 0 ? ", " : "");
            put_value(p, &value->as.list.items[i]);
        }
        put(p, ")");
        break;
    default:
        put(p, "%s", ob_value_kind_name(value->kind));
    }
}

void hostile_call_print(const hostile_call *call, char *out, size_t size)
{
    printer p = {.out = out, .size = size};
    const ob_schema *schema = call->op->schema;
    put(&p, "%s%s%s(", schema->name, schema->overload[0] != '\0' ? "." : "", schema->overload);
    for (size_t a = 0; a < schema->arg_count; a++) {
        put(&p, "%s%s=", a > 0 ? ", " : "", schema->args[a].name);
        put_value(&p, &call->args[a]);
    }
    put(&p, ")%s%s", call->backward ? " with backward" : "", call->tame ? "" : ", wild elements");
}
