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
        brings; /* what they are, to follow "--torchscript FILE gives": "the functions of a source file" */
    const char *sets; /* of a flag: what "gives" is set to; NULL for others */
    bool is_plain;    /* the value of a variable is no path: it is taken as it stands */
} ob_manifest_option;

/* The library that the backend runs on, where another one than that of the build can be chosen: how it is found, and how
 * C++ is compiled against it. Lists are by blanks; texts that are not given are NULL. Folders and files of headers are
 * below include/, objects below lib/ of the library's root. */
typedef struct ob_manifest_library {
    const char *name;        /* "libtorch" */
    const char *package;     /* what to install for its headers: "libtorch-dev" */
    const char *module;      /* the Python package that may be its root: "torch" */
    const char *option;      /* of commands, which chooses it: "torch" */
    const char *value;       /* of that option, in help: "PATH|python" */
    const char *help;        /* of that option */
    const char *otherwise;   /* what is taken without it, in help */
    const char *header;      /* by which it is known: "ATen/ATen.h" */
    const char *folders;     /* further ones of headers */
    const char *object;      /* "libtorch_cpu.so" */
    const char *versions;    /* headers that may have its numbers */
    const char *macros;      /* "TORCH_VERSION", with _MAJOR, _MINOR and _PATCH after it */
    const char *wants_cpp20; /* header has this text if it wants C++20; else C++17 is enough */
    const char *old_abi;    /* object and symbol: it is there if the C++ ABI is that before GCC 5 */
    const char *words;      /* C++ that has one of them is compiled against it */
    const char *includes;   /* headers put before such code */
    const char *begin;      /* a statement put before such code's setup; {threads} = how many */
    const char *links;      /* "torch torch_cpu c10" */
    const char *part_links; /* the same for the part of the backend that is compiled for it */
    const char *part_variable; /* the variable that tells the plug-in which part to open, or
                                * "!" and why there is none; NULL = it has no such part */
} ob_manifest_library;

/* Models that a suite's snippets load, made ahead by Python. Texts are templates of code. */
typedef struct ob_manifest_models {
    const char *runtime;      /* what they are called beside "Eager": "TorchScript" */
    const char *end;          /* of their files: ".pt" */
    const char *make;         /* {model}: makes jit_model, which can save itself */
    const char *python_setup; /* {setup}, {path}, {stmt}: loads jit_model and warms it up */
    const char *cpp_setup;    /* the same */
    const char *cpp_global;   /* before everything */
    const char *cpp_call;     /* {values}, {result} */
    const char *cpp_value;    /* {value}: one of {values} */
    const char *cpp_backward; /* after the result's name */
} ob_manifest_models;

/* A program in which the backend's workers run, such as an interpreter: it is started as `program flag code object opbench
 * worker ...`, loads the object and calls its function ob_host_main with the words after it. */
typedef struct ob_manifest_host {
    const char *program; /* "python3": of the active virtual environment, else of PATH */
    const char *flag;    /* "-c" */
    const char *code;    /* lines */
    const char *object;  /* beside the plug-in */
} ob_manifest_host;

/* Options of the backend that have a name together: --backend NAME:VARIANT. */
typedef struct ob_manifest_variant {
    const char *name;
    const char *options; /* as in --backend-options: "framework=torch,compile=default" */
    const char *help;    /* one line */
} ob_manifest_variant;

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
    const ob_manifest_library *library; /* NULL = none that can be chosen */
    const ob_manifest_models *models;   /* NULL = none */
    const ob_manifest_host
        *host; /* NULL = workers are opbench itself; `variable` chooses another program */
    const ob_manifest_variant *variants;
    size_t variant_count;
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
/* NULL when there is none of that backend, of which the name may have a variant: "python:compile". */
const ob_manifest *ob_manifests_find(const ob_manifests *manifests, const char *backend);
/* Whether a word is in a list by blanks. */
bool ob_manifest_has(const char *words, const char *word);

#ifdef __cplusplus
}
#endif
#endif
