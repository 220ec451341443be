/* SPDX-License-Identifier: Apache-2.0
 *
 * Results in the formats of other tools.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_EXPORT_H
#define OPBENCH_EXPORT_H

#include "opbench/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* enum name, word, meaning. */
#define OB_EXPORT_MAP(X)                                                                           \
    X(GOOGLE_BENCHMARK, "google-benchmark", "JSON as Google Benchmark writes it, for compare.py")  \
    X(OPENMETRICS, "openmetrics", "text that Prometheus reads")

typedef enum ob_export_form {
#define OB_EXPORT_ENUM(id, word, help) OB_EXPORT_##id,
    OB_EXPORT_MAP(OB_EXPORT_ENUM)
#undef OB_EXPORT_ENUM
        OB_EXPORT_FORM_COUNT
} ob_export_form;
bool ob_export_form_from_word(const char *word, ob_export_form *out);

typedef struct ob_export ob_export;

ob_status ob_export_create(ob_export_form form, ob_export **out, ob_err *err);
void ob_export_destroy(ob_export *export_); /* NULL is allowed */
/* Copies what it needs from a record of any kind. */
ob_status ob_export_add(ob_export *export_, const ob_record *record, ob_err *err);
/* Appends the whole export. Call it once, after the last record. */
ob_status ob_export_print(ob_export *export_, ob_text *text, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
