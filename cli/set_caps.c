/* SPDX-License-Identifier: Apache-2.0
 *
 * One place for all commands, and before the command runs: its workers, compilers, interpreters and profilers have the
 * environment of this process, and so has a session in this very process.
 */
#include "set_caps.h"

#include "backend_options.h"
#include "help/help.h"
#include "own_path.h"

#include <stdlib.h>
#include <string.h>

/* ---- the command's options, by their names ---- */

static const void *find_value(const ob_option *rows, const char *name, const void *options)
{
    const ob_option *row = ob_options_find(rows, name);
    return row != NULL ? (const char *)options + row->offset : NULL;
}

/* Of a list the first: it begins with it. */
static const char *text_of(const ob_option *rows, const char *name, const void *options)
{
    const char *text = NULL;
    const void *value = find_value(rows, name, options);
    if (value != NULL)
        memcpy(&text, value, sizeof text);
    return text;
}

static bool is_on(const ob_option *rows, const char *name, const void *options)
{
    const bool *value = find_value(rows, name, options);
    return value != NULL && *value;
}

static bool is_one_given(const ob_option *rows, const char *const *names, const void *options)
{
    for (; names != NULL && *names != NULL; names++)
        if (text_of(rows, *names, options) != NULL)
            return true;
    return false;
}

/* Whose libraries the command may load, as its row says: NULL = anybody's, "" = nobody's. */
static const char *find_users(const ob_cli *cli, const ob_option *rows, const void *options,
                              const char *word)
{
    const ob_cli_command *command = cli->command;
    const char *backend = text_of(rows, "backend", options);
    if ((backend == NULL && command->takes_any_backend) || cli->manifests == NULL ||
        is_one_given(rows, command->loads_anything, options))
        return NULL;
    for (const char *const *w = command->loads_nothing; word != NULL && w != NULL && *w != NULL;
         w++)
        if (strcmp(*w, word) == 0)
            return "";
    if (backend == NULL && ob__backend_option_given(cli, NULL, &backend) == NULL)
        return OB_REFERENCE_BACKEND;
    return backend;
}

/* ---- */

static void say(ob_cli *cli, const ob_library_caps *caps)
{
    for (size_t i = 0; i < ob_library_caps_count(caps); i++) {
        const ob_library_cap *cap = ob_library_caps_at(caps, i);
        const bool named = cap->own[0] != '\0';
        if (cap->state == OB_CAP_SET)
            ob__cli_warn(
                cli,
                "%s would choose %s%s: %s; opbench sets %s=%s (--library-caps off leaves it alone)",
                cap->library, named ? cap->own : "kernels", named ? "" : " that fail", cap->why,
                cap->variable, cap->value);
        else if (cap->state == OB_CAP_CANNOT)
            ob__cli_warn(cli, "%s chooses %s%s, which %s cannot correct: %s", cap->library,
                         named ? cap->own : "kernels", named ? "" : " that fail", cap->variable,
                         cap->why);
    }
}

static int remember_off(ob_cli *cli)
{
    ob_err err;
    if (ob_json_doc_create(&cli->no_caps, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    ob_json_doc_set_root(cli->no_caps, ob_json_new_string(cli->no_caps, "off", strlen("off")));
    return OB_EXIT_OK;
}

int ob__cli_cap_libraries(ob_cli *cli, const ob_option *rows, const void *options, const char *word)
{
    const char *state = text_of(rows, "library-caps", options), *given = getenv(OB_CAPS_VARIABLE);
    ob_own_path own;
    ob_err err;
    if (find_value(rows, "library-caps", options) == NULL ||
        text_of(rows, "trial", options) != NULL)
        return OB_EXIT_OK;
    if (state == NULL)
        state = given != NULL && given[0] != '\0' ? given : "on";
    if (strcmp(state, "off") == 0)
        return remember_off(cli);
    if (strcmp(state, "on") != 0 && strcmp(state, "quiet") != 0)
        return ob__cli_usage_error(cli, "%s is '%s'; set it to on, quiet or off", OB_CAPS_VARIABLE,
                                   state);
    const ob_library_caps_params params = {
        .size = sizeof params,
        .program = ob__cli_own_path(&own) ? own.path : NULL,
        .users = find_users(cli, rows, options, word),
        .manifests = cli->manifests,
    };
    if (ob_library_caps_find(&params, &cli->caps, &err) != OB_OK ||
        ob_library_caps_apply(cli->caps, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    /* A worker does this only for a program that did not; what it prints would be a case's output. */
    if (strcmp(state, "on") == 0 && !is_on(rows, "quiet", options) &&
        ob__cli_is_listed(cli->command))
        say(cli, cli->caps);
    /* What is started behind this finds the variables in place. */
    return setenv(OB_CAPS_VARIABLE, "off", 1) == 0 ? OB_EXIT_OK : ob__cli_out_of_memory(cli);
}

const ob_json *ob__cli_library_caps(const ob_cli *cli)
{
    return cli->caps != NULL      ? ob_library_caps_json(cli->caps)
           : cli->no_caps != NULL ? ob_json_doc_root(cli->no_caps)
                                  : NULL;
}

void ob__cli_caps_fini(ob_cli *cli)
{
    ob_library_caps_destroy(cli->caps);
    ob_json_doc_destroy(cli->no_caps);
}
