/* SPDX-License-Identifier: Apache-2.0
 *
 * Log callback: level filter and formatting.
 */
#include "opbench/log.h"

static int wanted(const ob_log *log, ob_log_level level)
{
    return log != NULL && log->fn != NULL && level <= log->max_level;
}

void ob_log_message(const ob_log *log, ob_log_level level, const char *format, ...)
{
    if (!wanted(log, level))
        return;
    ob_err what;
    va_list args;
    va_start(args, format);
    ob_err_setv(&what, OB_OK, format, args);
    va_end(args);
    log->fn(log->ctx, level, &what);
}

void ob_log_report(const ob_log *log, ob_log_level level, const ob_err *what)
{
    if (wanted(log, level))
        log->fn(log->ctx, level, what);
}
