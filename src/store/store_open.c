/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a history: which database, whether it may be a file there, and its tables.
 */
#include "store/store_int.h"
#include "store/store_tables.h"

#include "base/cache_folder.h"
#include "base/sized.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double PATIENCE_S = 60;

/* "<XDG_DATA_HOME, else ~/.local/share>/opbench/history.db". */
static ob_status find_own_path(char *out, size_t size, ob_err *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n = -1;
    if (data != NULL && data[0] == '/')
        n = snprintf(out, size, "%s/opbench/history.db", data);
    else if (home != NULL && home[0] == '/' && access(home, F_OK) == 0)
        n = snprintf(out, size, "%s/.local/share/opbench/history.db", home);
    if (n > 0 && (size_t)n < size)
        return OB_OK;
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "there is no home directory to keep a history in; name a file with --db");
}

static bool is_address(const char *database)
{
    return strncmp(database, "postgresql://", 13) == 0 || strncmp(database, "postgres://", 11) == 0;
}

static ob_status open_file(const ob_store_params *params, const char *path, ob_sql **out,
                           ob_err *err)
{
    const bool create = params->mode == OB_STORE_CREATE;
    const double patience = params->patience_s > 0 ? params->patience_s : PATIENCE_S;
    const char *network;
    struct stat info;
    const bool there = stat(path, &info) == 0;
    if (there && !S_ISREG(info.st_mode)) /* a pipe would be waited for */
        return ob_err_set(err, OB_ERR_INVALID,
                          "%.400s is not a file; name one, or a PostgreSQL server, with --db",
                          path);
    if (!create && !there)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "there is no history at %.400s; `opbench history add FILE` starts one",
                          path);
    const ob_file_place place = ob__file_place(params, path, &network);
    if (place == OB_PLACE_NO_LOCKS)
        return ob_err_set(
            err, OB_ERR_UNSUPPORTED,
            "%.400s is on a network file system (%s) without locks: two runs adding to it at once "
            "would destroy it. Name a file on a local disk or a PostgreSQL server with --db",
            path, network);
    return ob__sqlite_open(path, create, patience, place == OB_PLACE_NETWORK, out, err);
}

/* Folders are made for the user's own history alone: another one was named, perhaps wrongly. */
static ob_status open_own(const ob_store_params *params, ob_sql **out, ob_err *err)
{
    char path[PATH_MAX];
    OB_TRY(find_own_path(path, sizeof path, err));
    if (params->mode == OB_STORE_CREATE && !ob__make_parents(path))
        return ob_err_set(err, OB_ERR_IO, "cannot make %.400s: %s", path, strerror(errno));
    return open_file(params, path, out, err);
}

static ob_status open_sql(const ob_store_params *params, ob_sql **out, ob_err *err)
{
    if (params->database == NULL)
        return open_own(params, out, err);
    if (params->database[0] == '\0')
        return ob_err_set(err, OB_ERR_INVALID,
                          "--db needs the name of a file or postgresql://HOST/DATABASE");
    if (is_address(params->database))
        return ob__postgres_open(
            params->database, params->patience_s > 0 ? params->patience_s : PATIENCE_S, out, err);
    return open_file(params, params->database, out, err);
}

static ob_status check_tables(ob_sql *sql, ob_store_mode mode, bool *is_old, ob_err *err)
{
    int64_t version;
    if (mode == OB_STORE_CREATE)
        return ob__tables_update(sql, err);
    OB_TRY(ob__tables_version(sql, &version, err));
    if (version == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "%.400s has no history yet; `opbench history add FILE` starts one",
                          sql->name);
    *is_old = version < OB_TABLES_VERSION;
    return OB_OK;
}

static ob_status open_checked(const ob_store_params *params, ob_sql **out, bool *is_old,
                              ob_err *err)
{
    ob_sql *sql = NULL;
    *is_old = false;
    ob_status status = open_sql(params, &sql, err);
    if (status != OB_OK || sql == NULL)
        return status;
    status = check_tables(sql, params->mode, is_old, err);
    if (status == OB_OK && !*is_old)
        *out = sql;
    else
        sql->driver->close(sql);
    return status;
}

ob_status ob_store_open(const ob_store_params *given, ob_store **out, ob_err *err)
{
    ob_store_params params;
    bool is_old;
    OB_TRY(OB__TAKE(ob_store_params, &params, given, err));
    ob_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a history");
    ob_status status = open_checked(&params, &store->sql, &is_old, err);
    if (status == OB_OK && is_old) { /* to be read, it must be brought up to date */
        params.mode = OB_STORE_CREATE;
        status = open_checked(&params, &store->sql, &is_old, err);
    }
    if (status == OB_OK)
        *out = store;
    else
        ob_store_close(store);
    return status;
}

void ob_store_close(ob_store *store)
{
    if (store == NULL)
        return;
    if (store->sql != NULL)
        store->sql->driver->close(store->sql);
    free(store);
}

const char *ob_store_name(const ob_store *store)
{
    return store->sql->name;
}

const char *ob__row_keep(ob_sql_statement *row, int column, ob_arena *arena)
{
    const char *text = ob__row_text(row, column);
    return ob__arena_strdup(arena, text, strlen(text));
}
