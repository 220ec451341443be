/* SPDX-License-Identifier: Apache-2.0
 *
 * One line of JSON into a record.
 */
#ifndef OB_RESULT_LINE_H
#define OB_RESULT_LINE_H

#include "base/arena.h"
#include "base/json_read.h"
#include "opbench/record.h"

typedef struct ob_line_parser ob_line_parser;

ob_status ob__line_parser_create(ob_line_parser **out, ob_err *err);
void ob__line_parser_destroy(ob_line_parser *parser);
/* Fills record from the line (without its newline); what it points to lives until the next call. Keys
 * that are no rows are passed over. Errors are OB_ERR_SYNTAX or OB_ERR_LIMIT with a column; line is 1. */
ob_status ob__line_parse(ob_line_parser *parser, const char *name, const char *line, size_t length,
                         ob_record *record, ob_err *err);

/* Statistics of the samples, for a result of PARAM's own program, which has none; scratch is taken from the arena. */
ob_status ob__line_fill_figures(ob_arena *arena, ob_record *record, ob_err *err);

/* The rows as Markdown tables, one per kind: docs/records.md holds them. */
ob_status ob__record_print_docs(ob_text *text, ob_err *err);

#endif
