/* SPDX-License-Identifier: Apache-2.0
 *
 * Log callback. The library itself never writes anywhere; whoever owns the context decides.
 */
#ifndef OPBENCH_LOG_H
#define OPBENCH_LOG_H

#include "opbench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_log_level {
    OB_LOG_ERROR = 0,
    OB_LOG_WARNING = 1,
    OB_LOG_INFO = 2,
    OB_LOG_DEBUG = 3,
} ob_log_level;

/* `what` lives only during the call. May be called from any thread that calls into the library. */
typedef void (*ob_log_fn)(void *ctx, ob_log_level level, const ob_err *what);

struct ob_log {
    ob_log_fn fn; /* NULL = silence */
    void *ctx;
    ob_log_level max_level; /* messages above it are dropped before formatting */
};

/* log may be NULL. */
void ob_log_message(const ob_log *log, ob_log_level level, const char *format, ...) OB_PRINTF(3, 4);
void ob_log_report(const ob_log *log, ob_log_level level, const ob_err *what);

#ifdef __cplusplus
}
#endif
#endif
