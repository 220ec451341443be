/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing variants.
 */
#include "variants.h"

#include "opbench/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* ---- which operators ---- */

bool variant_is_elementwise(const golden *g, const ob_op *op)
{
    int64_t sizes[OB_MAX_DIMS];
    int ndim = -1;
    if (op->row->tolerance.kind > OB_TOL_ELEMENTWISE || g->wanted.as.list.count != 1 ||
        g->wanted.as.list.items[0].kind != OB_VALUE_TENSOR || g->kwarg_count > 0)
        return false;
    for (size_t i = 0; i < g->arg_count; i++) {
        const ob_value *arg = &g->args[i];
        if (arg->kind == OB_VALUE_LIST || arg->kind == OB_VALUE_DTYPE)
            return false;
        if (arg->kind != OB_VALUE_TENSOR)
            continue;
        const ob_tensor *t = arg->as.tensor;
        if (ndim < 0) {
            ndim = t->ndim;
            memcpy(sizes, t->sizes, sizeof sizes);
        } else if (ob_shape_broadcast(sizes, ndim, t->sizes, t->ndim, sizes, &ndim, NULL) !=
                   OB_OK) {
            return false;
        }
    }
    const ob_tensor *result = g->wanted.as.list.items[0].as.tensor;
    return ndim == result->ndim && ndim > 0 &&
           memcmp(sizes, result->sizes, (size_t)ndim * sizeof *sizes) == 0;
}

/* ---- specs ---- */

enum { DIMS = 4, MOST_TENSORS = 8 };

/* Names that parameters and tensors point to. */
typedef struct names {
    char texts[256][24];
    size_t count;
} names;

static const char *name(names *n, const char *letter, size_t a, size_t b)
{
    char *text = n->texts[n->count++];
    snprintf(text, sizeof n->texts[0], "%s%zu_%zu", letter, a, b);
    return text;
}

static const char *literal(names *n, int64_t value)
{
    char *text = n->texts[n->count++];
    snprintf(text, sizeof n->texts[0], "%lld", (long long)value);
    return text;
}

static const double SOMETIMES = 0.3;

/* One tensor of fixed sizes with steps from 1 to 3. */
static ob_status draw_layout(const ob_tensor *like, uint64_t number, ob_tensor *out, ob_err *err)
{
    static names n;
    ob_fuzz_parameter parameters[OB_MAX_DIMS];
    ob_fuzz_tensor tensor = {.name = "x",
                             .probability_contiguous = &SOMETIMES,
                             .dtype = ob_dtype_get_info(like->dtype)->torch_name};
    ob_fuzzer *fuzzer = NULL;
    const ob_fuzz_draw *draw;
    n.count = 0;
    for (int d = 0; d < like->ndim; d++) {
        tensor.size[d] = literal(&n, like->sizes[d]);
        tensor.steps[d] = name(&n, "step", (size_t)d, 0);
        parameters[d] = (ob_fuzz_parameter){
            .name = tensor.steps[d], .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 3)};
    }
    const ob_fuzz_spec spec = {.size = sizeof spec,
                               .parameters = parameters,
                               .parameter_size = sizeof(ob_fuzz_parameter),
                               .parameter_count = (size_t)like->ndim,
                               .tensors = &tensor,
                               .tensor_size = sizeof tensor,
                               .tensor_count = 1};
    OB_TRY(ob_fuzzer_create(&spec, 1, &fuzzer, err));
    ob_status status = ob_fuzzer_draw(fuzzer, number, &draw, err);
    if (status == OB_OK)
        status = ob_fuzz_draw_make(fuzzer, draw, 0, out, err);
    ob_fuzzer_destroy(fuzzer);
    return status;
}

/* A size of the broadcast shape: 0 and 1 more often than others. */
static void add_sizes(names *n, ob_fuzz_parameter *parameters, size_t *count,
                      ob_fuzz_choice (*choices)[3], size_t d)
{
    const char *large = name(n, "large", d, 0);
    parameters[(*count)++] =
        (ob_fuzz_parameter){.name = large, .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(2, 7)};
    (*choices)[0] = (ob_fuzz_choice){.value = OB_FUZZ_INT(0), .probability = 0.1};
    (*choices)[1] = (ob_fuzz_choice){.value = OB_FUZZ_INT(1), .probability = 0.2};
    (*choices)[2] = (ob_fuzz_choice){.alias = large, .probability = 0.7};
    parameters[(*count)++] = (ob_fuzz_parameter){.name = name(n, "size", d, 0),
                                                 .distribution = OB_FUZZ_CHOICE,
                                                 .choices = *choices,
                                                 .choice_count = 3};
}

