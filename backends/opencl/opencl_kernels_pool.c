/* SPDX-License-Identifier: Apache-2.0
 *
 * Maximum and average pools over 2 and 3 dimensions, with fixed and with adaptive windows, and their gradients; see
 * pool.cl. Pools over one dimension are taken apart into these.
 */
#include "work.h"

#include "kit/sliding_window.h"

#include <stdio.h>
#include <string.h>

/* variant of a row */
enum { MAX, MAX_BACKWARD, AVG, AVG_BACKWARD, ADAPTIVE = 8 };

/* As pool.cl has it. */
typedef struct pool {
    cl_long wide_size[OB_KIT_SPATIAL], narrow_size[OB_KIT_SPATIAL], kernel_size[OB_KIT_SPATIAL];
    cl_long stride[OB_KIT_SPATIAL], padding[OB_KIT_SPATIAL], dilation[OB_KIT_SPATIAL];
    cl_long divisor, include_pad;
    cl_long in, out, indices;
    cl_long count;
} pool;

_Static_assert(sizeof(cl_long) == sizeof(int64_t), "sizes are written to the struct as they are");

/* "self" of every pool has the wide side's sizes; the other side is the output or the gradient. */
static pool find_pool(const ob_kit_call *call, const ob_tensor *narrow)
{
    pool p;
    const int dims = strstr(call->kernel->name, "pool3d") != NULL ? 3 : 2;
    int64_t list[OB_KIT_SPATIAL];
    ob_kit_window_sizes(ob_kit_arg_tensor(call, "self"), dims, list);
    memcpy(p.wide_size, list, sizeof list);
    ob_kit_window_sizes(narrow, dims, list);
    memcpy(p.narrow_size, list, sizeof list);
    ob_kit_window_list(call, "kernel_size", dims, 1, list);
    memcpy(p.kernel_size, list, sizeof list);
    if (!ob_kit_window_list(call, "stride", dims, 1, list))
        memcpy(list, p.kernel_size, sizeof list);
    memcpy(p.stride, list, sizeof list);
    ob_kit_window_list(call, "padding", dims, 0, list);
    memcpy(p.padding, list, sizeof list);
    ob_kit_window_list(call, "dilation", dims, 1, list);
    memcpy(p.dilation, list, sizeof list);
    p.divisor = ob_kit_arg_int(call, "divisor_override", 0);
    p.include_pad = ob_kit_arg_bool(call, "count_include_pad", true);
    return p;
}

static ob_status setup(ob_kit_call *call, ob_err *err)
{
    static const char *const KERNELS[] = {"max_forward", "max_backward", "avg_forward",
                                          "avg_backward"};
    const int what = call->kernel->variant & ~ADAPTIVE;
    const bool has_indices = what == MAX || what == MAX_BACKWARD;
    const bool backward = what == MAX_BACKWARD || what == AVG_BACKWARD;
    const ob_tensor *self = ob_kit_arg_tensor(call, "self"), *out = ob_kit_output(call, 0);
    const ob_tensor *from = backward ? ob_kit_arg_tensor(call, "grad_output") : self;
    const ob_tensor *indices = what == MAX            ? ob_kit_output(call, 1)
                               : what == MAX_BACKWARD ? ob_kit_arg_tensor(call, "indices")
                                                      : NULL;
    ob_tensor in, dense, dense_indices;
    char options[96];
    ocl_maker m;
    ocl_builder builder;
    pool p = find_pool(call, backward ? from : out);
    OB_TRY(ocl_maker_open(call, &m, err));
    p.count = ob_kit_numel(out);
    if (p.count == 0)
        return OB_OK;
    OB_TRY(ocl_dense_read(&m, from, self->dtype, &in, err));
    /* Sums of gradients are kept in the compute type. */
    const ob_dtype wide = self->dtype == OB_DTYPE_F64 ? OB_DTYPE_F64 : OB_DTYPE_F32;
    OB_TRY(ocl_dense_write(&m, out, what == MAX_BACKWARD ? wide : self->dtype, &dense, err));
    if (has_indices)
        OB_TRY((what == MAX ? ocl_dense_write : ocl_dense_read)(&m, indices, OB_DTYPE_I64,
                                                                &dense_indices, err));
    p.in = in.offset;
    p.out = dense.offset;
    p.indices = has_indices ? dense_indices.offset : 0;
    snprintf(options, sizeof options, "-DC=%s -DTX=%s%s", ocl_compute_type(self->dtype),
             ocl_dtype_name(&m, self->dtype),
             (call->kernel->variant & ADAPTIVE) != 0 ? " -DADAPTIVE" : "");
    const ocl_spec spec = {"pool", options, NULL, KERNELS[what]};
    OB_TRY(ocl_begin(&m, &spec, &builder, err));
    ocl_put_tensor(&builder, &dense);
    if (has_indices)
        ocl_put_tensor(&builder, &dense_indices);
    ocl_put_tensor(&builder, &in);
    if (what == MAX_BACKWARD)
        p.count /= p.wide_size[0] * p.wide_size[1] * p.wide_size[2];
    ocl_put(&builder, &p, sizeof p);
    if (what == MAX_BACKWARD)
        ocl_put_fault(&builder, "indices");
    const ocl_range range = ocl_range_of(m.env, p.count);
    OB_TRY(ocl_end(&builder, &range, err));
    if (what == MAX)
        OB_TRY(ocl_dense_back(&m, indices, &dense_indices, err));
    return ocl_dense_back(&m, out, &dense, err);
}

const ob_kit_kernel ocl_kernels_pool[] = {
#define OB_KIT_POOL(op_name, which)                                                                \
    {.name = "aten::" op_name,                                                                     \
     .dtypes = OB_KIT_FLOATS,                                                                      \
     .setup = setup,                                                                               \
     .run = ocl_run,                                                                               \
     .variant = (which)},
#include "kit/pool.def"
#undef OB_KIT_POOL
    {.name = NULL},
};
