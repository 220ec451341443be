/* SPDX-License-Identifier: Apache-2.0
 *
 * Letting go of what is old.
 */
#include "store/store_int.h"

#include "base/sized.h"

static const char OLD[] = " WHERE run IN (SELECT id FROM ob_run WHERE time < $1)";

static ob_status count_old(ob_sql *sql, const char *text, const ob_sql_value *before, uint64_t *out,
                           ob_err *err)
{
    int64_t count = 0;
    OB_TRY(ob__sql_int_of(sql, text, before, 1, &count, err));
    *out = (uint64_t)count;
    return OB_OK;
}

static ob_status remove_from(ob_sql *sql, const char *table, const ob_sql_value *before,
                             ob_err *err)
{
    ob_text text = {.data = NULL};
    ob_status status =
        ob_text_printf(&text, "DELETE FROM %s%s", table, OLD) && ob_text_append(&text, "", 1)
            ? ob__sql_run(sql, text.data, before, 1, NULL, err)
            : ob_err_set(err, OB_ERR_NOMEM, "out of memory for a statement");
    ob_text_fini(&text);
    return status;
}

/* Series, machines and reasons that nothing belongs to any more go as well. */
static ob_status remove_runs(ob_sql *sql, const ob_sql_value *before, ob_err *err)
{
    OB_TRY(remove_from(sql, "ob_result", before, err));
    OB_TRY(ob__sql_run(sql, "DELETE FROM ob_run WHERE time < $1", before, 1, NULL, err));
    OB_TRY(sql->driver->execute(sql,
                                "DELETE FROM ob_series WHERE NOT EXISTS (SELECT 1 FROM ob_result r "
                                "WHERE r.series = ob_series.id)",
                                err));
    OB_TRY(sql->driver->execute(sql,
                                "DELETE FROM ob_ack WHERE NOT EXISTS (SELECT 1 FROM ob_series s "
                                "WHERE s.id = ob_ack.series)",
                                err));
    return sql->driver->execute(sql,
                                "DELETE FROM ob_machine WHERE NOT EXISTS (SELECT 1 FROM ob_run r "
                                "WHERE r.machine = ob_machine.id)",
                                err);
}

static ob_status prune(ob_sql *sql, const ob_store_prune_params *params, uint64_t *runs,
                       uint64_t *results, ob_err *err)
{
    const ob_sql_value before = ob__sql_int(params->before);
    OB_TRY(count_old(sql, "SELECT count(*) FROM ob_run WHERE time < $1", &before, runs, err));
    OB_TRY(count_old(sql,
                     params->samples_only ? "SELECT count(*) FROM ob_samples WHERE run IN (SELECT "
                                            "id FROM ob_run WHERE time < $1)"
                                          : "SELECT count(*) FROM ob_result WHERE run IN (SELECT "
                                            "id FROM ob_run WHERE time < $1)",
                     &before, results, err));
    if (params->dry)
        return OB_OK;
    OB_TRY(remove_from(sql, "ob_samples", &before, err));
    return params->samples_only ? OB_OK : remove_runs(sql, &before, err);
}

ob_status ob_store_prune(ob_store *store, const ob_store_prune_params *given, uint64_t *runs,
                         uint64_t *results, ob_err *err)
{
    ob_store_prune_params params;
    OB_TRY(OB__TAKE(ob_store_prune_params, &params, given, err));
    OB_TRY(ob__sql_begin(store->sql, err));
    ob_status status = prune(store->sql, &params, runs, results, err);
    if (status == OB_OK)
        status = ob__sql_commit(store->sql, err);
    if (status != OB_OK)
        ob__sql_rollback(store->sql);
    return status;
}
