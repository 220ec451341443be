/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an argument in short notation: what is taken must be a JSON document that prints, what is
 * refused must say why. Input: one word; seeds are in corpus/builder_word.
 */
#include "opbench/builder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ob_builder *builder;
    ob_json_doc *doc = NULL;
    ob_err err;
    char *word = malloc(size + 1), *text = NULL;
    size_t length;
    if (word == NULL || ob_builder_create(&builder, NULL) != OB_OK)
        abort();
    memcpy(word, data, size);
    word[size] = '\0';
    const char *words[] = {"{n=1..3}", word}; /* a list that the word may name */
    ob_builder_call(builder, "torch.add", words, 2);
    if (ob_builder_finish(builder, &doc, &err) != OB_OK) {
        if (err.message[0] == '\0')
            abort();
    } else if (ob_json_print(ob_json_doc_root(doc), &text, &length, NULL) != OB_OK || length == 0) {
        abort();
    }
    free(text);
    ob_json_doc_destroy(doc);
    ob_builder_destroy(builder);
    free(word);
    return 0;
}
