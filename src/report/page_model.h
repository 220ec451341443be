/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a page: what it keeps of records, which is as little as it shows. A million samples are four megabytes.
 */
#ifndef OB_REPORT_PAGE_MODEL_H
#define OB_REPORT_PAGE_MODEL_H

#include "opbench/diff.h"
#include "opbench/fleet.h"
#include "opbench/page.h"
#include "opbench/plot.h"
#include "report/html.h"
#include "report/pictures.h"

enum {
    OB_PAGE_SAMPLES = 1024, /* of a pass; of more, every second, third... is kept */
    OB_PAGE_NOTABLE = 100,  /* cases whose pictures are there without a script */
    OB_PAGE_RATIOS = 200,   /* in the picture of ratios */
};

/* A result and pass. */
typedef struct ob_page_row {
    const char *call, *op, *id, *side, *status, *bound_by, *warning, *repro, *reason;
    bool backward, ran, failed;
    int64_t threads;
    uint64_t samples, set_aside;
    uint64_t calls; /* that it stands for; 0 = not said */
    double median_ns, low_ns, high_ns, p99_ns;
    double gflops, gbs, of_roof;
    ob_record_ratio ratio;
    size_t sample_at;        /* in the page's samples */
    uint32_t warmups, count; /* that are kept there */
    uint32_t every;          /* so many samples stand behind each */
    size_t reason_number;    /* among the folded ones; OB_NO_TEXT = none */
    double notable;          /* the larger, the more worth a look */
    size_t notable_rank;     /* from 1; 0 = not among the most notable */
    size_t run;              /* among the page's; 0 too where there is no header */
} ob_page_row;

typedef struct ob_page_fact {
    const char *name, *value;
} ob_page_fact;

/* What a check of the doctor found. */
typedef struct ob_page_finding {
    const char *level, *found, *cost, *fix;
} ob_page_finding;

/* A run: a header, and the finish line behind it. */
typedef struct ob_page_run {
    const char *file, *command, *config, *start, *host, *cpu, *end;
    double seconds, foreign, steal;
    ob_page_fact *facts;
    size_t fact_count, fact_room;
    ob_page_fact *libraries;
    size_t library_count, library_room;
    ob_page_finding *findings;
    size_t finding_count, finding_room;
    bool examined; /* the doctor looked */
} ob_page_run;

struct ob_page {
    ob_page_params params;
    const char *title;
    ob_arena arena;
    const char *file; /* that records are of */
    ob_page_run *runs;
    size_t run_count, run_room;
    ob_page_row *rows;
    size_t row_count, row_room;
    float *samples;
    size_t sample_count, sample_room;
    ob_text_index sides;
    ob_reasons reasons; /* sorted when the page is printed; rows have the number before */
    ob_step step;
    ob_plot *roofline;
    ob_fleet *fleet; /* NULL = there is no more than one node */
    ob_diff *diff;   /* NULL = nothing to compare, or too many sides */
    uint64_t statuses[OB_RECORD_STATUS_COUNT];
    bool ended;    /* nothing is added any more */
    bool weighted; /* the config says how often calls are made */
    bool no_memory;
};

/* Judges and orders what was added; once, before anything is shown. OB_ERR_NOT_FOUND: there are no results. */
ob_status ob__page_end(ob_page *page, ob_err *err);
/* page_runs.c: of a header and a finish line */
ob_status ob__page_add_header(ob_page *page, const ob_record_header *header, ob_err *err);
void ob__page_add_finish(ob_page *page, const ob_record_finish *finish);
/* page_rows.c */
ob_status ob__page_add_result(ob_page *page, const ob_record_result *result, ob_err *err);
const char *ob__page_keep(ob_page *page, const char *text); /* NULL for NULL */
/* NULL for one that is longer than OB_PAGE_COMMAND, too. */
const char *ob__page_keep_command(ob_page *page, const char *command);
ob_distribution ob__page_distribution(const ob_page *page, const ob_page_row *row);

/* page_frame.c: up to the text of the title, which the caller writes and ends; then style sheet and body. */
void ob__page_begin_document(ob_html *html, bool with_script);
void ob__page_begin_body(ob_html *html);

/* What is shown of many. */
typedef struct ob_page_choice {
    const char *only;   /* calls with this text in them; NULL = all */
    size_t most;        /* the most notable ones; 0 = all */
    bool notable_first; /* else in their order, unless there are more than that */
} ob_page_choice;
/* Rows that have samples; the list is to be freed. OB_ERR_NOT_FOUND: there are none. */
ob_status ob__page_choose(const ob_page *page, const ob_page_choice *choice,
                          const ob_page_row ***out, size_t *count, ob_err *err);
/* The same of differences between sides: sure and large ones first. */
ob_status ob__page_differences(const ob_page *page, const ob_page_choice *choice,
                               const ob_diff_row ***out, size_t *count, ob_err *err);
/* Whether two rows are of one case, pass and side. */
bool ob__page_same_work(const ob_page_row *a, const ob_page_row *b);
/* Puts rows of the same work together, by runs or by threads. */
void ob__page_gather(bool over_runs, const ob_page_row **rows, size_t count);
ob_ratio_item ob__page_ratio_item(const ob_page *page, const ob_diff_row *row);

/* The sections, in the order of the page. */
void ob__page_print_summary(const ob_page *page, ob_html *html);
void ob__page_print_runs(const ob_page *page, ob_html *html);
bool ob__page_has_nodes(const ob_page *page);
void ob__page_print_nodes(const ob_page *page, ob_html *html);
void ob__page_print_verdicts(const ob_page *page, ob_html *html);
void ob__page_print_step(ob_page *page, ob_html *html);
void ob__page_print_roofline(const ob_page *page, ob_html *html);
void ob__page_print_failures(const ob_page *page, ob_html *html);
void ob__page_print_table(const ob_page *page, ob_html *html);
void ob__page_print_cases(const ob_page *page, ob_html *html);
/* The samples for the script: docs/report.md has the form. */
void ob__page_print_packed(const ob_page *page, ob_html *html);
/* 16 bits for a sample: its place between the least and the largest on a logarithmic scale, and whether it was set
 * aside. */
uint16_t ob__page_pack_sample(float sample, double least, double largest);

/* Embedded files: page_script.js, page_style.css. */
extern const char ob__page_text_page_script[], ob__page_text_page_style[];

#endif
