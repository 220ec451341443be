/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver of SQLite. The library is opened when the first database is: most commands have none.
 *
 * A file may come from anybody: its views, triggers and functions are not run, a value has a largest size, and the file
 * must carry our mark before anything else of it is believed.
 */
#include "store/sql.h"

#include "opbench/shared_object.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCTIONS(F)                                                                               \
    F(bind_blob)                                                                                   \
    F(bind_double)                                                                                 \
    F(bind_int64)                                                                                  \
    F(bind_null)                                                                                   \
    F(bind_text)                                                                                   \
    F(busy_timeout)                                                                                \
    F(changes)                                                                                     \
    F(close)                                                                                       \
    F(column_blob)                                                                                 \
    F(column_bytes)                                                                                \
    F(column_double)                                                                               \
    F(column_int64)                                                                                \
    F(column_text)                                                                                 \
    F(column_type)                                                                                 \
    F(db_config)                                                                                   \
    F(errmsg)                                                                                      \
    F(exec)                                                                                        \
    F(extended_errcode)                                                                            \
    F(finalize)                                                                                    \
    F(limit)                                                                                       \
    F(open_v2)                                                                                     \
    F(prepare_v2)                                                                                  \
    F(reset)                                                                                       \
    F(step)
#define FIELD(name) __typeof__(sqlite3_##name) *name;
#define NAME(name) "sqlite3_" #name,

static struct {
    FUNCTIONS(FIELD)
} sqlite;
static const char *const NAMES[] = {FUNCTIONS(NAME)};
static ob_late_library library = {.name = "libsqlite3.so.0",
                                  .purpose = "to keep a history in a file",
                                  .functions = NAMES,
                                  .count = sizeof NAMES / sizeof *NAMES,
                                  .table = &sqlite};

/* "OPBH" */
#define MARK 0x4F504248
#define MARK_TEXT "1330659912"

typedef struct connection {
    ob_sql base;
    sqlite3 *db;
    double patience_s;
} connection;

typedef struct statement {
    ob_sql_statement base;
    sqlite3_stmt *prepared;
} statement;

static ob_status fail(const connection *c, ob_err *err)
{
    const int code = sqlite.extended_errcode(c->db);
    const char *name = c->base.name, *says = sqlite.errmsg(c->db);
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ob_err_set(err, OB_ERR_STATE,
                          "%.400s: another process has been writing to it for more than %.0f s; "
                          "try again when that is done",
                          name, c->patience_s);
    case SQLITE_NOTADB:
        return ob_err_set(err, OB_ERR_SYNTAX, "%.400s is not an SQLite database", name);
    case SQLITE_CORRUPT:
        return ob_err_set(err, OB_ERR_SYNTAX,
                          "%.400s is damaged (%.200s); restore a copy, or start another with --db",
                          name, says);
    case SQLITE_NOMEM:
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for %.400s", name);
    case SQLITE_FULL:
        return ob_err_set(err, OB_ERR_IO, "%.400s cannot grow: the disk is full", name);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
        return ob_err_set(err, OB_ERR_IO, "%.400s: %.200s", name, says);
    default:
        return ob_err_set(err, OB_ERR_SYNTAX, "%.400s is not as opbench made it: %.200s", name,
                          says);
    }
}

static ob_status execute(ob_sql *sql, const char *text, ob_err *err)
{
    const connection *c = (connection *)sql;
    return sqlite.exec(c->db, text, NULL, NULL, NULL) == SQLITE_OK ? OB_OK : fail(c, err);
}

