/* SPDX-License-Identifier: Apache-2.0
 *
 * See store_tables.h. A version that was released is never changed: a new one follows it, with what leads from the one to the
 * other.
 *
 * The names of types are understood by both: SQLite goes by parts of them. Ids are hashes of what they stand for, so that
 * writers need not ask for them, and what is added twice is there once.
 */
#include "store/store_tables.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const VERSIONS[] = {
    /* 1: runs, series and results */
    "CREATE TABLE ob_meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);"
    "CREATE TABLE ob_machine (id BIGINT PRIMARY KEY NOT NULL, class TEXT NOT NULL);"
    "CREATE TABLE ob_run (id BIGINT PRIMARY KEY NOT NULL, machine BIGINT NOT NULL,"
    " time BIGINT NOT NULL, host TEXT NOT NULL, git_commit TEXT NOT NULL, branch TEXT NOT NULL,"
    " dirty BIGINT NOT NULL, tags TEXT NOT NULL, kernel TEXT NOT NULL, microcode TEXT NOT NULL,"
    " libraries TEXT NOT NULL, source TEXT NOT NULL, version TEXT NOT NULL,"
    " results BIGINT NOT NULL, failed BIGINT NOT NULL);"
    "CREATE TABLE ob_series (id BIGINT PRIMARY KEY NOT NULL, machine BIGINT NOT NULL,"
    " key TEXT NOT NULL, op TEXT NOT NULL, case_id TEXT NOT NULL, call TEXT NOT NULL,"
    " backend TEXT NOT NULL, side TEXT NOT NULL, pass TEXT NOT NULL, settings TEXT NOT NULL);"
    "CREATE TABLE ob_result (series BIGINT NOT NULL, run BIGINT NOT NULL, id BIGINT NOT NULL,"
    " status TEXT NOT NULL, samples BIGINT NOT NULL, min DOUBLE PRECISION, p25 DOUBLE PRECISION,"
    " median DOUBLE PRECISION, p75 DOUBLE PRECISION, p90 DOUBLE PRECISION, p99 DOUBLE PRECISION,"
    " max DOUBLE PRECISION, mean DOUBLE PRECISION, stddev DOUBLE PRECISION,"
    " PRIMARY KEY (series, run, id));",
    /* 2: intervals, samples, and changes that were accepted */
    "ALTER TABLE ob_result ADD COLUMN low DOUBLE PRECISION;"
    "ALTER TABLE ob_result ADD COLUMN high DOUBLE PRECISION;"
    "CREATE INDEX ob_run_time ON ob_run (time);"
    "CREATE TABLE ob_samples (series BIGINT NOT NULL, run BIGINT NOT NULL, id BIGINT NOT NULL,"
    " data BYTEA NOT NULL, PRIMARY KEY (series, run, id));"
    "CREATE TABLE ob_ack (series BIGINT NOT NULL, git_commit TEXT NOT NULL, reason TEXT NOT NULL,"
    " time BIGINT NOT NULL, PRIMARY KEY (series, git_commit));",
};
_Static_assert(sizeof VERSIONS / sizeof *VERSIONS == OB_TABLES_VERSION, "one text per version");

ob_status ob__tables_version(ob_sql *sql, int64_t *out, ob_err *err)
{
    int64_t tables = 0;
    *out = 0;
    OB_TRY(ob__sql_int_of(sql, sql->driver->has_tables, NULL, 0, &tables, err));
    if (tables > 0)
        OB_TRY(ob__sql_int_of(sql,
                              "SELECT CAST(value AS BIGINT) FROM ob_meta WHERE name = 'version'",
                              NULL, 0, out, err));
    if (*out < 0 || (tables > 0 && *out == 0))
        return ob_err_set(err, OB_ERR_SYNTAX, "%.400s does not say which version of tables it has",
                          sql->name);
    if (*out > OB_TABLES_VERSION)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%.400s was written by a newer opbench (its tables have version %" PRId64
                          ", this one knows %d); use that one",
                          sql->name, *out, OB_TABLES_VERSION);
    return OB_OK;
}

static ob_status set_version(ob_sql *sql, int64_t version, ob_err *err)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, version);
    const ob_sql_value values[] = {ob__sql_text(text)};
    return ob__sql_run(sql,
                       "INSERT INTO ob_meta (name, value) VALUES ('version', $1) "
                       "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                       values, 1, NULL, err);
}

static ob_status update(ob_sql *sql, ob_err *err)
{
    int64_t version;
    OB_TRY(ob__tables_version(sql, &version, err)); /* again: others may have done it meanwhile */
    if (version == OB_TABLES_VERSION)
        return OB_OK;
    if (version == 0 && sql->driver->mark[0] != '\0')
        OB_TRY(sql->driver->execute(sql, sql->driver->mark, err));
    for (int64_t next = version; next < OB_TABLES_VERSION; next++)
        OB_TRY(sql->driver->execute(sql, VERSIONS[next], err));
    return set_version(sql, OB_TABLES_VERSION, err);
}

ob_status ob__tables_update(ob_sql *sql, ob_err *err)
{
    int64_t version;
    OB_TRY(ob__tables_version(sql, &version, err));
    if (version == OB_TABLES_VERSION)
        return OB_OK;
    OB_TRY(ob__sql_begin(sql, err));
    ob_status status = update(sql, err);
    if (status == OB_OK)
        status = ob__sql_commit(sql, err);
    if (status != OB_OK)
        ob__sql_rollback(sql);
    return status;
}
