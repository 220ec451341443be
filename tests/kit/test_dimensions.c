/* SPDX-License-Identifier: Apache-2.0
 *
 * Dimensions that operands walk together, and the arithmetic of shapes that all backends share.
 */
#include "check.h"

#include "opbench/kit.h"

#include <string.h>

typedef struct shape {
    int64_t sizes[OB_MAX_DIMS], strides[2][OB_MAX_DIMS];
} shape;

static ob_kit_dims dims_of(shape *s, int ndim, int operands)
{
    return (ob_kit_dims){.ndim = ndim,
                         .operand_count = operands,
                         .sizes = s->sizes,
                         .strides = {s->strides[0], s->strides[1]}};
}

static void check_row(const int64_t *got, const int64_t *want, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_INT(got[i], want[i]);
}

static void merging(void)
{
    shape s = {{2, 3, 4, 5}, {{60, 20, 5, 1}, {60, 20, 5, 1}}};
    ob_kit_dims dims = dims_of(&s, 4, 2);
    ob_kit_dims_merge(&dims);
    CHECK_INT(dims.ndim, 1);
    CHECK_INT(s.sizes[0], 120);
    CHECK_INT(s.strides[1][0], 1);

    /* One operand that is repeated along a dimension keeps it apart; what lies behind it is joined. */
    shape b = {{2, 3, 4, 5}, {{60, 20, 5, 1}, {20, 0, 5, 1}}};
    dims = dims_of(&b, 4, 2);
    ob_kit_dims_merge(&dims);
    CHECK_INT(dims.ndim, 3);
    check_row(b.sizes, (const int64_t[]){2, 3, 20}, 3);
    check_row(b.strides[0], (const int64_t[]){60, 20, 1}, 3);
    check_row(b.strides[1], (const int64_t[]){20, 0, 1}, 3);

    dims = dims_of(&b, 0, 2);
    ob_kit_dims_merge(&dims);
    CHECK_INT(dims.ndim, 0);
}

static void ones(void)
{
    shape s = {{1, 3, 1, 5, 1}, {{15, 5, 5, 1, 1}, {7, 6, 5, 4, 3}}};
    ob_kit_dims dims = dims_of(&s, 5, 2);
    ob_kit_dims_drop_ones(&dims);
    CHECK_INT(dims.ndim, 2);
    check_row(s.sizes, (const int64_t[]){3, 5}, 2);
    check_row(s.strides[0], (const int64_t[]){5, 1}, 2);
    check_row(s.strides[1], (const int64_t[]){6, 4}, 2);
}

static void broadcasting(void)
{
    const ob_tensor t = {.ndim = 2, .sizes = {3, 1}, .strides = {9, 4}};
    int64_t strides[4] = {1, 1, 1, 1};
    ob_kit_broadcast_strides(&t, 4, strides);
    check_row(strides, (const int64_t[]){0, 0, 9, 0}, 4);
}

static void shapes(void)
{
    const struct {
        int ndim;
        int64_t sizes[3], strides[3], count;
        bool contiguous;
    } rows[] = {
        {0, {0}, {0}, 1, true},
        {3, {2, 3, 4}, {12, 4, 1}, 24, true},
        {3, {2, 3, 4}, {12, 1, 3}, 24, false},
        {3, {2, 1, 4}, {4, 77, 1}, 8, true},
        {3, {2, 3, 4}, {13, 4, 1}, 24, false},
        {2, {0, 4}, {1, 9}, 0, true},
        {2, {4, 0}, {9, 9}, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_tensor t = {.ndim = rows[i].ndim};
        memcpy(t.sizes, rows[i].sizes, sizeof rows[i].sizes);
        memcpy(t.strides, rows[i].strides, sizeof rows[i].strides);
        CHECK_INT(ob_kit_numel(&t), rows[i].count);
        CHECK_INT(ob_kit_is_contiguous(&t), rows[i].contiguous);
    }
}

int main(void)
{
    RUN(merging);
    RUN(ones);
    RUN(broadcasting);
    RUN(shapes);
    return ob_test_end();
}
