/* SPDX-License-Identifier: Apache-2.0
 *
 * Status codes and the error record that every fallible call fills.
 *
 * Rule of the library: it never prints, never exits. A call that can fail returns ob_status and
 * takes an `ob_err *` as its last argument. NULL is allowed there: the caller then only gets the code.
 */
#ifndef OPBENCH_STATUS_H
#define OPBENCH_STATUS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#if defined(__GNUC__)
#define OB_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define OB_PRINTF(fmt, first)
#endif

/* Evaluates expr; returns its status from the calling function unless it is OB_OK. */
#define OB_TRY(expr)                                                                               \
    do {                                                                                           \
        ob_status ob_try_status_ = (expr);                                                         \
        if (ob_try_status_ != OB_OK)                                                               \
            return ob_try_status_;                                                                 \
    } while (0)

const char *ob_status_name(ob_status status); /* "OB_ERR_SYNTAX" */
const char *ob_status_text(ob_status status); /* "syntax error" */

/* Clears *err to OB_OK. NULL is allowed. */
void ob_err_clear(ob_err *err);

/* Sets code and message, clears file, path and position; returns code, so that a caller can write
 * `return ob_err_set(err, OB_ERR_INVALID, "...")`. err may be NULL. */
ob_status ob_err_set(ob_err *err, ob_status code, const char *format, ...) OB_PRINTF(3, 4);
ob_status ob_err_setv(ob_err *err, ob_status code, const char *format, va_list args);

/* As ob_err_set, with a position in the user's input. file and path may be NULL. */
ob_status ob_err_set_at(ob_err *err, ob_status code, const char *file, uint32_t line,
                        uint32_t column, const char *path, const char *format, ...) OB_PRINTF(7, 8);

/* Writes "FILE:LINE:COL: error: PATH: message" (parts that are unknown are left out) into out,
 * NUL-terminated, cut to size. `severity` is the word to show: "error" or "warning". Returns out. */
char *ob_err_format(const ob_err *err, const char *severity, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
