/* SPDX-License-Identifier: Apache-2.0
 *
 * A benchmark config built in memory, for programs that have no file: one call per operator, list
 * of arguments and argument. docs/configs.md says what the parts mean.
 *
 *     ob_builder_op(b, "torch.mm", NULL);
 *     ob_builder_input(b);
 *     ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(128, 64)});
 *     ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(64, 256)});
 *     status = ob_builder_open_config(b, context, NULL, &config, &err);
 *
 * Errors stick: after the first one every call does nothing, and the call that ends the building
 * gives that error, which names the call it happened in. Texts and arrays are copied at once.
 */
#ifndef OPBENCH_BUILDER_H
#define OPBENCH_BUILDER_H

#include "opbench/config.h"
#include "opbench/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_builder ob_builder;

ob_status ob_builder_create(ob_builder **out, ob_err *err);
void ob_builder_destroy(ob_builder *builder); /* NULL is allowed */
/* OB_OK, or the first error so far, which err (may be NULL) describes. */
ob_status ob_builder_check(const ob_builder *builder, ob_err *err);

/* ---- ending: the builder is empty afterwards, also after a failure, and can be used again ---- */

/* The config as a document, for ob_config_open_json or ob_json_print. */
ob_status ob_builder_finish(ob_builder *builder, ob_json_doc **out, ob_err *err);
/* The same, checked and opened as a config named "<builder>". options may be NULL. */
ob_status ob_builder_open_config(ob_builder *builder, ob_context *context,
                                 const ob_config_options *options, ob_config **out, ob_err *err);

/* ---- operators and their lists of arguments ---- */

/* Names; NULL = the default. */
typedef struct ob_builder_op_params {
    size_t size;                                   /* sizeof(ob_builder_op_params) */
    const char *build_iterator, *input_iterator;   /* NULL = "DefaultConfigIterator" */
    const char *build_generator, *input_generator; /* NULL = "PyTorch:DefaultDataGenerator" */
} ob_builder_op_params;

/* Begins an operator: "torch.add", "aten::mm", "torch.nn.Linear". Once per name. params may be
 * NULL. */
void ob_builder_op(ob_builder *builder, const char *name, const ob_builder_op_params *params);
/* Begins another group of builds and inputs of the operator; the first begins by itself. In a group
 * every build meets every input. */
void ob_builder_group(ob_builder *builder);
/* Begins the arguments of a constructor; the arguments that follow belong to it. */
void ob_builder_build(ob_builder *builder);
/* Begins the arguments of a call; every group has at least one input. */
void ob_builder_input(ob_builder *builder);
/* The next argument is given by this name instead of by its position. */
void ob_builder_name(ob_builder *builder, const char *name);

/* ---- arguments ---- */

typedef struct ob_tensor_arg {
    size_t size; /* sizeof(ob_tensor_arg) */
    ob_dtype dtype;
    const int64_t *shape; /* rank sizes; OB_SHAPE fills both */
    size_t rank;
    const int64_t *strides; /* rank of them, in elements; NULL = contiguous */
    bool requires_grad;
    const char *device;        /* NULL = the run's device */
    const double *value;       /* value of every element; NULL = chosen by the generator */
    const double *value_range; /* lowest and highest value; NULL = the generator's own */
} ob_tensor_arg;

/* The members size, shape and rank of an ob_tensor_arg, for one dimension or more: OB_SHAPE(2,
 * 3). */
#define OB_SHAPE(...)                                                                              \
    .size = sizeof(ob_tensor_arg), .shape = (const int64_t[]){__VA_ARGS__},                        \
    .rank = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

void ob_builder_tensor(ob_builder *builder, const ob_tensor_arg *arg);
void ob_builder_int(ob_builder *builder, int64_t value);
void ob_builder_int_range(ob_builder *builder, int64_t low,
                          int64_t high); /* drawn, ends included */
void ob_builder_long(ob_builder *builder, int64_t value);
void ob_builder_long_range(ob_builder *builder, int64_t low, int64_t high);
void ob_builder_float(ob_builder *builder, double value);
void ob_builder_float_range(ob_builder *builder, double low, double high);
void ob_builder_double(ob_builder *builder, double value);
void ob_builder_double_range(ob_builder *builder, double low, double high);
void ob_builder_bool(ob_builder *builder, bool value);
void ob_builder_str(ob_builder *builder, const char *value);
void ob_builder_device(ob_builder *builder, const char *value); /* "cpu", "cuda:0" */
void ob_builder_none(ob_builder *builder);
void ob_builder_scalar_type(ob_builder *builder, ob_dtype value);
void ob_builder_layout(ob_builder *builder, const char *value);        /* "strided" */
void ob_builder_memory_format(ob_builder *builder, const char *value); /* "channels_last" */
/* Arguments up to the matching ob_builder_end are elements of the list (type genericlist) or
 * tuple. */
void ob_builder_list(ob_builder *builder);
void ob_builder_tuple(ob_builder *builder);
void ob_builder_end(ob_builder *builder);
/* Any argument as JSON text: with the macros of RangeConfigIterator, or of a type that a plug-in's
 * generator brings. */
void ob_builder_json(ob_builder *builder, const char *text);
/* Any argument in the short notation of a command line: "f32[128,64]", "i64[10]=0..99", "alpha=2",
 * "[1,2]", "true". docs/timer.md has the grammar. */
void ob_builder_word(ob_builder *builder, const char *word);
/* A whole case of an operator in words: those of its constructor, if any, before a word "/". */
void ob_builder_call(ob_builder *builder, const char *name, const char *const *words, size_t count);

#ifdef __cplusplus
}
#endif
#endif
