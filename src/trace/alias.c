/* SPDX-License-Identifier: Apache-2.0
 *
 * One row per operator: where each argument of the generic operator comes from. Outputs keep their
 * places; a further one that only the vendor's operator has (a reserve) is not made.
 */
#include "trace/alias.h"

#include <stdio.h>
#include <string.h>

/* Sources that are not numbers of arguments. */
enum { NONE = -1, NO = -2, YES = -3, ALL_ZERO = -4, ALL_TRUE = -5, END = -9 };

typedef struct row {
    const char *from, *to;
    const char *schema; /* of the generic operator */
    int8_t args[OB_TRACE_ALIAS_ARGS + 1];
} row;

#define CONVOLUTION                                                                                \
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "   \
    "int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor"
#define BATCH_NORM                                                                                 \
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "   \
    "Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"
#define BATCH_NORM_BACKWARD                                                                        \
    "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? "     \
    "running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, "      \
    "float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"

static const row ROWS[] = {
    {"aten::cudnn_convolution",
     "aten::convolution",
     CONVOLUTION,
     {0, 1, NONE, 3, 2, 4, NO, ALL_ZERO, 5, END}},
    {"aten::cudnn_convolution_transpose",
     "aten::convolution",
     CONVOLUTION,
     {0, 1, NONE, 4, 2, 5, YES, 3, 6, END}},
    {"aten::miopen_convolution",
     "aten::convolution",
     CONVOLUTION,
     {0, 1, 2, 4, 3, 5, NO, ALL_ZERO, 6, END}},
    {"aten::miopen_convolution_transpose",
     "aten::convolution",
     CONVOLUTION,
     {0, 1, 2, 5, 3, 6, YES, 4, 7, END}},
    /* What it puts off is the copy; memory that was made elsewhere it refuses. */
    {"aten::_lazy_clone",
     "aten::clone",
     "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
     {0, END}},
    {"aten::cudnn_batch_norm",
     "aten::native_batch_norm",
     BATCH_NORM,
     {0, 1, 2, 3, 4, 5, 6, 7, END}},
    {"aten::miopen_batch_norm",
     "aten::native_batch_norm",
     BATCH_NORM,
     {0, 1, 2, 3, 4, 5, 6, 7, END}},
    {"aten::_batch_norm_with_update",
     "aten::native_batch_norm",
     BATCH_NORM,
     {0, 1, 2, 3, 4, YES, 5, 6, END}},
    {"aten::batch_norm_backward",
     "aten::native_batch_norm_backward",
     BATCH_NORM_BACKWARD,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, END}},
    {"aten::cudnn_batch_norm_backward",
     "aten::native_batch_norm_backward",
     BATCH_NORM_BACKWARD,
     {1, 0, 2, 3, 4, 5, 6, YES, 7, ALL_TRUE, END}},
    {"aten::miopen_batch_norm_backward",
     "aten::native_batch_norm_backward",
     BATCH_NORM_BACKWARD,
     {1, 0, 2, 3, 4, 5, 6, YES, 7, ALL_TRUE, END}},
};

/* Operators that PyTorch's own front end calls, where a backend has only the plain one. */
static const row PLAIN_ROWS[] = {
    {"aten::lift_fresh", "aten::detach", "aten::detach(Tensor(a) self) -> Tensor(a)", {0, END}},
    {"aten::detach_", "aten::detach", "aten::detach(Tensor(a) self) -> Tensor(a)", {0, END}},
    {"aten::_index_put_impl_",
     "aten::index_put_",
     "aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) "
     "-> "
     "Tensor(a!)",
     {0, 1, 2, 3, END}},
    {"aten::_unsafe_index.Tensor",
     "aten::index.Tensor",
     "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
     {0, 1, END}},
    {"aten::_unsafe_index_put",
     "aten::index_put",
     "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
     "Tensor",
     {0, 1, 2, 3, END}},
    {"aten::_native_batch_norm_legit",
     "aten::native_batch_norm",
     BATCH_NORM,
     {0, 1, 2, 3, 4, 5, 6, 7, END}},
    {"aten::_native_batch_norm_legit.no_stats",
     "aten::native_batch_norm",
     BATCH_NORM,
     {0, 1, 2, NONE, NONE, 3, 4, 5, END}},
};

/* output_padding of a convolution and output_mask of a backward. Two zeros do for one to three
 * dimensions too: the rows are for images; other numbers of dimensions stay as recorded. */
static const ob_trace_value ZEROS[] = {{.kind = OB_TRACE_INT}, {.kind = OB_TRACE_INT}};
static const ob_trace_value TRUES[] = {{.kind = OB_TRACE_BOOL, .as = {.integer = 1}},
                                       {.kind = OB_TRACE_BOOL, .as = {.integer = 1}},
                                       {.kind = OB_TRACE_BOOL, .as = {.integer = 1}}};

