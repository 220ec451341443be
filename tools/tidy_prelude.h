/* SPDX-License-Identifier: Apache-2.0
 *
 * Put before every file that clang-tidy reads: its analyzer sees one file at a time and would
 * suppose that ob_err_set, defined elsewhere, may return OB_OK, and go on as if nothing had failed.
 */
#include "opbench/status.h"

#define ob_err_set(err, code, ...) ((ob_err_set)(err, code, __VA_ARGS__), (code))
#define ob_err_set_at(err, code, file, line, column, path, ...)                                    \
    ((ob_err_set_at)(err, code, file, line, column, path, __VA_ARGS__), (code))
/* Of plug-ins: `return host->err_set(...)`. */
#define err_set(err, code, ...) err_set(err, code, __VA_ARGS__), (code)
