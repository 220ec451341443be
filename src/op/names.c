/* SPDX-License-Identifier: Apache-2.0
 *
 * Front-end names to base names of operators: by the rows' own further names, by adapter, by a few
 * names that differ, or by the rule of their prefix.
 */
#include "op/names.h"
#include "op/adapter.h"
#include "op/table.h"

#include <stdio.h>
#include <string.h>

/* The longest prefix first where one is the start of another. */
static const struct {
    const char *prefix;
    const char *base; /* what takes its place; NULL: the first dot becomes "::" */
    ob__name_style style;
    bool overload; /* a dot may follow, and the overload */
    bool listed;   /* only the names of SAME_NAME: the rest is made of several operators */
} PREFIXES[] = {
    {"torch.ops.", NULL, OB__STYLE_CANONICAL, true, false},
    {"aten.", "aten::", OB__STYLE_CANONICAL, true, false},
    {"torch.Tensor.", "aten::", OB__STYLE_METHOD, false, false},
    {"Tensor.", "aten::", OB__STYLE_METHOD, false, false},
    {"torch.nn.functional.", "aten::", OB__STYLE_FUNCTION, false, true},
    {"torch._C._nn.", "aten::", OB__STYLE_FUNCTION, false, false},
    {"torch.linalg.", "aten::linalg_", OB__STYLE_FUNCTION, false, false},
    {"torch.fft.", "aten::fft_", OB__STYLE_FUNCTION, false, false},
    {"torch.special.", "aten::special_", OB__STYLE_FUNCTION, false, false},
    {"torch.sparse.", "aten::_sparse_", OB__STYLE_FUNCTION, false, false},
    {"torch.functional.", "aten::", OB__STYLE_FUNCTION, false, false},
    {"torch.", "aten::", OB__STYLE_FUNCTION, false, false},
};

/* Functions of torch.nn.functional that are the operator of the same name, arguments included. The
 * list decides, not the table: what a name means must not depend on the plug-ins that are loaded,
 * because it is part of a case's key. */
static const char *const SAME_NAME[] = {
    "bilinear",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "celu_",
    "dropout_",
    "elu_",
    "gelu",
    "glu",
    "group_norm",
    "hardshrink",
    "hardtanh_",
    "layer_norm",
    "leaky_relu_",
    "linear",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "relu_",
    "rms_norm",
    "rrelu_",
    "selu_",
    "sigmoid",
    "softplus",
    "softshrink",
    "tanh",
    "threshold_",
};

/* Same arguments, another name. */
static const struct {
    const char *name, *base;
    ob__name_style style;
} OTHER_NAME[] = {
    {"torch.Tensor.__add__", "aten::add", OB__STYLE_METHOD},
    {"torch.Tensor.__radd__", "aten::add", OB__STYLE_METHOD},
    {"torch.Tensor.__iadd__", "aten::add_", OB__STYLE_METHOD},
    {"torch.Tensor.__sub__", "aten::sub", OB__STYLE_METHOD},
    {"torch.Tensor.__rsub__", "aten::rsub", OB__STYLE_METHOD},
    {"torch.Tensor.__isub__", "aten::sub_", OB__STYLE_METHOD},
    {"torch.Tensor.__mul__", "aten::mul", OB__STYLE_METHOD},
    {"torch.Tensor.__rmul__", "aten::mul", OB__STYLE_METHOD},
    {"torch.Tensor.__imul__", "aten::mul_", OB__STYLE_METHOD},
    {"torch.Tensor.__truediv__", "aten::div", OB__STYLE_METHOD},
    {"torch.Tensor.__itruediv__", "aten::div_", OB__STYLE_METHOD},
    {"torch.Tensor.__floordiv__", "aten::floor_divide", OB__STYLE_METHOD},
    {"torch.Tensor.__mod__", "aten::remainder", OB__STYLE_METHOD},
    {"torch.Tensor.__pow__", "aten::pow", OB__STYLE_METHOD},
    {"torch.Tensor.__matmul__", "aten::matmul", OB__STYLE_METHOD},
    {"torch.Tensor.__neg__", "aten::neg", OB__STYLE_METHOD},
    {"torch.Tensor.__abs__", "aten::abs", OB__STYLE_METHOD},
    {"torch.Tensor.__invert__", "aten::bitwise_not", OB__STYLE_METHOD},
    {"torch.Tensor.__eq__", "aten::eq", OB__STYLE_METHOD},
    {"torch.Tensor.__ne__", "aten::ne", OB__STYLE_METHOD},
    {"torch.Tensor.__lt__", "aten::lt", OB__STYLE_METHOD},
    {"torch.Tensor.__le__", "aten::le", OB__STYLE_METHOD},
    {"torch.Tensor.__gt__", "aten::gt", OB__STYLE_METHOD},
    {"torch.Tensor.__ge__", "aten::ge", OB__STYLE_METHOD},
    {"torch.spmm", "aten::mm", OB__STYLE_FUNCTION},
    {"torch.dsmm", "aten::mm", OB__STYLE_FUNCTION},
    {"torch.sparse.sampled_addmm", "aten::sparse_sampled_addmm", OB__STYLE_FUNCTION},
};

