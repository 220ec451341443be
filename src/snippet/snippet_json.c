/* SPDX-License-Identifier: Apache-2.0
 *
 * Snippets as JSON, the original's key of one, and its hash over the keys of all.
 */
#include "base/md5.h"
#include "base/text_append.h"
#include "snippet/suite_int.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- keys ---- */

/* The code point at *at, which moves behind it. The text is UTF-8 as far as it was read as such; any other
 * byte stands for itself. */
static uint32_t take_code_point(const unsigned char **at)
{
    const unsigned char *c = *at;
    const int more = c[0] >= 0xF0 ? 3 : c[0] >= 0xE0 ? 2 : c[0] >= 0xC0 ? 1 : 0;
    static const unsigned char FIRST_BITS[] = {0x7F, 0x1F, 0x0F, 0x07};
    uint32_t point = more == 0 ? c[0] : c[0] & FIRST_BITS[more];
    int i = 1;
    for (; i <= more && (c[i] & 0xC0) == 0x80; i++)
        point = point << 6 | (c[i] & 0x3F);
    *at = c + i;
    return point;
}

static bool append_escape(ob_text *text, uint32_t point)
{
    if (point < 0x10000)
        return ob_text_printf(text, "\\u%04" PRIx32, point);
    point -= 0x10000;
    return ob_text_printf(text, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xD800 + (point >> 10 & 0x3FF),
                          0xDC00 + (point & 0x3FF));
}

/* In quotes, ASCII only, as Python's json.dumps writes it. */
static bool append_quoted(ob_text *text, const char *string)
{
    bool ok = ob_text_append_str(text, "\"");
    const unsigned char *at = (const unsigned char *)string;
    while (ok && *at != '\0') {
        static const char SHORT[] = "\"\\\n\r\t\b\f", LETTERS[] = "\"\\nrtbf";
        const char *found = *at < 0x80 ? strchr(SHORT, *at) : NULL;
        if (found != NULL) {
            ok = ob_text_printf(text, "\\%c", LETTERS[found - SHORT]);
            at++;
        } else if (*at >= 0x20 && *at < 0x7F) {
            ok = ob_text_append(text, (const char *)at++, 1);
        } else if (*at == 0x7F) { /* no control character for JSON */
            ok = ob_text_append(text, (const char *)at++, 1);
        } else {
            ok = append_escape(text, take_code_point(&at));
        }
    }
    return ok && ob_text_append_str(text, "\"");
}

static bool append_key(ob_text *text, const ob_snippet *s)
{
    bool ok = ob_text_append_str(text, "{\"label\": [");
    for (size_t i = 0; ok && i < s->label_parts; i++)
        ok = (i == 0 || ob_text_append_str(text, ", ")) && append_quoted(text, s->label[i]);
    return ok && ob_text_printf(text,
                                "], \"autolabels\": {\"runtime\": \"%s\", \"autograd\": \"%s\", "
                                "\"language\": \"%s\"}, \"num_threads\": %" PRId64 "}",
                                s->runtime, s->autograd, ob_language_label(s->args.language),
                                s->args.num_threads);
}

ob_status ob_snippet_key(const ob_snippet *snippet, char **key, ob_err *err)
{
    ob_text text = {0};
    if (append_key(&text, snippet) && ob_text_append(&text, "", 1)) {
        *key = text.data;
        return OB_OK;
    }
    ob_text_fini(&text);
    *key = NULL;
    return ob__snippet_no_memory(err);
}

/* Labels are distinct and so are languages and modes, but threads may be given twice. */
static bool is_repeated(const ob_snippets *snippets, size_t index)
{
    const ob_snippet *s = ob_snippets_at(snippets, index);
    for (size_t i = index; i-- > 0;) {
        const ob_snippet *before = ob_snippets_at(snippets, i);
        if (before->label != s->label || before->args.language != s->args.language ||
            before->runtime != s->runtime || before->autograd != s->autograd)
            return false; /* those of a group stand together */
        if (before->args.num_threads == s->args.num_threads)
            return true;
    }
    return false;
}

ob_status ob_snippets_md5(const ob_snippets *snippets, char hex[OB_MD5_TEXT], ob_err *err)
{
    ob_md5 md5;
    ob_text text = {0};
    bool ok = true, any = false;
    ob__md5_init(&md5);
    for (size_t i = 0; ok && i < ob_snippets_count(snippets); i++) {
        const ob_snippet *s = ob_snippets_at(snippets, i);
        if (s->args.language == OB_LANGUAGE_C || is_repeated(snippets, i))
            continue;
        text.size = 0;
        any = true;
        ok = append_key(&text, s);
        if (ok)
            ob__md5_add(&md5, text.data, text.size);
    }
    ob_text_fini(&text);
    ob__md5_end(&md5, hex);
    if (!any)
        memcpy(hex, "none", sizeof "none");
    return ok ? OB_OK : ob__snippet_no_memory(err);
}

/* ---- items ---- */

static ob_status set_text(ob_json_doc *doc, ob_json *object, const char *key, const char *text,
                          ob_err *err)
{
    const ob_json *node = ob_json_new_string(doc, text, strlen(text));
    return node == NULL ? ob__snippet_no_memory(err) : ob_json_set(doc, object, key, node, err);
}

static ob_status set_labels(const ob_snippet *s, ob_json_doc *doc, ob_json *object, ob_err *err)
{
    ob_json *label = ob_json_new_array(doc), *labels = ob_json_new_object(doc);
    if (label == NULL || labels == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < s->label_parts; i++) {
        const ob_json *part = ob_json_new_string(doc, s->label[i], strlen(s->label[i]));
        if (part == NULL)
            return ob__snippet_no_memory(err);
        OB_TRY(ob_json_append(doc, label, part, err));
    }
    OB_TRY(set_text(doc, labels, "runtime", s->runtime, err));
    OB_TRY(set_text(doc, labels, "autograd", s->autograd, err));
    OB_TRY(set_text(doc, labels, "language", ob_language_label(s->args.language), err));
    OB_TRY(ob_json_set(doc, object, "label", label, err));
    return ob_json_set(doc, object, "autolabels", labels, err);
}

ob_status ob_snippet_to_json(const ob_snippet *s, ob_json_doc *doc, ob_json **out, ob_err *err)
{
#define LANGUAGE_JSON(id, label, json, name, other) [OB_LANGUAGE_##id] = (json),
    static const char *const LANGUAGES[] = {OB_LANGUAGE_MAP(LANGUAGE_JSON)};
    *out = ob_json_new_object(doc);
    const ob_json *threads = ob_json_new_int(doc, s->args.num_threads);
    if (*out == NULL || threads == NULL)
        return ob__snippet_no_memory(err);
    OB_TRY(set_labels(s, doc, *out, err));
    OB_TRY(ob_json_set(doc, *out, "num_threads", threads, err));
    OB_TRY(set_text(doc, *out, "stmt", s->args.stmt, err));
    OB_TRY(set_text(doc, *out, "setup", s->args.setup, err));
    OB_TRY(set_text(doc, *out, "global_setup", s->args.global_setup, err));
    OB_TRY(set_text(doc, *out, "language", LANGUAGES[s->args.language], err));
    return s->model_source == NULL ? OB_OK
                                   : set_text(doc, *out, "model_source", s->model_source, err);
}
