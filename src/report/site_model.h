/* SPDX-License-Identifier: Apache-2.0
 *
 * What the pages of a site share.
 */
#ifndef OB_REPORT_SITE_MODEL_H
#define OB_REPORT_SITE_MODEL_H

#include "opbench/site.h"
#include "report/page_model.h"

enum { OB_SITE_NAME = 96 };

/* A series with what its pages say of it. */
typedef struct ob_site_series {
    const ob_store_series *series;
    ob_series_point *points; /* of results that ran; labels and marks are in the site's arena */
    size_t count;
    double last_ns;   /* NaN = none ran */
    size_t changes;   /* steps */
    double last_step; /* ratio of the latest; NaN = none */
} ob_site_series;

typedef struct ob_site { /* also what a picture shows of a history: it has no pages then */
    ob_store *store;
    ob_site_params params;
    ob_arena arena;
    ob_store_runs *runs;
    ob_store_list *list;
    ob_store_check *check;
    ob_site_series *series; /* as the list has them: by operator, then by case */
    size_t count;
    ob_html html; /* of the page that is written */
    ob_text page;
} ob_site;

/* "op-torch.mm-1a2b3c4d.html", "case-<key>.html": the same as long as operator and case are. */
const char *ob__site_operator_page(const char *op, char out[OB_SITE_NAME]);
const char *ob__site_case_page(const char *key, char out[OB_SITE_NAME]);

/* Everything up to the first section. `here`: the title of the page. */
void ob__site_begin(ob_site *site, const char *here, const char *below);
/* Ends the page and hands it over. */
ob_status ob__site_end(ob_site *site, const char *name, ob_err *err);

/* Fills the site from its store (site_series.c). It is to be ended whatever comes of it. */
ob_status ob__site_read(ob_site *site, ob_err *err);
void ob__site_fini(ob_site *site);

/* Rows [first, end) of the series. */
ob_status ob__site_write_operator(ob_site *site, size_t first, size_t end, ob_err *err);
ob_status ob__site_write_case(ob_site *site, const ob_site_series **list, size_t count,
                              ob_err *err);
ob_status ob__site_write_machines(ob_site *site, ob_err *err);
ob_status ob__site_write_index(ob_site *site, ob_err *err);

#endif
