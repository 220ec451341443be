/* SPDX-License-Identifier: Apache-2.0
 *
 * From a spec as users write it to one that can be drawn from: names become numbers of parameters,
 * literals values, and everything that can be wrong without drawing is found here.
 */
#include "base/nearest.h"
#include "base/number.h"
#include "config/check_value.h"
#include "fuzz/fuzzer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the fuzzer");
}

static ob_status copy_text(ob_fuzzer *f, const char *text, const char **out, ob_err *err)
{
    *out = ob__arena_strdup(&f->arena, text, strlen(text));
    return *out != NULL ? OB_OK : no_memory(err);
}

/* The number of the parameter called so; -1 when there is none. */
static ptrdiff_t find_parameter(const ob_fuzzer *f, const char *name, size_t length)
{
    for (size_t i = 0; i < f->parameter_count; i++)
        if (strlen(f->names[i]) == length && memcmp(f->names[i], name, length) == 0)
            return (ptrdiff_t)i;
    return -1;
}

/* The number of a parameter that must be there. */
static ob_status find_required(const ob_fuzzer *f, const char *name, const char *who,
                               ptrdiff_t *out, ob_err *err)
{
    ob_nearest nearest;
    *out = find_parameter(f, name, strlen(name));
    if (*out >= 0)
        return OB_OK;
    ob__nearest_start(&nearest, name, strlen(name));
    for (size_t i = 0; i < f->parameter_count; i++)
        ob__nearest_offer(&nearest, f->names[i]);
    return ob_err_set(err, OB_ERR_NOT_FOUND, "%.100s: there is no parameter \"%.64s\"%s", who, name,
                      ob__near_text(nearest.best, "; did you mean \"", "\"?", "").text);
}

/* ---- parameters ---- */

static bool is_number(const ob_value *value)
{
    return value->kind == OB_VALUE_INT ||
           (value->kind == OB_VALUE_DOUBLE && isfinite(value->as.real));
}

static double to_real(const ob_value *value)
{
    return value->kind == OB_VALUE_INT ? (double)value->as.integer : value->as.real;
}

static ob_status check_bounds(const ob_fuzz_parameter *p, ob_err *err)
{
    const bool whole = p->min.kind == OB_VALUE_INT && p->max.kind == OB_VALUE_INT;
    if (!is_number(&p->min) || !is_number(&p->max))
        return ob_err_set(err, OB_ERR_INVALID,
                          "parameter \"%.64s\": a uniform or loguniform distribution needs minval "
                          "and maxval, finite numbers",
                          p->name);
    if (whole ? p->min.as.integer > p->max.as.integer : to_real(&p->min) > to_real(&p->max))
        return ob_err_set(err, OB_ERR_INVALID,
                          "parameter \"%.64s\": minval is above maxval (low >= high); swap them",
                          p->name);
    if (p->distribution == OB_FUZZ_LOGUNIFORM && to_real(&p->min) <= 0)
        return ob_err_set(err, OB_ERR_INVALID,
                          "parameter \"%.64s\": a loguniform distribution needs a minval above 0",
                          p->name);
    if (p->distribution == OB_FUZZ_LOGUNIFORM && to_real(&p->max) > 0x1p63)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "parameter \"%.64s\": a loguniform distribution needs a maxval below 2^63", p->name);
    return OB_OK;
}

static ob_status copy_value(ob_fuzzer *f, const ob_fuzz_parameter *p, const ob_value *value,
                            ob_value *out, ob_err *err)
{
    *out = *value;
    if (value->kind == OB_VALUE_STR) {
        out->as.str.text = ob__arena_strdup(&f->arena, value->as.str.text, value->as.str.length);
        return out->as.str.text != NULL ? OB_OK : no_memory(err);
    }
    if (value->kind == OB_VALUE_NONE || value->kind == OB_VALUE_BOOL || is_number(value))
        return OB_OK;
    return ob_err_set(
        err, OB_ERR_INVALID,
        "parameter \"%.64s\": a choice must be none, a bool, a finite number or a string, not a %s",
        p->name, ob_value_kind_name(value->kind));
}