/* What a spec of several tensors that broadcast points to. */
typedef struct wide_spec {
    names n;
    ob_fuzz_parameter parameters[128];
    size_t count;
    ob_fuzz_choice sizes[DIMS][3], own[MOST_TENSORS][DIMS][2];
    ob_fuzz_tensor tensors[MOST_TENSORS];
} wide_spec;

static ob_status make_wide(const golden *g, wide_spec *s, ob_fuzzer **out, ob_err *err)
{
    size_t tensors = 0;
    s->n.count = s->count = 0;
    s->parameters[s->count++] = (ob_fuzz_parameter){
        .name = "ndim", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(0, DIMS)};
    for (size_t d = 0; d < DIMS; d++)
        add_sizes(&s->n, s->parameters, &s->count, &s->sizes[d], d);
    for (size_t i = 0; i < g->arg_count && tensors < MOST_TENSORS; i++) {
        if (g->args[i].kind != OB_VALUE_TENSOR)
            continue;
        ob_fuzz_tensor *t = &s->tensors[tensors];
        *t = (ob_fuzz_tensor){.name = name(&s->n, "x", tensors, 0),
                              .probability_contiguous = &SOMETIMES,
                              .dim_parameter = "ndim",
                              .dtype = ob_dtype_get_info(g->args[i].as.tensor->dtype)->torch_name};
        for (size_t d = 0; d < DIMS; d++) {
            ob_fuzz_choice *own = s->own[tensors][d];
            own[0] = (ob_fuzz_choice){.value = OB_FUZZ_INT(1), .probability = 0.25};
            own[1] = (ob_fuzz_choice){.alias = s->parameters[2 + 2 * d].name, .probability = 0.75};
            t->size[d] = name(&s->n, "own", tensors, d);
            s->parameters[s->count++] = (ob_fuzz_parameter){.name = t->size[d],
                                                            .distribution = OB_FUZZ_CHOICE,
                                                            .choices = own,
                                                            .choice_count = 2};
        }
        tensors++;
    }
    const ob_fuzz_spec spec = {.size = sizeof spec,
                               .parameters = s->parameters,
                               .parameter_size = sizeof(ob_fuzz_parameter),
                               .parameter_count = s->count,
                               .tensors = s->tensors,
                               .tensor_size = sizeof(ob_fuzz_tensor),
                               .tensor_count = tensors};
    return ob_fuzzer_create(&spec, 2, out, err);
}

/* ---- copies ---- */

static void take_elements(const ob_tensor *from, const ob_tensor *to)
{
    const int64_t count = tensor_count(from);
    for (int64_t i = 0; count > 0 && i < tensor_count(to); i++)
        tensor_set(to, i, tensor_get(from, i % count));
}

static ob_status copy_tensor(const ob_tensor *from, variant_kind kind, uint64_t number,
                             ob_value *out, ob_err *err)
{
    ob_tensor made;
    if (kind == VARIANT_STRIDED && tensor_count(from) > 0)
        OB_TRY(draw_layout(from, number, &made, err));
    else
        OB_TRY(ob_tensor_init(&made, from->dtype, from->sizes, from->ndim, from->strides, err));
    take_elements(from, &made);
    made.requires_grad = from->requires_grad;
    const ob_status status = ob_value_init_tensor(out, &made, err);
    ob_tensor_fini(&made);
    return status;
}

static ob_status copy_value(const ob_value *from, variant_kind kind, uint64_t number, ob_value *out,
                            ob_err *err)
{
    if (from->kind == OB_VALUE_TENSOR)
        return copy_tensor(from->as.tensor, kind, number, out, err);
    if (from->kind != OB_VALUE_LIST)
        return ob_value_copy(out, from, err);
    ob_status status = ob_value_init_list(out, OB_VALUE_LIST, from->as.list.count, err);
    for (size_t i = 0; status == OB_OK && i < from->as.list.count; i++)
        status = copy_value(&from->as.list.items[i], kind, number + 100 * i, &out->as.list.items[i],
                            err);
    if (status != OB_OK)
        ob_value_fini(out);
    return status;
}

static ob_status copy_wide(const golden *g, uint64_t number, golden *out, ob_err *err)
{
    static wide_spec spec;
    ob_fuzzer *fuzzer = NULL;
    const ob_fuzz_draw *draw;
    size_t tensor = 0;
    OB_TRY(make_wide(g, &spec, &fuzzer, err));
    ob_status status = ob_fuzzer_draw(fuzzer, number, &draw, err);
    for (size_t i = 0; status == OB_OK && i < g->arg_count; i++, out->arg_count++) {
        if (g->args[i].kind != OB_VALUE_TENSOR) {
            status = ob_value_copy(&out->args[i], &g->args[i], err);
            continue;
        }
        ob_tensor made;
        status = ob_fuzz_draw_make(fuzzer, draw, tensor++, &made, err);
        if (status != OB_OK)
            break;
        take_elements(g->args[i].as.tensor, &made);
        made.requires_grad = g->args[i].as.tensor->requires_grad;
        status = ob_value_init_tensor(&out->args[i], &made, err);
        ob_tensor_fini(&made);
    }
    ob_fuzzer_destroy(fuzzer);
    return status;
}

