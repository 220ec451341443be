/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of the store: older and newer tables, those of somebody else, damaged and hostile ones, network file systems; and
 * samples as bytes.
 */
#include "base/scratch.h"
#include "check.h"
#include "opbench/rng.h"
#include "store/store_int.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static ob_scratch scratch;

static const char *path_of(const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", scratch.dir, name);
    return path;
}

static ob_status open_at(const char *name, ob_store_mode mode, ob_store **out, ob_err *err)
{
    const ob_store_params params = {
        .size = sizeof params, .database = path_of(name), .mode = mode, .patience_s = 1};
    *out = NULL;
    return ob_store_open(&params, out, err);
}

/* A database made by hand. */
static void make(const char *name, const char *statements)
{
    ob_sql *sql = NULL;
    ob_err err = {.message = ""};
    CHECK_INT(ob__sqlite_open(path_of(name), true, 1, true, &sql, &err), OB_OK);
    CHECK_INT(sql->driver->execute(sql, statements, &err), OB_OK);
    CHECK_STR(err.message, "");
    sql->driver->close(sql);
}

/* What version 1 had, and a result in it. */
static const char VERSION_1[] =
    "PRAGMA application_id = 1330659912;"
    "CREATE TABLE ob_meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);"
    "INSERT INTO ob_meta VALUES ('version', '1');"
    "CREATE TABLE ob_machine (id BIGINT PRIMARY KEY NOT NULL, class TEXT NOT NULL);"
    "CREATE TABLE ob_run (id BIGINT PRIMARY KEY NOT NULL, machine BIGINT NOT NULL, time BIGINT NOT "
    "NULL, host TEXT NOT NULL, git_commit TEXT NOT NULL, branch TEXT NOT NULL, dirty BIGINT NOT "
    "NULL, tags TEXT NOT NULL, kernel TEXT NOT NULL, microcode TEXT NOT NULL, libraries TEXT NOT "
    "NULL, source TEXT NOT NULL, version TEXT NOT NULL, results BIGINT NOT NULL, failed BIGINT NOT "
    "NULL);"
    "CREATE TABLE ob_series (id BIGINT PRIMARY KEY NOT NULL, machine BIGINT NOT NULL, key TEXT NOT "
    "NULL, op TEXT NOT NULL, case_id TEXT NOT NULL, call TEXT NOT NULL, backend TEXT NOT NULL, "
    "side "
    "TEXT NOT NULL, pass TEXT NOT NULL, settings TEXT NOT NULL);"
    "CREATE TABLE ob_result (series BIGINT NOT NULL, run BIGINT NOT NULL, id BIGINT NOT NULL, "
    "status TEXT NOT NULL, samples BIGINT NOT NULL, min DOUBLE PRECISION, p25 DOUBLE PRECISION, "
    "median DOUBLE PRECISION, p75 DOUBLE PRECISION, p90 DOUBLE PRECISION, p99 DOUBLE PRECISION, "
    "max DOUBLE PRECISION, mean DOUBLE PRECISION, stddev DOUBLE PRECISION, "
    "PRIMARY KEY (series, run, id));"
    "INSERT INTO ob_machine VALUES (7, 'a machine');"
    "INSERT INTO ob_run VALUES (5, 7, 1000, 'h', 'abc', 'main', 0, '{}', 'k', 'm', '{}', 's', 'v', "
    "1, 0);"
    "INSERT INTO ob_series VALUES (3, 7, 'key', 'op', 'id', 'call', 'native', '', 'forward', '');"
    "INSERT INTO ob_result VALUES (3, 5, 1, 'ok', 9, 1, 2, 3, 4, 5, 6, 7, 8, 0.5);";

