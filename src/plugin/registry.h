/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a context: what is registered, by whom, and which plug-ins could not be loaded.
 *
 * Everything is registered at once (ob__registration, ob__registry_add): it is checked as a whole, then added as a
 * whole. Entries are never removed or moved, so the strings of a listing stay valid.
 */
#ifndef OB_PLUGIN_REGISTRY_H
#define OB_PLUGIN_REGISTRY_H

#include "base/arena.h"
#include "opbench/context.h"
#include "plugin/manifests.h"

/* Origins that are no plug-in's name; a plug-in may not call itself so. */
#define OB__ORIGIN_BUILTIN "built in"
#define OB__ORIGIN_EMBEDDER "embedder"

#define OB__PLUGIN_PATH_VARIABLE "OPBENCH_PLUGIN_PATH"

typedef struct ob__entry {
    const void *desc; /* ob_backend_desc, ob_generator_desc or ob_iterator_desc, of full size */
    const char *origin;
    bool probed; /* backends: why_not is known; "" = it can work here */
    ob_reason why_not;
} ob__entry;

typedef struct ob__entry_list {
    ob__entry **items;
    size_t count, capacity;
} ob__entry_list;

/* One plug-in, loaded or refused. */
typedef struct ob__plugin_record {
    const char *name;
    const char *path;    /* resolved path, or an origin for one that is linked in */
    const char *version; /* as it states it, or "" */
    const char *help;    /* version and what it brings */
    const char *reason;
    bool available;
    bool only_known;           /* by a report: none of its code is in this process */
    struct ob__walker *walker; /* who runs its iterators and checks then; see walker.h */
} ob__plugin_record;

struct ob_context {
    ob_log log;
    ob_arena arena;
    ob_op_table *operators;
    ob__entry_list backends, generators, iterators;
    ob__plugin_record **plugins;
    size_t plugin_count, plugin_capacity;
    const char **op_names; /* listing names of operators, made when asked for */
    size_t op_name_count, op_name_capacity;
    const char *searched; /* the directories of the last search, for messages; NULL = none yet */
    const char *missing_reasons[OB__MAX_MANIFESTS]; /* made when asked for */
    ob_manifests *manifests;
    char *trusted_folder; /* the one that is searched; NULL = none is, or it is not to be trusted */
    ob_context *next_loaded; /* registries of what was brought in, see bring_in.c */
    double walk_limit_s;     /* how long a plug-in's iterator or check may take, elsewhere */
};

/* What is added at once. Lists end with NULL; a NULL list is empty. */
typedef struct ob__registration {
    const char *origin; /* lives as long as the context */
    const ob_backend_desc *const *backends;
    const ob_op_row *const *operators;
    const ob_generator_desc *const *generators;
    const ob_iterator_desc *const *iterators;
    /* sizeof of the structs as their maker knows them; 0 = as this library does. */
    uint32_t backend_size, operator_size, generator_size, iterator_size, option_size;
    uint32_t arg_type_size, arg_attr_size, constraint_size, reference_size;
} ob__registration;

/* A context with the core's operators only. log may be NULL. */
ob_status ob__context_create_empty(const ob_log *log, ob_context **out, ob_err *err);

/* All or nothing. OB_ERR_INVALID, OB_ERR_DUPLICATE, OB_ERR_NOMEM. */
ob_status ob__registry_add(ob_context *context, const ob__registration *added, ob_err *err);
/* A part of the core: its entries are "built in", and it is not listed as a plug-in. */
ob_status ob__registry_add_builtin(ob_context *context, const ob_plugin *plugin, ob_err *err);
/* A whole plug-in; path is its file, or an origin for one that is linked in, whose structs are
 * known to be of this library's size where it gives none. */
ob_status ob__registry_add_plugin(ob_context *context, const ob_plugin *plugin, const char *path,
                                  bool linked_in, ob_err *err);

/* The entry called name, or NULL. */
ob__entry *ob__entry_find(const ob__entry_list *list, const char *name);
/* The record of a resolved path, or NULL. */
ob__plugin_record *ob__plugin_find_path(const ob_context *context, const char *path);
/* Who runs a plug-in's code. */
typedef enum ob__plugin_trust {
    OB__PLUGIN_OWN,     /* opbench's own, which is as good as this program: it is loaded */
    OB__PLUGIN_FOREIGN, /* tried in another process, then loaded */
    OB__PLUGIN_APART,   /* known by what another process tells, see plugin_report.h */
} ob__plugin_trust;
ob_status ob__plugin_load(ob_context *context, const char *path, ob__plugin_trust trust,
                          ob_err *err);
/* The same for a path that is resolved. */
ob_status ob__plugin_load_real(ob_context *context, const char *real_path, ob__plugin_trust trust,
                               ob_err *err);
/* Loads and registers the file here, without a trial before and without a record of a refusal. */
ob_status ob__plugin_load_file(ob_context *context, const char *real_path, ob_err *err);
/* In another process: all that runs code of the file before a backend is opened. Its report, or why it is refused, as
 * ob_plugin_load has it; report may be NULL. */
ob_status ob__plugin_try(ob_context *context, const char *real_path, ob_text *report, ob_err *err);
/* Keeps why the file could not be loaded; a second reason for the same path replaces the first. */
ob_status ob__plugin_remember_refusal(ob_context *context, const char *path, const char *reason,
                                      ob_err *err);

/* missing.c: backends with a manifest that are not registered after a search. index < count. */
size_t ob__missing_count(const ob_context *context);
ob_entry_info ob__missing_info(ob_context *context, size_t index);
/* After a refusal or a search they have others. */
void ob__missing_forget_reasons(ob_context *context);

/* Where plug-ins are looked for, in order; `named`: by the user. */
typedef ob_status (*ob__directory_fn)(void *ctx, const char *directory, bool named, ob_err *err);
ob_status ob__plugin_directories(const char *library_dir, ob__directory_fn fn, void *ctx,
                                 ob_err *err);

/* Checks of one struct (check.c). Name the plug-in's author's mistake and the cure. */
ob_status ob__check_plugin_head(const ob_plugin *plugin, bool linked_in, ob_err *err);
ob_status ob__check_backend(const ob_backend_desc *desc, ob_err *err);
ob_status ob__check_generator(const ob_generator_desc *desc, ob_err *err);
ob_status ob__check_iterator(const ob_iterator_desc *desc, ob_err *err);
/* Refuses type names that mean nothing (check_types.c); for rows that are not the core's. */
ob_status ob__check_types(const ob_schema *schema, ob_err *err);

/* Refuses a file that someone else than root and the effective user may change (trust.c).
 * real_path is absolute and without symbolic links. */
ob_status ob__check_trusted(const char *real_path, ob_err *err);
/* For many files of one folder, so that the way to it is walked once: its real path if files in it can be trusted, else
 * NULL; malloc'ed, good for the search under way. */
char *ob__trusted_folder(const char *directory);
/* ob__check_trusted of a plug-in, less the way to a folder that ob__trusted_folder gave; folder may be NULL. Root takes
 * what only another user may write to: */
ob_status ob__check_trusted_in(const char *folder, const char *real_path, ob_err *err);
/* Says so of such a file. */
void ob__warn_of_stranger(const ob_log *log, const char *real_path);
/* The real path of a file in a directory, whose own is `folder` unless that is NULL; malloc'ed. NULL: see errno. */
char *ob__real_path_in(const char *folder, const char *directory, const char *name);

/* elf.c: true when it is a shared object that ends before what its head says is in it. */
bool ob__elf_is_cut(const char *path);

#endif
