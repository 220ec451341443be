/* SPDX-License-Identifier: Apache-2.0
 *
 * Record lines of the parts of a case, one behind the other, as a worker sent them.
 */
#ifndef OB_RUN_CASE_PARTS_H
#define OB_RUN_CASE_PARTS_H

#include "opbench/run.h"
#include "result/line.h"

/* Whether each is the record of a part of the case, numbered from 0. */
bool ob__parts_are_of(const ob_text *lines, const ob_record_result *of, ob_line_parser *parser);

/* Gives each to the hook of records. */
ob_status ob__parts_hand_on(const ob_text *lines, const ob_run_params *params,
                            ob_line_parser *parser, ob_err *err);

/* Those of the subject again, beside those of the reference: with its name, and the ratio of what both measured. */
typedef struct ob_parts_pair {
    const ob_text *reference, *subject;
    const char *reference_name; /* NULL = the subject is the reference */
    const char *side;           /* the subject's name; NULL = it has none */
    ob_line_parser *parser;     /* of the subject's; the reference's have one of their own */
} ob_parts_pair;
ob_status ob__parts_put_beside(const ob_parts_pair *pair, ob_text *out, ob_err *err);

#endif