static ob_status prepare(ob_sql *sql, const char *text, ob_sql_statement **out, ob_err *err)
{
    const connection *c = (connection *)sql;
    statement *s = calloc(1, sizeof *s);
    if (s == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a statement");
    s->base.sql = sql;
    if (sqlite.prepare_v2(c->db, text, -1, &s->prepared, NULL) != SQLITE_OK) {
        free(s);
        return fail(c, err);
    }
    *out = &s->base;
    return OB_OK;
}

static void finalize(ob_sql_statement *base)
{
    statement *s = (statement *)base;
    sqlite.finalize(s->prepared);
    free(s);
}

static int bind_value(sqlite3_stmt *prepared, int at, const ob_sql_value *value)
{
    switch (value->kind) {
    case OB_SQL_INT:
        return sqlite.bind_int64(prepared, at, value->number);
    case OB_SQL_REAL:
        return sqlite.bind_double(prepared, at, value->real);
    case OB_SQL_TEXT:
        return sqlite.bind_text(prepared, at, value->data, (int)value->size, SQLITE_STATIC);
    case OB_SQL_BYTES:
        return sqlite.bind_blob(prepared, at, value->data, (int)value->size, SQLITE_STATIC);
    default:
        return sqlite.bind_null(prepared, at);
    }
}

static ob_status bind(statement *s, const ob_sql_value *values, size_t count, ob_err *err)
{
    const connection *c = (const connection *)s->base.sql;
    sqlite.reset(s->prepared);
    for (size_t i = 0; i < count; i++) {
        if (values[i].size > OB_SQL_LARGEST)
            return ob_err_set(err, OB_ERR_LIMIT, "a value of more than %d MiB cannot be stored",
                              OB_SQL_LARGEST >> 20);
        if (bind_value(s->prepared, (int)i + 1, &values[i]) != SQLITE_OK)
            return fail(c, err);
    }
    return OB_OK;
}

static ob_status run(ob_sql_statement *base, const ob_sql_value *values, size_t count,
                     uint64_t *changed, ob_err *err)
{
    statement *s = (statement *)base;
    const connection *c = (const connection *)base->sql;
    OB_TRY(bind(s, values, count, err));
    int code;
    while ((code = sqlite.step(s->prepared)) == SQLITE_ROW)
        continue;
    if (code != SQLITE_DONE)
        return fail(c, err);
    if (changed != NULL)
        *changed += (uint64_t)sqlite.changes(c->db);
    sqlite.reset(s->prepared);
    return OB_OK;
}

static ob_status flush(ob_sql *sql, ob_err *err)
{
    (void)sql;
    (void)err;
    return OB_OK;
}

static ob_status query(ob_sql_statement *base, const ob_sql_value *values, size_t count,
                       ob_err *err)
{
    return bind((statement *)base, values, count, err);
}

static ob_status next(ob_sql_statement *base, ob_err *err)
{
    statement *s = (statement *)base;
    switch (sqlite.step(s->prepared)) {
    case SQLITE_ROW:
        return OB_OK;
    case SQLITE_DONE:
        sqlite.reset(s->prepared);
        return OB_END;
    default:
        return fail((const connection *)base->sql, err);
    }
}

static int64_t column_int(ob_sql_statement *base, int column)
{
    return sqlite.column_int64(((statement *)base)->prepared, column);
}

static double column_real(ob_sql_statement *base, int column)
{
    sqlite3_stmt *prepared = ((statement *)base)->prepared;
    const int type = sqlite.column_type(prepared, column);
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite.column_double(prepared, column)
                                                          : NAN;
}

static const char *column_text(ob_sql_statement *base, int column)
{
    const unsigned char *text = sqlite.column_text(((statement *)base)->prepared, column);
    return text != NULL ? (const char *)text : "";
}

static const void *column_bytes(ob_sql_statement *base, int column, size_t *size)
{
    sqlite3_stmt *prepared = ((statement *)base)->prepared;
    const void *data = sqlite.column_blob(prepared, column);
    *size = data != NULL ? (size_t)sqlite.column_bytes(prepared, column) : 0;
    return data;
}

static void close_connection(ob_sql *sql)
{
    connection *c = (connection *)sql;
    sqlite.close(c->db);
    free(c);
}

static const ob_sql_driver DRIVER = {.close = close_connection,
                                     .execute = execute,
                                     .prepare = prepare,
                                     .finalize = finalize,
                                     .run = run,
                                     .flush = flush,
                                     .query = query,
                                     .next = next,
                                     .column_int = column_int,
                                     .column_real = column_real,
                                     .column_text = column_text,
                                     .column_bytes = column_bytes,
                                     .begin = "BEGIN IMMEDIATE",
                                     .mark = "PRAGMA application_id = " MARK_TEXT,
                                     .has_tables =
                                         "SELECT count(*) FROM sqlite_master WHERE type = 'table' "
                                         "AND name = 'ob_meta'"};

/* ---- opening ---- */

/* SQLite does not wait by itself where the kind of journal changes: others that open the file do it at the same time. */
static ob_status set_journal(connection *c, const char *pragma, ob_err *err)
{
    ob_status status;
    for (double waited = 0;; waited += 0.01) {
        status = execute(&c->base, pragma, err);
        if (status != OB_ERR_STATE || waited >= c->patience_s)
            return status;
        usleep(10000);
    }
}

static ob_status harden(connection *c, ob_err *err)
{
    sqlite.db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite.db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite.db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite.db_config(c->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite.limit(c->db, SQLITE_LIMIT_LENGTH, OB_SQL_LARGEST + 1024);
    sqlite.limit(c->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite.busy_timeout(c->db, (int)(c->patience_s * 1000));
    return execute(&c->base, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", err);
}

/* What opbench makes are plain tables and indices. Views and tables of other modules run code that we did not choose, and a
 * column that is computed makes gigabytes of a small file. */
static ob_status check_plain(connection *c, ob_err *err)
{
    int64_t others = 0, computed = 0;
    OB_TRY(ob__sql_int_of(&c->base,
                          "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') "
                          "OR rootpage IS NULL OR rootpage = 0",
                          NULL, 0, &others, err));
    if (others == 0)
        OB_TRY(ob__sql_int_of(&c->base,
                              "SELECT count(*) FROM sqlite_master m, pragma_table_xinfo(m.name) x "
                              "WHERE m.type = 'table' AND x.hidden <> 0",
                              NULL, 0, &computed, err));
    if (others == 0 && computed == 0)
        return OB_OK;
    return ob_err_set(err, OB_ERR_SYNTAX,
                      "%.400s is not as opbench made it: it has views, triggers, or computed "
                      "tables or columns; name another with --db",
                      c->base.name);
}

/* A file of somebody else's is left alone; an empty one becomes ours. The tables are looked at first: another process may make them
 * and the mark at once between the two looks, and whoever sees its tables must see its mark. */
static ob_status check_mark(connection *c, bool create, ob_err *err)
{
    int64_t mark = 0, tables = 0;
    OB_TRY(ob__sql_int_of(&c->base, "SELECT count(*) FROM sqlite_master", NULL, 0, &tables, err));
    OB_TRY(ob__sql_int_of(&c->base, "PRAGMA application_id", NULL, 0, &mark, err));
    if (mark == MARK)
        return check_plain(c, err);
    if (mark != 0 || tables > 0)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%.400s is some other program's database, not an opbench history; name "
                          "another with --db",
                          c->base.name);
    if (!create)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "%.400s is empty; `opbench history add FILE` puts results into it",
                          c->base.name);
    return OB_OK;
}

/* The mark and the tables are made by one transaction: see ob__tables_update. */
static ob_status prepare_file(connection *c, bool create, bool rollback_journal, ob_err *err)
{
    OB_TRY(harden(c, err));
    OB_TRY(check_mark(c, create, err));
    if (!create)
        return OB_OK;
    OB_TRY(set_journal(
        c, rollback_journal ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL", err));
    return execute(&c->base, "PRAGMA synchronous = FULL; PRAGMA cache_size = -65536", err);
}

/* A database that another process left in its folder with nothing to be taken over, where this user cannot write: it is
 * read as it is. */
static bool is_at_rest(const char *path)
{
    char beside[4200];
    struct stat info;
    return snprintf(beside, sizeof beside, "%s-wal", path) < (int)sizeof beside &&
           (stat(beside, &info) != 0 || info.st_size == 0);
}

/* Bytes that mean something in an address are written as %XX. */
static bool format_address(const char *path, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, path[0] == '/' ? "file://" : "file:");
    for (; *path != '\0' && used + 32 < size; path++)
        used += (size_t)(strchr("%?#", *path) != NULL
                             ? snprintf(out + used, size - used, "%%%02X", (unsigned char)*path)
                             : snprintf(out + used, size - used, "%c", *path));
    snprintf(out + used, size - used, "?immutable=1");
    return *path == '\0';
}

/* ":memory:" and "file:x?mode=memory" are names of files here; SQLite would keep these nowhere. */
static ob_status open_file(connection *c, const char *given, bool create, bool rollback_journal,
                           ob_err *err)
{
    char address[8192], path[4200];
    if (snprintf(path, sizeof path, "%s%s", given[0] == '/' ? "" : "./", given) >= (int)sizeof path)
        return ob_err_set(err, OB_ERR_INVALID, "the name of the database is too long");
    const int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    ob_status status = sqlite.open_v2(path, &c->db, flags, NULL) == SQLITE_OK
                           ? prepare_file(c, create, rollback_journal, err)
                           : fail(c, err);
    if (create || status != OB_ERR_IO || !is_at_rest(path) ||
        !format_address(path, address, sizeof address))
        return status;
    sqlite.close(c->db);
    c->db = NULL;
    return sqlite.open_v2(address, &c->db, flags | SQLITE_OPEN_URI, NULL) == SQLITE_OK
               ? prepare_file(c, create, rollback_journal, err)
               : fail(c, err);
}

ob_status ob__sqlite_open(const char *path, bool create, double patience_s, bool rollback_journal,
                          ob_sql **out, ob_err *err)
{
    OB_TRY(ob_late_library_open(&library, err));
    connection *c = calloc(1, sizeof *c);
    if (c == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a database");
    c->base.driver = &DRIVER;
    c->patience_s = patience_s;
    snprintf(c->base.name, sizeof c->base.name, "%s", path);
    const ob_status status = open_file(c, path, create, rollback_journal, err);
    if (status != OB_OK) {
        close_connection(&c->base);
        return status;
    }
    *out = &c->base;
    return OB_OK;
}
