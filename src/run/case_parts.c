/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines come from a process that an operator may have damaged, so they are looked at before they are believed.
 */
#include "run/case_parts.h"

#include "run/ratio.h"

#include <string.h>

/* The next line, without its newline. False: there is none. */
static bool next_line(const ob_text *lines, size_t *at, const char **line, size_t *length)
{
    const char *end = *at < lines->size ? memchr(lines->data + *at, '\n', lines->size - *at) : NULL;
    if (end == NULL)
        return false;
    *line = lines->data + *at;
    *length = (size_t)(end - *line);
    *at += *length + 1;
    return true;
}

bool ob__parts_are_of(const ob_text *lines, const ob_record_result *of, ob_line_parser *parser)
{
    const char *line;
    size_t at = 0, length;
    ob_record record;
    for (int64_t number = 0; next_line(lines, &at, &line, &length); number++) {
        const ob_record_result *r = &record.result;
        if (ob__line_parse(parser, "worker", line, length, &record, NULL) != OB_OK ||
            record.kind != OB_RECORD_RESULT_LINE || r->part != number || r->index != of->index ||
            r->part_of == NULL || of->key == NULL || strcmp(r->part_of, of->key) != 0)
            return false;
    }
    return at == lines->size;
}

ob_status ob__parts_hand_on(const ob_text *lines, const ob_run_params *params,
                            ob_line_parser *parser, ob_err *err)
{
    const char *line;
    size_t at = 0, length;
    ob_record record;
    while (next_line(lines, &at, &line, &length)) {
        OB_TRY(ob__line_parse(parser, "worker", line, length, &record, err));
        OB_TRY(params->on_record(params->ctx, &record, line, length + 1, err));
    }
    return OB_OK;
}

/* ---- beside the reference ---- */

/* The part of the same operator; false: it has none that ran. */
static bool find_same(const ob_text *lines, const char *op_name, ob_line_parser *parser,
                      ob_record *out)
{
    const char *line;
    size_t at = 0, length;
    while (next_line(lines, &at, &line, &length))
        if (ob__line_parse(parser, "worker", line, length, out, NULL) == OB_OK &&
            out->result.op_name != NULL && strcmp(out->result.op_name, op_name) == 0 &&
            out->result.forward.measure_time_ms.count > 0)
            return true;
    return false;
}

ob_status ob__parts_put_beside(const ob_parts_pair *pair, ob_text *out, ob_err *err)
{
    ob_line_parser *parser = NULL;
    const char *line;
    size_t at = 0, length;
    OB_TRY(ob__line_parser_create(&parser, err));
    ob_status status = OB_OK;
    while (status == OB_OK && next_line(pair->subject, &at, &line, &length)) {
        ob_record mine, other;
        ob_record_pass *pass = &mine.result.forward;
        status = ob__line_parse(pair->parser, "worker", line, length, &mine, err);
        if (status != OB_OK)
            break;
        mine.result.side = pair->side;
        mine.result.reference = pair->reference_name;
        if (pair->reference_name != NULL && pass->measure_time_ms.count > 0 &&
            mine.result.op_name != NULL &&
            find_same(pair->reference, mine.result.op_name, parser, &other)) {
            const ob_reals *theirs = &other.result.forward.measure_time_ms;
            const ob_ratio_args args = {.reference = theirs->items,
                                        .reference_count = theirs->count,
                                        .subject = pass->measure_time_ms.items,
                                        .subject_count = pass->measure_time_ms.count,
                                        .independent = ob__pass_is_of_steps(pass)};
            status = ob__ratio_compute(&args, &pass->ratio, err);
        }
        if (status == OB_OK)
            status = ob_record_print(&mine, out, err);
    }
    ob__line_parser_destroy(parser);
    return status;
}