static ob_status too_long(const char *name, ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOT_FOUND, "operator name '%.64s...' is too long", name);
}

static bool is_word(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (c >= '0' && c <= '9' && i > 0)))
            return false;
    }
    return length > 0;
}

static ob_status set_base(const ob_op_table *table, const char *name, const char *base,
                          size_t length, ob__name *out, ob_err *err)
{
    const int n = snprintf(out->public.base, sizeof out->public.base, "%.*s", (int)length, base);
    if (n < 0 || (size_t)n >= sizeof out->public.base)
        return too_long(name, err);
    out->public.known = ob__table_has(table, out->public.base, out->public.overload);
    return OB_OK;
}

/* A whole schema must be one: most often it is a name with something behind it by mistake. */
static ob_status check_schema(const char *text, ob_err *err)
{
    ob_schema *schema = NULL;
    ob_err why;
    const ob_status status = ob_schema_parse(text, strlen(text), &schema, &why);
    ob_schema_destroy(schema);
    if (status == OB_OK || status == OB_ERR_NOMEM)
        return status;
    return ob_err_set(err, OB_ERR_INVALID,
                      "'%.128s' is not a schema: %.200s; give just the name, or a whole schema "
                      "such as aten::neg(Tensor self) -> Tensor",
                      text, why.message);
}

const char *ob__name_path(const char *name)
{
    static const char PATHS[] = "python::";
    return strncmp(name, PATHS, sizeof PATHS - 1) == 0 ? name + sizeof PATHS - 1 : NULL;
}

const char *ob__name_dot(const char *name, size_t length)
{
    const char *space = memmem(name, length, "::", 2);
    if (space == NULL || ob__name_path(name) != NULL)
        return NULL;
    return memchr(space, '.', length - (size_t)(space - name));
}

/* "aten::add" or "aten::add.Tensor"; a whole schema stands for the name at its start. */
static ob_status canonical(const ob_op_table *table, const char *name, ob__name *out, ob_err *err)
{
    const size_t end = strcspn(name, "(");
    if (name[end] != '\0')
        OB_TRY(check_schema(name, err));
    const char *dot = ob__name_dot(name, end);
    const size_t length = dot != NULL ? (size_t)(dot - name) : end;
    if (dot != NULL) {
        const size_t overload_length = end - length - 1;
        if (overload_length >= sizeof out->public.overload)
            return too_long(name, err);
        memcpy(out->public.overload, dot + 1, overload_length);
        out->public.overload[overload_length] = '\0';
    }
    return set_base(table, name, name, length, out, err);
}

static ob_status not_found(const ob_op_table *table, const char *name, const char *base,
                           ob_err *err)
{
    char nearest[sizeof((ob_op_name *)0)->base];
    /* The search is for the message only. */
    if (err != NULL && ob__table_nearest(table, base, nearest, sizeof nearest))
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "'%.128s' is not an operator; the nearest name is %s", name, nearest);
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "'%.128s' is not an operator; give a name such as torch.add, "
                      "torch.Tensor.add_, torch.nn.functional.relu or aten::add.Tensor",
                      name);
}

