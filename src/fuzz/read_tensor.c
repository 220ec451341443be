/* SPDX-License-Identifier: Apache-2.0
 *
 * One tensor of a spec's JSON. Sizes and steps are lists of names and numbers; a list written as
 * Python shows a tuple, "('k0', 1)", and a number in quotes are read too, because that is how
 * recorded specs of the original look.
 */
#include "base/number.h"
#include "base/text_append.h"
#include "config/check_value.h"
#include "fuzz/read.h"

#include <string.h>

static ob_status copy_text(ob__fuzz_reader *r, const char *text, size_t length, const char **out)
{
    *out = ob__arena_strdup(&r->arena, text, length);
    return *out != NULL ? OB_OK : ob__fuzz_no_memory(r);
}

/* A name, or a literal as text; NULL when node is NULL. */
static ob_status read_operand(ob__fuzz_reader *r, const ob_json *node, const char *what,
                              const char **out)
{
    char digits[32];
    size_t length;
    *out = NULL;
    if (node == NULL)
        return OB_OK;
    switch (ob_json_get_kind(node)) {
    case OB_JSON_STRING:
        *out = ob_json_string(node, &length);
        return OB_OK;
    case OB_JSON_INT:
        return copy_text(r, digits, ob__format_i64(ob_json_int(node, 0), digits), out);
    case OB_JSON_REAL:
        return copy_text(r, digits, ob__format_double(ob_json_real(node, 0), digits), out);
    case OB_JSON_BOOL:
        *out = ob_json_bool(node, false) ? "true" : "false";
        return OB_OK;
    default:
        return ob__node_error(r->err, node, "\"%s\" takes names of parameters and literals, not %s",
                              what, ob_json_kind_name(ob_json_get_kind(node)));
    }
}

static ob_status too_many(ob__fuzz_reader *r, const ob_json *node, const char *what)
{
    return ob__node_error(r->err, node, "\"%s\" has more than %d elements", what, OB_MAX_DIMS);
}

/* "('k0', 'k1')", "(1, 'k1')", "('k0',)". */
static ob_status read_tuple(ob__fuzz_reader *r, const ob_json *node, const char *what,
                            const char **out)
{
    size_t length, count = 0;
    const char *at = ob_json_string(node, &length);
    const char *end = at + length;
    if (length < 2 || at[0] != '(' || end[-1] != ')')
        return ob__node_error(
            r->err, node, "\"%s\" must be a list of names and numbers, such as [\"k0\", 1]", what);
    end--;
    at++;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma != NULL ? comma : end;
        const char *first = at, *last = stop;
        while (first < last && strchr(" '\"", *first) != NULL)
            first++;
        while (last > first && strchr(" '\"", last[-1]) != NULL)
            last--;
        if (first < last) {
            if (count == OB_MAX_DIMS)
                return too_many(r, node, what);
            OB_TRY(copy_text(r, first, (size_t)(last - first), &out[count++]));
        }
        at = stop + (comma != NULL);
    }
    return OB_OK;
}

static ob_status read_list(ob__fuzz_reader *r, const ob_json *node, const char *what,
                           const char **out)
{
    if (node == NULL)
        return OB_OK;
    if (ob_json_get_kind(node) == OB_JSON_STRING)
        return read_tuple(r, node, what, out);
    if (ob_json_get_kind(node) != OB_JSON_ARRAY)
        return ob__node_error(r->err, node, "\"%s\" must be a list of names and numbers, not %s",
                              what, ob_json_kind_name(ob_json_get_kind(node)));
    if (ob_json_count(node) > OB_MAX_DIMS)
        return too_many(r, node, what);
    for (size_t i = 0; i < ob_json_count(node); i++) {
        const ob_json *item = ob_json_item(node, i);
        if (ob_json_get_kind(item) == OB_JSON_NULL)
            return ob__node_error(r->err, item, "an element of \"%s\" is null", what);
        OB_TRY(read_operand(r, item, what, &out[i]));
    }
    return OB_OK;
}

/* A number, also one in quotes. */
static bool get_number(const ob_json *node, double *out)
{
    size_t length;
    const char *text = ob_json_string(node, &length);
    if (text != NULL && length > 0 && strspn(text, "0123456789.eE+-") == length && text[0] >= '0' &&
        text[0] <= '9') {
        *out = ob__parse_double(text, length);
        return true;
    }
    *out = ob_json_real(node, 0);
    return ob_json_get_kind(node) == OB_JSON_INT || ob_json_get_kind(node) == OB_JSON_REAL;
}