static void test_older(void)
{
    ob_store *store;
    ob_store_runs *runs = NULL;
    ob_store_points *points = NULL;
    ob_err err = {.message = ""};
    int64_t version = 0;
    make("old.db", VERSION_1);
    CHECK_INT(open_at("old.db", OB_STORE_READ, &store, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_INT(ob__sql_int_of(store->sql, "SELECT CAST(value AS BIGINT) FROM ob_meta", NULL, 0,
                             &version, &err),
              OB_OK);
    CHECK_INT(version, 2);
    CHECK_INT(ob_store_read_runs(store, NULL, &runs, &err), OB_OK);
    CHECK_INT(ob_store_runs_count(runs), 1);
    CHECK_STR(ob_store_runs_at(runs, 0)->class_text, "a machine");
    CHECK_INT(ob_store_read_points(store, 3, &points, &err), OB_OK);
    CHECK_INT(ob_store_points_count(points), 1);
    CHECK_REAL(ob_store_points_at(points, 0)->median, 3);
    CHECK_REAL(ob_store_points_at(points, 0)->stddev, 0.5);
    CHECK(isnan(ob_store_points_at(points, 0)->low));
    ob_store_points_destroy(points);
    ob_store_runs_destroy(runs);
    ob_store_close(store);
    CHECK_INT(open_at("old.db", OB_STORE_CREATE, &store, &err), OB_OK); /* nothing to do now */
    ob_store_close(store);
}

static void test_newer_and_foreign(void)
{
    ob_store *store;
    ob_err err;
    make("new.db", "PRAGMA application_id = 1330659912; CREATE TABLE ob_meta (name TEXT, value "
                   "TEXT); INSERT INTO ob_meta VALUES ('version', '99')");
    CHECK_INT(open_at("new.db", OB_STORE_CREATE, &store, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "newer opbench");
    make("none.db", "PRAGMA application_id = 1330659912; CREATE TABLE ob_meta (name, value)");
    CHECK_INT(open_at("none.db", OB_STORE_READ, &store, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "does not say which version");
    make("other.db", "CREATE TABLE songs (title TEXT)");
    CHECK_INT(open_at("other.db", OB_STORE_CREATE, &store, &err), OB_ERR_CONFIG);
    CHECK_HAS(err.message, "some other program's database,");
    CHECK_INT(open_at("nowhere/x.db", OB_STORE_CREATE, &store, &err), OB_ERR_IO);
    CHECK_INT(open_at("nowhere.db", OB_STORE_READ, &store, &err), OB_ERR_NOT_FOUND);
    FILE *file = fopen(path_of("text.db"), "w");
    CHECK(file != NULL);
    for (int i = 0; i < 200; i++)
        fputs("this is no database\n", file);
    fclose(file);
    CHECK_INT(open_at("text.db", OB_STORE_READ, &store, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "is not an SQLite database");
    const ob_store_params nothing = {.size = sizeof nothing, .database = ""};
    CHECK_INT(ob_store_open(&nothing, &store, &err), OB_ERR_INVALID);
}

/* All that is read of a history; what goes wrong is an error. */
static void read_all(ob_store *store)
{
    ob_store_check *check = NULL;
    ob_store_runs *runs = NULL;
    ob_store_points *points = NULL;
    ob_err err;
    double *times;
    size_t count;
    if (ob_store_read_runs(store, NULL, &runs, &err) == OB_OK)
        ob_store_runs_destroy(runs);
    if (ob_store_check_run(store, NULL, &check, &err) == OB_OK)
        ob_store_check_destroy(check);
    if (ob_store_read_points(store, 3, &points, &err) != OB_OK)
        return;
    for (size_t i = 0; i < ob_store_points_count(points); i++)
        if (ob_store_read_samples(store, 3, ob_store_points_at(points, i), &times, &count, &err) ==
            OB_OK)
            free(times);
    ob_store_points_destroy(points);
}

static void test_hostile(void)
{
    ob_store *store;
    ob_err err;
    /* Views in the place of tables, triggers, and values of other types. */
    make("views.db",
         "PRAGMA application_id = 1330659912; CREATE TABLE ob_meta (name TEXT, value TEXT);"
         "INSERT INTO ob_meta VALUES ('version', '2');"
         "CREATE VIEW ob_run AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT "
         "i AS id FROM n; CREATE TABLE ob_machine (id, class)");
    CHECK_INT(open_at("views.db", OB_STORE_READ, &store, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "is not as opbench made it: it has views");
    CHECK_INT(open_at("views.db", OB_STORE_CREATE, &store, &err), OB_ERR_SYNTAX);
    make("triggers.db", VERSION_1);
    make("triggers.db", "CREATE TRIGGER t AFTER INSERT ON ob_run BEGIN DELETE FROM ob_run; END");
    CHECK_INT(open_at("triggers.db", OB_STORE_CREATE, &store, &err), OB_ERR_SYNTAX);
    /* 64 MiB for each row of a few bytes. */
    make("computed.db", VERSION_1);
    make("computed.db", "ALTER TABLE ob_run ADD COLUMN x TEXT AS (hex(zeroblob(30000000)))");
    CHECK_INT(open_at("computed.db", OB_STORE_READ, &store, &err), OB_ERR_SYNTAX);
    make("module.db", "PRAGMA application_id = 1330659912; CREATE TABLE ob_meta (name TEXT, value "
                      "TEXT); CREATE VIRTUAL TABLE ob_run USING rtree(id, a, b)");
    CHECK_INT(open_at("module.db", OB_STORE_READ, &store, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "is not as opbench made it");
    CHECK_INT(mkfifo(path_of("pipe"), 0600), 0);
    CHECK_INT(open_at("pipe", OB_STORE_READ, &store, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "is not a file");
    make("types.db", VERSION_1);
    make("types.db", "UPDATE ob_run SET time = 'yesterday', tags = x'00ff', dirty = 77;"
                     "UPDATE ob_result SET median = 'fast', status = 5, samples = -1;"
                     "UPDATE ob_series SET call = x'fffefd'");
    CHECK_INT(open_at("types.db", OB_STORE_CREATE, &store, &err), OB_OK);
    ob_store_close(store);
    make("types.db", "INSERT INTO ob_samples VALUES (3, 5, 1, x'01ffffffffffffffffff7f00')");
    CHECK_INT(open_at("types.db", OB_STORE_READ, &store, &err), OB_OK);
    read_all(store);
    double *times;
    size_t count;
    const ob_store_point point = {.run = 5, .id = 1};
    CHECK_INT(ob_store_read_samples(store, 3, &point, &times, &count, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "samples in the database are damaged");
    ob_store_close(store);
}

/* Bytes that were hit by something: whatever comes of it, nothing dies. */
static void test_damaged(void)
{
    static unsigned char bytes[200000];
    ob_store *store;
    ob_rng rng;
    ob_err err;
    make("whole.db", VERSION_1);
    CHECK_INT(open_at("whole.db", OB_STORE_CREATE, &store, &err), OB_OK);
    ob_store_close(store);
    FILE *file = fopen(path_of("whole.db"), "r");
    CHECK(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(size > 4096 && size < sizeof bytes);
    for (uint64_t trial = 0; trial < 200; trial++) {
        ob_rng_init(&rng, 11, trial);
        file = fopen(path_of("hit.db"), "w");
        CHECK(file != NULL);
        fwrite(bytes, 1, trial % 4 == 0 ? (size_t)ob_rng_int(&rng, 0, (int64_t)size) : size, file);
        for (int k = 0; k < 20; k++) {
            fseek(file, (long)ob_rng_int(&rng, trial % 2 == 0 ? 0 : 100, (int64_t)size - 1),
                  SEEK_SET);
            fputc((int)ob_rng_int(&rng, 0, 255), file);
        }
        fclose(file);
        if (open_at("hit.db", trial % 3 == 0 ? OB_STORE_CREATE : OB_STORE_READ, &store, &err) ==
            OB_OK) {
            read_all(store);
            ob_store_close(store);
        }
        unlink(path_of("hit.db-wal"));
        unlink(path_of("hit.db-shm"));
        unlink(path_of("hit.db-journal"));
    }
}

/* ---- file systems ---- */

static int64_t say_nfs(void *ctx, const char *path)
{
    (void)path;
    ++*(int *)ctx;
    return 0x6969;
}

static void check_journal(bool network, const char *want)
{
    int asked = 0;
    const ob_store_params params = {.size = sizeof params,
                                    .database = path_of(network ? "nfs.db" : "local.db"),
                                    .mode = OB_STORE_CREATE,
                                    .file_system = network ? say_nfs : NULL,
                                    .ctx = &asked};
    ob_store *store = NULL;
    ob_sql_statement *statement;
    CHECK_INT(ob_store_open(&params, &store, NULL), OB_OK);
    CHECK_INT(ob__sql_prepare(store->sql, "PRAGMA journal_mode", &statement, NULL), OB_OK);
    CHECK_INT(store->sql->driver->next(statement, NULL), OB_OK);
    CHECK_STR(ob__row_text(statement, 0), want);
    ob__sql_finalize(statement);
    ob_store_close(store);
    CHECK_INT(asked > 0, network);
}

static void test_journals(void)
{
    check_journal(false, "wal");
    check_journal(true, "delete");
}

/* ---- samples ---- */

static void check_samples(const double *times, size_t count, size_t most_bytes)
{
    size_t size = 0, back_count = 99;
    double *back = NULL;
    unsigned char *data = ob__samples_pack(times, count, &size);
    CHECK(data != NULL);
    CHECK(size <= most_bytes);
    CHECK_INT(ob__samples_unpack(data, size, &back, &back_count, NULL), OB_OK);
    CHECK_INT(back_count, count);
    for (size_t i = 0; i < count && i < back_count; i++)
        CHECK_REAL(back[i], times[i]);
    for (size_t cut = 0; cut < size; cut++) {
        double *none = NULL;
        if (ob__samples_unpack(data, cut, &none, &back_count, NULL) == OB_OK)
            free(none);
    }
    free(back);
    free(data);
}

static void test_samples(void)
{
    static double many[1000];
    const double mixed[] = {0.004087, 0.003907, 1.5, 0, 1e-7, -3, 1e300};
    ob_rng rng;
    ob_err err;
    double *times;
    size_t count;
    ob_rng_init(&rng, 3, 3);
    for (size_t i = 0; i < 1000; i++)
        many[i] = (double)ob_rng_int(&rng, 3000, 4000) / 1e6;
    check_samples(many, 1000, 2003); /* two bytes each */
    check_samples(mixed, 7, 2 + 7 * 8);
    check_samples(mixed, 3, 64);
    check_samples(mixed, 0, 2);
    CHECK_INT(ob__samples_unpack("", 0, &times, &count, &err), OB_ERR_SYNTAX);
    CHECK_INT(ob__samples_unpack("\3\1\1", 3, &times, &count, &err), OB_ERR_SYNTAX);
    CHECK_INT(ob__samples_unpack("\1\2\1", 3, &times, &count, &err), OB_ERR_SYNTAX);
    CHECK_INT(ob__samples_unpack("\1\1\1\1", 4, &times, &count, &err), OB_ERR_SYNTAX);
}

int main(void)
{
    ob_err err;
    if (ob__scratch_open(&scratch, NULL, "test", &err) != OB_OK)
        return 1;
    RUN(test_older);
    RUN(test_newer_and_foreign);
    RUN(test_hostile);
    RUN(test_damaged);
    RUN(test_journals);
    RUN(test_samples);
    ob__scratch_close(&scratch);
    return ob_test_end();
}
