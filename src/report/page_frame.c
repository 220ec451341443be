/* SPDX-License-Identifier: Apache-2.0
 *
 * What every page begins with: a policy that allows its own style and script alone, named by their hashes.
 */
#include "report/page_model.h"

#include "base/sha256.h"
#include "opbench/site.h"

#include <string.h>

/* 'sha256-...=' of pieces that stand behind each other. */
static void print_hash(ob_html *html, const char *first, const char *second)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t hash[OB_SHA256_BYTES + 1] = {0};
    char text[45] = "";
    ob__sha256((const void *const[]){first, second},
               (const size_t[]){strlen(first), strlen(second)}, 2, hash);
    for (size_t i = 0; i < 11; i++) {
        const uint32_t bits = (uint32_t)hash[3 * i] << 16 | (uint32_t)hash[3 * i + 1] << 8 |
                              (i < 10 ? hash[3 * i + 2] : 0U);
        for (size_t k = 0; k < 4; k++)
            text[4 * i + k] = DIGITS[bits >> (18 - 6 * k) & 63];
    }
    text[43] = '=';
    ob__html_printf(html, "'sha256-%s'", text);
}

/* Up to the title's text, which the caller writes and ends. */
void ob__page_begin_document(ob_html *html, bool with_script)
{
    ob__html_raw(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" OB_SITE_MARK "\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "base-uri 'none'; form-action 'none'; ");
    if (with_script) {
        ob__html_raw(html, "script-src ");
        print_hash(html, ob__page_text_page_script, "");
        ob__html_raw(html, "; ");
    }
    ob__html_raw(html, "style-src ");
    print_hash(html, ob__svg_style, ob__page_text_page_style);
    ob__html_raw(html, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<title>");
}

void ob__page_begin_body(ob_html *html)
{
    ob__html_raw(html, "<style>");
    ob__html_raw(html, ob__svg_style);
    ob__html_raw(html, ob__page_text_page_style);
    ob__html_raw(html, "</style>\n</head>\n<body>\n");
}