static bool is_same_name(const char *word)
{
    for (size_t i = 0; i < sizeof SAME_NAME / sizeof SAME_NAME[0]; i++)
        if (strcmp(SAME_NAME[i], word) == 0)
            return true;
    return false;
}

/* name has prefix p and `rest` behind it. */
static ob_status by_prefix(const ob_op_table *table, const char *name, size_t p, const char *rest,
                           ob__name *out, ob_err *err)
{
    char text[sizeof out->public.base + sizeof out->public.overload];
    const char *space = PREFIXES[p].base;
    size_t space_length = space != NULL ? 0 : strcspn(rest, ".");
    const char *word = space != NULL ? rest : rest + space_length + (rest[space_length] == '.');
    const size_t length = strcspn(word, PREFIXES[p].overload ? "." : "");
    if (!is_word(word, length) || (space == NULL && !is_word(rest, space_length)) ||
        (word[length] == '.' && !is_word(word + length + 1, strlen(word + length + 1))))
        return not_found(table, name, word, err);
    const int n = space != NULL
                      ? snprintf(text, sizeof text, "%s%s", space, word)
                      : snprintf(text, sizeof text, "%.*s::%s", (int)space_length, rest, word);
    if (n < 0 || (size_t)n >= sizeof text)
        return too_long(name, err);
    if (PREFIXES[p].listed && !is_same_name(word))
        return not_found(table, name, text, err);
    out->style = PREFIXES[p].style;
    return canonical(table, text, out, err);
}

static ob_status by_rule(const ob_op_table *table, const char *name, ob__name *out, ob_err *err)
{
    for (size_t i = 0; i < sizeof OTHER_NAME / sizeof OTHER_NAME[0]; i++) {
        if (strcmp(OTHER_NAME[i].name, name) == 0) {
            out->style = OTHER_NAME[i].style;
            return set_base(table, name, OTHER_NAME[i].base, strlen(OTHER_NAME[i].base), out, err);
        }
    }
    for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++) {
        const size_t length = strlen(PREFIXES[i].prefix);
        if (strncmp(name, PREFIXES[i].prefix, length) == 0)
            return by_prefix(table, name, i, name + length, out, err);
    }
    return not_found(table, name, name, err);
}

static bool by_adapter(const ob_op_table *table, const char *name, ob__name *out)
{
    char method[sizeof out->public.base];
    if (strncmp(name, "Tensor.", 7) == 0) {
        snprintf(method, sizeof method, "torch.%s", name);
        name = method;
    }
    const uint32_t index = ob__index_find(&table->by_adapter, name, strlen(name));
    if (index == OB__INDEX_NONE)
        return false;
    out->adapter = index;
    out->public.adapter = ob__adapter_at(index);
    out->public.known = ob__adapter_known(table, index, out->public.base, sizeof out->public.base,
                                          out->public.overload, sizeof out->public.overload);
    return true;
}

ob_status ob__name_resolve(const ob_op_table *table, const char *name, ob__name *out, ob_err *err)
{
    *out = (ob__name){.style = OB__STYLE_CANONICAL};
    if (strstr(name, "::") != NULL)
        return canonical(table, name, out, err);
    const uint32_t other = ob__index_find(&table->by_other, name, strlen(name));
    if (other != OB__INDEX_NONE) {
        const ob__op_entry *entry = ob__table_entry(table, other);
        out->style = OB__STYLE_FUNCTION;
        return set_base(table, name, entry->name, entry->base_length, out, err);
    }
    if (by_adapter(table, name, out))
        return OB_OK;
    return by_rule(table, name, out, err);
}

ob_status ob_op_resolve_name(const ob_op_table *table, const char *name, ob_op_name *out,
                             ob_err *err)
{
    ob__name full;
    const ob_status status = ob__name_resolve(table, name, &full, err);
    *out = status == OB_OK ? full.public : (ob_op_name){.base = ""};
    return status;
}
