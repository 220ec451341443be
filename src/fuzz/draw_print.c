/* SPDX-License-Identifier: Apache-2.0
 *
 * A draw as one line of JSON: the parameters, and of each tensor what the original's properties say,
 * with the size and the strides.
 */
#include "base/json_node.h"
#include "base/number.h"
#include "fuzz/fuzzer.h"

#include <string.h>

static bool put(ob_text *text, const char *literal)
{
    return ob_text_append_str(text, literal);
}

static bool put_real(ob_text *text, double value)
{
    char digits[32];
    return ob_text_append(text, digits, ob__format_double(value, digits));
}

static bool put_value(ob_text *text, const ob_value *value)
{
    switch (value->kind) {
    case OB_VALUE_BOOL:
        return put(text, value->as.boolean ? "true" : "false");
    case OB_VALUE_INT:
        return ob__text_append_i64(text, value->as.integer);
    case OB_VALUE_DOUBLE:
        return put_real(text, value->as.real);
    case OB_VALUE_STR:
        return ob__json_write_string(text, value->as.str.text, value->as.str.length);
    default:
        return put(text, "null");
    }
}

/* "name": [1, 2], */
static bool put_list(ob_text *text, const char *name, const int64_t *list, int count)
{
    bool ok = ob_text_printf(text, "\"%s\": [", name);
    for (int i = 0; i < count && ok; i++)
        ok = (i == 0 || put(text, ", ")) && ob__text_append_i64(text, list[i]);
    return ok && put(text, "], ");
}

static bool put_dense(ob_text *text, const ob_fuzz_tensor_info *info)
{
    int64_t order[OB_MAX_DIMS];
    for (int i = 0; i < info->ndim; i++)
        order[i] = info->order[i];
    return put_list(text, "strides", info->strides, info->ndim) &&
           put_list(text, "steps", info->steps, info->ndim) &&
           put_list(text, "order", order, info->ndim) &&
           ob_text_printf(text, "\"numel\": %lld, \"is_contiguous\": %s, ", (long long)info->numel,
                          info->is_contiguous ? "true" : "false") &&
           ob_text_printf(text, "\"allocation_bytes\": %lld, ", (long long)info->allocation_bytes);
}

static bool put_sparse(ob_text *text, const ob_fuzz_tensor_info *info)
{
    return put_list(text, "shape", info->size, info->ndim) &&
           ob_text_printf(text, "\"numel\": %lld, \"nnz\": %lld, \"is_coalesced\": %s, ",
                          (long long)info->numel, (long long)info->nnz,
                          info->is_coalesced ? "true" : "false") &&
           put(text, "\"density\": ") && put_real(text, info->density) &&
           put(text, ", \"sparsity\": ") && put_real(text, 1 - info->density) &&
           ob_text_printf(text, ", \"sparse_dim\": %d, \"dense_dim\": %d, \"is_hybrid\": %s, ",
                          info->sparse_dim, info->dense_dim,
                          info->dense_dim > 0 ? "true" : "false");
}

static bool put_tensor(ob_text *text, const ob_fuzz_tensor_info *info)
{
    return ob__json_write_string(text, info->name, strlen(info->name)) && put(text, ": {") &&
           put_list(text, "size", info->size, info->ndim) &&
           (info->sparse ? put_sparse(text, info) : put_dense(text, info)) &&
           ob_text_printf(text, "\"dtype\": \"torch.%s\"}",
                          ob_dtype_get_info(info->dtype)->torch_name);
}

static bool put_draw(ob_text *text, const ob_fuzzer *f, const ob_fuzz_draw *draw)
{
    bool ok =
        ob_text_printf(text, "{\"index\": %llu, \"params\": {", (unsigned long long)draw->index);
    for (size_t i = 0; i < draw->parameter_count && ok; i++)
        ok = (i == 0 || put(text, ", ")) &&
             ob__json_write_string(text, draw->names[i], strlen(draw->names[i])) &&
             put(text, ": ") && put_value(text, &draw->values[i]);
    ok = ok && put(text, "}, \"tensors\": {");
    for (size_t i = 0; i < draw->tensor_count && ok; i++)
        ok = (i == 0 || put(text, ", ")) && put_tensor(text, &draw->tensors[i]);
    return ok &&
           ob_text_printf(text, "}, \"attempts\": %llu, \"rejection_rate\": ",
                          (unsigned long long)draw->attempts) &&
           put_real(text, ob_fuzzer_rejection_rate(f)) && put(text, "}");
}

ob_status ob_fuzz_draw_print(const ob_fuzzer *f, const ob_fuzz_draw *draw, ob_text *text,
                             ob_err *err)
{
    const size_t before = text->size;
    if (put_draw(text, f, draw))
        return OB_OK;
    text->size = before;
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a line");
}
