/* SPDX-License-Identifier: Apache-2.0
 *
 * History: the results of many runs in a database (an SQLite file or a PostgreSQL server), series
 * of a case over time, and the points at which they changed.
 *
 * Strings belong to the list that they were read with; a missing string is "". A database is
 * untrusted data: anything wrong with it is an error. One thread at a time per store; any number of
 * processes per database.
 */
#ifndef OPBENCH_STORE_H
#define OPBENCH_STORE_H

#include "opbench/change.h"
#include "opbench/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ the database */

typedef struct ob_store ob_store;

typedef enum ob_store_mode {
    OB_STORE_READ,   /* OB_ERR_NOT_FOUND if there is none */
    OB_STORE_CREATE, /* create it if there is none, and upgrade it if it is older */
} ob_store_mode;

typedef struct ob_store_params {
    size_t size;          /* sizeof(ob_store_params) */
    const char *database; /* a file, or "postgresql://..."; NULL = the user's own:
                           * opbench/history.db in XDG_DATA_HOME, else in ~/.local/share */
    ob_store_mode mode;
    double patience_s; /* how long to wait while another process writes; 0 = 60 */
    /* The type of the file system below a path, as statfs(2) gives it; below 0: unknown. NULL = ask
     * the system. */
    int64_t (*file_system)(void *ctx, const char *path);
    void *ctx;
} ob_store_params;

/* Libraries are opened when a database needs them: OB_ERR_NOT_FOUND names the one to install. */
ob_status ob_store_open(const ob_store_params *params, ob_store **out, ob_err *err);
void ob_store_close(ob_store *store); /* NULL is allowed */
/* Its name in messages: the file, or the address without its password. Valid as long as the
 * store. */
const char *ob_store_name(const ob_store *store);

/* ------------------------------------------------------------------ adding */

/* What was added; the library adds to these numbers. */
typedef struct ob_store_added {
    size_t size;                        /* sizeof(ob_store_added) */
    uint64_t runs, results;             /* new ones */
    uint64_t known_runs, known_results; /* already there */
    uint64_t left_out; /* results without a key or a time, which cannot be stored */
} ob_store_added;

typedef struct ob_store_writer ob_store_writer;

/* Begins a transaction: nothing is visible until it is committed, and closing it before undoes
 * everything. samples: keep all samples, not just their quantiles. */
ob_status ob_store_writer_open(ob_store *store, bool samples, ob_store_writer **out, ob_err *err);
/* The records of a file in their order: a header begins a run, results belong to it, other records
 * are ignored. Results that are already there are not added again, so a file may be added while it
 * grows. OB_ERR_STATE: a result before any header. */
ob_status ob_store_writer_add(ob_store_writer *writer, const ob_record *record, ob_err *err);
ob_status ob_store_writer_commit(ob_store_writer *writer, ob_err *err);
const ob_store_added *ob_store_writer_added(const ob_store_writer *writer);
void ob_store_writer_close(ob_store_writer *writer); /* NULL is allowed */

/* ------------------------------------------------------------------ runs */

/* Which runs and series to select; members that are NULL or 0 do not restrict the choice. Strings
 * must match exactly. */
typedef struct ob_store_filter {
    size_t size;         /* sizeof(ob_store_filter) */
    int64_t since;       /* unix seconds: runs from then on */
    const char *branch;  /* of runs */
    const char *host;    /* of runs */
    const char *tag;     /* of runs: "key=value", or "key" with any value */
    const char *text;    /* of series: their key, or part of a case's name */
    const char *backend; /* of series */
    int64_t machine;     /* of both: its id */
} ob_store_filter;

typedef struct ob_store_run {
    int64_t id;
    int64_t machine;        /* id of its hardware class */
    int64_t time;           /* unix seconds: when it began */
    const char *host;       /* name of the machine */
    const char *class_text; /* its hardware class in words */
    const char *commit, *branch;
    int8_t dirty;     /* 1: with changes that were not committed; 0: without; -1: not known */
    const char *tags; /* an object in JSON: {"key": "value"} */
    const char *kernel, *microcode;
    const char *libraries; /* what backends say of their libraries, an object in JSON */
    const char *source;    /* the config, or what else the cases came from */
    const char *version;   /* of opbench */
    uint64_t results, failed;
} ob_store_run;

/* Oldest first. filter may be NULL. */
typedef struct ob_store_runs ob_store_runs;
ob_status ob_store_read_runs(ob_store *store, const ob_store_filter *filter, ob_store_runs **out,
                             ob_err *err);
size_t ob_store_runs_count(const ob_store_runs *runs);
const ob_store_run *ob_store_runs_at(const ob_store_runs *runs, size_t index); /* NULL = no more */
const ob_store_run *ob_store_runs_find(const ob_store_runs *runs, int64_t id); /* NULL = none */
void ob_store_runs_destroy(ob_store_runs *runs);                               /* NULL is allowed */

/* ------------------------------------------------------------------ series */

/* One pass of a case, measured in one way on one class of hardware. */
typedef struct ob_store_series {
    int64_t id;
    int64_t machine;
    const char *class_text;   /* the hardware in words */
    const char *key;          /* of the case */
    const char *op, *id_text; /* what the case was called when it was first added */
    const char *call;         /* "softmax(f32[8,50257], -1)" */
    const char *backend, *side;
    const char *pass;     /* "forward" or "backward" */
    const char *settings; /* "device=cpu threads=1 mode=discrete cache=hot" */
    uint64_t points;
} ob_store_series;

