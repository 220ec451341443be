/* SPDX-License-Identifier: Apache-2.0
 *
 * What is told of a plug-in's structs: all that a process reads of them which does not open a backend, nor makes values.
 * In place of functions stand some that refuse.
 */
#include "plugin/plugin_report.h"
#include "plugin/walker.h"

/* ---- functions of nobody ---- */

static ob_status not_here(ob_err *err)
{
    return ob_err_set(err, OB_ERR_STATE,
                      "the plug-in's code is not loaded in this process; open a session for it");
}

static ob_status no_open(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    (void)settings;
    *out = NULL;
    return not_here(err);
}

static void no_close(ob_backend *backend)
{
    (void)backend;
}

static ob_status no_supports(ob_backend *backend, const ob_graph *graph, ob_pass pass,
                             ob_reason *why_not)
{
    (void)backend, (void)graph, (void)pass;
    why_not->text[0] = '\0';
    return OB_ERR_STATE;
}

static ob_status no_prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                            ob_err *err)
{
    (void)backend, (void)args;
    *out = NULL;
    return not_here(err);
}

static void no_release(ob_prepared *prepared)
{
    (void)prepared;
}

static ob_status no_run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    (void)prepared, (void)phase, (void)iterations;
    return not_here(err);
}

static ob_status no_sync(ob_backend *backend, ob_err *err)
{
    (void)backend;
    return not_here(err);
}

static ob_status no_schemas(ob_backend *backend, ob_schema_fn fn, void *ctx, ob_err *err)
{
    (void)backend, (void)fn, (void)ctx;
    return not_here(err);
}

static ob_status no_generate(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    (void)args, (void)out;
    return not_here(err);
}

static ob_status no_iterator_open(const ob_iterator_args *args, void **state, ob_err *err)
{
    (void)args;
    *state = NULL;
    return not_here(err);
}

static uint64_t no_count(void *state)
{
    (void)state;
    return 0;
}

static ob_status no_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    (void)state, (void)index, (void)item;
    return not_here(err);
}

static void no_iterator_close(void *state)
{
    (void)state;
}

static ob_status no_iterator_validate(const ob_iterator_args *args, ob_err *err)
{
    (void)args;
    return not_here(err);
}

static ob_status no_validate(const ob_host *host, const ob_json *entry, ob_err *err)
{
    (void)host, (void)entry;
    return not_here(err);
}

static ob_status no_check(const ob_json *arg, ob_err *err)
{
    (void)arg;
    return not_here(err);
}

/* Others than these are known by their functions to be no part of a struct with a walker. */
ob__walker *ob__generator_walker(const ob_generator_desc *desc)
{
    return desc->generate == no_generate ? ((const ob__known_generator *)desc)->walker : NULL;
}

ob__walker *ob__iterator_walker(const ob_iterator_desc *desc)
{
    return desc->open == no_iterator_open ? ((const ob__known_iterator *)desc)->walker : NULL;
}

/* ---- rows ---- */

enum { MOST_SLOTS = 1 << 20, MOST_DIM = 1 << 10 };

#define TEXT_ROW(type, field)                                                                      \
    {                                                                                              \
        .name = #field, .kind = OB__REPORT_TEXT, .offset = offsetof(type, field)                   \
    }
#define CODE_ROW(type, field)                                                                      \
    {                                                                                              \
        .name = #field, .kind = OB__REPORT_CODE_TEXT, .offset = offsetof(type, field)              \
    }
#define FLAG_ROW(type, field)                                                                      \
    {                                                                                              \
        .name = #field, .kind = OB__REPORT_FLAG, .offset = offsetof(type, field)                   \
    }
#define NUMBER_ROW(type, field, kind_of, lowest, highest)                                          \
    {                                                                                              \
        .name = #field, .kind = OB__REPORT_##kind_of, .offset = offsetof(type, field),             \
        .least = (lowest), .most = (highest)                                                       \
    }
#define FUNCTION_ROW(type, field, function)                                                        \
    {                                                                                              \
        .name = #field, .kind = OB__REPORT_FUNCTION, .offset = offsetof(type, field),              \
        .stand_in = (void (*)(void))(function)                                                     \
    }
#define TABLE_ROW(type, field, element)                                                            \
    {                                                                                              \
        .name = #field, .kind = OB__REPORT_ROWS, .offset = offsetof(type, field),                  \
        .rows = &(element)                                                                         \
    }
#define END_ROW                                                                                    \
    {                                                                                              \
        .name = NULL                                                                               \
    }

