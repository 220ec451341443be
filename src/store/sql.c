/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the same for all drivers: see sql.h.
 */
#include "store/sql.h"

#include <math.h>
#include <string.h>

ob_sql_value ob__sql_real(double real)
{
    if (!isfinite(real))
        return (ob_sql_value){.kind = OB_SQL_NULL};
    return (ob_sql_value){.kind = OB_SQL_REAL, .real = real};
}

ob_sql_value ob__sql_text(const char *text)
{
    if (text == NULL)
        text = "";
    return (ob_sql_value){.kind = OB_SQL_TEXT, .data = text, .size = strlen(text)};
}

ob_sql_value ob__sql_bytes(const void *data, size_t size)
{
    return (ob_sql_value){.kind = OB_SQL_BYTES, .data = data, .size = size};
}

ob_status ob__sql_prepare(ob_sql *sql, const char *text, ob_sql_statement **out, ob_err *err)
{
    return sql->driver->prepare(sql, text, out, err);
}

void ob__sql_finalize(ob_sql_statement *statement)
{
    if (statement != NULL)
        statement->sql->driver->finalize(statement);
}

ob_status ob__sql_run(ob_sql *sql, const char *text, const ob_sql_value *values, size_t count,
                      uint64_t *changed, ob_err *err)
{
    ob_sql_statement *statement;
    OB_TRY(ob__sql_prepare(sql, text, &statement, err));
    ob_status status = sql->driver->run(statement, values, count, changed, err);
    if (status == OB_OK)
        status = sql->driver->flush(sql, err);
    ob__sql_finalize(statement);
    return status;
}

ob_status ob__sql_each(ob_sql *sql, const char *text, const ob_sql_value *values, size_t count,
                       ob_sql_row on_row, void *ctx, ob_err *err)
{
    ob_sql_statement *statement;
    OB_TRY(ob__sql_prepare(sql, text, &statement, err));
    ob_status status = sql->driver->query(statement, values, count, err);
    while (status == OB_OK && (status = sql->driver->next(statement, err)) == OB_OK)
        status = on_row(ctx, statement, err);
    ob__sql_finalize(statement);
    return status == OB_END ? OB_OK : status;
}

static ob_status take_int(void *ctx, ob_sql_statement *row, ob_err *err)
{
    (void)err;
    *(int64_t *)ctx = ob__row_int(row, 0);
    return OB_OK;
}

ob_status ob__sql_int_of(ob_sql *sql, const char *text, const ob_sql_value *values, size_t count,
                         int64_t *out, ob_err *err)
{
    return ob__sql_each(sql, text, values, count, take_int, out, err);
}

ob_status ob__sql_begin(ob_sql *sql, ob_err *err)
{
    return sql->driver->execute(sql, sql->driver->begin, err);
}

ob_status ob__sql_commit(ob_sql *sql, ob_err *err)
{
    OB_TRY(sql->driver->flush(sql, err));
    return sql->driver->execute(sql, "COMMIT", err);
}

void ob__sql_rollback(ob_sql *sql)
{
    sql->driver->flush(sql, NULL);
    sql->driver->execute(sql, "ROLLBACK", NULL);
}
