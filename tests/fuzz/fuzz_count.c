/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of counts. What is read must survive printing, renaming and our own form there and back.
 */
#include "opbench/count.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(const ob_count_stats *stats)
{
    ob_count_stats *standard = NULL;
    ob_text text = {0};
    ob_err err;
    const ob_counts *table = ob_count_stats_get(stats)->stmt_exclusive;
    if (table != NULL && ob_counts_print(table, NULL, &text, &err) != OB_OK)
        abort();
    ob_text_fini(&text);
    if (ob_count_stats_standardise(stats, &standard, &err) != OB_OK && err.code != OB_ERR_OVERFLOW)
        abort();
    ob_count_stats_destroy(standard);
}

/* Names that are no UTF-8 cannot be read back from JSON; all else can. */
static void check_json(const ob_count_stats *stats)
{
    ob_json_doc *doc;
    ob_json *node;
    ob_count_file *again = NULL;
    char *text = NULL;
    size_t length;
    ob_err err;
    if (ob_json_doc_create(&doc, &err) != OB_OK)
        return;
    if (ob_count_stats_to_json(stats, doc, &node, &err) != OB_OK)
        abort();
    if (ob_json_print(node, &text, &length, &err) == OB_OK &&
        ob_count_file_parse("again", text, length, &again, &err) == OB_OK &&
        ob_count_stats_counts(stats, false) !=
            ob_count_stats_counts(ob_count_file_part(again, 0), false))
        abort();
    ob_count_file_destroy(again);
    free(text);
    ob_json_doc_destroy(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_count_file *file;
    ob_err err;
    if (ob_count_file_parse("input", data, size, &file, &err) != OB_OK)
        return 0;
    for (size_t i = 0; i < ob_count_file_size(file); i++) {
        check_part(ob_count_file_part(file, i));
        check_json(ob_count_file_part(file, i));
    }
    ob_count_file_destroy(file);
    return 0;
}
