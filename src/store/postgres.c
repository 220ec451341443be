/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver of PostgreSQL. libpq is opened when an address is named: all else works without it.
 *
 * Values travel beside the statements, as text but for bytes. Statements without rows are sent one behind the other
 * (libpq's pipeline) and answered together, or each would wait for the server.
 */
#include "store/sql.h"

#include "base/number.h"
#include "opbench/shared_object.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(F)                                                                               \
    F(PQclear)                                                                                     \
    F(PQcmdTuples)                                                                                 \
    F(PQconnectdb)                                                                                 \
    F(PQdb)                                                                                        \
    F(PQenterPipelineMode)                                                                         \
    F(PQerrorMessage)                                                                              \
    F(PQexec)                                                                                      \
    F(PQexitPipelineMode)                                                                          \
    F(PQfinish)                                                                                    \
    F(PQgetResult)                                                                                 \
    F(PQgetisnull)                                                                                 \
    F(PQgetlength)                                                                                 \
    F(PQgetvalue)                                                                                  \
    F(PQhost)                                                                                      \
    F(PQntuples)                                                                                   \
    F(PQpipelineSync)                                                                              \
    F(PQprepare)                                                                                   \
    F(PQresultErrorField)                                                                          \
    F(PQresultErrorMessage)                                                                        \
    F(PQresultStatus)                                                                              \
    F(PQsendQueryPrepared)                                                                         \
    F(PQsetNoticeProcessor)                                                                        \
    F(PQsetSingleRowMode)                                                                          \
    F(PQstatus)
#define FIELD(name) __typeof__(name) *name;
#define NAME(name) #name,

static struct {
    FUNCTIONS(FIELD)
} pq;
static const char *const NAMES[] = {FUNCTIONS(NAME)};
static ob_late_library library = {.name = "libpq.so.5",
                                  .purpose = "to keep a history on a PostgreSQL server",
                                  .functions = NAMES,
                                  .count = sizeof NAMES / sizeof *NAMES,
                                  .table = &pq};

enum { MOST_WAITING = 1000, LONGEST_NUMBER = 32 };

typedef struct connection {
    ob_sql base;
    PGconn *pg;
    double patience_s;
    unsigned statements; /* for their names */
    bool in_pipeline;
    uint64_t *waiting[MOST_WAITING]; /* what the answers to come are counted by; NULL = nothing */
    size_t waiting_count;
} connection;

typedef struct statement {
    ob_sql_statement base;
    char name[24];
    PGresult *row;        /* NULL = none */
    unsigned char *bytes; /* of a column, decoded */
    bool has_rows;        /* a query is under way */
} statement;

/* ---- what is wrong ---- */

/* The server's words have several lines. */
static ob_status fail_with(const connection *c, const char *state, const char *says, ob_err *err)
{
    const int length = (int)strcspn(says, "\n");
    if (state != NULL && strcmp(state, "55P03") == 0)
        return ob_err_set(err, OB_ERR_STATE,
                          "%.400s: another process has been writing to it for more than %.0f s; "
                          "try again when that is done",
                          c->base.name, c->patience_s);
    return ob_err_set(err, state != NULL ? OB_ERR_SYNTAX : OB_ERR_IO, "%.400s: %.*s", c->base.name,
                      length < 280 ? length : 280, says);
}

static ob_status fail_result(const connection *c, PGresult *result, ob_err *err)
{
    const char *says = pq.PQresultErrorMessage(result);
    const ob_status status = fail_with(c, pq.PQresultErrorField(result, PG_DIAG_SQLSTATE),
                                       says[0] != '\0' ? says : pq.PQerrorMessage(c->pg), err);
    pq.PQclear(result);
    return status;
}

static ob_status fail_connection(const connection *c, ob_err *err)
{
    return fail_with(c, NULL, pq.PQerrorMessage(c->pg), err);
}

static void ignore_notice(void *ctx, const char *message)
{
    (void)ctx;
    (void)message;
}

/* ---- statements without rows ---- */

static ob_status take_answers(connection *c, ob_err *err)
{
    ob_status status = OB_OK;
    for (size_t i = 0; i < c->waiting_count;) {
        PGresult *result = pq.PQgetResult(c->pg);
        if (result == NULL) { /* the end of one's answers */
            if (pq.PQstatus(c->pg) != CONNECTION_OK)
                return fail_connection(c, status == OB_OK ? err : NULL);
            i++;
            continue;
        }
        const ExecStatusType kind = pq.PQresultStatus(result);
        if (kind == PGRES_COMMAND_OK && c->waiting[i] != NULL)
            *c->waiting[i] += strtoull(pq.PQcmdTuples(result), NULL, 10);
        if (kind == PGRES_FATAL_ERROR && status == OB_OK)
            status = fail_result(c, result, err);
        else
            pq.PQclear(result);
    }
    PGresult *sync = pq.PQgetResult(c->pg);
    pq.PQclear(sync);
    return status;
}

static ob_status flush(ob_sql *sql, ob_err *err)
{
    connection *c = (connection *)sql;
    if (!c->in_pipeline)
        return OB_OK;
    if (!pq.PQpipelineSync(c->pg))
        return fail_connection(c, err);
    ob_status status = take_answers(c, err);
    c->waiting_count = 0;
    c->in_pipeline = false;
    if (!pq.PQexitPipelineMode(c->pg) && status == OB_OK)
        status = fail_connection(c, err);
    return status;
}

static ob_status execute(ob_sql *sql, const char *text, ob_err *err)
{
    connection *c = (connection *)sql;
    OB_TRY(flush(sql, err));
    PGresult *result = pq.PQexec(c->pg, text);
    const ExecStatusType kind = pq.PQresultStatus(result);
    if (kind != PGRES_COMMAND_OK && kind != PGRES_TUPLES_OK)
        return fail_result(c, result, err);
    pq.PQclear(result);
    return OB_OK;
}

static ob_status prepare(ob_sql *sql, const char *text, ob_sql_statement **out, ob_err *err)
{
    connection *c = (connection *)sql;
    OB_TRY(flush(sql, err));
    statement *s = calloc(1, sizeof *s);
    if (s == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a statement");
    s->base.sql = sql;
    snprintf(s->name, sizeof s->name, "ob_%u", ++c->statements);
    PGresult *result = pq.PQprepare(c->pg, s->name, text, 0, NULL);
    if (pq.PQresultStatus(result) != PGRES_COMMAND_OK) {
        free(s);
        return fail_result(c, result, err);
    }
    pq.PQclear(result);
    *out = &s->base;
    return OB_OK;
}

static ob_status send(statement *s, const ob_sql_value *values, size_t count, ob_err *err)
{
    const connection *c = (const connection *)s->base.sql;
    const char *texts[OB_SQL_MOST_VALUES];
    int sizes[OB_SQL_MOST_VALUES], formats[OB_SQL_MOST_VALUES];
    char numbers[OB_SQL_MOST_VALUES][LONGEST_NUMBER];
    for (size_t i = 0; i < count; i++) {
        const ob_sql_value *v = &values[i];
        if (v->size > OB_SQL_LARGEST)
            return ob_err_set(err, OB_ERR_LIMIT, "a value of more than %d MiB cannot be stored",
                              OB_SQL_LARGEST >> 20);
        if (v->kind == OB_SQL_INT)
            snprintf(numbers[i], LONGEST_NUMBER, "%" PRId64, v->number);
        else if (v->kind == OB_SQL_REAL)
            ob__format_double(v->real, numbers[i]);
        texts[i] = v->kind == OB_SQL_NULL                            ? NULL
                   : v->kind == OB_SQL_INT || v->kind == OB_SQL_REAL ? numbers[i]
                                                                     : v->data;
        sizes[i] = (int)v->size;
        formats[i] = v->kind == OB_SQL_BYTES;
    }
    return pq.PQsendQueryPrepared(c->pg, s->name, (int)count, texts, sizes, formats, 0)
               ? OB_OK
               : fail_connection(c, err);
}

static ob_status run(ob_sql_statement *base, const ob_sql_value *values, size_t count,
                     uint64_t *changed, ob_err *err)
{
    connection *c = (connection *)base->sql;
    if (!c->in_pipeline && !pq.PQenterPipelineMode(c->pg))
        return fail_connection(c, err);
    c->in_pipeline = true;
    OB_TRY(send((statement *)base, values, count, err));
    c->waiting[c->waiting_count++] = changed;
    return c->waiting_count < MOST_WAITING ? OB_OK : flush(&c->base, err);
}

/* ---- rows ---- */

static void forget_row(statement *s)
{
    pq.PQclear(s->row);
    s->row = NULL;
    free(s->bytes);
    s->bytes = NULL;
}

/* What is left of a query must be read before anything else is asked. */
static void end_query(statement *s)
{
    const connection *c = (const connection *)s->base.sql;
    PGresult *left;
    forget_row(s);
    while (s->has_rows && (left = pq.PQgetResult(c->pg)) != NULL)
        pq.PQclear(left);
    s->has_rows = false;
}

static ob_status query(ob_sql_statement *base, const ob_sql_value *values, size_t count,
                       ob_err *err)
{
    statement *s = (statement *)base;
    const connection *c = (const connection *)base->sql;
    end_query(s);
    OB_TRY(flush(base->sql, err));
    OB_TRY(send(s, values, count, err));
    s->has_rows = true;
    return pq.PQsetSingleRowMode(c->pg) ? OB_OK : fail_connection(c, err);
}

static ob_status next(ob_sql_statement *base, ob_err *err)
{
    statement *s = (statement *)base;
    const connection *c = (const connection *)base->sql;
    forget_row(s);
    PGresult *result = pq.PQgetResult(c->pg);
    const ExecStatusType kind = pq.PQresultStatus(result);
    if (kind == PGRES_SINGLE_TUPLE) {
        s->row = result;
        return OB_OK;
    }
    const ob_status status = result == NULL            ? fail_connection(c, err)
                             : kind == PGRES_TUPLES_OK ? OB_END
                                                       : fail_result(c, result, err);
    if (status == OB_END)
        pq.PQclear(result);
    end_query(s);
    return status;
}

static const char *column_text(ob_sql_statement *base, int column)
{
    const statement *s = (const statement *)base;
    return pq.PQgetisnull(s->row, 0, column) ? "" : pq.PQgetvalue(s->row, 0, column);
}

static int64_t column_int(ob_sql_statement *base, int column)
{
    return strtoll(column_text(base, column), NULL, 10);
}

static double column_real(ob_sql_statement *base, int column)
{
    const char *text = column_text(base, column);
    return text[0] != '\0' ? ob__parse_double(text, strlen(text)) : NAN;
}

static int digit_of(char letter)
{
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : 0;
}

/* They come as "\x" and two digits each. */
static const void *column_bytes(ob_sql_statement *base, int column, size_t *size)
{
    statement *s = (statement *)base;
    const char *text = column_text(base, column);
    const size_t length = strlen(text);
    *size = 0;
    free(s->bytes);
    s->bytes = NULL;
    if (length < 2 || text[0] != '\\' || text[1] != 'x' || (s->bytes = malloc(length / 2)) == NULL)
        return NULL;
    for (size_t i = 2; i + 1 < length; i += 2)
        s->bytes[(*size)++] = (unsigned char)(digit_of(text[i]) << 4 | digit_of(text[i + 1]));
    return s->bytes;
}

static void finalize(ob_sql_statement *base)
{
    statement *s = (statement *)base;
    char text[48];
    end_query(s);
    snprintf(text, sizeof text, "DEALLOCATE %s", s->name);
    execute(base->sql, text, NULL);
    free(s);
}

static void close_connection(ob_sql *sql)
{
    connection *c = (connection *)sql;
    pq.PQfinish(c->pg);
    free(c);
}

/* One writer at a time, as with a file: two that add the same series in another order would wait for each other. */
static const ob_sql_driver DRIVER = {
    .close = close_connection,
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
    .begin = "BEGIN; SELECT pg_advisory_xact_lock(1330659912)",
    .mark = "",
    .has_tables = "SELECT count(*) FROM information_schema.tables "
                  "WHERE table_schema = current_schema() AND table_name = 'ob_meta'"};

static ob_status set_up(connection *c, ob_err *err)
{
    char text[256];
    const char *host = pq.PQhost(c->pg), *db = pq.PQdb(c->pg);
    snprintf(c->base.name, sizeof c->base.name, "postgresql://%s/%s", host != NULL ? host : "",
             db != NULL ? db : ""); /* the address may have a password */
    if (pq.PQstatus(c->pg) != CONNECTION_OK) {
        const char *says = pq.PQerrorMessage(c->pg);
        return ob_err_set(err, OB_ERR_IO, "%.*s", (int)strcspn(says, "\n"), says);
    }
    pq.PQsetNoticeProcessor(c->pg, ignore_notice, NULL);
    snprintf(text, sizeof text,
             "SET client_encoding = 'UTF8'; SET lock_timeout = %.0f; SET bytea_output = 'hex'; "
             "SET extra_float_digits = 1; SET datestyle = 'ISO'",
             c->patience_s * 1000);
    return execute(&c->base, text, err);
}

ob_status ob__postgres_open(const char *address, double patience_s, ob_sql **out, ob_err *err)
{
    OB_TRY(ob_late_library_open(&library, err));
    connection *c = calloc(1, sizeof *c);
    if (c == NULL || (c->pg = pq.PQconnectdb(address)) == NULL) {
        free(c);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a connection");
    }
    c->base.driver = &DRIVER;
    c->patience_s = patience_s;
    const ob_status status = set_up(c, err);
    if (status != OB_OK) {
        close_connection(&c->base);
        return status;
    }
    *out = &c->base;
    return OB_OK;
}
