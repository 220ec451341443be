/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend declares about itself without being loaded, in the file <name>.backend.json next
 * to its plug-in <name>.so. It is data: help, what to install, the libraries that it may load, and
 * options that it adds to commands. docs/plugins.md has the keys. A plug-in without a manifest
 * still works if it is named.
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

/* A command-line option that belongs to one backend: --torchscript FILE. Strings that are not given
 * are NULL. */
typedef struct ob_manifest_option {
    const char *name;     /* "torchscript" */
    const char *value;    /* placeholder in help, "FILE"; NULL for a flag */
    const char *help;     /* one sentence */
    const char *commands; /* commands that have it: "run list" */
    const char *gives;    /* the backend option that it sets: "script" */
    const char *variable; /* the environment variable that it sets; begins with OPBENCH_ */
    const char *writes;   /* for a flag: `gives` is set to the path of the records with this ending,
                             "_et.json" */
    const char *holds;    /* what that file is: "execution graph" */
    const char *note;     /* shown before a run that has the option */
    bool is_file;         /* the value is a file, which must exist */
    bool brings_operators;
    const char *operators; /* prefix of their names: "torchscript::" */
    const char *brings;    /* what they are, as help says it: "the functions of a source file" */
    const char *sets;      /* for a flag: what `gives` is set to; NULL for others */
    bool is_plain;         /* the value of `variable` is not a path and is used as given */
} ob_manifest_option;

/* The library that the backend runs on, if a different one than that of the build can be chosen:
 * how to find it, and how to compile C++ against it. Lists are separated by blanks; strings that
 * are not given are NULL. Headers and their folders are relative to include/, objects to lib/ in
 * the library's root. */
typedef struct ob_manifest_library {
    const char *name;        /* "libtorch" */
    const char *package;     /* what to install for its headers: "libtorch-dev" */
    const char *module;      /* the Python package that may be its root: "torch" */
    const char *option;      /* the command-line option that chooses it: "torch" */
    const char *value;       /* placeholder of that option in help: "PATH|python" */
    const char *help;        /* help of that option */
    const char *otherwise;   /* default of that option, for help */
    const char *header;      /* header that identifies it: "ATen/ATen.h" */
    const char *folders;     /* additional header folders */
    const char *object;      /* "libtorch_cpu.so" */
    const char *versions;    /* headers that may have its version numbers */
    const char *macros;      /* "TORCH_VERSION", with _MAJOR, _MINOR and _PATCH after it */
    const char *wants_cpp20; /* `header` has this text if it needs C++20; else C++17 will do */
    const char *old_abi;     /* object and symbol, present if the C++ ABI is from before GCC 5 */
    const char *words;       /* C++ code with one of these words is compiled against it */
    const char *includes;    /* headers put before such code */
    const char *begin; /* a statement put before the setup of such code; {threads} = how many */
    const char *links; /* "torch torch_cpu c10" */
    const char *part_links;    /* the same for the part of the backend that is compiled for it */
    const char *part_variable; /* the variable that tells the plug-in which part to open, or
                                * "!" and why there is none; NULL = it has no such part */
} ob_manifest_library;

/* Models that the snippets of a suite load, made beforehand by Python. Strings are templates of
 * code. */
typedef struct ob_manifest_models {
    const char *runtime;      /* what they are called, next to "Eager": "TorchScript" */
    const char *end;          /* ending of their files: ".pt" */
    const char *make;         /* {model}: makes jit_model, which can save itself */
    const char *python_setup; /* {setup}, {path}, {stmt}: loads jit_model and warms it up */
    const char *cpp_setup;    /* the same */
    const char *cpp_global;   /* before everything */
    const char *cpp_call;     /* {values}, {result} */
    const char *cpp_value;    /* {value}: one of {values} */
    const char *cpp_backward; /* after the result's name */
} ob_manifest_models;

/* A program in which the backend's workers run, such as an interpreter: it is started as `program
 * flag code object opbench worker ...`, loads the object and calls its function ob_host_main with
 * the words after it. */
typedef struct ob_manifest_host {
    const char *program; /* "python3": of the active virtual environment, else of PATH */
    const char *flag;    /* "-c" */
    const char *code;    /* lines */
    const char *object;  /* a file next to the plug-in */
} ob_manifest_host;

/* A named set of backend options: --backend NAME:VARIANT. */
typedef struct ob_manifest_variant {
    const char *name;
    const char *options; /* as in --backend-options: "framework=torch,compile=default" */
    const char *help;    /* one line */
} ob_manifest_variant;

typedef struct ob_manifest {
    const char *name;      /* of the backend */
    const char *help;      /* one line, as the plug-in has it */
    const char *needs;     /* what to install before opbench is built again; "" = nothing */
    const char *libraries; /* of `opbench list libraries`, those it may load; by blanks */
    const char *runtimes;  /* other names for it in job configs of sweeps; by blanks */
    bool replays;          /* `opbench replay` may choose it if no backend is named */
    const ob_manifest_option *options;
    size_t option_count;
    const char *variable; /* the environment variable that chooses its library; NULL = none */
    const ob_manifest_library *library; /* NULL = none that can be chosen */
    const ob_manifest_models *models;   /* NULL = none */
    const ob_manifest_host *host; /* NULL = workers are opbench; `variable` names another program */
    const ob_manifest_variant *variants;
    size_t variant_count;
} ob_manifest;

typedef struct ob_manifests ob_manifests;

/* Opens the manifests of opbench's own backends, then those in the directories that
 * ob_plugin_discover searches; a later one replaces an earlier one of the same name. Files that
 * cannot be read are left out; ob_plugin_discover reports them. Sorted by name. */
ob_status ob_manifests_open(const char *library_dir, ob_manifests **out, ob_err *err);
void ob_manifests_destroy(ob_manifests *manifests); /* NULL is allowed */
/* Adds one; `file` is for messages. OB_ERR_CONFIG with the place of what is wrong; OB_ERR_LIMIT,
 * OB_ERR_NOMEM. */
ob_status ob_manifests_add(ob_manifests *manifests, const char *file, const void *data, size_t size,
                           ob_err *err);
size_t ob_manifests_count(const ob_manifests *manifests);
const ob_manifest *ob_manifests_at(const ob_manifests *manifests, size_t index);
/* NULL if the backend has none. The name may include a variant: "python:compile". */
const ob_manifest *ob_manifests_find(const ob_manifests *manifests, const char *backend);
/* Whether a word is in a list separated by blanks. */
bool ob_manifest_has(const char *words, const char *word);

#ifdef __cplusplus
}
#endif
#endif
