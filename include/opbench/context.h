/* SPDX-License-Identifier: Apache-2.0
 *
 * A context: the registry of operators, backends, generators and iterators, and where messages go.
 * The library has no other state. One thread at a time per context.
 */
#ifndef OPBENCH_CONTEXT_H
#define OPBENCH_CONTEXT_H

#include "opbench/manifest.h"
#include "opbench/opbench.h"
#include "opbench/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

const ob_log *ob_context_log(const ob_context *context);
const ob_op_table *ob_context_operators(const ob_context *context);

/* For embedders. The structs must outlive the context. OB_ERR_DUPLICATE when the name is taken;
 * OB_ERR_INVALID when a required part is missing. */
ob_status ob_register_operator(ob_context *context, const ob_op_row *row, ob_err *err);
ob_status ob_register_operators(ob_context *context, const ob_op_row *const *rows, ob_err *err);
ob_status ob_register_backend(ob_context *context, const ob_backend_desc *desc, ob_err *err);
ob_status ob_register_generator(ob_context *context, const ob_generator_desc *desc, ob_err *err);
ob_status ob_register_iterator(ob_context *context, const ob_iterator_desc *desc, ob_err *err);
/* Registers a plug-in that is linked in, with the checks for a loaded one. All or nothing. */
ob_status ob_register_plugin(ob_context *context, const ob_plugin *plugin, ob_err *err);

/* Loads one shared object. Refused (OB_ERR_PLUGIN, with the reason): cannot be opened, no entry
 * symbol, wrong magic or ABI, a name that is taken, a file or directory that others may write to.
 * OB_ERR_UNSUPPORTED, with its own reason: the plug-in says that it cannot work here. */
ob_status ob_plugin_load(ob_context *context, const char *path, ob_err *err);
/* Like ob_plugin_discover, but only opbench's own plug-ins are loaded into this process. Any other
 * file is loaded in a separate process, which reports what the file registers. The functions of
 * such entries fail until ob_session_open loads what it needs into this process. For programs whose
 * cases run in workers. */
ob_status ob_plugin_discover_isolated(ob_context *context, const char *library_dir, ob_err *err);

typedef enum ob_entry_kind {
    OB_ENTRY_OPERATOR,
    OB_ENTRY_BACKEND,
    OB_ENTRY_GENERATOR,
    OB_ENTRY_ITERATOR,
    OB_ENTRY_PLUGIN,
} ob_entry_kind;

/* One line of a listing. */
typedef struct ob_entry_info {
    const char *name;
    const char *origin;   /* "built in", "embedder" or the plug-in's name; for plug-ins the path */
    const char *category; /* operators: "matrix", ...; else "" */
    const char *help;     /* operators: the schema */
    bool available;       /* false: see reason */
    const char *reason;   /* why it is not available, and what would help; "" when it is */
    const char *names;    /* operators: their other names, separated by blanks; else "" */
    const char *version;  /* plug-ins: as they state it; else "" */
} ob_entry_info;

size_t ob_context_count(const ob_context *context, ob_entry_kind kind);
/* index < count. Strings live as long as the context and until the next registration. */
void ob_context_entry_sized(const ob_context *context, ob_entry_kind kind, size_t index,
                            ob_entry_info *out, size_t size);
static inline ob_entry_info ob_context_entry(const ob_context *context, ob_entry_kind kind,
                                             size_t index)
{
    ob_entry_info info;
    ob_context_entry_sized(context, kind, index, &info, sizeof info);
    return info;
}

const ob_backend_desc *ob_context_find_backend(const ob_context *context, const char *name);
const ob_generator_desc *ob_context_find_generator(const ob_context *context, const char *name);
const ob_iterator_desc *ob_context_find_iterator(const ob_context *context, const char *name);

/* The manifests of opbench's own backends, and of the directories that were searched. */
const ob_manifests *ob_context_manifests(const ob_context *context);

/* The function table that plug-ins get. */
const ob_host *ob_host_get(void);

#ifdef __cplusplus
}
#endif
#endif