static ob_status read_bound(ob__fuzz_reader *r, const ob_json *tensor, const char *name,
                            int64_t *out)
{
    const ob_json *node = ob__fuzz_get(tensor, name);
    double number;
    if (node == NULL)
        return OB_OK;
    if (!get_number(node, &number) || !(number >= 1 && number < 0x1p63) ||
        number != (double)(int64_t)number)
        return ob__node_error(r->err, node, "\"%s\" must be a whole number of 1 or more, or null",
                              name);
    *out = ob_json_get_kind(node) == OB_JSON_INT ? ob_json_int(node, 0) : (int64_t)number;
    return OB_OK;
}

static ob_status read_bounds(ob__fuzz_reader *r, const ob_json *node, ob_fuzz_tensor *out)
{
    const ob_json *contiguous = ob__fuzz_get(node, "probability_contiguous");
    if (contiguous != NULL) {
        double *probability = ob__arena_alloc_array(&r->arena, 1, sizeof *probability);
        if (probability == NULL)
            return ob__fuzz_no_memory(r);
        if (!get_number(contiguous, probability))
            return ob__node_error(r->err, contiguous,
                                  "\"probability_contiguous\" must be a number from 0 to 1");
        out->probability_contiguous = probability;
    }
    OB_TRY(read_bound(r, node, "min_elements", &out->min_elements));
    OB_TRY(read_bound(r, node, "max_elements", &out->max_elements));
    return read_bound(r, node, "max_allocation_bytes", &out->max_allocation_bytes);
}

static ob_status read_names(ob__fuzz_reader *r, const ob_json *node, ob_fuzz_tensor *out)
{
    const struct {
        const char *name, **out;
    } rows[] = {{"dim_parameter", &out->dim_parameter},
                {"roll_parameter", &out->roll_parameter},
                {"sparse_dim", &out->sparse_dim},
                {"nnz", &out->nnz},
                {"density", &out->density},
                {"coalesced", &out->coalesced}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        OB_TRY(read_operand(r, ob__fuzz_get(node, rows[i].name), rows[i].name, rows[i].out));
    const ob_json *dtype = ob__fuzz_get(node, "dtype"), *sparse = ob__fuzz_get(node, "sparse");
    out->dtype = ob_json_string(dtype, NULL);
    if (dtype != NULL && out->dtype == NULL)
        return ob__node_error(r->err, dtype,
                              "\"dtype\" must be the name of a dtype, such as \"float32\"");
    if (sparse != NULL && ob_json_get_kind(sparse) != OB_JSON_BOOL)
        return ob__node_error(r->err, sparse, "\"sparse\" must be true or false");
    const bool mentioned = out->sparse_dim || out->nnz || out->density || out->coalesced;
    out->sparse = ob_json_bool(sparse, mentioned);
    if (!out->sparse && mentioned)
        return ob__node_error(r->err, node,
                              "sparse_dim, nnz, density and coalesced are only for sparse tensors");
    return OB_OK;
}

ob_status ob__fuzz_read_tensor(ob__fuzz_reader *r, const ob_json *node, const char *name,
                               ob_fuzz_tensor *out)
{
    static const char *const KEYS[] = {"name",
                                       "size",
                                       "steps",
                                       "probability_contiguous",
                                       "min_elements",
                                       "max_elements",
                                       "max_allocation_bytes",
                                       "dim_parameter",
                                       "roll_parameter",
                                       "dtype",
                                       "sparse",
                                       "sparse_dim",
                                       "nnz",
                                       "density",
                                       "coalesced",
                                       NULL};
    *out = (ob_fuzz_tensor){.name = name};
    if (ob_json_get_kind(node) != OB_JSON_OBJECT)
        return ob__node_error(r->err, node, "a tensor must be an object, not %s",
                              ob_json_kind_name(ob_json_get_kind(node)));
    OB_TRY(ob__fuzz_check_keys(r, node, KEYS));
    if (ob_json_string(ob_json_get(node, "name"), NULL) != NULL)
        out->name = ob_json_string(ob_json_get(node, "name"), NULL);
    if (out->name == NULL)
        return ob__node_error(r->err, node, "the tensor has no \"name\"");
    if (ob__fuzz_get(node, "size") == NULL)
        return ob__node_error(r->err, node, "the tensor has no \"size\"");
    OB_TRY(read_list(r, ob__fuzz_get(node, "size"), "size", out->size));
    OB_TRY(read_list(r, ob__fuzz_get(node, "steps"), "steps", out->steps));
    OB_TRY(read_bounds(r, node, out));
    return read_names(r, node, out);
}
