/* SPDX-License-Identifier: Apache-2.0
 *
 * Adapters: front-end functions whose arguments differ from those of the operator behind them.
 */
#ifndef OB_OP_ADAPTER_H
#define OB_OP_ADAPTER_H

#include "opbench/op.h"

/* One row of adapters.def. */
typedef struct ob__adapter {
    const char *signature; /* as the front end has it, in schema notation */
    const char *rule;      /* which operator is called with what; see adapters.def */
} ob__adapter;

enum { OB__ADAPTED_ARGS = 16, OB__ADAPTED_KWARGS = 4, OB__ADAPTED_NAME = 32 };

/* The call that a rule leads to. The values are owned. */
typedef struct ob__adapted {
    char base[128];
    char overload[64];
    ob_value args[OB__ADAPTED_ARGS];
    size_t arg_count;
    char kwarg_name_text[OB__ADAPTED_KWARGS][OB__ADAPTED_NAME];
    const char *kwarg_names[OB__ADAPTED_KWARGS];
    ob_value kwargs[OB__ADAPTED_KWARGS];
    size_t kwarg_count;
} ob__adapted;

size_t ob__adapter_count(void);
const ob__adapter *ob__adapter_at(size_t index);

/* Binds the call to the adapter's signature and follows its rule. On success *out needs
 * ob__adapted_fini. */
ob_status ob__adapter_apply(const ob_op_table *table, size_t index, const ob_call *call,
                            ob__adapted *out, ob_err *err);
void ob__adapted_fini(ob__adapted *adapted);
/* True if some operator of the adapter's rule is in the table; base and overload become that one's,
 * or else those of the rule's first operator. */
bool ob__adapter_known(const ob_op_table *table, size_t index, char *base, size_t base_size,
                       char *overload, size_t overload_size);

/* The functions that rules may call, by name. *out is owned by the caller. */
typedef ob_status (*ob__adapter_function)(const ob_value *args, size_t count, ob_value *out,
                                          ob_err *err);
ob__adapter_function ob__adapter_find_function(const char *name, size_t length);

#endif
