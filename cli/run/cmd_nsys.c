/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench nsys: what a report of Nsight Systems (exported as SQLite) says about each case of
 * `opbench run --nsys`. Calls of the CUDA runtime inside a timed interval are joined with the kernels that
 * they launched. The joins are SQLite's; the tables are copied into indexed temporary ones first,
 * because the export has no indexes and every interval asks.
 *
 * A report is data that anyone may have written: its views, triggers and functions are not run, its texts have a
 * largest size, and the work is bounded by the size of the file.
 */
#include "command.h"
#include "nsys_label.h"
#include "opbench/shared_object.h"
#include "output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LARGEST_TEXT = 1 << 24,
    LARGEST_MEMORY = 1 << 30, /* SQLite's own; what does not fit goes to temporary files */
    STEPS = 10000,            /* of SQLite's machine between two looks at the budget */
    STEPS_PER_BYTE = 50,      /* copying, indexing and joining a row take a few per byte */
    PAGE = 4096,
    COPIES_PER_BYTE = 64, /* a kernel's name stands once in a report, and in every row made of it */
    LEAST_PAGES = 16384,  /* of temporary tables */
};

#define FUNCTIONS(F)                                                                               \
    F(bind_int64)                                                                                  \
    F(bind_text)                                                                                   \
    F(close)                                                                                       \
    F(column_int64)                                                                                \
    F(column_text)                                                                                 \
    F(db_config)                                                                                   \
    F(errcode)                                                                                     \
    F(errmsg)                                                                                      \
    F(exec)                                                                                        \
    F(finalize)                                                                                    \
    F(hard_heap_limit64)                                                                           \
    F(limit)                                                                                       \
    F(open_v2)                                                                                     \
    F(prepare_v2)                                                                                  \
    F(progress_handler)                                                                            \
    F(reset)                                                                                       \
    F(step)                                                                                        \
    F(table_column_metadata)
#define FIELD(name) __typeof__(sqlite3_##name) *name;
#define NAME(name) "sqlite3_" #name,

static struct {
    FUNCTIONS(FIELD)
} sqlite;
static const char *const NAMES[] = {FUNCTIONS(NAME)};
static ob_late_library library = {.name = "libsqlite3.so.0",
                                  .purpose = "to read reports of nsys",
                                  .functions = NAMES,
                                  .count = sizeof NAMES / sizeof *NAMES,
                                  .table = &sqlite};

typedef struct nsys_options {
    const char *output;
    bool force;
} nsys_options;

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, nsys_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE",
        .otherwise = "FILE.json for FILE.sqlite",
        .help = "Write the lines to this file; - is standard output."),
    ROW(FLAG, "force", force, .help = "Replace the file if it exists."),
    {.name = NULL},
};

typedef struct analysis {
    ob_cli *cli;
    const char *path;
    sqlite3 *db;
    sqlite3_stmt *ranges, *kernels, *syncs;
    FILE *out;
    char *op_name, *id; /* of the line under way; NULL = none */
    bool first_range;
    int64_t looks_left; /* of the budget */
} analysis;

static ob_status database_error(const analysis *a, ob_err *err)
{
    if (sqlite.errcode(a->db) == SQLITE_INTERRUPT || sqlite.errcode(a->db) == SQLITE_FULL)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "%s needs more work than a report of its size can hold; give one that "
                          "nsys exported as SQLite",
                          a->path);
    return ob_err_set(err, OB_ERR_CONFIG, "%s: %s; give a report that nsys exported as SQLite",
                      a->path, sqlite.errmsg(a->db));
}

static ob_status execute(const analysis *a, const char *sql, ob_err *err)
{
    return sqlite.exec(a->db, sql, NULL, NULL, NULL) == SQLITE_OK ? OB_OK : database_error(a, err);
}

static bool has_table(const analysis *a, const char *table)
{
    sqlite3_stmt *s = NULL;
    bool found = false;
    if (sqlite.prepare_v2(a->db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1",
                          -1, &s, NULL) == SQLITE_OK &&
        sqlite.bind_text(s, 1, table, -1, SQLITE_STATIC) == SQLITE_OK)
        found = sqlite.step(s) == SQLITE_ROW;
    sqlite.finalize(s);
    return found;
}

