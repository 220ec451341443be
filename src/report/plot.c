/* SPDX-License-Identifier: Apache-2.0
 *
 * A plot: records in, a picture out.
 */
#include "report/plot_kinds.h"

#include "base/sized.h"
#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the picture");
}

static const char *keep(ob_plot *plot, const char *text)
{
    return ob__arena_strdup(&plot->arena, text, strlen(text));
}

static ob_status copy_ceilings(const ob_roofline *from, ob_roofline **out, ob_err *err)
{
    ob_json_doc *doc;
    OB_TRY(ob_json_doc_create(&doc, err));
    const ob_json *list = ob_roofline_json(from, doc);
    const ob_status status = list != NULL ? ob_roofline_from_json(list, out, err) : no_memory(err);
    ob_json_doc_destroy(doc);
    return status;
}

ob_status ob_plot_create(const ob_plot_params *params, ob_plot **out, ob_err *err)
{
    ob_plot *plot = calloc(1, sizeof *plot);
    *out = NULL;
    if (plot == NULL)
        return no_memory(err);
    ob__arena_init(&plot->arena, 0);
    ob_status status = OB__TAKE(ob_plot_params, &plot->params, params, err);
    if (status == OB_OK && plot->params.roofline != NULL)
        status = copy_ceilings(plot->params.roofline, &plot->roofline, err);
    if (status == OB_OK && plot->params.kind != OB_PLOT_ROOFLINE)
        status =
            ob_page_create(&(ob_page_params){.size = sizeof(ob_page_params)}, &plot->page, err);
    if (status == OB_OK && plot->params.only != NULL &&
        (plot->only = keep(plot, plot->params.only)) == NULL)
        status = no_memory(err);
    if (status == OB_OK)
        *out = plot;
    else
        ob_plot_destroy(plot);
    return status;
}

void ob_plot_destroy(ob_plot *plot)
{
    if (plot == NULL)
        return;
    ob_roofline_destroy(plot->roofline);
    ob_page_destroy(plot->page);
    ob__plot_forget_store(plot);
    ob__arena_fini(&plot->arena);
    free(plot->points);
    free(plot);
}

/* ---- records ---- */

static ob_status add_header(ob_plot *plot, const ob_record_header *h, ob_err *err)
{
    if (plot->cpu == NULL && (plot->cpu = keep(plot, h->system.cpu_model)) == NULL)
        return no_memory(err);
    plot->other_cpu = plot->other_cpu || strcmp(plot->cpu, h->system.cpu_model) != 0;
    return plot->roofline == NULL && ob_json_count(h->ceilings) > 0
               ? ob_roofline_from_json(h->ceilings, &plot->roofline, err)
               : OB_OK;
}

/* The number of the backend; all beyond the last share it. */
static size_t backend_of(ob_plot *plot, const char *name)
{
    for (size_t i = 0; i < plot->backend_count; i++)
        if (strcmp(plot->backends[i], name) == 0)
            return i;
    if (plot->backend_count == OB_PICTURE_BACKENDS)
        return OB_PICTURE_BACKENDS - 1;
    const bool last = plot->backend_count + 1 == OB_PICTURE_BACKENDS;
    const char *kept = keep(plot, last ? "others" : name);
    if (kept != NULL)
        plot->backends[plot->backend_count++] = kept;
    return plot->backend_count > 0 ? plot->backend_count - 1 : 0;
}

static ob_status add_pass(ob_plot *plot, const ob_record_result *r, const ob_record_pass *pass,
                          bool backward, ob_err *err)
{
    const char *backend = r->backend != NULL ? r->backend : "?";
    char name[512];
    if (!(pass->time_ms.median > 0))
        return OB_OK;
    const double seconds = pass->time_ms.median / 1e3, intensity = pass->flops / pass->bytes;
    if (!(pass->bytes > 0) || !ob__axis_takes(intensity) ||
        !ob__axis_takes(pass->flops / seconds)) {
        plot->not_shown++;
        return OB_OK;
    }
    snprintf(name, sizeof name, "%.300s %.100s%s on %.64s", r->op_name != NULL ? r->op_name : "?",
             r->id != NULL ? r->id : "", backward ? " backward" : "", backend);
    const double roof = pass->flops / pass->attainable_ms * 1e3;
    ob_picture_point point = {.name = keep(plot, name),
                              .intensity = intensity,
                              .rate = pass->flops / seconds,
                              .roof = ob__axis_takes(roof) ? roof : NAN,
                              .seconds = seconds,
                              .threads = r->threads,
                              .backend = backend_of(plot, backend),
                              .backward = backward};
    if (pass->bound_by != NULL)
        point.bound_by = keep(plot, pass->bound_by);
    if (point.name == NULL || plot->backend_count == 0 ||
        !OB_RESERVE(plot->points, plot->room, plot->count + 1))
        return no_memory(err);
    plot->points[plot->count++] = point;
    return OB_OK;
}

ob_status ob_plot_add(ob_plot *plot, const ob_record *record, ob_err *err)
{
    const ob_record_result *r = &record->result;
    if (plot->page != NULL)
        return ob_page_add(plot->page, record, err);
    if (record->kind == OB_RECORD_HEADER_LINE)
        return add_header(plot, &record->header, err);
    if (record->kind != OB_RECORD_RESULT_LINE || r->status != OB_RECORD_OK)
        return OB_OK;
    OB_TRY(add_pass(plot, r, &r->forward, false, err));
    return add_pass(plot, r, &r->backward, true, err);
}

ob_status ob_plot_print(const ob_plot *plot, ob_plot_form form, const ob_plot_style *style,
                        ob_text *text, ob_err *err)
{
    ob_plot_style own;
    OB_TRY(OB__TAKE_OPTIONAL(ob_plot_style, &own, style, err));
    if (plot->page != NULL)
        return form == OB_PLOT_TEXT
                   ? ob__plot_kind_text(plot, &own, text, err)
                   : ob__plot_kind_svg(plot, form == OB_PLOT_INLINE, &own, text, err);
    return form == OB_PLOT_TEXT ? ob__roofline_text(plot, &own, text, err)
                                : ob__roofline_svg(plot, form == OB_PLOT_INLINE, &own, text, err);
}
