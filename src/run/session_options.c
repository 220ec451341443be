/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a session's backend: those of the variant that its name has, then those of --backend-options, which
 * come later and so win.
 */
#include "base/nearest.h"
#include "run/backend_list.h"
#include "run/session_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether "name=value" is of a row; if not, all names that there are stand in the message. */
static ob_status check_option_name(const ob_backend_desc *desc, const char *word, ob_err *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0, used = 0;
    char all[512] = "", name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (const ob_option *row = desc->options; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0)
            return OB_OK;
        if (count < MOST)
            names[count++] = row->name;
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "",
                                     row->name);
    }
    const char *near = ob_nearest_name(name, names, count);
    return ob_err_set(
        err, OB_ERR_INVALID, "--backend-options: backend %s has no option \"%s\"%s are %s",
        desc->name, name,
        ob__near_text(near, "; did you mean \"", "\"? Its options", "; its options").text, all);
}

/* Words of a command line. */
typedef struct option_words {
    char *items[33]; /* the first is the program's name, which is not looked at */
    int count;
    char *end; /* of what is written of them */
} option_words;

/* "a=1,b=2", or "<backend>.a=1,b=2", as the words "--a=1" "--b=2" for the backend's rows. */
static ob_status add_words(const char *text, const char *name, option_words *words, ob_err *err)
{
    const int most = (int)(sizeof words->items / sizeof *words->items) - 1;
    char *to = words->end;
    while (*text != '\0') {
        if (words->count == most)
            return ob_err_set(err, OB_ERR_LIMIT, "more than %d backend options", most - 1);
        words->items[words->count++] = to;
        memcpy(to, "--", 2);
        text += ob__backend_option_prefix(text, name); /* as it must be with several */
        /* "\\," is a comma that belongs to the value. */
        for (to += 2; *text != '\0' && *text != ','; text++) {
            text += text[0] == '\\' && text[1] == ',';
            *to++ = *text;
        }
        *to++ = '\0';
        text += *text == ',';
    }
    words->end = to;
    return OB_OK;
}

static ob_status parse(ob_session *s, const char *variant, const char *text, ob_err *err)
{
    const ob_backend_desc *desc = s->desc;
    const char *name = ob__backend_name(&s->options);
    s->option_words = malloc(3 * (strlen(variant) + strlen(text)) + 4);
    if (s->option_words == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    option_words words = {.items = {s->option_words}, .count = 1, .end = s->option_words + 1};
    s->option_words[0] = '\0';
    OB_TRY(add_words(variant, name, &words, err));
    OB_TRY(add_words(text, name, &words, err));
    const char *positionals[sizeof words.items / sizeof *words.items];
    size_t positional_count = 0;
    ob_err local;
    for (int i = 1; i < words.count; i++)
        OB_TRY(check_option_name(desc, words.items[i] + 2, err));
    const ob_status status =
        ob_options_parse(desc->options, words.count, words.items, s->backend_options, positionals,
                         &positional_count, &local);
    return status == OB_OK ? OB_OK
                           : ob_err_set(err, status, "--backend-options: backend %s: %s",
                                        desc->name, local.message);
}

ob_status ob__session_take_options(ob_session *s, ob_err *err)
{
    const ob_backend_desc *desc = s->desc;
    const char *text = s->options.backend_options;
    const ob_manifest_variant *variant;
    OB_TRY(ob_backend_find_variant(s->context, ob__backend_name(&s->options), &variant, err));
    if (desc->options == NULL || desc->options_size == 0)
        return text == NULL && variant == NULL
                   ? OB_OK
                   : ob_err_set(err, OB_ERR_INVALID,
                                "--backend-options: backend %s has no options; leave this out",
                                desc->name);
    s->backend_options = calloc(1, desc->options_size);
    if (s->backend_options == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    OB_TRY(ob_options_init(desc->options, s->backend_options, err));
    return text == NULL && variant == NULL
               ? OB_OK
               : parse(s, variant != NULL ? variant->options : "", text != NULL ? text : "", err);
}
