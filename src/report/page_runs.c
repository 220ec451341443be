/* SPDX-License-Identifier: Apache-2.0
 *
 * What was run, where, with which libraries, and what the doctor said: of headers and finish lines.
 */
#include "report/page_model.h"

#include "opbench/vec.h"
#include "result/own_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the page");
}

/* ---- keeping ---- */

static void add_fact(ob_page *page, ob_page_run *run, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    if (!OB_RESERVE(run->facts, run->fact_room, run->fact_count + 1)) {
        page->no_memory = true;
        return;
    }
    run->facts[run->fact_count++] =
        (ob_page_fact){.name = name, .value = ob__page_keep(page, value)};
}

static void add_bytes(ob_page *page, ob_page_run *run, const char *name, uint64_t bytes)
{
    static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    char text[48];
    size_t u = 0;
    double value = (double)bytes;
    for (; value >= 1024 && u + 1 < sizeof UNITS / sizeof *UNITS; u++)
        value /= 1024;
    snprintf(text, sizeof text, "%.4g %s", value, UNITS[u]);
    add_fact(page, run, name, bytes > 0 ? text : NULL);
}

static void add_facts(ob_page *page, ob_page_run *run, const ob_record_header *h)
{
    const ob_system *s = &h->system;
    char text[96];
    add_fact(page, run, "CPU", s->cpu_model);
    if (s->cpus_online > 0) {
        snprintf(text, sizeof text, "%" PRIu64 ", %" PRIu64 " usable", s->cpus_online,
                 s->cpus_usable);
        add_fact(page, run, "CPUs", text);
    }
    add_fact(page, run, "Virtual machine",
             s->hypervisor == 1   ? "yes"
             : s->hypervisor == 0 ? "no"
                                  : NULL);
    add_fact(page, run, "Governor", s->governor);
    add_bytes(page, run, "L1 data cache", s->l1d_bytes);
    add_bytes(page, run, "L2 cache", s->l2_bytes);
    add_bytes(page, run, "L3 cache", s->l3_bytes);
    add_bytes(page, run, "Memory", s->memory_bytes);
    add_fact(page, run, "Kernel", s->kernel);
    add_fact(page, run, "opbench", h->opbench_version);
    add_fact(page, run, "Mode", h->options.op_exec_mode);
    if (h->options.iteration > 0) {
        snprintf(text, sizeof text, "%" PRIi64 " after %" PRIi64 " of warm-up",
                 h->options.iteration, h->options.warmup > 0 ? h->options.warmup : 0);
        add_fact(page, run, "Iterations", text);
    }
}

/* "library, version, isa": every property that is a text. The header of one backend has these without its name. */
static void add_library(ob_page *page, ob_page_run *run, const char *name, const ob_json *of)
{
    const char *alone = ob_json_string(of, NULL);
    ob_text line = {.data = NULL};
    bool ok = alone == NULL || ob_text_printf(&line, "%.400s", alone);
    for (size_t i = 0; ok && i < ob_json_count(of); i++) {
        const char *value = ob_json_string(ob_json_item(of, i), NULL);
        if (value != NULL)
            ok = ob_text_printf(&line, "%s%.200s %.400s", line.size > 0 ? ", " : "",
                                ob_json_key(of, i), value);
    }
    ok = ok && ob_text_append(&line, "", 1) &&
         OB_RESERVE(run->libraries, run->library_room, run->library_count + 1);
    if (ok)
        run->libraries[run->library_count++] = (ob_page_fact){
            .name = ob__page_keep(page, name), .value = ob__page_keep(page, line.data)};
    page->no_memory = page->no_memory || !ok;
    ob_text_fini(&line);
}

static void add_findings(ob_page *page, ob_page_run *run, const ob_json *list)
{
    run->examined = list != NULL;
    for (size_t i = 0; i < ob_json_count(list); i++) {
        const ob_json *f = ob_json_item(list, i);
        if (!OB_RESERVE(run->findings, run->finding_room, run->finding_count + 1)) {
            page->no_memory = true;
            return;
        }
        run->findings[run->finding_count++] = (ob_page_finding){
            .level = ob__page_keep(page, ob_json_string(ob_json_get(f, "level"), NULL)),
            .found = ob__page_keep(page, ob_json_string(ob_json_get(f, "found"), NULL)),
            .cost = ob__page_keep(page, ob_json_string(ob_json_get(f, "cost"), NULL)),
            .fix = ob__page_keep(page, ob_json_string(ob_json_get(f, "fix"), NULL))};
    }
}

