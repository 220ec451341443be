/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of measurements, and the tables over what it gives: any bytes may be in a file, and whatever is
 * read must be shown in every form, or refused with a reason.
 */
#include "opbench/compare.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_say_why(ob_status status, const ob_err *err)
{
    if (status != OB_OK && err->message[0] == '\0')
        abort();
}

static void show(const ob_measurement *m, ob_text *text)
{
    ob_err err = {.message = ""};
    text->size = 0;
    must_say_why(ob_measurement_print(m, NULL, text, &err), &err);
    must_say_why(ob_measurement_print_json(m, NULL, text, &err), &err);
}

static void compare(const ob_measurements *list, ob_text *text)
{
    ob_compare *tables = NULL;
    ob_err err = {.message = ""};
    must_say_why(ob_compare_create(list, &tables, &err), &err);
    for (int format = 0; tables != NULL && format < OB_TABLE_FORMAT_COUNT; format++)
        for (int colorize = 0; colorize < OB_COLORIZE_COUNT; colorize++) {
            const ob_compare_style style = {.size = sizeof style,
                                            .format = (ob_table_format)format,
                                            .colorize = (ob_colorize)colorize,
                                            .trim_significant_figures = colorize != 1,
                                            .highlight_warnings = colorize != 2};
            text->size = 0;
            must_say_why(ob_compare_print(tables, &style, text, &err), &err);
        }
    ob_compare_destroy(tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_measurement_reader *reader = NULL;
    ob_measurements *list = NULL;
    const ob_measurement *m = NULL;
    ob_text text = {.data = NULL};
    ob_err err = {.message = ""};
    ob_status status;
    if (ob_measurement_reader_open_memory("fuzz", data, size, &reader, &err) != OB_OK ||
        ob_measurements_create(&list, &err) != OB_OK)
        abort();
    while ((status = ob_measurement_reader_next(reader, &m, &err)) == OB_OK) {
        show(m, &text);
        if (ob_measurements_add(list, m, &err) != OB_OK)
            abort();
    }
    if (status != OB_END)
        must_say_why(status, &err);
    compare(list, &text);
    ob_measurement_reader_close(reader);
    ob_measurements_destroy(list);
    ob_text_fini(&text);
    return 0;
}
