/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of Slurm's programs. No shell stands between, so that no name of a user's can be read as more than a word.
 */
#include "cluster/cluster_int.h"

#include "process/process.h"
#include "process/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { MOST_WORDS = 64 };
static const double PATIENCE_S = 120; /* a busy controller answers late */

typedef struct listener {
    ob_cluster_line_fn on_line;
    void *ctx;
    char last[256]; /* what it said last, for the message */
} listener;

static void hear(void *ctx, const char *line, size_t length)
{
    listener *l = ctx;
    snprintf(l->last, sizeof l->last, "%.*s", length < 255 ? (int)length : 255, line);
    if (l->on_line != NULL)
        l->on_line(l->ctx, line, length);
}

ob_status ob__cluster_no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the chunks of a run");
}

static ob_status judge(const char *name, ob_status ran, int status, const listener *l, ob_err *err)
{
    if (ran == OB_END)
        return ob_err_set(err, OB_ERR_IO, "%s gave no answer within %.0f s", name, PATIENCE_S);
    if (ran != OB_OK)
        return ran;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_IO, "%s failed: %s", name,
                      l->last[0] != '\0' ? l->last : "it printed nothing");
}

ob_status ob__slurm_call(const char *const *words, const char *dir, ob_cluster_line_fn on_line,
                         void *ctx, ob_err *err)
{
    const char *own[MOST_WORDS];
    size_t count = 0;
    listener l = {.on_line = on_line, .ctx = ctx};
    char *path;
    int status = -1;
    if (!ob__program_find(words[0], &path))
        return ob__cluster_no_memory(err);
    if (path == NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "%s is not in PATH; this needs a machine with Slurm", words[0]);
    for (own[count++] = path; words[count] != NULL && count + 1 < MOST_WORDS; count++)
        own[count] = words[count];
    own[count] = NULL;
    const ob_process_params params = {.words = own, .dir = dir, .limit_s = PATIENCE_S};
    const ob_status ran = ob__process_lines(&params, hear, &l, &status, err);
    free(path);
    return judge(words[0], ran, status, &l, err);
}
