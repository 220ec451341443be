/* SPDX-License-Identifier: Apache-2.0
 *
 * A page: records in, one HTML file out.
 */
#include "report/page_model.h"

#include "base/sized.h"

#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the page");
}

/* Without it there is a page too: a diff takes no more sides than it can compare. */
static void drop_diff(ob_page *page)
{
    ob_diff_destroy(page->diff);
    page->diff = NULL;
}

/* Nor are there nodes to compare in most files. */
static void drop_fleet(ob_page *page)
{
    ob_fleet_destroy(page->fleet);
    page->fleet = NULL;
}

ob_status ob_page_create(const ob_page_params *params, ob_page **out, ob_err *err)
{
    ob_page *page = calloc(1, sizeof *page);
    *out = NULL;
    if (page == NULL)
        return no_memory(err);
    ob__arena_init(&page->arena, 0);
    ob__step_init(&page->step);
    ob_status status = OB__TAKE(ob_page_params, &page->params, params, err);
    if (status == OB_OK)
        status = ob_plot_create(
            &(ob_plot_params){.size = sizeof(ob_plot_params), .kind = OB_PLOT_ROOFLINE},
            &page->roofline, err);
    if (status == OB_OK)
        status =
            ob_diff_create(&(ob_diff_params){.size = sizeof(ob_diff_params)}, &page->diff, err);
    if (status == OB_OK)
        status = ob_fleet_create(NULL, &page->fleet, err);
    if (status == OB_OK) {
        page->title = ob__page_keep(page, page->params.title);
        *out = page;
    } else {
        ob_page_destroy(page);
    }
    return status;
}

void ob_page_destroy(ob_page *page)
{
    if (page == NULL)
        return;
    for (size_t i = 0; i < page->run_count; i++) {
        free(page->runs[i].facts);
        free(page->runs[i].libraries);
        free(page->runs[i].findings);
    }
    ob_plot_destroy(page->roofline);
    ob_diff_destroy(page->diff);
    ob_fleet_destroy(page->fleet);
    ob__step_fini(&page->step);
    ob__reasons_fini(&page->reasons);
    ob__text_index_fini(&page->sides);
    ob__arena_fini(&page->arena);
    free(page->runs);
    free(page->rows);
    free(page->samples);
    free(page);
}

ob_status ob_page_begin_file(ob_page *page, const char *name, ob_err *err)
{
    page->file = ob__page_keep(page, name);
    if (page->file == NULL)
        return no_memory(err);
    if (page->fleet != NULL)
        ob_fleet_end_file(page->fleet);
    return page->params.files_are_sides && page->diff != NULL
               ? ob_diff_add_side(page->diff, name, err)
               : OB_OK;
}

ob_status ob_page_add(ob_page *page, const ob_record *record, ob_err *err)
{
    OB_TRY(ob__check_same_size(record->size, sizeof *record, "ob_record", err));
    if (page->diff != NULL && ob_diff_add(page->diff, record, NULL) != OB_OK)
        drop_diff(page);
    if (page->fleet != NULL && ob_fleet_add(page->fleet, record, NULL) != OB_OK)
        drop_fleet(page);
    OB_TRY(ob_plot_add(page->roofline, record, err));
    if (record->kind == OB_RECORD_HEADER_LINE)
        return ob__page_add_header(page, &record->header, err);
    if (record->kind == OB_RECORD_FINISH_LINE)
        ob__page_add_finish(page, &record->finish);
    if (record->kind != OB_RECORD_RESULT_LINE)
        return OB_OK;
    const ob_status status = ob__step_add(&page->step, &record->result, err);
    if (status != OB_OK && status != OB_ERR_LIMIT)
        return status;
    return ob__page_add_result(page, &record->result, err);
}

/* ---- printing ---- */

static ob_status rank_rows(ob_page *page, ob_err *err)
{
    const ob_page_choice choice = {.most = OB_PAGE_NOTABLE, .notable_first = true};
    const ob_page_row **order;
    size_t count;
    const ob_status status = ob__page_choose(page, &choice, &order, &count, err);
    if (status == OB_ERR_NOT_FOUND) /* nothing was measured */
        return OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        page->rows[order[i] - page->rows].notable_rank = i + 1;
    free(order);
    return status;
}

