/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the command line must be those of calls; a file may serve several traces.
 */
#include "replay_lists.h"

#include <stdlib.h>
#include <string.h>

static size_t count_words(const char *list)
{
    size_t count = list != NULL && list[0] != '\0';
    for (; list != NULL && *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* PARAM's form: modules to import mean nothing here, and are accepted with a word. */
static ob_status read_file(ob_cli *cli, const char *file, ob_replay_lists *lists,
                           const ob_json **nodes, ob_err *err)
{
    static const char *const KEYS[] = {"skip nodes", "import modules"};
    const size_t key_count = sizeof KEYS / sizeof *KEYS;
    OB_TRY(ob_json_parse_file(file, NULL, &lists->doc, err));
    const ob_json *root = ob_json_doc_root(lists->doc);
    if (ob_json_get_kind(root) != OB_JSON_OBJECT)
        return ob_err_set_at(err, OB_ERR_CONFIG, file, 1, 1, NULL,
                             "must be an object like {\"skip nodes\": {\"aten::mm\": \"why\"}}");
    for (size_t i = 0; i < ob_json_count(root); i++) {
        const char *key = ob_json_key(root, i);
        const ob_json *value = ob_json_item(root, i);
        bool known = false;
        for (size_t k = 0; k < key_count; k++)
            known |= strcmp(key, KEYS[k]) == 0;
        const char *nearest = ob_nearest_name(key, KEYS, key_count);
        if (!known)
            return ob_err_set_at(
                err, OB_ERR_CONFIG, file, ob_json_line(value), ob_json_column(value), NULL,
                "unknown key \"%.60s\"; %s\"%s\"", key,
                nearest != NULL ? "did you mean " : "known are \"skip nodes\" and ",
                nearest != NULL ? nearest : KEYS[1]);
    }
    if (ob_json_count(ob_json_get(root, "import modules")) > 0)
        ob__cli_warn(cli,
                     "%s: \"import modules\" names Python modules, which opbench does not import",
                     file);
    *nodes = ob_json_get(root, "skip nodes");
    if (*nodes != NULL && ob_json_get_kind(*nodes) != OB_JSON_OBJECT)
        return ob_err_set_at(err, OB_ERR_CONFIG, file, ob_json_line(*nodes), ob_json_column(*nodes),
                             NULL, "\"skip nodes\" must be an object of names and reasons");
    for (size_t i = 0; i < ob_json_count(*nodes); i++) {
        const ob_json *why = ob_json_item(*nodes, i);
        if (ob_json_string(why, NULL) == NULL)
            return ob_err_set_at(err, OB_ERR_CONFIG, file, ob_json_line(why), ob_json_column(why),
                                 NULL, "the reason of \"%.60s\" must be a string",
                                 ob_json_key(*nodes, i));
    }
    return OB_OK;
}

ob_status ob__replay_lists_read(ob_cli *cli, const char *skip, const char *file,
                                ob_replay_lists *lists, ob_replay_options *options, ob_err *err)
{
    const ob_json *nodes = NULL;
    *lists = (ob_replay_lists){.doc = NULL};
    if (file != NULL)
        OB_TRY(read_file(cli, file, lists, &nodes, err));
    const size_t words = count_words(skip), more = ob_json_count(nodes);
    lists->names = calloc(words + more + 1, sizeof *lists->names);
    lists->reasons = calloc(words + more + 1, sizeof *lists->reasons);
    lists->text = strdup(skip != NULL ? skip : "");
    if (lists->names == NULL || lists->reasons == NULL || lists->text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    size_t count = 0;
    char *rest = lists->text;
    for (char *word; words > 0 && (word = strsep(&rest, ",")) != NULL;)
        if (word[0] != '\0')
            lists->names[count++] = word;
    options->skip_strict_count = count;
    for (size_t i = 0; i < more; i++) {
        const char *why = ob_json_string(ob_json_item(nodes, i), NULL);
        lists->reasons[count] = why[0] != '\0' ? why : NULL;
        lists->names[count++] = ob_json_key(nodes, i);
    }
    options->skip_names = lists->names;
    options->skip_reasons = lists->reasons;
    options->skip_count = count;
    return OB_OK;
}

void ob__replay_lists_fini(ob_replay_lists *lists)
{
    free((void *)lists->names);
    free((void *)lists->reasons);
    free(lists->text);
    ob_json_doc_destroy(lists->doc);
}
