/* SPDX-License-Identifier: Apache-2.0
 *
 * See backend_options.h.
 */
#include "backend_options.h"

#include "help/help.h"
#include "opbench/run.h"
#include "output_file.h"
#include "run/run_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One option of a command, and where the command line's value of it is. */
typedef struct place {
    const char *backend;
    const ob_manifest_option *row;
    const ob_cli_backend_value *value;
} place;

static const ob_cli_backend_value NOT_GIVEN = {.text = NULL};

/* Whether an option of the command is that one's: what the command has itself, all commands have, or a manifest before it
 * has, is not. */
static bool has_row(const ob_cli *cli, const ob_cli_command *command, size_t m, size_t i)
{
    const ob_manifest_option *row = &ob_manifests_at(cli->manifests, m)->options[i];
    if (!ob_manifest_has(row->commands, command->name) || ob__cli_is_common(cli, row->name) ||
        ob_options_find(ob__cli_own_options(command), row->name) != NULL)
        return false;
    for (size_t n = 0; n <= m; n++) {
        const ob_manifest *before = ob_manifests_at(cli->manifests, n);
        for (size_t k = 0; k < (n < m ? before->option_count : i); k++)
            if (strcmp(before->options[k].name, row->name) == 0 &&
                ob_manifest_has(before->options[k].commands, command->name))
                return false;
    }
    return true;
}

/* The index-th of the command. */
static bool find(const ob_cli *cli, const ob_cli_command *command, size_t index, place *out)
{
    size_t at = 0;
    for (size_t m = 0; cli->manifests != NULL && m < ob_manifests_count(cli->manifests); m++) {
        const ob_manifest *manifest = ob_manifests_at(cli->manifests, m);
        for (size_t i = 0; i < manifest->option_count; i++) {
            const ob_manifest_option *row = &manifest->options[i];
            if (!has_row(cli, command, m, i) || at++ != index)
                continue;
            *out = (place){manifest->name, row,
                           cli->backend_values != NULL && index < OB_CLI_BACKEND_VALUES
                               ? &cli->backend_values[index]
                               : &NOT_GIVEN};
            return true;
        }
    }
    return false;
}

static bool is_given(const place *p)
{
    return p->row->value != NULL ? p->value->text != NULL : p->value->flag;
}

/* The next that is given, from *index on. */
static bool next_given(const ob_cli *cli, size_t *index, place *out)
{
    while (*index < OB_CLI_BACKEND_VALUES && find(cli, cli->command, (*index)++, out))
        if (is_given(out))
            return true;
    return false;
}

size_t ob__backend_option_rows(const ob_cli *cli, const ob_cli_command *command, ob_option *rows,
                               size_t room, size_t offset)
{
    size_t count = 0;
    for (place p; count < room && count < OB_CLI_BACKEND_VALUES && find(cli, command, count, &p);
         count++) {
        const bool flag = p.row->value == NULL;
        rows[count] = (ob_option){
            .name = p.row->name,
            .type = flag ? OB_OPTION_FLAG : OB_OPTION_STRING,
            .offset = offset + count * sizeof(ob_cli_backend_value) +
                      (flag ? offsetof(ob_cli_backend_value, flag)
                            : offsetof(ob_cli_backend_value, text)),
            .rare = true,
            .group = "Backend",
            .value = p.row->value,
            .help = p.row->help,
        };
    }
    return count;
}

const ob_manifest_option *ob__backend_option_given(const ob_cli *cli, ob_backend_option_test test,
                                                   const char **backend)
{
    size_t index = 0;
    for (place p; next_given(cli, &index, &p);)
        if (test == NULL || test(p.row)) {
            if (backend != NULL)
                *backend = p.backend;
            return p.row;
        }
    return NULL;
}

bool ob__backend_option_brings_operators(const ob_manifest_option *row)
{
    return row->brings_operators;
}

bool ob__backend_option_writes(const ob_manifest_option *row)
{
    return row->writes != NULL;
}

ob_status ob__backend_options_check(const ob_cli *cli, const char *backends, ob_err *err)
{
    size_t index = 0;
    for (place p; next_given(cli, &index, &p);) {
        if (backends == NULL) /* the first one says whose they are */
            backends = p.backend;
        if (!ob_backend_is_meant(backends, p.backend))
            return ob_err_set(err, OB_ERR_INVALID, "--%s needs the %s backend; add --backend %s",
                              p.row->name, p.backend, p.backend);
    }
    return OB_OK;
}

