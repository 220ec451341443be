/* SPDX-License-Identifier: Apache-2.0
 *
 * Fleets of records that anybody may have written: whatever headers and results say, nodes are judged, and no form of their table lets
 * through what a terminal would obey.
 */
#include "opbench/report.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const ob_fleet *fleet, ob_table_format format)
{
    const ob_table_style style = {.size = sizeof style, .format = format, .list = "nodes"};
    ob_text text = {0};
    ob_table *table = ob_fleet_table(fleet, true);
    if (table == NULL || ob_table_print(table, &style, &text, NULL) != OB_OK)
        abort();
    for (size_t i = 0; i < text.size; i++)
        if (((unsigned char)text.data[i] < 0x20 && text.data[i] != '\n') || text.data[i] == 0x7f)
            abort();
    ob_table_destroy(table);
    ob_text_fini(&text);
}

static void judge(ob_fleet *fleet)
{
    ob_err err;
    err.message[0] = '\0';
    if (ob_fleet_judge(fleet, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort(); /* a refusal always says why */
        return;
    }
    size_t nodes = 0;
    while (ob_fleet_at(fleet, nodes) != NULL)
        nodes++;
    if (nodes != ob_fleet_node_count(fleet) || ob_fleet_count_sick(fleet) > nodes)
        abort();
    for (int format = 0; format <= OB_TABLE_JSON; format++)
        print(fleet, (ob_table_format)format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_fleet *fleet;
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err;
    if (ob_fleet_create(NULL, &fleet, NULL) != OB_OK)
        return 0;
    if (ob_record_reader_open_memory("fuzz", data, size, NULL, &reader, &err) != OB_OK)
        abort();
    for (ob_status status; (status = ob_record_reader_next(reader, &record, &err)) != OB_END;)
        if (status == OB_OK && ob_fleet_add(fleet, record, &err) == OB_ERR_INVALID)
            abort();
    ob_record_reader_close(reader);
    judge(fleet);
    ob_fleet_destroy(fleet);
    return 0;
}
