/* SPDX-License-Identifier: Apache-2.0
 *
 * A site: the history is read once, then its pages are written one by one.
 */
#include "report/site_model.h"

#include "base/sized.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the site");
}

/* ---- names of pages ---- */

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261U;
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 16777619U;
    return h;
}

/* What is not safe in a file name becomes '_'; the hash tells names apart that are equal then. */
static const char *page_name(const char *kind, const char *text, char out[OB_SITE_NAME])
{
    char safe[48];
    size_t n = 0;
    for (; text[n] != '\0' && n + 1 < sizeof safe; n++)
        safe[n] = isalnum((unsigned char)text[n]) || (text[n] == '.' && n > 0) ? text[n] : '_';
    safe[n] = '\0';
    snprintf(out, OB_SITE_NAME, "%s-%s-%08x.html", kind, safe, hash(text));
    return out;
}

const char *ob__site_operator_page(const char *op, char out[OB_SITE_NAME])
{
    return page_name("op", op, out);
}

const char *ob__site_case_page(const char *key, char out[OB_SITE_NAME])
{
    return page_name("case", key, out);
}

/* ---- pages ---- */

static bool keep(void *ctx, const char *bytes, size_t count)
{
    return ob_text_append(ctx, bytes, count);
}

void ob__site_begin(ob_site *site, const char *here, const char *below)
{
    ob_html *html = &site->html;
    site->page.size = 0;
    *html = (ob_html){.text = html->text, .write = keep, .ctx = &site->page};
    html->text.size = 0;
    ob__page_begin_document(html, false);
    ob__html_text(html, here, OB_PAGE_NAME);
    ob__html_raw(html, " \302\267 opbench</title>\n");
    ob__page_begin_body(html);
    ob__html_raw(html, "<header>\n<p class=\"brand\">opbench history</p>\n<h1>");
    ob__html_text(html, here, OB_PAGE_NAME);
    ob__html_raw(html, "</h1>\n<p class=\"lead\">");
    ob__html_text(html, below, OB_PAGE_NAME);
    ob__html_raw(html, "</p>\n<nav aria-label=\"Pages\"><a href=\"index.html\">Overview</a><a "
                       "href=\"machines.html\">Machines</a></nav>\n</header>\n<main>\n");
}

ob_status ob__site_end(ob_site *site, const char *name, ob_err *err)
{
    ob_html *html = &site->html;
    ob__html_raw(html, "</main>\n<footer>Made by opbench. Points are medians with their 95 % "
                       "intervals.</footer>\n</body>\n</html>\n");
    ob__html_flush(html);
    if (html->no_memory || html->refused)
        return no_memory(err);
    return site->params.write(site->params.ctx, name, site->page.data, site->page.size, err);
}

static ob_status write_operators(ob_site *site, ob_err *err)
{
    for (size_t first = 0, end; first < site->count; first = end) {
        const char *op = site->series[first].series->op;
        for (end = first; end < site->count && strcmp(site->series[end].series->op, op) == 0; end++)
            continue;
        OB_TRY(ob__site_write_operator(site, first, end, err));
    }
    return OB_OK;
}

static int by_key(const void *left, const void *right)
{
    const ob_site_series *a = *(const ob_site_series *const *)left;
    const ob_site_series *b = *(const ob_site_series *const *)right;
    const int order = strcmp(a->series->key, b->series->key);
    return order != 0 ? order : (a > b) - (a < b);
}

/* The series of a case may have been added under several names and numbers: what makes it one is its key. */
static ob_status write_cases(ob_site *site, ob_err *err)
{
    const ob_site_series **order = calloc(site->count, sizeof(ob_site_series *));
    ob_status status = order != NULL ? OB_OK : no_memory(err);
    for (size_t i = 0; status == OB_OK && i < site->count; i++)
        order[i] = &site->series[i];
    if (status == OB_OK)
        qsort(order, site->count, sizeof *order, by_key);
    for (size_t first = 0, end; status == OB_OK && first < site->count; first = end) {
        const char *key = order[first]->series->key;
        for (end = first; end < site->count && strcmp(order[end]->series->key, key) == 0; end++)
            continue;
        status = ob__site_write_case(site, order + first, end - first, err);
    }
    free(order);
    return status;
}

ob_status ob_site_write(ob_store *store, const ob_site_params *params, ob_err *err)
{
    ob_site site = {.store = store};
    OB_TRY(OB__TAKE(ob_site_params, &site.params, params, err));
    ob_status status = ob__site_read(&site, err);
    if (status == OB_OK)
        status = write_operators(&site, err);
    if (status == OB_OK)
        status = write_cases(&site, err);
    if (status == OB_OK)
        status = ob__site_write_machines(&site, err);
    if (status == OB_OK)
        status = ob__site_write_index(&site, err);
    ob__site_fini(&site);
    return status;
}
