/* SPDX-License-Identifier: Apache-2.0
 *
 * Composite functions, modules and models: rows whose meaning is a text in graph notation.
 */
#ifndef OB_GRAPH_MODULE_H
#define OB_GRAPH_MODULE_H

#include "graph/graph_internal.h"

/* A front-end function without an operator of its own. Its text defines `result`. */
typedef struct ob__function_row {
    const char *name;      /* "torch.nn.functional.softsign" */
    const char *signature; /* name and arguments: "torch.nn.functional.softsign(Tensor input)" */
    const char *text;
} ob__function_row;

/* A class of torch.nn. Several rows of one name are tried in order, as overloads are. */
typedef struct ob__module_row {
    const char *name;      /* "torch.nn.Linear" */
    const char *signature; /* name and constructor arguments */
    const char *forward;   /* arguments of the call: "(Tensor input)" */
    const char *setup;     /* makes parameters from the constructor's arguments; "" = none */
    const char *text;      /* from arguments and parameters to `result` */
} ob__module_row;

/* A whole network. build gets the bound constructor arguments by the names in its signature. */
typedef struct ob__model_row ob__model_row;
struct ob__model_row {
    const char *name; /* "pytorch.model.alex_net" */
    const char *signature;
    ob_status (*build)(ob_graph *graph, const ob_schema *schema, const ob_operand *bound,
                       const ob_operand *input, ob_operand *result, ob_err *err);
};

/* NULL when there is none. */
const ob__function_row *ob__function_find(const char *name);
const ob__module_row *ob__module_find(const char *name);
/* Whether it is a module whose constructor cannot do without arguments. */
bool ob__module_needs_build(const char *name);
const ob__model_row *ob__model_find(const char *name);
const ob__model_row *ob__models(size_t *count);

/* A signature's arguments (everything from the first "(" on) as a schema; `name` is what messages
 * call it. */
ob_status ob__signature_parse(const char *name, const char *signature, ob_schema **out,
                              ob_err *err);

ob_status ob__function_call(ob_graph *graph, const ob__function_row *row,
                            const ob__operand_call *call, const ob__hints *hints,
                            ob_operand *result, ob_err *err);

typedef struct ob__module_call_args {
    const char *name;
    const char *prefix; /* of the parameters' names: "features.0."; "" = none */
    const ob__operand_call *build;
    const ob__operand_call *input;
    const ob__hints *hints;
} ob__module_call_args;
ob_status ob__module_call(ob_graph *graph, const ob__module_call_args *args, ob_operand *result,
                          ob_err *err);

/* The front-end name that is spelled most like `name`; false if none is near. */
bool ob__name_nearest(const ob_op_table *table, const char *name, char *out, size_t size);
/* opbench.graph, whose text is in its build (text_model.c). */
bool ob__names_text_model(const char *name);
ob_status ob__text_model_build(ob_graph *graph, const ob__operand_call *build,
                               const ob__operand_call *input, ob_operand *result, ob_err *err);

/* What to do about a module that PyTorch has and opbench has not; NULL for any other name. */
const char *ob__module_missing(const char *name);

#endif