/* Of the command line's words: "softmax(f32[64]) and 2 more". */
static void name_by_calls(ob_page *page)
{
    ob_text_index calls = {.count = 0};
    ob_text title = {.data = NULL};
    bool ok = true;
    for (size_t i = 0; i < page->row_count && ok; i++)
        if (ob__text_index_find(&calls, page->rows[i].call) == OB_NO_TEXT)
            ok = ob__text_index_add(&calls, page->rows[i].call);
    ok = ok && ob_text_append_str(&title, page->rows[0].call) &&
         (calls.count == 1 || ob_text_printf(&title, " and %zu more", calls.count - 1)) &&
         ob_text_append(&title, "", 1);
    if (ok)
        page->title = ob__page_keep(page, title.data);
    page->no_memory = page->no_memory || !ok;
    ob_text_fini(&title);
    ob__text_index_fini(&calls);
}

static void print_title(const ob_page *page, ob_html *html)
{
    if (page->title != NULL)
        ob__html_text(html, page->title, OB_PAGE_NAME);
    else if (page->run_count > 0 && page->runs[0].config != NULL) {
        const char *slash = strrchr(page->runs[0].config, '/');
        ob__html_text(html, slash != NULL ? slash + 1 : page->runs[0].config, OB_PAGE_NAME);
    } else {
        ob__html_text(html, page->file != NULL ? page->file : "Results", OB_PAGE_NAME);
    }
}

static void print_head(const ob_page *page, ob_html *html)
{
    ob__page_begin_document(html, true);
    print_title(page, html);
    ob__html_raw(html, " \302\267 opbench</title>\n");
    ob__page_begin_body(html);
    ob__html_raw(html, "<a class=\"skip\" href=\"#results\">To the results</a>\n<header>\n<p "
                       "class=\"brand\">opbench report</p>\n<h1>");
    print_title(page, html);
    ob__html_raw(html, "</h1>\n");
}

static bool has_sides(const ob_page *page)
{
    return page->diff != NULL && ob_diff_side(page->diff, 1) != NULL;
}

ob_status ob__page_end(ob_page *page, ob_err *err)
{
    if (page->row_count == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "there are no results to show; give files that `opbench run`, `time` or "
                          "`sweep` wrote");
    if (page->ended)
        return OB_OK;
    page->ended = true;
    if (page->title == NULL && page->run_count > 0 && page->runs[0].config != NULL &&
        strcmp(page->runs[0].config, "-") == 0 && !page->no_memory)
        name_by_calls(page);
    if (!has_sides(page) || ob_diff_judge(page->diff, NULL) != OB_OK)
        drop_diff(page);
    if (page->fleet != NULL && ob_fleet_judge(page->fleet, NULL) != OB_OK)
        drop_fleet(page);
    ob__step_end(&page->step);
    ob__reasons_sort(&page->reasons);
    return rank_rows(page, err);
}

ob_status ob_page_print(ob_page *page, ob_page_write write, void *ctx, ob_err *err)
{
    ob_html html = {.write = write, .ctx = ctx};
    OB_TRY(ob__page_end(page, err));
    print_head(page, &html);
    ob__page_print_summary(page, &html);
    ob__page_print_nodes(page, &html);
    ob__page_print_verdicts(page, &html);
    ob__page_print_step(page, &html);
    ob__page_print_roofline(page, &html);
    ob__page_print_failures(page, &html);
    ob__page_print_table(page, &html);
    ob__page_print_cases(page, &html);
    ob__page_print_runs(page, &html);
    ob__page_print_packed(page, &html);
    ob__html_raw(&html,
                 "</main>\n"
                 "<footer>Made by opbench. Times are medians unless stated otherwise.</footer>\n"
                 "<script>");
    ob__html_raw(&html, ob__page_text_page_script);
    ob__html_raw(&html, "</script>\n</body>\n</html>\n");
    ob__html_flush(&html);
    ob_text_fini(&html.text);
    if (html.no_memory || page->no_memory || page->step.no_memory)
        return no_memory(err);
    return html.refused ? ob_err_set(err, OB_ERR_IO, "the page cannot be written") : OB_OK;
}