/* ---- tables ---- */

/* Text of a range stands in the row or, in newer reports, among the strings. Both kinds of ranges count: pushed
 * and popped (59), started and ended (60). A process is the upper part of a thread's number. */
static const char RANGES[] =
    "CREATE TEMP TABLE ob_range AS "
    "SELECT n.rowid AS number, n.start AS start, n.end AS end, n.globalTid AS tid, %s AS label "
    "FROM NVTX_EVENTS n %s WHERE n.eventType IN (59, 60) AND n.end IS NOT NULL";

static const char CALLS[] =
    "CREATE TEMP TABLE ob_call AS SELECT r.start AS start, r.end AS end, r.globalTid AS tid, "
    "r.globalTid >> 24 AS process, r.correlationId AS correlation, s.value AS name "
    "FROM CUPTI_ACTIVITY_KIND_RUNTIME r LEFT JOIN StringIds s ON s.id = r.nameId;"
    "CREATE INDEX ob_call_at ON ob_call (tid, start)";

static const char KERNELS[] =
    "CREATE TEMP TABLE ob_kernel AS SELECT k.start AS start, k.end AS end, "
    "k.globalPid >> 24 AS process, k.correlationId AS correlation, s.value AS name "
    "FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN StringIds s ON s.id = k.demangledName;"
    "CREATE INDEX ob_kernel_of ON ob_kernel (correlation)";

/* A report without CUDA has none of these tables. */
static const char NO_CALLS[] = "CREATE TEMP TABLE ob_call (start, end, tid, process, correlation, "
                               "name)";
static const char NO_KERNELS[] = "CREATE TEMP TABLE ob_kernel (start, end, process, correlation, "
                                 "name)";

static const char ASK_RANGES[] =
    "SELECT number, start, end, tid, label FROM ob_range WHERE label LIKE '[param|%|%]' "
    "ORDER BY label, start, number";
static const char ASK_KERNELS[] =
    "SELECT c.correlation, k.name, k.start, k.end, c.name, c.start, c.end FROM ob_call c "
    "JOIN ob_kernel k ON k.correlation = c.correlation AND k.process = c.process "
    "WHERE c.tid = ?1 AND c.start >= ?2 AND c.start <= ?3 AND c.end <= ?3 "
    "ORDER BY k.start, c.correlation";
static const char ASK_SYNCS[] =
    "SELECT c.correlation, c.name, c.start, c.end FROM ob_call c "
    "WHERE c.tid = ?1 AND c.start >= ?2 AND c.start <= ?3 AND c.end <= ?3 "
    "AND c.name LIKE 'cudaDeviceSynchronize%' ORDER BY c.start";

static bool has_column(const analysis *a, const char *table, const char *column)
{
    return sqlite.table_column_metadata(a->db, "main", table, column, NULL, NULL, NULL, NULL,
                                        NULL) == SQLITE_OK;
}

static ob_status make_tables(const analysis *a, ob_err *err)
{
    char sql[512];
    if (!has_table(a, "NVTX_EVENTS"))
        return ob_err_set(err, OB_ERR_CONFIG,
                          "%s has no NVTX ranges; profile with `opbench run --nsys` where "
                          "libnvToolsExt is installed",
                          a->path);
    const bool strings = has_table(a, "StringIds") && has_column(a, "NVTX_EVENTS", "textId");
    snprintf(sql, sizeof sql, RANGES, strings ? "coalesce(n.text, s.value)" : "n.text",
             strings ? "LEFT JOIN StringIds s ON s.id = n.textId" : "");
    OB_TRY(execute(a, sql, err));
    OB_TRY(execute(a, has_table(a, "CUPTI_ACTIVITY_KIND_RUNTIME") ? CALLS : NO_CALLS, err));
    return execute(a, has_table(a, "CUPTI_ACTIVITY_KIND_KERNEL") ? KERNELS : NO_KERNELS, err);
}

static int look_at_budget(void *ctx)
{
    analysis *a = ctx;
    return --a->looks_left < 0;
}

