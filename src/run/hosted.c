/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker becomes the program that hosts its backend: the same process, descriptors and guard, so that nobody who started
 * it needs to know. The host calls opbench again, with the same words and --hosted.
 */
#include "run/hosted.h"

#include "base/number.h"
#include "process/programs.h"
#include "run/command_line.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a backend's manifest says of its host; NULL = opbench itself. */
static const ob_manifest_host *host_of(const ob_context *context, const char *backend)
{
    const ob_manifests *manifests = ob_context_manifests(context);
    const ob_manifest *m =
        manifests != NULL && backend != NULL ? ob_manifests_find(manifests, backend) : NULL;
    return m != NULL ? m->host : NULL;
}

bool ob_backend_has_host(const ob_context *context, const char *backend)
{
    return host_of(context, backend) != NULL;
}

/* Named by the variable, of the active virtual environment, or of PATH. */
static ob_status find_program(const ob_manifest *m, char **out, ob_err *err)
{
    char path[PATH_MAX];
    const char *named = m->variable != NULL ? getenv(m->variable) : NULL;
    const char *active = getenv("VIRTUAL_ENV");
    *out = NULL;
    bool known = true;
    if (named != NULL && named[0] != '\0')
        known = ob__program_find(named, out);
    else if (active != NULL && active[0] != '\0' &&
             snprintf(path, sizeof path, "%s/bin/%s", active, m->host->program) < PATH_MAX)
        known = ob__program_find(path, out);
    if (known && *out == NULL && (named == NULL || named[0] == '\0'))
        known = ob__program_find(m->host->program, out);
    if (!known)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the name of a program");
    return *out != NULL ? OB_OK
                        : ob_err_set(err, OB_ERR_UNSUPPORTED,
                                     "%s cannot be run; install it, or name another program in $%s",
                                     named != NULL && named[0] != '\0' ? named : m->host->program,
                                     m->variable != NULL ? m->variable : "PATH");
}

/* The host's object lies beside the plug-in, wherever that was found. */
static bool find_object(const ob_context *context, const ob_manifest *m, char path[PATH_MAX])
{
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_PLUGIN); i++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_PLUGIN, i);
        const char *slash = strrchr(info.origin, '/');
        if (strcmp(info.name, m->name) == 0 && slash != NULL)
            return snprintf(path, PATH_MAX, "%.*s%s", (int)(slash + 1 - info.origin), info.origin,
                            m->host->object) < PATH_MAX;
    }
    return false;
}

ob_status ob_host_enter(const ob_context *context, const char *backend, const char *const *words,
                        size_t word_count, ob_err *err)
{
    char object[PATH_MAX], own[PATH_MAX], *program;
    if (host_of(context, backend) == NULL)
        return OB_OK;
    const ob_manifest *m = ob_manifests_find(ob_context_manifests(context), backend);
    if (!find_object(context, m, object))
        return OB_OK; /* opening the backend says that it is not there */
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "this program cannot find its own path");
    own[length] = '\0';
    OB_TRY(find_program(m, &program, err));
    ob_command_words line = {.count = 0};
    const char *const before[] = {program, m->host->flag, m->host->code, object,
                                  own,     "worker",      "--hosted"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof before / sizeof *before; i++)
        ok = ob__command_words_add(&line, before[i]);
    for (size_t i = 0; ok && i < word_count; i++)
        ok = ob__command_words_add(&line, words[i]);
    char **list = ok ? ob__command_words_list(&line) : NULL;
    const ob_status status = list != NULL
                                 ? ob__process_become((const char *const *)list, err)
                                 : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the host");
    free(list);
    free(program);
    ob__command_words_fini(&line);
    return status;
}

ob_status ob__host_ask(const ob_context *context, const char *what, const ob_run_options *options,
                       int socket, ob_err *err)
{
    char fd[32], backend[128], *own = NULL;
    if (host_of(context, options->backend) == NULL)
        return OB_OK;
    snprintf(fd, sizeof fd, "--socket-fd=%d", socket);
    snprintf(backend, sizeof backend, "--backend=%s", options->backend);
    if (options->backend_options != NULL &&
        asprintf(&own, "--backend-options=%s", options->backend_options) < 0)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a question to a backend");
    fcntl(socket, F_SETFD, 0);
    const char *const words[] = {"--ask", what, fd, backend, own};
    const ob_status status =
        ob_host_enter(context, options->backend, words, own != NULL ? 5 : 4, err);
    free(own);
    return status;
}

ob_status ob_worker_answer(ob_context *context, const ob_run_options *options, const char *what,
                           int socket, ob_err *err)
{
    const size_t asked = sizeof OB_ASK_EXPAND - 1;
    int64_t file; /* the descriptor of the config */
    if (strcmp(what, OB_ASK_OPENED) == 0)
        ob__answer_opened(context, options, socket);
    else if (strcmp(what, OB_ASK_SCHEMAS) == 0)
        ob__answer_schemas(context, options, socket);
    else if (strncmp(what, OB_ASK_EXPAND, asked) == 0 &&
             ob__parse_i64(what + asked, strlen(what + asked), &file) && file >= 0 &&
             file <= INT_MAX)
        ob__answer_expand(context, options, (int)file, socket);
    else
        return ob_err_set(err, OB_ERR_INVALID, "there is no answer to \"%.40s\"", what);
    return OB_OK;
}
