/* SPDX-License-Identifier: Apache-2.0
 *
 * Filling an ob_err (opbench/basic.h), and names of statuses.
 */
#ifndef OPBENCH_STATUS_H
#define OPBENCH_STATUS_H

#include "opbench/basic.h"

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OB_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define OB_PRINTF(fmt, first)
#endif

const char *ob_status_name(ob_status status); /* "OB_ERR_SYNTAX" */
const char *ob_status_text(ob_status status); /* "syntax error" */

/* Clears *err to OB_OK. NULL is allowed. */
void ob_err_clear(ob_err *err);

/* Sets code and message, clears file, path and position; returns code, so that a caller can write
 * `return ob_err_set(err, OB_ERR_INVALID, "...")`. err may be NULL. */
ob_status ob_err_set(ob_err *err, ob_status code, const char *format, ...) OB_PRINTF(3, 4);
ob_status ob_err_setv(ob_err *err, ob_status code, const char *format, va_list args);

/* Like ob_err_set, with a position in the user's input. file and path may be NULL. */
ob_status ob_err_set_at(ob_err *err, ob_status code, const char *file, uint32_t line,
                        uint32_t column, const char *path, const char *format, ...) OB_PRINTF(7, 8);

#ifdef __cplusplus
}
#endif
#endif
