/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count -s SUITE --list: the snippets of a suite, without running any.
 */
#include "count.h"

#include "opbench/snippet.h"

#include <stdlib.h>
#include <string.h>

static ob_status print_json_line(ob_cli *cli, const ob_snippet *snippet, ob_err *err)
{
    ob_json_doc *doc;
    ob_json *node;
    OB_TRY(ob_json_doc_create(&doc, err));
    ob_status status = ob_snippet_to_json(snippet, doc, &node, err);
    if (status == OB_OK)
        status = ob__cli_print_json(cli, node, err);
    ob_json_doc_destroy(doc);
    return status;
}

/* "Pointwise / add", then how it runs, then the statement's first line. */
static void print_line(ob_cli *cli, const ob_snippet *s)
{
    for (size_t i = 0; i < s->label_parts; i++)
        ob__cli_printf(cli, "%s%s", i > 0 ? " / " : "", s->label[i]);
    if (s->runtime[0] != '\0')
        ob__cli_printf(cli, "  %s, %s", s->runtime, s->autograd);
    ob__cli_printf(cli, "  %s, %lld thread%s:  ", ob_language_label(s->args.language),
                   (long long)s->args.num_threads, s->args.num_threads > 1 ? "s" : "");
    const size_t length = strcspn(s->args.stmt, "\n");
    ob__cli_write(cli, s->args.stmt, length);
    ob__cli_printf(cli, "%s\n", s->args.stmt[length] == '\0' ? "" : " ...");
}

static ob_status print_all(ob_cli *cli, const ob_count_options *o, const ob_suite *suite,
                           const ob_snippets *snippets, ob_err *err)
{
    char md5[OB_MD5_TEXT];
    OB_TRY(ob_snippets_md5(snippets, md5, err));
    if (o->md5) {
        ob__cli_printf(cli, "%s\n", md5);
        return OB_OK;
    }
    for (size_t i = 0; i < ob_snippets_count(snippets); i++) {
        if (o->json)
            OB_TRY(print_json_line(cli, ob_snippets_get(snippets, i), err));
        else
            print_line(cli, ob_snippets_get(snippets, i));
    }
    if (!o->json)
        ob__cli_printf(cli, "%zu snippet%s of %zu definition%s, md5 %s\n",
                       ob_snippets_count(snippets), ob_snippets_count(snippets) == 1 ? "" : "s",
                       ob_suite_definition_count(suite),
                       ob_suite_definition_count(suite) == 1 ? "" : "s", md5);
    return OB_OK;
}

int ob__count_list(ob_cli *cli, const ob_count_options *options)
{
    ob_suite *suite;
    ob_snippets *snippets = NULL;
    ob_err err;
    ob_status status = ob_suite_read(options->suite, &suite, &err);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    const char *lang = options->snippet.lang;
    ob_language language = OB_LANGUAGE_PYTHON;
    if (lang != NULL)
        status = ob_language_parse(lang, &language, &err);
    const ob_expand_options expand = {.only = lang != NULL ? &language : NULL};
    if (status == OB_OK)
        status = ob_suite_expand(suite, &expand, &snippets, &err);
    if (status == OB_OK)
        status = print_all(cli, options, suite, snippets, &err);
    ob_snippets_destroy(snippets);
    ob_suite_destroy(suite);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}
