/* SPDX-License-Identifier: Apache-2.0
 *
 * A report as one self-contained HTML page: what was run, where, and what the results are, with
 * tables and pictures. It works without scripts; its own script sorts, searches and filters rows,
 * and draws the samples of any of them. Its content security policy forbids everything else, and
 * all texts are escaped.
 *
 * One thread at a time per object.
 */
#ifndef OPBENCH_PAGE_H
#define OPBENCH_PAGE_H

#include "opbench/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ob_page_params {
    size_t size;          /* sizeof(ob_page_params) */
    const char *title;    /* NULL = what the records say */
    bool files_are_sides; /* each file is compared with the first, as in `opbench diff` */
} ob_page_params;

typedef struct ob_page ob_page;

ob_status ob_page_create(const ob_page_params *params, ob_page **out, ob_err *err);
void ob_page_destroy(ob_page *page); /* NULL is allowed */
/* The records that follow are from this file. */
ob_status ob_page_begin_file(ob_page *page, const char *name, ob_err *err);
/* Copies what it needs from a record of any kind. */
ob_status ob_page_add(ob_page *page, const ob_record *record, ob_err *err);

/* Gets the page piece by piece; false = it cannot be written. */
typedef bool (*ob_page_write)(void *ctx, const char *bytes, size_t count);
/* Writes the page. Call it once, after the last record. OB_ERR_NOT_FOUND: there are no results.
 * OB_ERR_IO: write gave up. */
ob_status ob_page_print(ob_page *page, ob_page_write write, void *ctx, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
