/* SPDX-License-Identifier: Apache-2.0
 *
 * Setting members of an object without looking at every step: the first failure is kept.
 */
#ifndef OB_TRACE_DESCRIBE_H
#define OB_TRACE_DESCRIBE_H

#include "opbench/json.h"

typedef struct ob_describe {
    ob_json_doc *doc;
    ob_status status;
    ob_err *err;
} ob_describe;

/* A value that is NULL means that memory is out. */
void ob__describe_set(ob_describe *d, ob_json *object, const char *key, const ob_json *value);
void ob__describe_int(ob_describe *d, ob_json *object, const char *key, int64_t value);
void ob__describe_real(ob_describe *d, ob_json *object, const char *key, double value);
void ob__describe_text(ob_describe *d, ob_json *object, const char *key, const char *text);
void ob__describe_append(ob_describe *d, ob_json *array, const ob_json *value);

#endif
