/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count -s SUITE --list: the snippets of a suite, without running any.
 */
#include "count_command.h"

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

/* The name, then the statement's first line. */
static ob_status print_line(ob_cli *cli, const ob_snippet *s, ob_err *err)
{
    char *name;
    OB_TRY(ob_snippet_name(s, &name, err));
    ob__cli_printf(cli, "%s:  ", name);
    free(name);
    const size_t length = strcspn(s->args.stmt, "\n");
    ob__cli_write(cli, s->args.stmt, length);
    ob__cli_printf(cli, "%s\n", s->args.stmt[length] == '\0' ? "" : " ...");
    return OB_OK;
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
            OB_TRY(print_json_line(cli, ob_snippets_at(snippets, i), err));
        else
            OB_TRY(print_line(cli, ob_snippets_at(snippets, i), err));
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
    ob_suite_set set;
    ob_err err;
    ob_status status = ob__suite_set_open(&options->suite, options->snippet.lang, NULL, &set, &err);
    if (status == OB_OK)
        status = print_all(cli, options, set.suite, set.snippets, &err);
    ob__suite_set_close(&set);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}
