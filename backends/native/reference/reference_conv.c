/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions, plain and transposed, and their gradients, as sums of products.
 *
 * Two ways to gather are enough. "Reading": an element of the small side (positions of the kernel's steps) sums over the
 * window that it sees in the large one. "Spreading": an element of the large side sums over all that see it. A plain
 * convolution reads and its input's gradient spreads; a transposed one spreads and its input's gradient reads.
 */
#include "reference_product.h"
#include "reference_slice.h"

#include <stdlib.h>

enum { MOST_SPACE = 3 };

typedef struct conv {
    int space; /* dimensions */
    int64_t batch, groups, kernel_count;
    int64_t small[MOST_SPACE], large[MOST_SPACE], kernel[MOST_SPACE];
    int64_t small_count, large_count;
    int64_t stride[MOST_SPACE], padding[MOST_SPACE], dilation[MOST_SPACE];
    int64_t small_channels, large_channels; /* of one group */
    const ref_tensor *small_side, *large_side, *weight;
} conv;

/* ---- geometry ---- */

static void unravel(int64_t number, const int64_t *sizes, int count, int64_t *index)
{
    for (int d = count - 1; d >= 0; d--) {
        index[d] = number % sizes[d];
        number /= sizes[d];
    }
}

static int64_t spatial_offset(const ref_tensor *t, const conv *c, const int64_t *index)
{
    int64_t offset = t->offset;
    for (int d = 0; d < c->space; d++)
        offset += index[d] * t->strides[2 + d];
    return offset;
}

/* Where position `at` of the small side meets kernel element k in the large one. False: outside. */
static bool read_at(const conv *c, const int64_t *at, const int64_t *k, int64_t *index)
{
    for (int d = 0; d < c->space; d++) {
        index[d] = at[d] * c->stride[d] - c->padding[d] + k[d] * c->dilation[d];
        if (index[d] < 0 || index[d] >= c->large[d])
            return false;
    }
    return true;
}

/* Which position of the small side sees `at` of the large one by kernel element k. False: none. */
static bool spread_from(const conv *c, const int64_t *at, const int64_t *k, int64_t *index)
{
    for (int d = 0; d < c->space; d++) {
        const int64_t reach = at[d] + c->padding[d] - k[d] * c->dilation[d];
        if (reach < 0 || reach % c->stride[d] != 0)
            return false;
        index[d] = reach / c->stride[d];
        if (index[d] >= c->small[d])
            return false;
    }
    return true;
}

/* ---- the results: rows are (batch, position), columns channels, blocks groups ---- */

static void row_of(const ref_product *p, int64_t group, int64_t row, int64_t *offsets, bool reads)
{
    const conv *c = p->data;
    const ref_tensor *from = reads ? c->large_side : c->small_side;
    const int64_t channels = reads ? c->large_channels : c->small_channels;
    const int64_t positions = reads ? c->small_count : c->large_count;
    int64_t at[MOST_SPACE], k[MOST_SPACE], index[MOST_SPACE];
    unravel(row % positions, reads ? c->small : c->large, c->space, at);
    for (int64_t i = 0; i < c->kernel_count; i++) {
        unravel(i, c->kernel, c->space, k);
        const bool there = reads ? read_at(c, at, k, index) : spread_from(c, at, k, index);
        const int64_t base = there ? spatial_offset(from, c, index) +
                                         row / positions * from->strides[0] +
                                         group * channels * from->strides[1]
                                   : 0;
        for (int64_t channel = 0; channel < channels; channel++)
            offsets[channel * c->kernel_count + i] = there ? base + channel * from->strides[1] : -1;
    }
}

static void reading_row(const ref_product *p, int64_t group, int64_t row, int64_t *offsets)
{
    row_of(p, group, row, offsets, true);
}

static void spreading_row(const ref_product *p, int64_t group, int64_t row, int64_t *offsets)
{
    row_of(p, group, row, offsets, false);
}

/* The weight is [small channels of all groups, large channels of one, kernel]. */
static int64_t weight_offset(const conv *c, int64_t small, int64_t large, int64_t k)
{
    int64_t index[MOST_SPACE];
    unravel(k, c->kernel, c->space, index);
    return spatial_offset(c->weight, c, index) + small * c->weight->strides[0] +
           large * c->weight->strides[1];
}

static void reading_column(const ref_product *p, int64_t group, int64_t column, int64_t *offsets)
{
    const conv *c = p->data;
    for (int64_t i = 0; i < p->length; i++)
        offsets[i] = weight_offset(c, group * c->small_channels + column, i / c->kernel_count,
                                   i % c->kernel_count);
}

static void spreading_column(const ref_product *p, int64_t group, int64_t column, int64_t *offsets)
{
    const conv *c = p->data;
    for (int64_t i = 0; i < p->length; i++)
        offsets[i] = weight_offset(c, group * c->small_channels + i / c->kernel_count, column,
                                   i % c->kernel_count);
}

static int64_t side_place(const ref_product *p, int64_t group, int64_t row, int64_t column)
{
    const conv *c = p->data;
    const int64_t positions = p->rows / c->batch;
    return ((row / positions * c->groups + group) * p->columns + column) * positions +
           row % positions;
}

static void side_find(const ref_product *p, int64_t place, int64_t *group, int64_t *row,
                      int64_t *column)
{
    const conv *c = p->data;
    const int64_t positions = p->rows / c->batch;
    const int64_t channel = place / positions;
    *column = channel % p->columns;
    *group = channel / p->columns % c->groups;
    *row = channel / p->columns / c->groups * positions + place % positions;
}

/* Libraries may convolve by Winograd's F(6x6, 3x3), whose transforms enlarge the roundings: docs/check.md measures by how much. */
static bool may_be_winograd(const conv *c)
{
    bool may = c->space == 2;
    for (int d = 0; d < c->space; d++)
        may = may && c->kernel[d] == 3 && c->stride[d] == 1 && c->dilation[d] == 1;
    return may;
}

static ob_status make_side(const ref_call *of, ref_out *out, const conv *c, bool reads,
                           const ref_tensor *bias, ob_err *err)
{
    static const double WINOGRAD = 6;
    ref_tensor along;
    ref_call own = *of;
    if (reads && may_be_winograd(c))
        own.rules.u *= WINOGRAD;
    ref_product p = {.blocks = c->groups,
                     .rows = c->batch * (reads ? c->small_count : c->large_count),
                     .columns = reads ? c->small_channels : c->large_channels,
                     .length = c->kernel_count * (reads ? c->large_channels : c->small_channels),
                     .a = reads ? c->large_side : c->small_side,
                     .b = c->weight,
                     .row = reads ? reading_row : spreading_row,
                     .column = reads ? reading_column : spreading_column,
                     .place = side_place,
                     .find = side_find,
                     .alpha = ball_of(1),
                     .beta = ball_of(1),
                     .whole_alpha = 1,
                     .whole_beta = 1,
                     .data = c};
    if (bias != NULL) {
        along = *bias;
        along.ndim = c->space + 1;
        along.sizes[0] = bias->sizes[0];
        along.strides[0] = bias->strides[0];
        for (int d = 1; d <= c->space; d++) {
            along.sizes[d] = 1;
            along.strides[d] = 0;
        }
        p.plus = &along;
    }
    return ref_product_run(&own, out, &p, err);
}

/* ---- the weight's gradient: rows are (large channel, kernel element), columns small channels ---- */

static void weight_row(const ref_product *p, int64_t group, int64_t row, int64_t *offsets)
{
    const conv *c = p->data;
    const ref_tensor *from = c->large_side;
    int64_t at[MOST_SPACE], k[MOST_SPACE], index[MOST_SPACE];
    unravel(row % c->kernel_count, c->kernel, c->space, k);
    for (int64_t i = 0; i < p->length; i++) {
        unravel(i % c->small_count, c->small, c->space, at);
        offsets[i] =
            read_at(c, at, k, index)
                ? spatial_offset(from, c, index) + i / c->small_count * from->strides[0] +
                      (group * c->large_channels + row / c->kernel_count) * from->strides[1]
                : -1;
    }
}

static void weight_column(const ref_product *p, int64_t group, int64_t column, int64_t *offsets)
{
    const conv *c = p->data;
    const ref_tensor *from = c->small_side;
    int64_t at[MOST_SPACE];
    for (int64_t i = 0; i < p->length; i++) {
        unravel(i % c->small_count, c->small, c->space, at);
        offsets[i] = spatial_offset(from, c, at) + i / c->small_count * from->strides[0] +
                     (group * c->small_channels + column) * from->strides[1];
    }
}

static int64_t weight_place(const ref_product *p, int64_t group, int64_t row, int64_t column)
{
    return (group * p->columns + column) * p->rows + row;
}

static void weight_find(const ref_product *p, int64_t place, int64_t *group, int64_t *row,
                        int64_t *column)
{
    *row = place % p->rows;
    *column = place / p->rows % p->columns;
    *group = place / p->rows / p->columns;
}

static ob_status make_weight(ref_call *call, ref_out *out, const conv *c, ob_err *err)
{
    const ref_product p = {.blocks = c->groups,
                           .rows = c->large_channels * c->kernel_count,
                           .columns = c->small_channels,
                           .length = c->batch * c->small_count,
                           .a = c->large_side,
                           .b = c->small_side,
                           .row = weight_row,
                           .column = weight_column,
                           .place = weight_place,
                           .find = weight_find,
                           .alpha = ball_of(1),
                           .whole_alpha = 1,
                           .data = c};
    return ref_product_run(call, out, &p, err);
}

/* ---- the operators ---- */

static void take_space(const ref_call *call, const char *name, int space, int64_t *to)
{
    int64_t given[OB_MAX_DIMS] = {0};
    const size_t count = ob_kit_arg_ints(&call->kit, name, given, OB_MAX_DIMS);
    for (int d = 0; d < space; d++)
        to[d] = given[count > 1 ? d : 0];
}

/* input: what the forward reads; output: what it makes. */
static ob_status take(const ref_call *call, const ref_tensor *input, const ref_tensor *output,
                      conv *c, ob_err *err)
{
    const bool transposed = ob_kit_arg_bool(&call->kit, "transposed", false);
    *c = (conv){.space = input->ndim - 2,
                .batch = input->sizes[0],
                .groups = ob_kit_arg_int(&call->kit, "groups", 1),
                .kernel_count = 1,
                .small_count = 1,
                .large_count = 1,
                .weight = ref_arg(call, "weight"),
                .small_side = transposed ? input : output,
                .large_side = transposed ? output : input};
    if (c->space < 1 || c->space > MOST_SPACE)
        return ref_unsupported(call, "of this many dimensions", err);
    take_space(call, "stride", c->space, c->stride);
    take_space(call, "padding", c->space, c->padding);
    take_space(call, "dilation", c->space, c->dilation);
    for (int d = 0; d < c->space; d++) {
        c->kernel[d] = c->weight->sizes[2 + d];
        c->small[d] = c->small_side->sizes[2 + d];
        c->large[d] = c->large_side->sizes[2 + d];
        c->kernel_count *= c->kernel[d];
        c->small_count *= c->small[d];
        c->large_count *= c->large[d];
    }
    c->small_channels = c->weight->sizes[0] / c->groups;
    c->large_channels = c->weight->sizes[1];
    return OB_OK;
}

static ob_status run_forward(ref_call *call, ob_err *err)
{
    conv c;
    OB_TRY(take(call, ref_arg(call, "input"), &call->outs[0].t, &c, err));
    return make_side(call, call->outs, &c, !ob_kit_arg_bool(&call->kit, "transposed", false),
                     ref_arg(call, "bias"), err);
}

static ob_status make_bias(ref_call *call, ref_out *out, const ref_tensor *grad, ob_err *err)
{
    bool reduced[OB_MAX_DIMS];
    ref_slices s;
    int64_t *chosen, count;
    for (int d = 0; d < grad->ndim; d++)
        reduced[d] = d != 1;
    ref_slices_start(&s, grad, reduced);
    OB_TRY(ref_choose(call, out, s.count, 1, 8 * (double)s.length, &chosen, &count, err));
    for (int64_t i = 0; i < count; i++) {
        ball_sum sum = {.count = 0};
        const int64_t slice = chosen != NULL ? chosen[i] : i;
        for (int64_t k = 0; k < s.length; k++) {
            ref_slices_seek(&s, slice, k);
            ball_sum_add(&sum, ref_get(grad, s.offsets[0]));
        }
        ref_put(call, out, slice, ball_sum_end(&call->rules, &sum));
    }
    free(chosen);
    return OB_OK;
}

static ob_status run_backward(ref_call *call, ob_err *err)
{
    const bool transposed = ob_kit_arg_bool(&call->kit, "transposed", false);
    const ref_tensor *grad = ref_arg(call, "grad_output"), *input = ref_arg(call, "input");
    conv c;
    OB_TRY(take(call, input, grad, &c, err));
    if (call->outs[0].t.dtype != OB_DTYPE_INVALID)
        OB_TRY(make_side(call, &call->outs[0], &c, transposed, NULL, err));
    if (call->outs[1].t.dtype != OB_DTYPE_INVALID)
        OB_TRY(make_weight(call, &call->outs[1], &c, err));
    if (call->outs[2].t.dtype != OB_DTYPE_INVALID)
        OB_TRY(make_bias(call, &call->outs[2], grad, err));
    return OB_OK;
}

const ref_row ref_rows_conv[] = {
    {.name = "aten::convolution", .run = run_forward},
    {.name = "aten::convolution_backward", .run = run_backward},
    {.name = NULL},
};