/* A short file may say a long text, or how to compute one, for each of its rows. */
static ob_status limit_temporary_tables(const analysis *a, int64_t size, ob_err *err)
{
    char sql[128];
    const int64_t pages = size / PAGE * COPIES_PER_BYTE + LEAST_PAGES;
    snprintf(sql, sizeof sql, "PRAGMA temp.page_size = %d; PRAGMA temp.max_page_count = %" PRId64,
             (int)PAGE, pages);
    return execute(a, sql, err);
}

/* Before anything of the file is looked at. */
static ob_status set_limits(analysis *a, ob_err *err)
{
    static const int OFF[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    struct stat file = {.st_size = 0};
    stat(a->path, &file);
    a->looks_left = (int64_t)file.st_size * STEPS_PER_BYTE / STEPS + 100;
    for (size_t i = 0; i < sizeof OFF / sizeof *OFF; i++)
        sqlite.db_config(a->db, OFF[i], 0, NULL);
    sqlite.db_config(a->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite.limit(a->db, SQLITE_LIMIT_LENGTH, LARGEST_TEXT);
    sqlite.hard_heap_limit64(LARGEST_MEMORY);
    sqlite.progress_handler(a->db, STEPS, look_at_budget, a);
    return limit_temporary_tables(a, (int64_t)file.st_size, err);
}

static ob_status open_database(analysis *a, ob_err *err)
{
    const struct {
        const char *sql;
        sqlite3_stmt **statement;
    } asks[] = {{ASK_RANGES, &a->ranges}, {ASK_KERNELS, &a->kernels}, {ASK_SYNCS, &a->syncs}};
    if (sqlite.open_v2(a->path, &a->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return ob_err_set(err, OB_ERR_CONFIG, "%s cannot be opened: %s", a->path,
                          a->db != NULL ? sqlite.errmsg(a->db) : "out of memory");
    OB_TRY(set_limits(a, err));
    OB_TRY(execute(a, "SELECT count(*) FROM sqlite_master", err)); /* is it a database at all */
    OB_TRY(make_tables(a, err));
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        if (sqlite.prepare_v2(a->db, asks[i].sql, -1, asks[i].statement, NULL) != SQLITE_OK)
            return database_error(a, err);
    return OB_OK;
}

/* ---- writing ---- */

/* As JSON, which has no control characters in it: no text of the report may move a terminal's cursor. */
static void print_string(const analysis *a, const char *text)
{
    ob_json_doc *doc = NULL;
    char *json = NULL;
    size_t length = 0;
    if (ob_json_doc_create(&doc, NULL) == OB_OK &&
        ob_json_print(
            ob_json_new_string(doc, text != NULL ? text : "", text != NULL ? strlen(text) : 0),
            &json, &length, NULL) == OB_OK)
        fwrite(json, 1, length, a->out);
    else
        fputs("null", a->out);
    free(json);
    ob_json_doc_destroy(doc);
}

static const char *text_of(sqlite3_stmt *s, int column)
{
    return (const char *)sqlite.column_text(s, column);
}

/* {"name": ..., "start": ..., "end": ...} from three columns. */
static void print_span(const analysis *a, sqlite3_stmt *s, int column)
{
    fputs("{\"name\": ", a->out);
    print_string(a, text_of(s, column));
    fprintf(a->out, ", \"start\": %" PRId64 ", \"end\": %" PRId64 "}",
            (int64_t)sqlite.column_int64(s, column + 1),
            (int64_t)sqlite.column_int64(s, column + 2));
}

static ob_status ask(const analysis *a, sqlite3_stmt *s, ob_err *err)
{
    sqlite.reset(s);
    for (int i = 1; i <= 3; i++) {
        static const int COLUMNS[] = {0, 3, 1, 2}; /* thread, start, end of the range */
        if (sqlite.bind_int64(s, i, sqlite.column_int64(a->ranges, COLUMNS[i])) != SQLITE_OK)
            return database_error(a, err);
    }
    return OB_OK;
}

/* T1 to T5, in ns. */
typedef struct times {
    int64_t range, to_first, kernels, after_last, sync;
    bool any_kernel, any_sync;
} times;

static ob_status print_kernels(const analysis *a, times *t, ob_err *err)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    int got;
    OB_TRY(ask(a, a->kernels, err));
    fputs(", \"cuda_kernel\": [", a->out);
    while ((got = sqlite.step(a->kernels)) == SQLITE_ROW) {
        const int64_t start = sqlite.column_int64(a->kernels, 2);
        const int64_t end = sqlite.column_int64(a->kernels, 3);
        fprintf(a->out, "%s[%" PRId64 ", ", t->any_kernel ? ", " : "",
                (int64_t)sqlite.column_int64(a->kernels, 0));
        print_span(a, a->kernels, 1);
        fputs(", ", a->out);
        print_span(a, a->kernels, 4);
        fputs("]", a->out);
        first = start < first ? start : first;
        last = end > last ? end : last;
        t->kernels += end - start;
        t->any_kernel = true;
    }
    fputs("]", a->out);
    if (t->any_kernel) {
        t->to_first = first - sqlite.column_int64(a->ranges, 1);
        t->after_last = sqlite.column_int64(a->ranges, 2) - last;
    }
    return got == SQLITE_DONE ? OB_OK : database_error(a, err);
}

static ob_status print_syncs(const analysis *a, times *t, ob_err *err)
{
    int got;
    OB_TRY(ask(a, a->syncs, err));
    fputs(", \"cuda_sync\": [", a->out);
    while ((got = sqlite.step(a->syncs)) == SQLITE_ROW) {
        fprintf(a->out, "%s[%" PRId64 ", ", t->any_sync ? ", " : "",
                (int64_t)sqlite.column_int64(a->syncs, 0));
        print_span(a, a->syncs, 1);
        fputs("]", a->out);
        t->sync = sqlite.column_int64(a->syncs, 3) - sqlite.column_int64(a->syncs, 2);
        t->any_sync = true;
    }
    fputs("]", a->out);
    return got == SQLITE_DONE ? OB_OK : database_error(a, err);
}

/* A time that there is nothing to measure for is null. */
static void print_time(const analysis *a, const char *name, bool known, int64_t ns)
{
    if (known)
        fprintf(a->out, ", \"%s\": %" PRId64, name, ns);
    else
        fprintf(a->out, ", \"%s\": null", name);
}

static ob_status print_range(analysis *a, ob_err *err)
{
    times t = {.range = sqlite.column_int64(a->ranges, 2) - sqlite.column_int64(a->ranges, 1)};
    fprintf(a->out, "%s\"%" PRId64 "\": {\"name\": ", a->first_range ? "" : ", ",
            (int64_t)sqlite.column_int64(a->ranges, 0));
    a->first_range = false;
    print_string(a, text_of(a->ranges, 4));
    fprintf(a->out, ", \"start\": %" PRId64 ", \"end\": %" PRId64,
            (int64_t)sqlite.column_int64(a->ranges, 1), (int64_t)sqlite.column_int64(a->ranges, 2));
    OB_TRY(print_kernels(a, &t, err));
    OB_TRY(print_syncs(a, &t, err));
    fprintf(a->out, ", \"analysis\": {\"T1\": %" PRId64, t.range);
    print_time(a, "T2", t.any_kernel, t.to_first);
    print_time(a, "T3", true, t.kernels);
    print_time(a, "T4", t.any_kernel, t.after_last);
    print_time(a, "T5", t.any_sync, t.sync);
    fputs("}}", a->out);
    return OB_OK;
}

/* ---- lines ---- */

static void end_line(analysis *a)
{
    if (a->op_name != NULL)
        fputs("}}\n", a->out);
    free(a->op_name);
    free(a->id);
    a->op_name = a->id = NULL;
}

/* Ranges come sorted by label, so those of a case stand together. */
static ob_status begin_line(analysis *a, const ob_nsys_label *label, ob_err *err)
{
    if (a->op_name != NULL && strlen(a->op_name) == label->op_length &&
        memcmp(a->op_name, label->op_name, label->op_length) == 0 &&
        strlen(a->id) == label->id_length && memcmp(a->id, label->id, label->id_length) == 0)
        return OB_OK;
    end_line(a);
    a->op_name = strndup(label->op_name, label->op_length);
    a->id = strndup(label->id, label->id_length);
    if (a->op_name == NULL || a->id == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a label");
    fputs("{\"op_name\": ", a->out);
    print_string(a, a->op_name);
    fputs(", \"id\": ", a->out);
    print_string(a, a->id);
    fputs(", \"ranges\": {", a->out);
    a->first_range = true;
    return OB_OK;
}

static ob_status write_lines(analysis *a, ob_err *err)
{
    int got;
    bool any = false;
    while ((got = sqlite.step(a->ranges)) == SQLITE_ROW) {
        ob_nsys_label label;
        const char *text = text_of(a->ranges, 4);
        if (text == NULL || !ob__nsys_label_read(text, &label))
            continue;
        any = true;
        OB_TRY(begin_line(a, &label, err));
        OB_TRY(print_range(a, err));
    }
    if (got != SQLITE_DONE)
        return database_error(a, err);
    end_line(a);
    if (!any)
        ob__cli_warn(a->cli, "%s has no opbench ranges; was it made with `opbench run --nsys`?",
                     a->path);
    return OB_OK;
}

/* ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static ob_status open_output(analysis *a, const char *name, bool force, ob_err *err)
{
    char path[4096];
    if (name != NULL && strcmp(name, "-") == 0) {
        a->out = stdout;
        return OB_OK;
    }
    if (name == NULL) {
        const char *dot = strrchr(a->path, '.');
        const size_t stem =
            dot != NULL && strchr(dot, '/') == NULL ? (size_t)(dot - a->path) : strlen(a->path);
        snprintf(path, sizeof path, "%.*s.json", (int)stem, a->path);
        name = path;
    }
    if (is_same_file(name, a->path))
        return ob_err_set(err, OB_ERR_INVALID,
                          "the output would overwrite %s; name another with -o FILE", a->path);
    if (!force && ob__cli_is_taken(name))
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s already exists; --force replaces it, -o FILE names another", name);
    a->out = fopen(name, "we");
    return a->out != NULL
               ? OB_OK
               : ob_err_set(err, OB_ERR_IO, "%s cannot be written: %s", name, strerror(errno));
}

static ob_status close_output(analysis *a, ob_err *err)
{
    if (a->out == NULL || a->out == stdout)
        return OB_OK; /* standard output is checked when the program ends */
    const bool failed = ferror(a->out) != 0;
    if (fclose(a->out) == 0 && !failed)
        return OB_OK;
    return ob_err_set(err, OB_ERR_IO, "the output cannot be written: %s", strerror(errno));
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const nsys_options *options = call->options;
    analysis a = {.cli = cli, .path = call->words[0]};
    ob_err err;
    if (ob_late_library_open(&library, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    ob_status status = open_database(&a, &err);
    if (status == OB_OK)
        status = open_output(&a, options->output, options->force, &err);
    if (status == OB_OK)
        status = write_lines(&a, &err);
    int code = status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
    free(a.op_name);
    free(a.id);
    if (close_output(&a, &err) != OB_OK && code == OB_EXIT_OK)
        code = ob__cli_fail(cli, &err);
    sqlite.finalize(a.ranges);
    sqlite.finalize(a.kernels);
    sqlite.finalize(a.syncs);
    sqlite.close(a.db);
    return code;
}

static const ob_cli_word WORDS[] = {
    {.name = "FILE", .required = true, .help = "An nsys report exported as SQLite."},
    {.name = NULL},
};

const ob_cli_command ob__command_nsys = {
    .name = "nsys",
    .help = "show what an Nsight Systems report says about each case",
    .text = "Reads a report made by `opbench run --nsys` and exported with `nsys export --type "
            "sqlite`, and writes one JSON line per case: its timed ranges, the kernels they "
            "launched and, per range, in ns: T1 its length, T2 from its start to the first kernel, "
            "T3 the sum of its kernels, T4 from the last kernel to its end, T5 the last "
            "cudaDeviceSynchronize. Times that a range lacks are null.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(nsys_options),
    .example = "nsys export --type sqlite -o report.sqlite report.nsys-rep\n"
               "opbench nsys report.sqlite -o report.json",
    .run = run,
};
