/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic of views: what onednn_plan.h declares of them.
 */
#include "onednn_plan.h"

#include <string.h>

bool dnn_view_is(const dnn_view *view)
{
    return view->group != DNN_NONE_ID;
}

int64_t dnn_view_numel(const dnn_view *view)
{
    return ob_shape_count(view->sizes, view->ndim);
}

void dnn_view_contiguous_strides(dnn_view *view)
{
    int64_t step = 1;
    for (int d = view->ndim - 1; d >= 0; d--) {
        view->strides[d] = step;
        step *= view->sizes[d] > 0 ? view->sizes[d] : 1;
    }
}

bool dnn_view_is_contiguous(const dnn_view *view)
{
    return ob_shape_is_contiguous(view->sizes, view->strides, view->ndim);
}

bool dnn_view_same_sizes(const dnn_view *a, const dnn_view *b)
{
    return a->ndim == b->ndim &&
           memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0;
}

bool dnn_view_equal(const dnn_view *a, const dnn_view *b)
{
    bool same = a->group == b->group && a->offset == b->offset && a->dtype == b->dtype &&
                dnn_view_same_sizes(a, b);
    for (int d = 0; same && d < a->ndim; d++)
        same = a->sizes[d] == 1 || a->strides[d] == b->strides[d];
    return same;
}

bool dnn_view_is_expanded(const dnn_view *view)
{
    for (int d = 0; d < view->ndim; d++) {
        if (view->sizes[d] > 1 && view->strides[d] == 0)
            return true;
    }
    return false;
}

bool dnn_view_is_dense(const dnn_view *view)
{
    int64_t step = 1;
    bool taken[OB_MAX_DIMS] = {false};
    for (int n = 0; n < view->ndim; n++) {
        int next = -1;
        for (int d = 0; d < view->ndim; d++) {
            if (!taken[d] && (view->sizes[d] == 1 || view->strides[d] == step))
                next = d;
            if (next >= 0 && view->sizes[next] == 1)
                break;
        }
        if (next < 0)
            return false;
        taken[next] = true;
        step *= view->sizes[next];
    }
    return true;
}

void dnn_view_pad_dims(dnn_view *view, int ndim)
{
    const int more = ndim - view->ndim;
    if (more <= 0)
        return;
    memmove(view->sizes + more, view->sizes, (size_t)view->ndim * sizeof *view->sizes);
    memmove(view->strides + more, view->strides, (size_t)view->ndim * sizeof *view->strides);
    const int64_t outer = view->ndim > 0 ? view->sizes[more] * view->strides[more] : 1;
    for (int d = 0; d < more; d++) {
        view->sizes[d] = 1;
        view->strides[d] = outer > 0 ? outer : 1;
    }
    view->ndim = ndim;
}

dnn_view dnn_view_insert_dim(const dnn_view *view, int dim)
{
    dnn_view out = *view;
    const size_t behind = (size_t)(view->ndim - dim);
    memmove(out.sizes + dim + 1, out.sizes + dim, behind * sizeof *out.sizes);
    memmove(out.strides + dim + 1, out.strides + dim, behind * sizeof *out.strides);
    out.sizes[dim] = 1;
    out.strides[dim] = dim < view->ndim ? view->sizes[dim] * view->strides[dim] : 1;
    if (out.strides[dim] == 0)
        out.strides[dim] = 1;
    out.ndim++;
    return out;
}

/* Whether dimension d of a view can join d + 1: it steps over all of it, or both are repeated. */
static bool joins(const dnn_view *view, int d)
{
    const int64_t inner = view->sizes[d + 1], outer = view->sizes[d];
    return view->strides[d] == view->strides[d + 1] * inner || (outer == 1 && inner == 1);
}

static void remove_dim(dnn_view *view, int dim)
{
    const size_t behind = (size_t)(view->ndim - dim - 1);
    memmove(view->sizes + dim, view->sizes + dim + 1, behind * sizeof *view->sizes);
    memmove(view->strides + dim, view->strides + dim + 1, behind * sizeof *view->strides);
    view->ndim--;
}

/* The first view has the whole shape; others may have size 1 where it has more. */
void dnn_views_collapse(dnn_view *const *views, int count)
{
    for (int d = views[0]->ndim - 1; d >= 0 && views[0]->ndim > 1; d--) {
        if (views[0]->sizes[d] == 1)
            for (int i = 0; i < count; i++)
                remove_dim(views[i], d);
    }
    for (int d = views[0]->ndim - 2; d >= 0; d--) {
        bool all = true;
        for (int i = 0; all && i < count; i++) {
            const dnn_view *view = views[i];
            const bool alike = (view->sizes[d] == 1) == (view->sizes[d + 1] == 1) ||
                               view->sizes[d] == views[0]->sizes[d];
            /* Repeated along one but not the other: they cannot be one dimension. */
            const bool outer_repeated = view->sizes[d] != views[0]->sizes[d];
            const bool inner_repeated = view->sizes[d + 1] != views[0]->sizes[d + 1];
            all = alike && outer_repeated == inner_repeated && (outer_repeated || joins(view, d));
        }
        for (int i = 0; all && i < count; i++) {
            views[i]->sizes[d + 1] *= views[i]->sizes[d];
            remove_dim(views[i], d);
        }
    }
}

bool dnn_view_reshape(dnn_view *view, int ndim, const int64_t *sizes)
{
    dnn_view flat = *view;
    dnn_view *const one[] = {&flat};
    if (view->ndim > 1)
        dnn_views_collapse(one, 1);
    if (flat.ndim > 1) {
        /* Strides are kept only where sizes are: enough for what the backend needs. */
        dnn_view same = *view;
        return same.ndim == ndim && memcmp(same.sizes, sizes, (size_t)ndim * sizeof *sizes) == 0;
    }
    const int64_t step = flat.ndim == 1 ? flat.strides[0] : 1;
    view->ndim = ndim;
    int64_t stride = step;
    for (int d = ndim - 1; d >= 0; d--) {
        view->sizes[d] = sizes[d];
        view->strides[d] = stride;
        stride *= sizes[d] > 0 ? sizes[d] : 1;
    }
    return true;
}
