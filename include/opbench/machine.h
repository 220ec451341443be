/* SPDX-License-Identifier: Apache-2.0
 *
 * What the libraries below the backends choose on this machine, and how to correct them where they
 * are wrong. A library that uses instructions which the machine announces but does not have is
 * limited; one that uses kernels far below what the machine can do is told which to use. Both are
 * done with environment variables, which must be set before the library is loaded.
 */
#ifndef OPBENCH_MACHINE_H
#define OPBENCH_MACHINE_H

#include "opbench/json.h"
#include "opbench/manifest.h"
#include "opbench/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Environment variable: "on", "quiet" or "off", used if --library-caps is not given. Sessions and
 * workers read it too: a program that has corrected all libraries itself may set it to "off" for
 * them. */
#define OB_CAPS_VARIABLE "OPBENCH_LIBRARY_CAPS"

typedef enum ob_cap_state {
    OB_CAP_FINE,   /* its own choice is right, or nothing is known against it */
    OB_CAP_SET,    /* it is corrected */
    OB_CAP_USER,   /* the user has set the variable: it is left alone */
    OB_CAP_CANNOT, /* its choice is wrong and cannot be corrected; why says the reason */
} ob_cap_state;

/* One library. Texts are "" where there is nothing to say. */
typedef struct ob_library_cap {
    const char *library;  /* "oneDNN"; static */
    const char *variable; /* "ONEDNN_MAX_CPU_ISA"; static */
    ob_cap_state state;
    char own[48];   /* what it would choose by itself */
    char value[64]; /* what the variable is set to, by us or by the user */
    char why[384];  /* what is wrong with its own choice */
} ob_library_cap;

typedef struct ob_library_caps ob_library_caps;

typedef struct ob_library_caps_params {
    size_t size; /* sizeof(ob_library_caps_params) */
    /* opbench, started as `PROGRAM worker --trial ...` to try a library. NULL = only instruction
     * sets are tried; for libraries, earlier trials on this machine are used. */
    const char *program;
    const char *users; /* "native,torch": backends whose libraries are examined; NULL = all */
    /* Name these libraries; NULL = those of opbench's own backends. */
    const ob_manifests *manifests;
    const char *cache_dir; /* NULL = opbench/machine in the user's cache */
} ob_library_caps_params;

/* Examines the libraries, trying those that were not tried on this machine yet. */
ob_status ob_library_caps_find(const ob_library_caps_params *params, ob_library_caps **out,
                               ob_err *err);
void ob_library_caps_destroy(ob_library_caps *caps); /* NULL is allowed */
size_t ob_library_caps_count(const ob_library_caps *caps);
const ob_library_cap *ob_library_caps_at(const ob_library_caps *caps, size_t index);
/* Sets the variables in the environment of this process, for its own sessions and for the processes
 * it starts. Like setenv, it is not thread-safe: call it before starting threads. A library that is
 * already loaded can no longer be corrected; its state becomes OB_CAP_CANNOT. */
ob_status ob_library_caps_apply(ob_library_caps *caps, ob_err *err);
/* For the header record: an array with an object per library. It lives as long as caps. */
const ob_json *ob_library_caps_json(const ob_library_caps *caps);

/* Implements `PROGRAM worker --trial WHAT`: loads and uses "openblas" or "onednn" from the file,
 * and may crash. answer gets a line to print. OB_ERR_BACKEND: it does not work. */
ob_status ob_machine_try(const char *what, const char *library, char *answer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
