/* SPDX-License-Identifier: Apache-2.0
 *
 * What the store asks of a database: statements with values beside them, never inside their text. Two drivers do it; the
 * statements are the same for both, with parameters called $1, $2 and so on in the order of their first use.
 */
#ifndef OB_STORE_SQL_H
#define OB_STORE_SQL_H

#include "opbench/status.h"

#include <stdint.h>

typedef enum ob_sql_kind {
    OB_SQL_NULL,
    OB_SQL_INT,
    OB_SQL_REAL,
    OB_SQL_TEXT,
    OB_SQL_BYTES,
} ob_sql_kind;

typedef struct ob_sql_value {
    ob_sql_kind kind;
    int64_t number;
    double real;
    const void *data; /* borrowed until the call returns */
    size_t size;      /* of bytes; a text ends at its NUL */
} ob_sql_value;

static inline ob_sql_value ob__sql_int(int64_t number)
{
    return (ob_sql_value){.kind = OB_SQL_INT, .number = number};
}
/* NaN is NULL. */
ob_sql_value ob__sql_real(double real);
/* NULL is "". */
ob_sql_value ob__sql_text(const char *text);
ob_sql_value ob__sql_bytes(const void *data, size_t size);

enum { OB_SQL_MOST_VALUES = 20, OB_SQL_LARGEST = 64 << 20 };

typedef struct ob_sql ob_sql;
typedef struct ob_sql_statement ob_sql_statement;

typedef struct ob_sql_driver {
    void (*close)(ob_sql *sql);
    /* One or several statements without values and without rows. */
    ob_status (*execute)(ob_sql *sql, const char *text, ob_err *err);
    ob_status (*prepare)(ob_sql *sql, const char *text, ob_sql_statement **out, ob_err *err);
    void (*finalize)(ob_sql_statement *statement);
    /* Without rows. *changed (may be NULL) grows by the rows that it changed, and a failure is told, by the next flush at
     * the latest. */
    ob_status (*run)(ob_sql_statement *statement, const ob_sql_value *values, size_t count,
                     uint64_t *changed, ob_err *err);
    ob_status (*flush)(ob_sql *sql, ob_err *err);
    /* Starts a query anew; its rows come by next: OB_OK, or OB_END behind the last. */
    ob_status (*query)(ob_sql_statement *statement, const ob_sql_value *values, size_t count,
                       ob_err *err);
    ob_status (*next)(ob_sql_statement *statement, ob_err *err);
    /* Of the row: what is NULL, or no number, is 0, NaN or "". Valid until the next call of next, query or finalize. */
    int64_t (*column_int)(ob_sql_statement *statement, int column);
    double (*column_real)(ob_sql_statement *statement, int column);
    const char *(*column_text)(ob_sql_statement *statement, int column);
    const void *(*column_bytes)(ob_sql_statement *statement, int column, size_t *size);
    const char *begin;      /* a transaction that writes, alone */
    const char *mark;       /* besides the tables, when a database is made; "" = nothing */
    const char *has_tables; /* a query: above 0, the database has a table ob_meta */
} ob_sql_driver;

/* A connection begins with this. */
struct ob_sql {
    const ob_sql_driver *driver;
    char name[512]; /* for messages */
};

struct ob_sql_statement {
    ob_sql *sql;
};

/* All of these make one; it is closed by its driver. */
ob_status ob__sqlite_open(const char *path, bool create, double patience_s, bool rollback_journal,
                          ob_sql **out, ob_err *err);
ob_status ob__postgres_open(const char *address, double patience_s, ob_sql **out, ob_err *err);

/* ---- short ways (sql.c) ---- */

ob_status ob__sql_prepare(ob_sql *sql, const char *text, ob_sql_statement **out, ob_err *err);
/* Prepares, runs and forgets it; changed may be NULL. */
ob_status ob__sql_run(ob_sql *sql, const char *text, const ob_sql_value *values, size_t count,
                      uint64_t *changed, ob_err *err);
/* The first column of the first row; fallback if there is none. */
ob_status ob__sql_int_of(ob_sql *sql, const char *text, const ob_sql_value *values, size_t count,
                         int64_t *out, ob_err *err);
/* Calls on_row for each row; its failure ends it. */
typedef ob_status (*ob_sql_row)(void *ctx, ob_sql_statement *row, ob_err *err);
ob_status ob__sql_each(ob_sql *sql, const char *text, const ob_sql_value *values, size_t count,
                       ob_sql_row on_row, void *ctx, ob_err *err);
void ob__sql_finalize(ob_sql_statement *statement); /* NULL is allowed */
ob_status ob__sql_begin(ob_sql *sql, ob_err *err);
ob_status ob__sql_commit(ob_sql *sql, ob_err *err);
void ob__sql_rollback(ob_sql *sql);

static inline int64_t ob__row_int(ob_sql_statement *row, int column)
{
    return row->sql->driver->column_int(row, column);
}
static inline double ob__row_real(ob_sql_statement *row, int column)
{
    return row->sql->driver->column_real(row, column);
}
static inline const char *ob__row_text(ob_sql_statement *row, int column)
{
    return row->sql->driver->column_text(row, column);
}

#endif
