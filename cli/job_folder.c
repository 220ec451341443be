/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster may start a run again while its first copy is still alive on a machine that only lost its daemon. In a folder both have a
 * file, named by shard, machine, process and time; `opbench merge` takes all of them.
 */
#include "job_folder.h"

#include <dirent.h>
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

static bool is_of(const char *name, const char *begin)
{
    const size_t length = strlen(name), ending = strlen(".json");
    return strncmp(name, begin, strlen(begin)) == 0 && length > ending &&
           strcmp(name + length - ending, ".json") == 0;
}

static ob_status add_file(ob_job_folder *f, const char *folder, const char *name, ob_err *err)
{
    char **more = realloc(f->earlier, (f->earlier_count + 1) * sizeof *more);
    if (more == NULL)
        return out_of_memory(err);
    f->earlier = more;
    if (asprintf(&more[f->earlier_count], "%s/%s", folder, name) < 0)
        return out_of_memory(err);
    f->earlier_count++;
    return OB_OK;
}

static ob_status list_files(ob_job_folder *f, const char *folder, const char *begin, ob_err *err)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    ob_status status = OB_OK;
    if (count < 0)
        return ob_err_set(err, OB_ERR_IO, "%s cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == OB_OK && is_of(entries[i]->d_name, begin))
            status = add_file(f, folder, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    return status;
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
        status = list_files(f, folder, begin, err);
    free(folder);
    params->output = NULL;
    params->prefix = f->prefix;
    params->earlier = f->earlier != NULL ? (const char *const *)f->earlier : NONE;
    params->earlier_count = f->earlier_count;
    return status;
}

void ob__job_folder_fini(ob_job_folder *f)
{
    for (size_t i = 0; i < f->earlier_count; i++)
        free(f->earlier[i]);
    free(f->earlier);
    free(f->prefix);
}
