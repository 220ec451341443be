/* SPDX-License-Identifier: Apache-2.0
 *
 * The actions of `opbench history`, each in its file.
 */
#ifndef OB_CLI_HISTORY_H
#define OB_CLI_HISTORY_H

#include "command.h"

#include "opbench/store.h"

typedef struct ob_history_options {
    const char *db, *since, *before, *branch, *host, *tag, *backend, *value, *format;
    double p, min_change;
    bool samples, fail, all, samples_only, dry_run;
} ob_history_options;

/* What an action is called with: words behind its own. */
typedef struct ob_history {
    ob_cli *cli;
    const ob_history_options *options;
    const char *const *words;
    size_t word_count;
    ob_store *store;
    ob_store_filter filter; /* by the options; text is the action's */
} ob_history;

typedef struct ob_history_action {
    const char *name, *words; /* "add", "FILE..." */
    size_t least_words, most_words;
    bool writes;         /* makes the database if there is none */
    const char *options; /* that it takes besides --db: "since|branch" */
    /* *code is OB_EXIT_OK before. */
    ob_status (*run)(ob_history *history, int *code, ob_err *err);
} ob_history_action;

ob_status ob__history_add(ob_history *history, int *code, ob_err *err);
ob_status ob__history_log(ob_history *history, int *code, ob_err *err);
ob_status ob__history_show(ob_history *history, int *code, ob_err *err);
ob_status ob__history_check(ob_history *history, int *code, ob_err *err);
ob_status ob__history_ack(ob_history *history, int *code, ob_err *err);
ob_status ob__history_export(ob_history *history, int *code, ob_err *err);
ob_status ob__history_prune(ob_history *history, int *code, ob_err *err);

/* ---- what they share ---- */

/* A table with these columns; NULL: memory is out. */
ob_table *ob__history_table(const ob_column *columns, size_t count);
/* Prints it as --format says, and then it is gone. */
ob_status ob__history_print(ob_history *history, ob_table *table, ob_err *err);
/* "2024-05-01 12:00", local time; out holds 32 bytes. */
const char *ob__history_time(int64_t time, char *out);
/* What a commit is shown as: 12 digits; or what a run without one is called. out holds 32 bytes. */
const char *ob__history_commit(const char *commit, int64_t run, char *out);
/* "+3.2 %" of 1.032; out holds 32 bytes. */
const char *ob__history_percent(double ratio, char *out);
/* What a series is called: its call, or OPERATOR|ID. out is cut to size. */
const char *ob__history_name(const ob_store_series *series, char *out, size_t size);
/* That the case of the command line is not there. */
ob_status ob__history_no_case(const ob_history *history, ob_err *err);

#endif
