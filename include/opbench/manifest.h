/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend says of itself without being loaded: the file <name>.backend.json beside its plug-in <name>.so. It is
 * data: help, what to install, the libraries that it may load, and its own options of commands. docs/plugins.md has the
 * keys. A plug-in without one works all the same, when it is named.
 */
#ifndef OPBENCH_MANIFEST_H
#define OPBENCH_MANIFEST_H

#include "opbench/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OB_MANIFEST_END ".backend.json"

/* An option of commands that is one backend's: --torchscript FILE. Texts that are not given are NULL. */
typedef struct ob_manifest_option {
    const char *name;     /* "torchscript" */
    const char *value;    /* placeholder in help, "FILE"; NULL for a flag */
    const char *help;     /* one sentence */
    const char *commands; /* which have it: "run list" */
    const char *gives;    /* the option of the backend that it becomes: "script" */
    const char *variable; /* the environment variable that it becomes; begins with OPBENCH_ */
    const char *writes;   /* of a flag: gives the path of the records with this end, "_et.json" */
    const char *holds;    /* what that file is: "execution graph" */
    const char *note;     /* said before a run that has the option */
    bool is_file;         /* the value is a file, which must be there */
    bool brings_operators;
    const char *operators; /* how the names of those begin: "torchscript::" */
    const char *
        brings; /* what they are, behind "--torchscript FILE gives": "the functions of a source file" */
} ob_manifest_option;

typedef struct ob_manifest {
    const char *name;      /* of the backend */
    const char *help;      /* one line, as the plug-in has it */
    const char *needs;     /* what to install before opbench is built again; "" = nothing */
    const char *libraries; /* those of `opbench list libraries` that it may load, by blanks */
    const char *runtimes;  /* what else job configs of sweeps call it, by blanks */
    bool replays;          /* replay takes it where it works and none is named */
    const ob_manifest_option *options;
    size_t option_count;
    const char *variable; /* the environment variable that chooses its library; NULL = none */
} ob_manifest;

typedef struct ob_manifests ob_manifests;

/* Those of opbench's own backends, then those in the directories where ob_plugin_discover looks; a later one replaces an
 * earlier one of the same name. What cannot be read is left out: ob_plugin_discover tells of it. In the order of names. */
ob_status ob_manifests_open(const char *library_dir, ob_manifests **out, ob_err *err);
void ob_manifests_destroy(ob_manifests *manifests); /* NULL is allowed */
/* Adds one; `file` is for messages. OB_ERR_CONFIG with the place of what is wrong; OB_ERR_LIMIT, OB_ERR_NOMEM. */
ob_status ob_manifests_add(ob_manifests *manifests, const char *file, const void *data, size_t size,
                           ob_err *err);
size_t ob_manifests_count(const ob_manifests *manifests);
const ob_manifest *ob_manifests_at(const ob_manifests *manifests, size_t index);
/* NULL when there is none of that backend. */
const ob_manifest *ob_manifests_find(const ob_manifests *manifests, const char *backend);
/* Whether a word is in a list by blanks. */
bool ob_manifest_has(const char *words, const char *word);

#ifdef __cplusplus
}
#endif
#endif