ob_status ob__page_add_header(ob_page *page, const ob_record_header *h, ob_err *err)
{
    if (!OB_RESERVE(page->runs, page->run_room, page->run_count + 1))
        return no_memory(err);
    ob_page_run *run = &page->runs[page->run_count++];
    /* It has a button that copies it: nothing else is to be copied into a shell. */
    ob_text own = {.data = NULL};
    const bool is_own = h->command_line != NULL && ob__own_command_append(&own, h->command_line) &&
                        ob_text_append(&own, "", 1);
    *run = (ob_page_run){.file = page->file,
                         .command = ob__page_keep_command(page, is_own ? own.data : NULL),
                         .config = ob__page_keep(page, h->config),
                         .start = ob__page_keep(page, h->start_time),
                         .host = ob__page_keep(page, h->system.hostname),
                         .cpu = ob__page_keep(page, h->system.cpu_model),
                         .seconds = NAN,
                         .foreign = NAN,
                         .steal = NAN};
    ob_text_fini(&own);
    add_facts(page, run, h);
    for (size_t i = 0; i < ob_json_count(h->backends); i++)
        add_library(page, run, ob_json_key(h->backends, i), ob_json_item(h->backends, i));
    add_findings(page, run, h->findings);
    return page->no_memory ? no_memory(err) : OB_OK;
}

void ob__page_add_finish(ob_page *page, const ob_record_finish *finish)
{
    if (page->run_count == 0)
        return;
    ob_page_run *run = &page->runs[page->run_count - 1];
    run->end = ob__page_keep(page, finish->end);
    run->seconds = finish->seconds;
    run->foreign = finish->noise_foreign;
    run->steal = finish->noise_steal;
}

/* ---- printing ---- */

static void print_facts(const ob_page_fact *facts, size_t count, ob_html *html)
{
    ob__html_raw(html, "<dl>");
    for (size_t i = 0; i < count; i++) {
        ob__html_raw(html, "<dt>");
        ob__html_text(html, facts[i].name, OB_PAGE_NAME);
        ob__html_raw(html, "</dt><dd>");
        ob__html_text(html, facts[i].value != NULL ? facts[i].value : "", OB_PAGE_NAME);
        ob__html_raw(html, "</dd>");
    }
    ob__html_raw(html, "</dl>");
}

static void print_part(ob_html *html, const char *before, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    ob__html_raw(html, before);
    ob__html_text(html, text, OB_PAGE_TEXT);
}

static void print_findings(const ob_page_run *run, ob_html *html)
{
    ob__html_raw(html, "<h3>What opbench doctor found</h3>");
    if (!run->examined)
        ob__html_raw(html, "<p class=\"faint\">It was not run.</p>");
    else if (run->finding_count == 0)
        ob__html_raw(html, "<p>Nothing that spoils measurements.</p>");
    else
        ob__html_raw(html, "<ul class=\"findings\">");
    for (size_t i = 0; i < run->finding_count; i++) {
        const ob_page_finding *f = &run->findings[i];
        ob__html_raw(html, "<li><b class=\"mark\">");
        ob__html_text(html, f->level != NULL ? f->level : "warning", 32);
        ob__html_raw(html, "</b> ");
        ob__html_sentence(html, f->found != NULL ? f->found : "", OB_PAGE_TEXT);
        print_part(html, " <span class=\"faint\">", f->cost);
        ob__html_raw(html, f->cost != NULL && f->cost[0] != '\0' ? "</span>" : "");
        print_part(html, " ", f->fix);
        ob__html_raw(html, "</li>");
    }
    ob__html_raw(html, run->finding_count > 0 ? "</ul>" : "");
}

static void print_run(const ob_page_run *run, ob_html *html, bool open)
{
    ob__html_raw(html, open ? "<details class=\"run\" open><summary>"
                            : "<details class=\"run\"><summary>");
    ob__html_text(html, run->file != NULL ? run->file : "records", OB_PAGE_NAME);
    print_part(html, " <span class=\"faint\">", run->start);
    ob__html_raw(html, run->start != NULL && run->start[0] != '\0' ? "</span>" : "");
    ob__html_raw(html, "</summary><div class=\"columns\"><div><h3>Machine</h3>");
    print_facts(run->facts, run->fact_count, html);
    ob__html_raw(html, "</div><div><h3>Libraries</h3>");
    print_facts(run->libraries, run->library_count, html);
    print_findings(run, html);
    if (!isnan(run->foreign) || !isnan(run->steal))
        ob__html_printf(
            html,
            "<p>Other processes used %.1f %% of the CPU time; the hypervisor took %.1f %%.</p>",
            100 * (isnan(run->foreign) ? 0 : run->foreign),
            100 * (isnan(run->steal) ? 0 : run->steal));
    ob__html_raw(html, "</div></div>");
    ob__html_command(html, "p", run->command);
    ob__html_raw(html, "</details>\n");
}

void ob__page_print_runs(const ob_page *page, ob_html *html)
{
    ob__html_raw(html, "<section id=\"runs\"><h2>What was run, and where</h2>\n");
    if (page->run_count == 0)
        ob__html_raw(html, "<p>The files do not say: they have no header.</p>");
    for (size_t i = 0; i < page->run_count; i++)
        print_run(&page->runs[i], html, page->run_count == 1);
    ob__html_raw(html, "</section>\n");
}
