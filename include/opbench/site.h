/* SPDX-License-Identifier: Apache-2.0
 *
 * A history as a folder of pages that any web server can hand out: what changed lately, a page per
 * operator and per case, and machines side by side. Pages have no scripts and forbid any.
 */
#ifndef OPBENCH_SITE_H
#define OPBENCH_SITE_H

#include "opbench/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the head of every page, so that opbench recognises the pages that it made. */
#define OB_SITE_MARK "<meta name=\"generator\" content=\"opbench\">"

typedef struct ob_site_params {
    size_t size;                   /* sizeof(ob_site_params) */
    const char *title;             /* NULL = "History" */
    const ob_store_filter *filter; /* which runs and series; NULL = all */
    /* Gets a whole page; name is a file name without a folder, of letters, digits, '.', '-' and
     * '_'. */
    ob_status (*write)(void *ctx, const char *name, const char *bytes, size_t count, ob_err *err);
    void *ctx;
} ob_site_params;

/* index.html comes last: a folder that has it is complete. OB_ERR_NOT_FOUND: the history is
 * empty. */
ob_status ob_site_write(ob_store *store, const ob_site_params *params, ob_err *err);

#ifdef __cplusplus
}
#endif
#endif
