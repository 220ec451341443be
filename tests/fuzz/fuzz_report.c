/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports of files that anybody may have written. The first line is a filter, the second a column; what is behind them are
 * records. Every view is printed in every form, and no form lets through what a terminal would obey.
 */
#include "opbench/context.h"
#include "opbench/report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ob_err *err, ob_status status)
{
    if (status != OB_OK && err->message[0] == '\0')
        abort(); /* a refusal always says why */
}

static void check_text(const ob_text *text)
{
    for (size_t i = 0; i < text->size; i++)
        if (((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n' &&
             text->data[i] != '\t') ||
            text->data[i] == 0x7f)
            abort();
}

static void show(const ob_report_params *params, ob_table_format format, const char *lines,
                 size_t size)
{
    ob_report *report;
    ob_record_reader *reader;
    const ob_record *record;
    ob_text text = {0};
    ob_err err;
    err.message[0] = '\0';
    const ob_status made = ob_report_create(params, &report, &err);
    check(&err, made); /* a column that is not there is refused at once */
    if (made != OB_OK)
        return;
    if (ob_record_reader_open_memory("fuzz", lines, size, NULL, &reader, &err) != OB_OK)
        abort();
    for (ob_status status; (status = ob_record_reader_next(reader, &record, &err)) != OB_END;) {
        if (status != OB_OK)
            continue;
        (void)ob_record_view(record);
        err.message[0] = '\0';
        check(&err, ob_report_add(report, record, &err));
    }
    ob_record_reader_close(reader);
    err.message[0] = '\0';
    check(&err, ob_report_print(report, format, &text, &err));
    check(&err, ob_report_print_notes(report, format, &text, &err));
    if (params->view != OB_VIEW_MEASUREMENTS) /* as the original prints them */
        check_text(&text);
    ob_text_fini(&text);
    ob_report_destroy(report);
}

/* The line at *data as a text; NULL when it is empty. */
static char *take_line(const char **data, size_t *size)
{
    const char *end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    const size_t length = end != NULL ? (size_t)(end - *data) : *size;
    char *line = length > 0 ? strndup(*data, length) : NULL;
    const size_t used = length + (end != NULL);
    *data += used;
    *size -= used;
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ob_context *context; /* it takes longer to make than a report */
    const char *lines = (const char *)data;
    if (context == NULL && ob_context_create(NULL, &context, NULL) != OB_OK)
        return 0;
    char *filter = take_line(&lines, &size), *column = take_line(&lines, &size);
    for (int view = OB_VIEW_RUN; view < OB_VIEW_COUNT; view++)
        for (int format = 0; format < OB_TABLE_FORMAT_COUNT; format++) {
            ob_report_params params = {
                .size = sizeof params, .view = (ob_view)view, .context = context};
            show(&params, (ob_table_format)format, lines, size);
            const ob_table_choice choice = {.size = sizeof choice,
                                            .filter = filter,
                                            .columns = column,
                                            .sort = column,
                                            .top = format + 1};
            params.choice = &choice;
            show(&params, (ob_table_format)format, lines, size);
        }
    free(filter);
    free(column);
    return 0;
}