void ob__trace_call_name(const ob_trace_node *node, char *out, size_t size)
{
    const size_t length = strcspn(node->schema, "(");
    const char *text = length > 0 ? node->schema : node->name;
    size_t count = length > 0 ? length : strlen(text);
    if (count >= size)
        count = size - 1;
    memcpy(out, text, count);
    out[count] = '\0';
}

const char *ob__trace_unrecorded(const ob_trace_node *node)
{
    return node->kind == OB_TRACE_OPERATOR && node->duration_us >= 0 && node->input_count == 0
               ? "its arguments were not recorded; profile with record_shapes=True, using a "
                 "PyTorch with Kineto, or record an execution trace"
               : NULL;
}

bool ob__trace_is_call(const ob_trace_node *node)
{
    return node->kind != OB_TRACE_LABEL && node->kind != OB_TRACE_COMPILED;
}

bool ob__trace_is_host_call(const char *name)
{
    static const char *const NAMES[] = {"aten::item",          "aten::_local_scalar_dense",
                                        "aten::is_nonzero",    "aten::result_type",
                                        "aten::promote_types", "aten::can_cast"};
    static const char *const STARTS[] = {"aten::_assert_", "aten::_functional_assert_",
                                         "profiler::_record_function_"};
    const size_t length = strcspn(name, ".");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strlen(NAMES[i]) == length && strncmp(name, NAMES[i], length) == 0)
            return true;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (strncmp(name, STARTS[i], strlen(STARTS[i])) == 0)
            return true;
    return false;
}

bool ob__trace_is_stream_call(const ob_trace_node *node, const char *name)
{
    static const char *const NAMES[] = {
        "aten::record_stream", "aten::pin_memory", "aten::_pin_memory",
        "aten::is_pinned",     "cuda::",           "streams::"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strncmp(name, NAMES[i], strlen(NAMES[i])) == 0)
            return true;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i].kind == OB_TRACE_OTHER &&
            strncmp(node->inputs[i].as.text, "Stream", 6) == 0)
            return true;
    return false;
}

bool ob__trace_is_sparse(const ob_trace_tensor *tensor)
{
    return tensor->id > 0 && tensor->storage <= 0 && tensor->item_bytes == 0 && tensor->ndim > 0;
}

static ob_trace_value source(const ob_trace_node *node, int8_t from, bool *ok)
{
    switch (from) {
    case NONE:
        return (ob_trace_value){.kind = OB_TRACE_NONE};
    case NO:
    case YES:
        return (ob_trace_value){.kind = OB_TRACE_BOOL, .as = {.integer = from == YES}};
    case ALL_ZERO:
        return (ob_trace_value){.kind = OB_TRACE_LIST, .count = 2, .as = {.items = ZEROS}};
    case ALL_TRUE:
        return (ob_trace_value){.kind = OB_TRACE_LIST, .count = 3, .as = {.items = TRUES}};
    default:
        if (from < 0 || (uint32_t)from >= node->input_count) {
            *ok = false;
            return (ob_trace_value){.kind = OB_TRACE_NONE};
        }
        return node->inputs[from];
    }
}

static bool for_images(const ob_trace_node *node)
{
    const ob_trace_value *input = node->input_count > 0 ? &node->inputs[0] : NULL;
    return input != NULL && input->kind == OB_TRACE_TENSOR && input->as.tensor->ndim == 4;
}

static bool apply_row(const row *r, const ob_trace_node *node, ob_trace_alias *alias)
{
    size_t count = 0;
    bool ok = true;
    for (; ok && r->args[count] != END; count++)
        alias->own[count] = source(node, r->args[count], &ok);
    if (!ok)
        return false;
    alias->name = r->to;
    alias->schema = r->schema;
    alias->args = alias->own;
    alias->count = count;
    alias->changed = true;
    return true;
}

void ob__trace_alias_apply(const ob_trace_node *node, const char *name, ob_trace_alias *alias)
{
    alias->name = name;
    alias->schema = node->schema;
    alias->args = node->inputs;
    alias->count = node->input_count;
    alias->changed = false;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (strcmp(ROWS[i].from, name) == 0 &&
            (strstr(name, "convolution") == NULL || for_images(node)))
            apply_row(&ROWS[i], node, alias);
}

bool ob__trace_alias_replace(const ob_trace_node *node, const char *name, ob_trace_alias *alias)
{
    for (size_t i = 0; i < sizeof PLAIN_ROWS / sizeof *PLAIN_ROWS; i++)
        if (strcmp(PLAIN_ROWS[i].from, name) == 0)
            return apply_row(&PLAIN_ROWS[i], node, alias);
    return false;
}
