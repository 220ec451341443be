/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows that records of a sweep become: the names of their columns, and which point a record is of. That is in its id,
 * <config>|<build>|<point>_<precision>, so rows need nothing but the sweep and the record.
 */
#include "sweep/sweep_int.h"

#include <stdlib.h>
#include <string.h>

const char *ob__sweep_column(size_t index)
{
    static const char *const NAMES[] = {
#define COLUMN_NAME(name) #name,
        OB_SWEEP_COLUMN_MAP(COLUMN_NAME)
#undef COLUMN_NAME
    };
    return index < OB_SWEEP_COLUMN_COUNT ? NAMES[index] : NULL;
}

bool ob__sweep_is_column(const char *name)
{
    for (size_t i = 0; i < OB_SWEEP_COLUMN_COUNT; i++)
        if (strcmp(ob__sweep_column(i), name) == 0)
            return true;
    return false;
}

/* ---- which point a record is of ---- */

static ob_status foreign(const ob_sweep *sweep, const ob_record_result *r, ob_err *err)
{
    return ob_err_set(err, OB_ERR_INVALID, "the record %.80s|%.60s does not belong to the sweep %s",
                      r->op_name != NULL ? r->op_name : "", r->id != NULL ? r->id : "",
                      sweep->name);
}

static const ob_sweep_backend_jobs *find_backend(const ob_sweep *sweep, const char *name)
{
    for (size_t i = 0; name != NULL && i < sweep->backend_count; i++)
        if (strcmp(sweep->backends[i].name, name) == 0)
            return &sweep->backends[i];
    return NULL;
}

ob_status ob__sweep_locate(const ob_sweep *sweep, const ob_record_result *r, uint64_t *point,
                           const ob_sweep_job **job, ob_err *err)
{
    const ob_sweep_backend_jobs *backend = find_backend(sweep, r->backend);
    const char *id = r->id != NULL ? strrchr(r->id, '|') : NULL;
    char *end = NULL;
    if (backend == NULL || id == NULL || r->op_name == NULL || id[1] < '0' || id[1] > '9')
        return foreign(sweep, r, err);
    *point = strtoull(id + 1, &end, 10);
    if (*end != '_' || end[1] < '0' || end[1] > '9' || *point >= sweep->space.points)
        return foreign(sweep, r, err);
    const unsigned long long precision = strtoull(end + 1, &end, 10);
    if (*end != '\0' || precision >= backend->job_count || strcmp(r->op_name, sweep->model) != 0)
        return foreign(sweep, r, err);
    *job = &sweep->jobs[backend->jobs[precision]];
    return OB_OK;
}