/* By operator, case, backend, settings, pass. filter may be NULL. */
typedef struct ob_store_list ob_store_list;
ob_status ob_store_read_list(ob_store *store, const ob_store_filter *filter, ob_store_list **out,
                             ob_err *err);
size_t ob_store_list_count(const ob_store_list *list);
const ob_store_series *ob_store_list_at(const ob_store_list *list, size_t index); /* NULL = none */
void ob_store_list_destroy(ob_store_list *list); /* NULL is allowed */

/* One result. Times in ns; NaN = not known. */
typedef struct ob_store_point {
    int64_t run;
    int64_t id;              /* of the result, in its series and run */
    int64_t time;            /* of the run */
    ob_record_status status; /* a failed result has no times */
    uint64_t samples;
    double min, p25, median, p75, p90, p99, max, mean, stddev;
    double low, high; /* the interval of the median */
} ob_store_point;

/* Oldest first, including failed results. */
typedef struct ob_store_points ob_store_points;
ob_status ob_store_read_points(ob_store *store, int64_t series, ob_store_points **out, ob_err *err);
size_t ob_store_points_count(const ob_store_points *points);
const ob_store_point *ob_store_points_at(const ob_store_points *points, size_t index);
void ob_store_points_destroy(ob_store_points *points); /* NULL is allowed */
/* All samples of a point in ns, if they were kept: *times is malloc'ed; else NULL and 0. */
ob_status ob_store_read_samples(ob_store *store, int64_t series, const ob_store_point *point,
                                double **times, size_t *count, ob_err *err);

/* ------------------------------------------------------------------ changes */

/* What else changed between two runs: enum name, word. */
#define OB_STORE_MARK_MAP(X)                                                                       \
    X(KERNEL, "kernel")                                                                            \
    X(MICROCODE, "microcode")                                                                      \
    X(LIBRARIES, "libraries")                                                                      \
    X(VERSION, "opbench")                                                                          \
    X(HOST, "host")

typedef struct ob_store_check_params {
    size_t size;                   /* sizeof(ob_store_check_params) */
    const ob_store_filter *filter; /* NULL = everything. `since` is about changes, not runs */
    const ob_change_params *how;   /* NULL = defaults */
    const char *value;             /* "median", "p25", "min" or "mean"; NULL = median */
} ob_store_check_params;

/* A change of one series. */
typedef struct ob_store_change {
    const ob_store_series *series;
    ob_change change;              /* in the values of results that ran, oldest first */
    int64_t run_before, run_after; /* the last run before it and the first one after it */
    int64_t time;                  /* of run_after */
    const char *commit_before, *commit_after;
    const char *marks;  /* what else is different between these runs: "kernel, libraries"; "" */
    const char *reason; /* why it was accepted; "" = it was not */
    size_t group;       /* which of the groups it belongs to */
} ob_store_change;

/* Changes of several series on one class of hardware between the same runs. A change that came
 * alone is a group of one. */
typedef struct ob_store_group {
    int64_t machine;
    int64_t run_before, run_after, time; /* what all of them have in common */
    const char *commit_before, *commit_after, *marks;
    size_t slower, faster, noisier, quieter, drifting; /* series */
    size_t accepted;                                   /* of all of these */
    double ratio; /* the geometric mean of their steps; NaN = there is none */
} ob_store_group;

typedef struct ob_store_check ob_store_check;
/* Examines the series that the filter selects, with the results of the runs that it selects. The
 * latest changes and groups come first. */
ob_status ob_store_check_run(ob_store *store, const ob_store_check_params *params,
                             ob_store_check **out, ob_err *err);
size_t ob_store_check_count(const ob_store_check *check);
const ob_store_change *ob_store_check_at(const ob_store_check *check, size_t index);
size_t ob_store_check_groups(const ob_store_check *check);
const ob_store_group *ob_store_check_group(const ob_store_check *check, size_t index);
uint64_t ob_store_check_series(const ob_store_check *check); /* series that were examined */
uint64_t
ob_store_check_short(const ob_store_check *check);  /* of these: too short to say anything */
void ob_store_check_destroy(ob_store_check *check); /* NULL is allowed */

/* The changes of one series, without groups. points are those of ob_store_read_points. */
ob_status ob_store_check_points(const ob_store_points *points, const ob_store_check_params *params,
                                ob_changes **out, ob_err *err);

/* Accepts the change that begins with the commit (its first digits are enough), in all series whose
 * key or name is `text`. OB_ERR_NOT_FOUND: there is no such series, or no run of that commit. */
ob_status ob_store_accept(ob_store *store, const char *text, const char *commit, const char *reason,
                          ob_err *err);

/* ------------------------------------------------------------------ pruning */

typedef struct ob_store_prune_params {
    size_t size;       /* sizeof(ob_store_prune_params) */
    int64_t before;    /* unix seconds: delete runs from before then */
    bool samples_only; /* delete only samples, and keep the runs */
    bool dry;          /* dry run: count what would be deleted, delete nothing */
} ob_store_prune_params;
ob_status ob_store_prune(ob_store *store, const ob_store_prune_params *params, uint64_t *runs,
                         uint64_t *results, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