/* ---- what they become ---- */

/* "results_et.json" of "results.json"; malloc'ed, NULL when memory is out. */
static char *path_beside(const char *records, const char *end)
{
    static const char JSON[] = ".json";
    const size_t length = strlen(records), less = sizeof JSON - 1;
    const bool cut = length > less && strcmp(records + length - less, JSON) == 0;
    char *path = NULL;
    return asprintf(&path, "%.*s%s", (int)(cut ? length - less : length), records, end) < 0 ? NULL
                                                                                            : path;
}

/* The path without the links of its folder; the last one stays: an interpreter's own name tells its virtual environment. */
static bool real_folder(const char *path, char out[PATH_MAX])
{
    char folder[PATH_MAX], resolved[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    snprintf(folder, sizeof folder, "%.*s.", (int)(name - path), path);
    return access(path, F_OK) == 0 && realpath(folder, resolved) != NULL &&
           snprintf(out, PATH_MAX, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved, name) <
               PATH_MAX;
}

/* The value as it is handed on; malloc'ed. */
static ob_status make_value(const place *p, const ob_backend_options_use *use, char **out,
                            ob_err *err)
{
    const char *text = p->row->sets != NULL ? p->row->sets : p->value->text;
    const char *end = p->row->writes;
    char resolved[PATH_MAX];
    const bool found = p->row->is_file ? realpath(text, resolved) != NULL
                       : p->row->variable != NULL && !p->row->is_plain ? real_folder(text, resolved)
                                                                       : false;
    if (end == NULL && found)
        text = resolved;
    else if (end == NULL && p->row->is_file)
        return ob_err_set(err, OB_ERR_INVALID, "--%s %s: no such file", p->row->name, text);
    *out = end != NULL ? path_beside(use->records, end) : strdup(text);
    if (*out == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    if (end == NULL || use->replace || !ob__cli_is_taken(*out))
        return OB_OK;
    ob_err_set(err, OB_ERR_INVALID, "%s, the %s of --%s, already exists; --force replaces it", *out,
               p->row->holds != NULL ? p->row->holds : "file", p->row->name);
    free(*out);
    return OB_ERR_INVALID;
}

/* Adds "name=value" to *text, with the backend in front beside others. */
static ob_status add_option(const place *p, const char *value, bool several, char **text,
                            ob_err *err)
{
    const char *before = *text != NULL ? *text : "";
    const size_t size = strlen(before) + strlen(p->backend) + strlen(p->row->gives) +
                        2 * strlen(value) + 4; /* '.', '=', ',' and the end */
    char *joined = malloc(size);
    if (joined == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the backend's options");
    char *to = stpcpy(joined, before);
    ob__append_backend_option(to, to == joined, several ? p->backend : NULL, p->row->gives, value);
    free(*text);
    *text = joined;
    return OB_OK;
}

static ob_status apply_one(const place *p, const ob_backend_options_use *use, ob_run_options *run,
                           bool several, char **text, ob_err *err)
{
    if (run->backend == NULL)
        run->backend = p->backend;
    if (p->row->gives == NULL)
        return OB_OK;
    char *value;
    OB_TRY(make_value(p, use, &value, err));
    if (*text == NULL && run->backend_options != NULL)
        *text = strdup(run->backend_options);
    const ob_status status = add_option(p, value, several, text, err);
    free(value);
    return status;
}

/* By the environment: workers have it too, and a backend is asked whether it can work before it has options. */
static int set_variable(ob_cli *cli, const place *p)
{
    const ob_backend_options_use use = {.records = ""};
    char *value;
    ob_err err;
    if (p->row->variable == NULL)
        return OB_EXIT_OK;
    if (make_value(p, &use, &value, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    const bool ok = setenv(p->row->variable, value, 1) == 0;
    free(value);
    return ok ? OB_EXIT_OK : ob__cli_out_of_memory(cli);
}

/* What a manifest gives the command and the command has itself, such as the interpreter of statements, is both. */
static int set_shared(ob_cli *cli, const ob_manifest *manifest, const void *options)
{
    const ob_option *own = ob__cli_own_options(cli->command);
    int code = OB_EXIT_OK;
    for (size_t i = 0; code == OB_EXIT_OK && i < manifest->option_count; i++) {
        const ob_manifest_option *row = &manifest->options[i];
        const ob_option *shared = ob_manifest_has(row->commands, cli->command->name)
                                      ? ob_options_find(own, row->name)
                                      : NULL;
        ob_cli_backend_value value = NOT_GIVEN;
        if (shared == NULL || shared->type != OB_OPTION_STRING)
            continue;
        memcpy(&value.text, (const char *)options + shared->offset, sizeof value.text);
        if (value.text != NULL)
            code = set_variable(cli, &(place){manifest->name, row, &value});
    }
    return code;
}

int ob__backend_variables_set(ob_cli *cli, const void *options)
{
    size_t index = 0;
    int code = OB_EXIT_OK;
    for (place p; code == OB_EXIT_OK && next_given(cli, &index, &p);)
        code = set_variable(cli, &p);
    const size_t count = cli->manifests != NULL ? ob_manifests_count(cli->manifests) : 0;
    for (size_t m = 0; code == OB_EXIT_OK && m < count; m++)
        code = set_shared(cli, ob_manifests_at(cli->manifests, m), options);
    return code;
}

const char *ob__backend_variable_of(const ob_cli *cli, const char *backend, const char *option)
{
    const ob_manifest *manifest =
        cli->manifests != NULL ? ob_manifests_find(cli->manifests, backend) : NULL;
    for (size_t i = 0; manifest != NULL && i < manifest->option_count; i++)
        if (strcmp(manifest->options[i].name, option) == 0)
            return manifest->options[i].variable;
    return NULL;
}

void ob__backend_variables_walk(const ob_cli *cli, const char *backends,
                                void (*fn)(void *ctx, char *word), void *ctx)
{
    place p;
    for (size_t i = 0; i < OB_CLI_BACKEND_VALUES && find(cli, cli->command, i, &p); i++) {
        const char *value = p.row->variable != NULL ? getenv(p.row->variable) : NULL;
        char *word = NULL;
        if (value == NULL || value[0] == '\0' || is_given(&p) ||
            !ob_backend_is_meant(backends, p.backend))
            continue;
        if (asprintf(&word, "--%s=%s", p.row->name, value) < 0)
            word = NULL;
        fn(ctx, word);
    }
}

ob_status ob__backend_options_apply(const ob_cli *cli, const ob_backend_options_use *use,
                                    ob_run_options *run, char **text, ob_err *err)
{
    const bool several = ob_run_options_backend_count(run) > 1;
    ob_status status = OB_OK;
    size_t index = 0;
    *text = NULL;
    for (place p; status == OB_OK && next_given(cli, &index, &p);)
        status = apply_one(&p, use, run, several, text, err);
    if (*text != NULL)
        run->backend_options = *text;
    return status;
}

/* ---- what is said of them ---- */

void ob__backend_options_warn(ob_cli *cli)
{
    size_t index = 0;
    for (place p; next_given(cli, &index, &p);)
        if (p.row->note != NULL)
            ob__cli_warn(cli, "--%s: %s", p.row->name, p.row->note);
}

/* The worker writes them at its end; there are none where no worker came that far. */
void ob__backend_options_print_files(ob_cli *cli, const char *records)
{
    size_t index = 0;
    for (place p; next_given(cli, &index, &p);) {
        char *path = p.row->writes != NULL ? path_beside(records, p.row->writes) : NULL;
        if (path != NULL && access(path, F_OK) == 0)
            ob__cli_printf(cli, "%s: %s\n", p.row->holds != NULL ? p.row->holds : p.row->name,
                           path);
        free(path);
    }
}

ob_status ob__backend_options_list(const ob_cli *cli, ob_json_doc *doc, ob_json *object,
                                   ob_err *err)
{
    static const ob_cli_backend_value NOTHING[OB_CLI_BACKEND_VALUES];
    const ob_cli_command *run = ob__cli_find_command("run");
    ob_option rows[OB_CLI_BACKEND_VALUES + 1] = {{.name = NULL}};
    ob__backend_option_rows(cli, run, rows, OB_CLI_BACKEND_VALUES, 0);
    return ob_options_to_json(rows, cli->command == run ? cli->backend_values : NOTHING, doc,
                              object, err);
}