static ob_status add_choices(ob_fuzzer *f, const ob_fuzz_parameter *p, ob__fuzz_parameter *out,
                             ob_err *err)
{
    double sum = 0;
    if (p->min.kind != OB_VALUE_NONE || p->max.kind != OB_VALUE_NONE)
        return ob_err_set(err, OB_ERR_INVALID,
                          "parameter \"%.64s\": choices have no minval and maxval; leave them out",
                          p->name);
    if (p->choice_count == 0 || p->choice_count > OB__FUZZ_MAX_CHOICES)
        return ob_err_set(err, OB_ERR_INVALID, "parameter \"%.64s\" has %zu choices; give 1 to %d",
                          p->name, p->choice_count, (int)OB__FUZZ_MAX_CHOICES);
    out->choice_count = p->choice_count;
    out->choices = ob__arena_alloc_array(&f->arena, p->choice_count, sizeof *out->choices);
    if (out->choices == NULL)
        return no_memory(err);
    for (size_t i = 0; i < p->choice_count; i++) {
        const ob_fuzz_choice *from = &p->choices[i];
        if (!(from->probability >= 0 && isfinite(from->probability)))
            return ob_err_set(err, OB_ERR_INVALID,
                              "parameter \"%.64s\": Probabilities cannot be negative, and must be "
                              "finite",
                              p->name);
        sum += from->probability;
        out->choices[i] = (ob__fuzz_choice){.alias = -1, .up_to = sum};
        if (from->alias != NULL)
            OB_TRY(find_required(f, from->alias, p->name, &out->choices[i].alias, err));
        else
            OB_TRY(copy_value(f, p, &from->value, &out->choices[i].value, err));
    }
    /* The sampler takes shares of the sum, so that what is let through here can be drawn from. */
    if (!(fabs(sum - 1) <= 1e-5))
        return ob_err_set(err, OB_ERR_INVALID,
                          "parameter \"%.64s\": the probabilities sum to %.9g, not 1", p->name,
                          sum);
    while (out->choice_count > 1 &&
           out->choices[out->choice_count - 2].up_to == out->choices[out->choice_count - 1].up_to)
        out->choice_count--; /* one that is never drawn must not be the last resort of rounding */
    return OB_OK;
}

static ob_status compile_parameter(ob_fuzzer *f, const ob_fuzz_parameter *p, ob_err *err)
{
    ob__fuzz_parameter *out = &f->parameters[find_parameter(f, p->name, strlen(p->name))];
    *out = (ob__fuzz_parameter){
        .distribution = p->distribution, .strict = p->strict, .min = p->min, .max = p->max};
    switch (p->distribution) {
    case OB_FUZZ_UNIFORM:
    case OB_FUZZ_LOGUNIFORM:
        return check_bounds(p, err);
    case OB_FUZZ_CHOICE:
        return add_choices(f, p, out, err);
    }
    return ob_err_set(err, OB_ERR_INVALID, "parameter \"%.64s\": unknown distribution", p->name);
}

/* All names first: aliases may point forward. */
static ob_status add_names(ob_fuzzer *f, const ob_fuzz_spec *spec, const ob__fuzz_positions *places,
                           ob_err *err)
{
    for (size_t i = 0; i < spec->parameter_count; i++) {
        const char *name = spec->parameters[i].name;
        if (name == NULL || name[0] == '\0')
            return ob__at_node(
                ob_err_set(err, OB_ERR_INVALID, "parameter %zu has no name; give it one", i),
                places->parameters ? places->parameters[i] : NULL, err);
        if (find_parameter(f, name, strlen(name)) >= 0)
            continue;
        OB_TRY(copy_text(f, name, &f->names[f->parameter_count], err));
        f->parameter_count++;
    }
    return OB_OK;
}

/* ---- tensors ---- */

typedef struct wanted {
    const char *text;   /* NULL = not given */
    const char *what;   /* the member's name */
    const char *tensor; /* the tensor's */
    bool number;        /* literals are numbers, not bools */
} wanted;