static const ob__report_row BACKEND_ROWS[] = {
    TEXT_ROW(ob_backend_desc, name),
    TEXT_ROW(ob_backend_desc, help),
    TEXT_ROW(ob_backend_desc, device_types),
    TEXT_ROW(ob_backend_desc, isa_limits),
    FLAG_ROW(ob_backend_desc, has_autograd),
    FLAG_ROW(ob_backend_desc, asynchronous),
    FLAG_ROW(ob_backend_desc, owns_gradients),
    FLAG_ROW(ob_backend_desc, takes_sparse),
    FUNCTION_ROW(ob_backend_desc, open, no_open),
    FUNCTION_ROW(ob_backend_desc, close, no_close),
    FUNCTION_ROW(ob_backend_desc, supports, no_supports),
    FUNCTION_ROW(ob_backend_desc, prepare, no_prepare),
    FUNCTION_ROW(ob_backend_desc, release, no_release),
    FUNCTION_ROW(ob_backend_desc, run, no_run),
    FUNCTION_ROW(ob_backend_desc, sync, no_sync),
    FUNCTION_ROW(ob_backend_desc, schemas, no_schemas),
    END_ROW,
};

static const ob__report_row CONSTRAINT_ROWS[] = {
    TEXT_ROW(ob_constraint, arg),
    NUMBER_ROW(ob_constraint, kind, INT, 0, OB_CONSTRAINT_PLANE),
    TEXT_ROW(ob_constraint, of),
    TEXT_ROW(ob_constraint, dim_arg),
    NUMBER_ROW(ob_constraint, dim, INT, -MOST_DIM, MOST_DIM),
    END_ROW,
};
static const ob__report_struct CONSTRAINT = {
    .name = "constraints", .size = sizeof(ob_constraint), .fields = CONSTRAINT_ROWS};

static const ob__report_row OPERATOR_ROWS[] = {
    CODE_ROW(ob_op_row, schema),
    TEXT_ROW(ob_op_row, category),
    TEXT_ROW(ob_op_row, names),
    CODE_ROW(ob_op_row, derivative),
    CODE_ROW(ob_op_row, decomposition),
    NUMBER_ROW(ob_op_row, tolerance.kind, INT, 0, OB_TOL_UNDEFINED),
    NUMBER_ROW(ob_op_row, tolerance.factor, REAL, 0, INT64_MAX),
    TABLE_ROW(ob_op_row, constraints, CONSTRAINT),
    END_ROW,
};

static const ob__report_row ATTRIBUTE_ROWS[] = {
    TEXT_ROW(ob_arg_attr, name),
    NUMBER_ROW(ob_arg_attr, kind, INT, OB_ATTR_ANY, OB_ATTR_ARGS),
    FLAG_ROW(ob_arg_attr, required),
    TEXT_ROW(ob_arg_attr, choices),
    END_ROW,
};
static const ob__report_struct ATTRIBUTE = {
    .name = "attrs", .size = sizeof(ob_arg_attr), .fields = ATTRIBUTE_ROWS};

static const ob__report_row TYPE_ROWS[] = {
    TEXT_ROW(ob_arg_type, name),
    TEXT_ROW(ob_arg_type, help),
    TEXT_ROW(ob_arg_type, one_of),
    TABLE_ROW(ob_arg_type, attrs, ATTRIBUTE),
    FUNCTION_ROW(ob_arg_type, check, no_check),
    END_ROW,
};
static const ob__report_struct TYPE = {
    .name = "types", .size = sizeof(ob_arg_type), .fields = TYPE_ROWS};

static const ob__report_row GENERATOR_ROWS[] = {
    TEXT_ROW(ob_generator_desc, name),
    TEXT_ROW(ob_generator_desc, help),
    TABLE_ROW(ob_generator_desc, types, TYPE),
    FLAG_ROW(ob_generator_desc, own_types_only),
    NUMBER_ROW(ob_generator_desc, min_capacity, SIZE, 0, MOST_SLOTS),
    FUNCTION_ROW(ob_generator_desc, validate, no_validate),
    FUNCTION_ROW(ob_generator_desc, generate, no_generate),
    END_ROW,
};

static const ob__report_row ITERATOR_ROWS[] = {
    TEXT_ROW(ob_iterator_desc, name),
    TEXT_ROW(ob_iterator_desc, help),
    FLAG_ROW(ob_iterator_desc, depends_on_build),
    FUNCTION_ROW(ob_iterator_desc, validate, no_iterator_validate),
    FUNCTION_ROW(ob_iterator_desc, open, no_iterator_open),
    FUNCTION_ROW(ob_iterator_desc, count, no_count),
    FUNCTION_ROW(ob_iterator_desc, at, no_at),
    FUNCTION_ROW(ob_iterator_desc, close, no_iterator_close),
    END_ROW,
};

const ob__report_struct ob__report_backend = {
    .name = "backends", .size = sizeof(ob_backend_desc), .fields = BACKEND_ROWS};
const ob__report_struct ob__report_operator = {
    .name = "operators", .size = sizeof(ob_op_row), .fields = OPERATOR_ROWS};
const ob__report_struct ob__report_generator = {
    .name = "generators", .size = sizeof(ob__known_generator), .fields = GENERATOR_ROWS};
const ob__report_struct ob__report_iterator = {
    .name = "iterators", .size = sizeof(ob__known_iterator), .fields = ITERATOR_ROWS};
