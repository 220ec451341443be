/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster may start a run again while its first copy is still alive on a machine that only lost its daemon. In a folder both have a
 * file, named by shard, machine, process and time; `opbench merge` takes all of them.
 */
#include "job_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ob__job_folder_is_one(const char *output)
{
    struct stat info;
    return output != NULL && output[0] != '\0' &&
           (output[strlen(output) - 1] == '/' ||
            (stat(output, &info) == 0 && S_ISDIR(info.st_mode)));
}

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the names of files");
}

/* "shard-3-of-8_": what the files of one shard begin with. */
static void name_shard(const ob_shard *shard, char *out, size_t size)
{
    snprintf(out, size, "shard-%" PRIu64 "-of-%" PRIu64 "_", shard != NULL ? shard->number : 1,
             shard != NULL ? shard->of : 1);
}

ob_status ob__job_folder_take(ob_job_folder *f, const char *output, ob_job_params *params,
                              ob_err *err)
{
    static const char *const NONE[] = {NULL};
    char begin[64], host[65] = "";
    char *folder = strdup(output);
    if (folder == NULL)
        return out_of_memory(err);
    for (size_t length = strlen(folder); length > 1 && folder[length - 1] == '/';)
        folder[--length] = '\0';
    ob_status status = OB_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        status = ob_err_set(err, OB_ERR_IO, "%s cannot be made: %s", folder, strerror(errno));
    name_shard(params->shard, begin, sizeof begin);
    if (gethostname(host, sizeof host - 1) != 0 || strchr(host, '/') != NULL)
        snprintf(host, sizeof host, "host");
    if (status == OB_OK && asprintf(&f->prefix, "%s/%s%s", folder, begin, host) < 0) {
        f->prefix = NULL;
        status = out_of_memory(err);
    }
    if (status == OB_OK && params->mode == OB_JOB_RESUME)
        status = ob__file_list_add_folder(&f->earlier, folder, begin, err);
    free(folder);
    params->output = NULL;
    params->prefix = f->prefix;
    params->earlier = f->earlier.items != NULL ? (const char *const *)f->earlier.items : NONE;
    params->earlier_count = f->earlier.count;
    return status;
}

void ob__job_folder_fini(ob_job_folder *f)
{
    ob__file_list_fini(&f->earlier);
    free(f->prefix);
}
