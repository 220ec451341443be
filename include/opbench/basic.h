/* SPDX-License-Identifier: Apache-2.0
 *
 * What all other headers build on: statuses, errors and texts.
 *
 * Rules that hold in every header, unless a comment says otherwise:
 *
 * - Errors. The library never prints and never exits. A call that can fail returns ob_status and
 *   takes an `ob_err *` last, which may be NULL: the caller then gets the code alone. Results
 *   returned through pointers (`out`) are valid only after OB_OK.
 * - NULL is accepted where a comment says so ("may be NULL", "NULL = ..."), and nowhere else.
 * - Ownership. The caller destroys what it created and closes what it opened, in the opposite
 *   order; these calls accept NULL. Arguments are needed only during the call, unless a comment
 *   says what they must outlive. A returned pointer belongs to the object it came from and lives as
 *   long as that object; whatever is "malloc'ed" is freed by the caller.
 * - Threads. An object may be used by one thread at a time, and so may the context it was opened
 *   on. Objects of different contexts, or without one, may be used at the same time. There is no
 *   other state, so calls without an object may come from any thread.
 * - Texts are UTF-8 and end with NUL, except for ob_text, which has a size.
 */
#ifndef OPBENCH_BASIC_H
#define OPBENCH_BASIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ errors */

/* name, number, text. Numbers are part of the ABI: append, never renumber. */
#define OB_STATUS_MAP(X)                                                                           \
    X(OK, 0, "ok")                                                                                 \
    X(END, 1, "end of sequence")                                                                   \
    X(ERR_INVALID, -1, "invalid argument")                                                         \
    X(ERR_NOMEM, -2, "out of memory")                                                              \
    X(ERR_LIMIT, -3, "limit exceeded")                                                             \
    X(ERR_OVERFLOW, -4, "size overflow")                                                           \
    X(ERR_IO, -5, "input/output error")                                                            \
    X(ERR_SYNTAX, -6, "syntax error")                                                              \
    X(ERR_CONFIG, -7, "configuration error")                                                       \
    X(ERR_NOT_FOUND, -8, "not found")                                                              \
    X(ERR_DUPLICATE, -9, "already registered")                                                     \
    X(ERR_UNSUPPORTED, -10, "not supported")                                                       \
    X(ERR_PLUGIN, -11, "plug-in refused")                                                          \
    X(ERR_BACKEND, -12, "backend failure")                                                         \
    X(ERR_STATE, -13, "call out of order")

typedef enum ob_status {
#define OB_STATUS_ENUM(name, number, text) OB_##name = (number),
    OB_STATUS_MAP(OB_STATUS_ENUM)
#undef OB_STATUS_ENUM
} ob_status;

/* What went wrong and where in the user's input. Fixed buffers, so that reporting a failure
 * never allocates; longer texts are cut with "...". Line and column count from 1; 0 = unknown. */
typedef struct ob_err {
    ob_status code;
    uint32_t line;
    uint32_t column;
    char file[256];    /* "" when the failure is not in a file */
    char path[256];    /* JSON path in jq's notation, "" when there is none */
    char message[768]; /* what is wrong; what to do about it */
} ob_err;

/* Evaluates expr; returns its status from the calling function unless it is OB_OK. */
#define OB_TRY(expr)                                                                               \
    do {                                                                                           \
        ob_status ob_try_status_ = (expr);                                                         \
        if (ob_try_status_ != OB_OK)                                                               \
            return ob_try_status_;                                                                 \
    } while (0)

/* Writes "FILE:LINE:COL: error: PATH: message" (parts that are unknown are left out) into out,
 * NUL-terminated, cut to size. `severity` is the word to show: "error" or "warning". Returns
 * out. */
char *ob_err_format(const ob_err *err, const char *severity, char *out, size_t size);

/* ------------------------------------------------------------------ texts */

/* Zero is an empty buffer. */
typedef struct ob_text {
    char *data; /* malloc'ed; not NUL-terminated */
    size_t size, capacity;
} ob_text;

void ob_text_fini(ob_text *text);

typedef struct ob_json ob_json; /* opbench/json.h */
typedef struct ob_log ob_log;   /* opbench/log.h */

#ifdef __cplusplus
}
#endif
#endif