/* true, false, or a number. */
static bool read_literal(const char *text, bool number, ob_value *out)
{
    const size_t length = strlen(text);
    const bool truth = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    if (!number && (truth || strcmp(text, "false") == 0 || strcmp(text, "False") == 0)) {
        *out = ob_value_bool(truth);
        return true;
    }
    const size_t sign = text[0] == '-';
    if (length == sign || strspn(text + sign, "0123456789.eE+-") != length - sign ||
        text[sign] < '0' || text[sign] > '9')
        return false;
    int64_t whole;
    if (strspn(text + sign, "0123456789") == length - sign && ob__parse_i64(text, length, &whole))
        *out = ob_value_int(whole);
    else
        *out = ob_value_double(ob__parse_double(text, length));
    return true;
}

static ob_status compile_operand(const ob_fuzzer *f, const wanted *w, ob__fuzz_operand *out,
                                 ob_err *err)
{
    char who[160];
    *out = (ob__fuzz_operand){.given = w->text != NULL, .parameter = -1};
    if (w->text == NULL)
        return OB_OK;
    out->parameter = find_parameter(f, w->text, strlen(w->text));
    if (out->parameter >= 0 || read_literal(w->text, w->number, &out->literal))
        return OB_OK;
    snprintf(who, sizeof who, "tensor \"%.64s\", %s", w->tensor, w->what);
    return find_required(f, w->text, who, &out->parameter, err);
}

static ob_status compile_list(const ob_fuzzer *f, const wanted *w, const char *const *texts,
                              ob__fuzz_operand *out, size_t *count, ob_err *err)
{
    for (*count = 0; *count < OB_MAX_DIMS && texts[*count] != NULL; ++*count) {
        wanted one = *w;
        one.text = texts[*count];
        OB_TRY(compile_operand(f, &one, &out[*count], err));
    }
    return OB_OK;
}

/* A member of a sparse tensor that is not given is the parameter of that name, if there is one. */
static ob_status compile_sparse(const ob_fuzzer *f, const ob_fuzz_tensor *t, ob__fuzz_tensor *out,
                                ob_err *err)
{
    const struct {
        const char *text, *what;
        ob__fuzz_operand *out;
    } rows[] = {{t->sparse_dim, "sparse_dim", &out->sparse_dim},
                {t->nnz, "nnz", &out->nnz},
                {t->density, "density", &out->density},
                {t->coalesced, "coalesced", &out->coalesced}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool by_name =
            rows[i].text == NULL && find_parameter(f, rows[i].what, strlen(rows[i].what)) >= 0;
        const wanted w = {
            .text = by_name ? rows[i].what : rows[i].text, .what = rows[i].what, .tensor = t->name};
        OB_TRY(compile_operand(f, &w, rows[i].out, err));
    }
    if (!out->nnz.given && !out->density.given)
        return ob_err_set(err, OB_ERR_INVALID, "sparse tensor \"%.64s\" needs a density or an nnz",
                          t->name);
    return OB_OK;
}

static ob_status check_tensor(const ob_fuzzer *f, const ob_fuzz_tensor *t, size_t index,
                              ob__fuzz_tensor *out, ob_err *err)
{
    const char *dtype = t->dtype != NULL ? t->dtype : "float32";
    const double probability = t->probability_contiguous != NULL ? *t->probability_contiguous : 0.5;
    if (find_parameter(f, t->name, strlen(t->name)) >= 0)
        return ob_err_set(err, OB_ERR_DUPLICATE,
                          "Duplicate names in parameters and tensors: \"%.64s\"; rename one",
                          t->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(f->tensors[i].name, t->name) == 0)
            return ob_err_set(err, OB_ERR_DUPLICATE, "two tensors are called \"%.64s\"; rename one",
                              t->name);
    *out = (ob__fuzz_tensor){.sparse = t->sparse,
                             .dtype = ob_dtype_from_name(dtype, strlen(dtype)),
                             .probability_contiguous = probability,
                             .min_elements = t->min_elements,
                             .max_elements = t->max_elements,
                             .max_allocation_bytes = t->max_allocation_bytes};
    if (out->dtype == OB_DTYPE_INVALID)
        return ob_err_set(
            err, OB_ERR_INVALID,
            "tensor \"%.64s\": unknown dtype '%.64s'; `opbench list dtypes` shows the "
            "names",
            t->name, dtype);
    if (!(probability >= 0 && probability <= 1))
        return ob_err_set(err, OB_ERR_INVALID,
                          "tensor \"%.64s\": probability_contiguous is %g; give 0 to 1", t->name,
                          probability);
    if (t->min_elements < 0 || t->max_elements < 0 || t->max_allocation_bytes < 0)
        return ob_err_set(err, OB_ERR_INVALID, "tensor \"%.64s\": a bound is negative", t->name);
    return OB_OK;
}

