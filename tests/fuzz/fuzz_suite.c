/* SPDX-License-Identifier: Apache-2.0
 *
 * Suites of snippets. Whatever is read can be expanded, named and printed.
 */
#include "opbench/snippet.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_snippet(const ob_snippet *snippet)
{
    ob_json_doc *doc;
    ob_json *node;
    char *key, *text = NULL;
    size_t length;
    if (ob_snippet_key(snippet, &key, NULL) != OB_OK)
        abort();
    for (const char *c = key; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            abort();
    free(key);
    if (ob_snippet_name(snippet, &key, NULL) != OB_OK)
        abort();
    free(key);
    if (ob_json_doc_create(&doc, NULL) != OB_OK)
        return;
    if (ob_snippet_to_json(snippet, doc, &node, NULL) != OB_OK ||
        ob_json_print(node, &text, &length, NULL) != OB_OK)
        abort();
    free(text);
    ob_json_doc_destroy(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_suite *suite;
    ob_snippets *snippets;
    char md5[OB_MD5_TEXT];
    if (ob_suite_parse("input", data, size, &suite, NULL) != OB_OK)
        return 0;
    if (ob_suite_expand(suite, NULL, &snippets, NULL) == OB_OK) {
        for (size_t i = 0; i < ob_snippets_count(snippets); i++)
            check_snippet(ob_snippets_at(snippets, i));
        if (ob_snippets_md5(snippets, md5, NULL) != OB_OK)
            abort();
        ob_snippets_destroy(snippets);
    }
    ob_suite_destroy(suite);
    return 0;
}
