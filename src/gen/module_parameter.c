/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters and buffers of modules, by their init kind.
 */
#include "gen/constrain.h"

#include "gen/element.h"
#include "gen/fill.h"

#include <string.h>

static void fill_normal(const ob_tensor *t, double deviation, ob_rng *rng)
{
    char *data = ob_tensor_data(t);
    const size_t size = ob_dtype_size(t->dtype);
    const int64_t count = ob_tensor_numel(t);
    for (int64_t i = 0; i < count; i++) {
        const ob_element element =
            ob__element_from_real(t->dtype, deviation * ob_rng_normal(rng), 0);
        memcpy(data + (size_t)i * size, element.bytes, size);
    }
}

static void fill_equal(const ob_tensor *t, double value)
{
    const ob_element element = ob__element_from_real(t->dtype, value, 0);
    ob__fill_copies(t->dtype, element.bytes, ob_tensor_data(t), (size_t)ob_tensor_numel(t));
}

static void fill(const ob_tensor *t, const ob_graph_edge *edge, ob_rng *rng)
{
    const size_t count = (size_t)ob_tensor_numel(t);
    switch (edge->init) {
    case OB_INIT_NONE: /* given to build as data: only its shape is part of the graph */
        if (ob_dtype_is_floating(t->dtype))
            ob__fill_unit(rng, t->dtype, ob_tensor_data(t), count);
        else
            fill_equal(t, 1);
        return;
    case OB_INIT_ZEROS:
        fill_equal(t, 0);
        return;
    case OB_INIT_ONES:
        fill_equal(t, 1);
        return;
    case OB_INIT_CONSTANT:
        fill_equal(t, edge->init_a);
        return;
    case OB_INIT_NORMAL:
        fill_normal(t, edge->init_a, rng);
        return;
    case OB_INIT_UNIFORM:
        if (edge->init_a > 0)
            ob__fill_reals(rng, t->dtype, -edge->init_a, edge->init_a, ob_tensor_data(t), count);
        else
            fill_equal(t, 0);
        return;
    }
}

ob_status ob__make_parameter(const ob_graph_edge *edge, ob_rng *rng, ob_value *out, ob_err *err)
{
    const ob_tensor *meta = edge->meta.as.tensor;
    ob_tensor made;
    OB_TRY(ob_tensor_init(&made, meta->dtype, meta->sizes, meta->ndim, NULL, err));
    made.requires_grad = edge->requires_grad;
    fill(&made, edge, rng);
    const ob_status status = ob_value_init_tensor(out, &made, err);
    ob_tensor_fini(&made);
    return status;
}
