/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of a case: which primitives run, in which order, on which memory.
 *
 * A group is what tensors share by being views of each other. Its plain form is the tensor as its strides
 * say; besides that it may be there in layouts that primitives chose. The plan follows which forms hold
 * the value at each point, and puts a reorder where a primitive needs one that does not. Nothing is
 * allocated while planning, so that `supports` plans too and asks the library itself.
 */
#ifndef OB_ONEDNN_PLAN_H
#define OB_ONEDNN_PLAN_H

#include "dnn.h"

#define DNN_NONE_ID UINT32_MAX

/* A tensor: a place in a group. */
typedef struct dnn_view {
    uint32_t group; /* DNN_NONE_ID: there is no tensor (None) */
    int64_t offset; /* of the first element, in bytes */
    ob_dtype dtype;
    int ndim;
    int64_t sizes[OB_MAX_DIMS], strides[OB_MAX_DIMS];
} dnn_view;

/* When a step runs. */
typedef enum dnn_list {
    DNN_LIST_SETUP, /* once, by prepare */
    DNN_LIST_FORWARD,
    DNN_LIST_FORWARD_END, /* by outputs: results back to their plain layout, if that is not timed */
    DNN_LIST_MAKE_GRAD,
    DNN_LIST_BACKWARD,
    DNN_LIST_BACKWARD_END,
    DNN_LIST_COUNT,
} dnn_list;

/* A piece of memory. */
typedef struct dnn_buffer {
    size_t bytes;
    uint32_t first, last; /* steps of `list` between which it is in use */
    dnn_list list;
    bool used, kept;     /* kept: used by several lists, or looked at from outside */
    size_t offset;       /* in the arena, unless kept */
    ob_storage *storage; /* kept: its own; given ones: the input's */
    char *data;
} dnn_buffer;

typedef struct dnn_form {
    dnn_view view;
    const dnn_layout *layout;
    uint32_t buffer;
    bool valid;
} dnn_form;

enum { DNN_MAX_FORMS = 6 };

typedef struct dnn_group {
    uint32_t plain; /* buffer */
    bool plain_valid;
    dnn_list origin;         /* SETUP: comes from outside; MAKE_GRAD: made by it */
    bool parameter;          /* a module's own weight or buffer */
    bool written;            /* from outside, and an operator changes it */
    dnn_view base;           /* the tensor that it was made for */
    const dnn_desc *made_by; /* private values (a workspace): the primitive that knows them */
    dnn_form forms[DNN_MAX_FORMS];
    int form_count;
} dnn_group;

/* Glue that the library has no primitive for. */
typedef struct dnn_plain_loop dnn_plain_loop;
struct dnn_plain_loop {
    void (*run)(const dnn_plain_loop *loop);
    const char *name;
    dnn_view views[4];
    uint32_t buffers[4];
    char *data[4]; /* of the views' first elements */
    int count;
    bool elementwise; /* views have one shape, so that dimensions can be joined */
    double numbers[4];
    uint64_t *random; /* the plan's state of random numbers */
};

typedef struct dnn_step {
    dnn_desc *desc; /* NULL: a plain loop */
    dnn_kind kind;
    const ob_op *op;
    dnn_plain_loop *loop;
    int count;
    struct {
        int arg;
        const dnn_layout *layout;
        uint32_t buffer;
        int64_t offset;
    } * args;
    dnn_exec *exec;
} dnn_step;

typedef struct dnn_plan {
    const ob_host *host;
    const dnn_lib *lib;
    bool reorders_outside; /* inputs and outputs are brought into the library's layouts untimed */
    bool library_integers; /* bytes stop at their limits, as the library's do */
    bool inexact;          /* results that are less exact than their operators' tolerance, too */
    bool training;         /* a backward follows */
    dnn_list list;         /* to which steps are added now */
    const ob_op *op;       /* being planned */
    dnn_pool layouts;
    dnn_group *groups;
    size_t group_count, group_capacity;
    dnn_buffer *buffers;
    size_t buffer_count, buffer_capacity;
    dnn_step *steps[DNN_LIST_COUNT];
    size_t step_count[DNN_LIST_COUNT], step_capacity[DNN_LIST_COUNT];
    size_t scratch_bytes; /* of the primitive that needs most */
    ob_storage *arena;    /* temporaries, then the scratch memory */
    char *scratch;
    uint64_t random;
} dnn_plan;