static ob_status compile_tensor(ob_fuzzer *f, const ob_fuzz_tensor *t, size_t index, ob_err *err)
{
    ob__fuzz_tensor *out = &f->tensors[index];
    if (t->name == NULL || t->name[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID, "tensor %zu has no name; give it one", index);
    OB_TRY(check_tensor(f, t, index, out, err));
    OB_TRY(copy_text(f, t->name, &out->name, err));
    wanted w = {.what = "size", .tensor = t->name, .number = true};
    OB_TRY(compile_list(f, &w, t->size, out->size, &out->size_count, err));
    w.what = "steps";
    OB_TRY(compile_list(f, &w, t->steps, out->steps, &out->step_count, err));
    w.what = "dim_parameter";
    w.text = t->dim_parameter;
    OB_TRY(compile_operand(f, &w, &out->dim, err));
    w.what = "roll_parameter";
    w.text = t->roll_parameter;
    OB_TRY(compile_operand(f, &w, &out->roll, err));
    return t->sparse ? compile_sparse(f, t, out, err) : OB_OK;
}

/* ---- the whole ---- */

static ptrdiff_t find_name(const void *ctx, const char *name, size_t length)
{
    return find_parameter(ctx, name, length);
}

static ob_status allocate(ob_fuzzer *f, const ob_fuzz_spec *spec, ob_err *err)
{
    const size_t p = spec->parameter_count, t = spec->tensor_count, c = spec->constraint_count;
    if (p > OB__FUZZ_MAX_NAMES || t > OB__FUZZ_MAX_NAMES || c > OB__FUZZ_MAX_NAMES)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "%zu parameters, %zu tensors, %zu constraints; at most %d of each", p, t,
                          c, (int)OB__FUZZ_MAX_NAMES);
    f->names = ob__arena_alloc_array(&f->arena, p, sizeof *f->names);
    f->parameters = ob__arena_alloc_array(&f->arena, p, sizeof *f->parameters);
    f->raw = ob__arena_alloc_array(&f->arena, p, sizeof *f->raw);
    f->values = ob__arena_alloc_array(&f->arena, p, sizeof *f->values);
    f->tensors = ob__arena_alloc_array(&f->arena, t, sizeof *f->tensors);
    f->infos = ob__arena_alloc_array(&f->arena, t, sizeof *f->infos);
    f->constraints = ob__arena_alloc_array(&f->arena, c, sizeof *f->constraints);
    return f->names && f->parameters && f->raw && f->values && f->tensors && f->infos &&
                   f->constraints
               ? OB_OK
               : no_memory(err);
}

ob_status ob__fuzz_compile(ob_fuzzer *f, const ob_fuzz_spec *spec, const ob__fuzz_positions *places,
                           ob_err *err)
{
    static const ob__fuzz_positions NOWHERE;
    const ob__expression_names names = {.find = find_name, .ctx = f};
    if (places == NULL)
        places = &NOWHERE;
    OB_TRY(allocate(f, spec, err));
    OB_TRY(add_names(f, spec, places, err));
    for (size_t i = 0; i < spec->parameter_count; i++)
        OB_TRY(ob__at_node(compile_parameter(f, &spec->parameters[i], err),
                           places->parameters ? places->parameters[i] : NULL, err));
    for (size_t i = 0; i < spec->tensor_count; i++, f->tensor_count++)
        OB_TRY(ob__at_node(compile_tensor(f, &spec->tensors[i], i, err),
                           places->tensors ? places->tensors[i] : NULL, err));
    for (size_t i = 0; i < spec->constraint_count; i++, f->constraint_count++)
        OB_TRY(ob__at_node(ob__expression_compile(spec->constraints[i], &names, &f->arena,
                                                  &f->constraints[i], err),
                           places->constraints ? places->constraints[i] : NULL, err));
    f->accept = spec->accept;
    f->accept_ctx = spec->accept_ctx;
    return OB_OK;
}
