/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of result files: any bytes may be in one. What is read as a record is printed and read
 * again; the second printing must be the first.
 */
#include "opbench/record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints the record and what reading that gives; both must be the same line. */
static void round_trip(const ob_record *record)
{
    ob_text first = {0}, second = {0};
    ob_record_reader *reader;
    const ob_record *again;
    ob_err err;
    if (ob_record_print(record, &first, &err) != OB_OK)
        return; /* a kind that is only read */
    if (ob_record_reader_open_memory("again", first.data, first.size, NULL, &reader, &err) !=
            OB_OK ||
        ob_record_reader_next(reader, &again, &err) != OB_OK ||
        ob_record_print(again, &second, &err) != OB_OK || first.size != second.size ||
        memcmp(first.data, second.data, first.size) != 0)
        abort();
    ob_record_reader_close(reader);
    ob_text_fini(&first);
    ob_text_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ob_record_reader_params params = {.size = sizeof params, .max_line_bytes = 1 << 20};
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err;
    ob_status status;
    if (ob_record_reader_open_memory("fuzz", data, size, &params, &reader, &err) != OB_OK)
        abort();
    while ((status = ob_record_reader_next(reader, &record, &err)) != OB_END) {
        if (status == OB_OK && record->kind != OB_RECORD_OTHER_LINE)
            round_trip(record);
        else if (status != OB_OK && err.message[0] == '\0')
            abort(); /* a refusal always says why */
        if (status == OB_ERR_NOMEM || status == OB_ERR_IO)
            break;
    }
    ob_record_reader_close(reader);
    return 0;
}
