/* SPDX-License-Identifier: Apache-2.0
 *
 * What measuring a snippet gave, as a record.
 */
#ifndef OB_SNIPPET_SNIPPET_RECORD_H
#define OB_SNIPPET_SNIPPET_RECORD_H

#include "opbench/record.h"
#include "opbench/suite_run.h"

enum { OB_SNIPPET_KEY_SIZE = 33 };

/* A record and what it points to, besides the result. */
typedef struct ob_snippet_record {
    ob_record record;
    char key[OB_SNIPPET_KEY_SIZE];
    char *name;
    ob_json_doc *doc;
    double *counts;
} ob_snippet_record;

/* The hash of the code and its language. */
void ob__snippet_hash(const ob_timer_args *args, char key[OB_SNIPPET_KEY_SIZE]);
/* What a record of it is called: the snippet's name, or for a statement, which has no label, "C, 2 threads". free() it. */
ob_status ob__snippet_record_name(const ob_snippet *snippet, char **name, ob_err *err);
/* Appends the code as words of a command line: " --lang c --setup 'int x = 0;' 'x++;'". */
bool ob__snippet_append_words(ob_text *out, const ob_timer_args *args);
/* Whether a message says that the snippet's process is gone. */
bool ob__snippet_died(const char *message);
/* mode: how it was measured; the result's may be neither counts nor times when it failed. Fini also after a failure. */
ob_status ob__snippet_record_make(ob_snippet_record *to, const ob_suite_result *result,
                                  const char *mode, ob_err *err);
void ob__snippet_record_fini(ob_snippet_record *record); /* zero is allowed */

#endif
