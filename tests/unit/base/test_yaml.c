/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML as JSON trees: what scalars become, where things stand, what is refused.
 */
#include "check.h"

#include "base/md5.h"
#include "base/yaml.h"

#include <stdlib.h>

static char *as_json(const char *yaml)
{
    ob_json_doc *doc = NULL;
    char *text = NULL;
    size_t length;
    ob_err err = {0};
    CHECK_INT(ob__yaml_parse("x.yaml", yaml, strlen(yaml), &doc, &err), OB_OK);
    CHECK_STR(err.message, "");
    if (doc != NULL)
        CHECK_INT(ob_json_print(ob_json_doc_root(doc), &text, &length, NULL), OB_OK);
    ob_json_doc_destroy(doc);
    return text;
}

static void values(void)
{
    static const struct {
        const char *yaml, *json;
    } CASES[] = {
        {"", "null"},
        {"a: 1\nb: [~, null, true, FALSE, yes]",
         "{\"a\": 1, \"b\": [null, null, true, false, \"yes\"]}"},
        {"- +3\n- -4\n- 1.5\n- 1e3\n- .5\n- 1.\n- 1e\n- '7'\n- 0x1f",
         "[3, -4, 1.5, 1000.0, 0.5, 1.0, \"1e\", \"7\", \"0x1f\"]"},
        {"1: a\n~: b\ntrue: c", "{\"1\": \"a\", \"~\": \"b\", \"true\": \"c\"}"},
        {"a: |\n  x\n    y\nb: >-\n  u\n  v\nc: \"q\\n\"",
         "{\"a\": \"x\\n  y\\n\", \"b\": \"u v\", \"c\": \"q\\n\"}"},
        {"{\"a\": {\"b\": []}}", "{\"a\": {\"b\": []}}"},
        {"99999999999999999999", "1e+20"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char *json = as_json(CASES[i].yaml);
        CHECK_STR(json, CASES[i].json);
        free(json);
    }
}

static void places(void)
{
    ob_json_doc *doc = NULL;
    const char yaml[] = "a:\n  b: 1\n  c: [2, 3]\n";
    CHECK_INT(ob__yaml_parse("x", yaml, strlen(yaml), &doc, NULL), OB_OK);
    const ob_json *a = ob_json_get(ob_json_doc_root(doc), "a");
    CHECK_INT(ob_json_line(a), 2);
    const ob_json *three = ob_json_item(ob_json_get(a, "c"), 1);
    CHECK_INT(ob_json_line(three), 3);
    CHECK_INT(ob_json_column(three), 10);
    ob_json_doc_destroy(doc);
}

static void refused(void)
{
    static const struct {
        const char *yaml, *message;
        uint32_t line;
    } CASES[] = {
        {"a: 1\na: 2", "a key appears twice", 2},
        {"a: &x 1\nb: *x", "anchors and tags", 1},
        {"a: *x", "aliases", 1},
        {"a: !!str 1", "anchors and tags", 1},
        {"[a]: 1", "a key must be a string,", 1},
        {"a: 1\n---\nb: 2", "a second document", 2},
        {"a: [1", "did not find expected", 2},
        {"a:\n\t- 1", "found character that cannot start any token", 2},
        {"a: \"\\0\"", "NUL", 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_json_doc *doc = NULL;
        ob_err err = {0};
        CHECK_INT(ob__yaml_parse("x.yaml", CASES[i].yaml, strlen(CASES[i].yaml), &doc, &err),
                  OB_ERR_SYNTAX);
        CHECK(doc == NULL);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(err.line, CASES[i].line);
        CHECK_STR(err.file, "x.yaml");
    }
    char deep[200];
    memset(deep, '[', sizeof deep);
    ob_json_doc *doc = NULL;
    CHECK_INT(ob__yaml_parse("x", deep, sizeof deep, &doc, NULL), OB_ERR_LIMIT);
}

/* The examples of RFC 1321, and lengths around a block. */
static void hashes(void)
{
    static const struct {
        const char *text, *hex;
    } CASES[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    char hex[33];
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_md5 whole, split;
        const size_t length = strlen(CASES[i].text);
        ob__md5_init(&whole);
        ob__md5_add(&whole, CASES[i].text, length);
        ob__md5_end(&whole, hex);
        CHECK_STR(hex, CASES[i].hex);
        ob__md5_init(&split);
        for (size_t k = 0; k < length; k++)
            ob__md5_add(&split, CASES[i].text + k, 1);
        ob__md5_end(&split, hex);
        CHECK_STR(hex, CASES[i].hex);
    }
}

int main(void)
{
    RUN(values);
    RUN(places);
    RUN(refused);
    RUN(hashes);
    return ob_test_end();
}