ob_status variant_make(const golden *g, variant_kind kind, uint64_t number, golden *out,
                       ob_err *err)
{
    *out = (golden){.op = g->op,
                    .args = calloc(g->arg_count + 1, sizeof *out->args),
                    .kwargs = calloc(g->kwarg_count + 1, sizeof *out->kwargs),
                    .kwarg_names = g->kwarg_names,
                    .nograd = g->nograd};
    if (out->args == NULL || out->kwargs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (kind == VARIANT_SIZED)
        return copy_wide(g, number, out, err);
    for (; out->arg_count < g->arg_count; out->arg_count++)
        OB_TRY(copy_value(&g->args[out->arg_count], kind, number + 10 * out->arg_count,
                          &out->args[out->arg_count], err));
    for (; out->kwarg_count < g->kwarg_count; out->kwarg_count++)
        OB_TRY(copy_value(&g->kwargs[out->kwarg_count], kind, number + 7,
                          &out->kwargs[out->kwarg_count], err));
    return OB_OK;
}

void variant_fini(golden *g)
{
    for (size_t i = 0; i < g->arg_count; i++)
        ob_value_fini(&g->args[i]);
    for (size_t i = 0; i < g->kwarg_count; i++)
        ob_value_fini(&g->kwargs[i]);
    free(g->args);
    free(g->kwargs);
    *g = (golden){.doc = NULL};
}

/* ---- other elements ---- */

static bool is_sorted(const ob_tensor *t)
{
    for (int64_t i = 1; i < tensor_count(t); i++)
        if (tensor_get(t, i) < tensor_get(t, i - 1))
            return false;
    return true;
}

/* Other elements of the same range: those that are not sorted, as offsets and bounds are, in another order, and numbers smaller. */
static void change_value(const ob_value *value)
{
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        change_value(&value->as.list.items[i]);
    if (value->kind != OB_VALUE_TENSOR || tensor_count(value->as.tensor) == 0)
        return;
    const ob_tensor *t = value->as.tensor;
    const double factor = ob_dtype_is_floating(t->dtype) ? 0.75 : 1;
    const double first = tensor_get(t, 0);
    const int64_t last = tensor_count(t) - 1;
    const int64_t step = is_sorted(t) ? 0 : 1;
    for (int64_t i = 0; i < last; i++)
        tensor_set(t, i, factor * tensor_get(t, i + step));
    tensor_set(t, last, factor * (step == 0 ? tensor_get(t, last) : first));
}

ob_status variant_change(const golden *g, variant_kind kind, uint64_t number, golden *out,
                         ob_err *err)
{
    const ob_status status = variant_make(g, kind, number, out, err);
    for (size_t i = 0; status == OB_OK && i < out->arg_count; i++)
        change_value(&out->args[i]);
    return status;
}

/* ---- */

static size_t print_list(char *out, size_t size, const int64_t *values, int count)
{
    size_t at = (size_t)snprintf(out, size, "[");
    for (int d = 0; d < count && at < size; d++)
        at +=
            (size_t)snprintf(out + at, size - at, "%s%lld", d > 0 ? "," : "", (long long)values[d]);
    return at < size ? at + (size_t)snprintf(out + at, size - at, "]") : at;
}

void variant_print(const golden *g, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < g->arg_count && at < size; i++) {
        const ob_value *arg = &g->args[i];
        at += (size_t)snprintf(out + at, size - at, "%s", i > 0 ? " " : "");
        if (arg->kind == OB_VALUE_TENSOR && at < size) {
            const ob_tensor *t = arg->as.tensor;
            at += print_list(out + at, size - at, t->sizes, t->ndim);
            if (at < size)
                at += (size_t)snprintf(out + at, size - at, ":%s/",
                                       ob_dtype_get_info(t->dtype)->name);
            if (at < size)
                at += print_list(out + at, size - at, t->strides, t->ndim);
        } else if (at < size && arg->kind == OB_VALUE_INT) {
            at += (size_t)snprintf(out + at, size - at, "%lld", (long long)arg->as.integer);
        } else if (at < size) {
            at += (size_t)snprintf(out + at, size - at, "%s", ob_value_kind_name(arg->kind));
        }
    }
}
