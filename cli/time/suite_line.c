/* SPDX-License-Identifier: Apache-2.0
 *
 * The snippets that a command line chooses from a suite.
 */
#include "suite_line.h"

static ob_status expand(const ob_suite_line *line, const char *lang,
                        const ob_snippet_options *options, ob_suite_set *set, ob_err *err)
{
    char models[4096] = "";
    ob_language language = OB_LANGUAGE_PYTHON;
    if (lang != NULL)
        OB_TRY(ob_language_parse(lang, &language, err));
    if (options != NULL)
        OB_TRY(ob_suite_models_dir(set->suite, options, models, sizeof models, err));
    const ob_expand_options wanted = {.size = sizeof wanted,
                                      .models_dir = models[0] != '\0' ? models : NULL,
                                      .only = lang != NULL ? &language : NULL,
                                      .name_part = line->only};
    OB_TRY(ob_suite_expand(set->suite, &wanted, &set->snippets, err));
    if (ob_snippets_count(set->snippets) == 0 && line->only != NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "no snippet of the suite has '%.200s' in its name; `opbench count -s "
                          "FILE --list` shows the names",
                          line->only);
    if (ob_snippets_count(set->snippets) == 0)
        return ob_err_set_at(err, OB_ERR_INVALID, line->file, 0, 0, NULL,
                             "the suite has no snippets in %s; leave out --lang, or give another",
                             ob_language_label(language));
    return OB_OK;
}

ob_status ob__suite_set_open(const ob_suite_line *line, const char *lang,
                             const ob_snippet_options *options, ob_suite_set *out, ob_err *err)
{
    *out = (ob_suite_set){.suite = NULL};
    OB_TRY(ob_suite_read(line->file, &out->suite, err));
    const ob_status status = expand(line, lang, options, out, err);
    if (status != OB_OK)
        ob__suite_set_close(out);
    return status;
}

void ob__suite_set_close(ob_suite_set *set)
{
    ob_snippets_destroy(set->snippets);
    ob_suite_destroy(set->suite);
    *set = (ob_suite_set){.suite = NULL};
}