/* An argument of a primitive and the tensor that it is. */
typedef struct dnn_binding {
    int arg;
    const dnn_view *view;
    bool output;
    bool weights; /* reordered once, by prepare, where it comes from outside */
} dnn_binding;

void dnn_plan_fini(dnn_plan *plan);

ob_status dnn_plan_add_group(dnn_plan *plan, const dnn_view *base, size_t bytes, uint32_t *id,
                             ob_err *err);
/* A fresh dense tensor like `like` (dtype, sizes). */
ob_status dnn_plan_temporary(dnn_plan *plan, ob_dtype dtype, int ndim, const int64_t *sizes,
                             dnn_view *out, ob_err *err);

/* The tensor's own strided layout; NULL with err when the library does not have it. */
const dnn_layout *dnn_plan_plain(dnn_plan *plan, const dnn_view *view, ob_err *err);
/* Its layout at this point: what a primitive chose, or the plain one. */
const dnn_layout *dnn_plan_current(dnn_plan *plan, const dnn_view *view, ob_err *err);
const dnn_layout *dnn_plan_any(dnn_plan *plan, const dnn_view *view, ob_err *err);
bool dnn_plan_is_blocked(const dnn_plan *plan, const dnn_view *view);

/* A view without repeated elements (expand): unchanged, or copied. */
ob_status dnn_plan_dense(dnn_plan *plan, dnn_view *view, ob_err *err);

/* Describes a primitive and adds it with the reorders that its arguments need. desc may be NULL. */
ob_status dnn_plan_emit(dnn_plan *plan, const dnn_request *request, const dnn_binding *bindings,
                        int count, const dnn_desc **desc, ob_err *err);
/* Adds a loop over plain tensors; the first `outputs` views are written, the others read. */
ob_status dnn_plan_plain_loop(dnn_plan *plan, const dnn_plain_loop *loop, int outputs, ob_err *err);
/* The same with one output that is written in a layout of its own; views[0] has the strides of that. */
ob_status dnn_plan_plain_loop_form(dnn_plan *plan, const dnn_plain_loop *loop,
                                   const dnn_view *tensor, const dnn_layout *layout, ob_err *err);
/* Makes the plain form hold the value. */
ob_status dnn_plan_want_plain(dnn_plan *plan, const dnn_view *view, ob_err *err);

/* Memory, primitives; the steps of SETUP are run by the caller (onednn_build.c). */
ob_status dnn_plan_build(dnn_plan *plan, uint64_t *bytes, ob_err *err);
ob_status dnn_plan_run(const dnn_plan *plan, dnn_list list, ob_err *err);

/* `size` elements of a dimension from `start` on, every `step`th. */
dnn_view dnn_view_part(const dnn_plan *plan, const dnn_view *whole, int dim, int64_t start,
                       int64_t size, int64_t step);

/* views.c */
bool dnn_view_is(const dnn_view *view); /* there is a tensor */
int64_t dnn_view_numel(const dnn_view *view);
bool dnn_view_is_contiguous(const dnn_view *view);
bool dnn_view_equal(const dnn_view *a, const dnn_view *b);
bool dnn_view_same_sizes(const dnn_view *a, const dnn_view *b);
bool dnn_view_is_expanded(const dnn_view *view);
/* Dense in some order of its dimensions: every element of a stretch of memory, once. */
bool dnn_view_is_dense(const dnn_view *view);
void dnn_view_contiguous_strides(dnn_view *view);
/* Views of one shape (up to size 1: repeated) with as few dimensions as possible. */
void dnn_views_collapse(dnn_view *const *views, int count);
/* A leading dimension of size 1 until there are ndim. */
void dnn_view_pad_dims(dnn_view *view, int ndim);
dnn_view dnn_view_insert_dim(const dnn_view *view, int dim);
/* The same elements with other sizes; false when strides do not allow it. */
bool dnn_view_reshape(dnn_view *view, int ndim, const int64_t *sizes);

#endif
