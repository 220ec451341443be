/* SPDX-License-Identifier: Apache-2.0
 *
 * What the libraries under the backends make of this machine, and correcting them where they are wrong: one that takes
 * instructions which the machine announces but does not have is capped, one that takes kernels far below the machine is
 * told which to take. Both by variables of the environment, which must stand there before the library is loaded.
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

/* "on", "quiet" or "off", where the option --library-caps is not given. Sessions and workers look at it too: a program
 * that has corrected all libraries itself may set it to "off" for them. */
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
    /* opbench, started as `PROGRAM worker --trial ...` to try a library. NULL = only instruction sets are tried; what
     * is known of libraries is what was tried before on this machine. */
    const char *program;
    const char *users; /* "native,torch": whose libraries; NULL = all */
    const ob_manifests
        *manifests;        /* that say which these are; NULL = those of opbench's own backends */
    const char *cache_dir; /* NULL = opbench/machine in the user's cache */
} ob_library_caps_params;

/* Finds out, by trying what was not tried on this machine yet. */
ob_status ob_library_caps_find(const ob_library_caps_params *params, ob_library_caps **out,
                               ob_err *err);
void ob_library_caps_destroy(ob_library_caps *caps); /* NULL is allowed */
size_t ob_library_caps_count(const ob_library_caps *caps);
const ob_library_cap *ob_library_caps_at(const ob_library_caps *caps, size_t index);
/* Puts the variables into the environment of this process: for its own sessions, and for all that it starts. As setenv
 * is, for one thread only: call it before others are started. A library that this process has loaded already can no longer be
 * corrected: its state becomes OB_CAP_CANNOT. */
ob_status ob_library_caps_apply(ob_library_caps *caps, ob_err *err);
/* For the header record: an array with an object per library. It lives as long as caps. */
const ob_json *ob_library_caps_json(const ob_library_caps *caps);

/* What `PROGRAM worker --trial WHAT` does: loads and uses "openblas" or "onednn" from the file, and may die of it. The
 * answer is text to print as a line; OB_OK, or OB_ERR_BACKEND when it does not work. */
ob_status ob_machine_try(const char *what, const char *library, char *answer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
