/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench roofline: what this machine can do at most.
 */
#include "command.h"
#include "machine/examine.h"
#include "machine/launch.h"
#include "output_file.h"
#include "screen.h"
#include "thread_list.h"

#include "opbench/measure.h"
#include "opbench/old_option.h"
#include "opbench/plot.h"
#include "opbench/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct roofline_options {
    const char *threads, *output;
    double budget;
    const char *backends, *device;
    bool json, show, plot;
} roofline_options;

/* ---- printing ---- */

static const double GIGA = 1e9;

static void add_row(ob_table *table, const ob_ceiling *c)
{
    char size[32] = "";
    if (c->bytes > 0)
        snprintf(size, sizeof size, c->bytes < 1 << 20 ? "%.0f KiB" : "%.1f MiB",
                 (double)c->bytes / (c->bytes < 1 << 20 ? 1024 : 1048576));
    ob_table_add_row(table);
    ob_table_set_text(table, 0, ob_ceiling_word(c->kind));
    ob_table_set_text(table, 1, c->of);
    ob_table_set_text(table, 2, c->set);
    ob_table_set_number(table, 3, (double)c->threads);
    ob_table_set_number(table, 4, c->kind == OB_CEILING_LAUNCH ? c->value * 1e6 : c->value / GIGA);
    ob_table_set_text(table, 5,
                      c->kind == OB_CEILING_LAUNCH ? "us"
                      : c->kind == OB_CEILING_PEAK ? "Gop/s"
                                                   : "GB/s");
    ob_table_set_text(table, 6, size);
    ob_table_set_number(table, 6, c->bytes > 0 ? (double)c->bytes : NAN);
}

static ob_status print_table(ob_cli *cli, const ob_roofline *roofline, bool json, ob_err *err)
{
    static const ob_column COLUMNS[] = {
        {.title = "ceiling", .name = "kind"},
        {.title = "of", .name = "of"},
        {.title = "instructions", .name = "set"},
        {.title = "threads", .name = "threads", .hint = OB_HINT_COUNT},
        {.title = "", .name = "value", .hint = OB_HINT_FIGURE},
        {.title = "", .name = "unit"},
        {.title = "working set", .name = "bytes"}};
    const ob_table_style style = {
        .size = sizeof style, .format = json ? OB_TABLE_JSON : OB_TABLE_TEXT, .trimmed = true};
    ob_table *table = ob_table_create();
    for (size_t i = 0; table != NULL && i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        ob_table_add_column(table, &COLUMNS[i]);
    for (size_t i = 0; table != NULL && i < ob_roofline_count(roofline); i++)
        add_row(table, ob_roofline_at(roofline, i));
    return ob__cli_print_table(cli, table, &style, err);
}

static ob_status print_picture(ob_cli *cli, const ob_roofline *roofline, ob_err *err)
{
    const ob_plot_params params = {
        .size = sizeof params, .kind = OB_PLOT_ROOFLINE, .roofline = roofline};
    const ob_plot_style style = {
        .size = sizeof style, .width = ob__cli_width(cli), .ascii = !ob__cli_is_utf8()};
    ob_text text = {.data = NULL};
    ob_plot *plot;
    OB_TRY(ob_plot_create(&params, &plot, err));
    const ob_status status = ob_plot_print(plot, OB_PLOT_TEXT, &style, &text, err);
    if (status == OB_OK)
        ob__cli_write(cli, text.data, text.size); /* what fails there, ob__cli_finish says */
    ob_plot_destroy(plot);
    ob_text_fini(&text);
    return status;
}

static void say_progress(const char *text)
{
    if (isatty(STDERR_FILENO) != 1)
        return;
    ob__cli_clear_line();
    ob__cli_say("%s", text);
}

static int on_progress(void *ctx, size_t done, size_t total, const ob_ceiling *next)
{
    char text[160];
    ob_noise_sampler *noise = ctx;
    if (noise != NULL)
        ob_noise_sampler_poll(noise, NULL, NULL); /* without it nothing is known of others */
    snprintf(text, sizeof text, "%zu of %zu: %s of %s, threads: %lld", done, total,
             ob_ceiling_word(next->kind), next->of, (long long)next->threads);
    say_progress(text);
    return 0;
}

/* ---- */

/* A machine that others use has lower ceilings than it has: earlier ones, if there are any, are better. */
static ob_status keep(ob_cli *cli, const roofline_options *options, const ob_noise_sampler *sampler,
                      const ob_roofline *roofline, ob_err *err)
{
    static const double BUSY = 0.1;
    ob_noise noise = {.foreign = 0};
    ob_roofline *earlier = NULL;
    if (sampler != NULL)
        ob_noise_sampler_get(sampler, &noise);
    if (!(noise.foreign > BUSY))
        return ob_roofline_write(roofline, options->output, err);
    const bool has_earlier =
        options->output == NULL && ob_roofline_read(NULL, &earlier, NULL) == OB_OK;
    ob_roofline_destroy(earlier);
    ob__cli_warn(cli,
                 "other processes used %.0f %% of the CPUs meanwhile, so these ceilings are too "
                 "low%s; measure again when the machine is idle",
                 100 * noise.foreign, has_earlier ? ", and the earlier ones are kept" : "");
    return has_earlier ? OB_OK : ob_roofline_write(roofline, options->output, err);
}

static ob_status measure_all(ob_cli *cli, const roofline_options *options,
                             const ob_thread_list *threads, ob_noise_sampler *noise,
                             ob_roofline **out, ob_err *err)
{
    static const double LAUNCH_SECONDS = 0.1, DEVICE_SECONDS = 1;
    const ob_roofline_params params = {.size = sizeof params,
                                       .threads = threads->size > 0 ? threads->counts : NULL,
                                       .thread_count = threads->size,
                                       .seconds = options->budget,
                                       .on_progress = on_progress,
                                       .ctx = noise};
    OB_TRY(ob_roofline_measure(&params, out, err));
    say_progress("calls of backends");
    OB_TRY(ob__cli_measure_launches(cli, options->backends, LAUNCH_SECONDS, *out, err));
    say_progress("devices");
    ob__cli_measure_devices(cli, options->backends, options->device, DEVICE_SECONDS, *out);
    say_progress("libraries");
    OB_TRY(ob_roofline_note_libraries(cli->context, options->backends, *out, err));
    say_progress("");
    return keep(cli, options, noise, *out, err);
}

static ob_status measure(ob_cli *cli, const roofline_options *options,
                         const ob_thread_list *threads, ob_roofline **out, ob_err *err)
{
    ob_noise_sampler *noise = NULL;
    const ob_noise_params params = {.size = sizeof params};
    if (ob_noise_sampler_open(&params, &noise, NULL) != OB_OK)
        noise = NULL;
    const ob_status status = measure_all(cli, options, threads, noise, out, err);
    ob_noise_sampler_close(noise);
    return status;
}

static ob_status show(ob_cli *cli, const roofline_options *options, ob_roofline **out, ob_err *err)
{
    OB_TRY(ob_roofline_read(options->output, out, err));
    ob__cli_warn_of_old_roofline(cli, *out, NULL);
    return OB_OK;
}

/* Found out before the measuring: ceilings replace earlier ones, and nothing else. */
static int check_output(ob_cli *cli, const char *path)
{
    ob_roofline *earlier = NULL;
    int code = ob__cli_check_place(cli, path);
    if (code == OB_EXIT_OK && path != NULL && ob__cli_is_taken(path) &&
        ob_roofline_read(path, &earlier, NULL) != OB_OK)
        code = ob__cli_usage_error(
            cli, "%s already exists and is not a file of ceilings; give another file", path);
    ob_roofline_destroy(earlier);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const roofline_options *options = call->options;
    ob_thread_list threads = {.size = 0};
    ob_roofline *roofline = NULL;
    ob_err err;
    int code = options->threads != NULL ? ob__thread_list_read(cli, options->threads, &threads)
                                        : OB_EXIT_OK;
    if (code == OB_EXIT_OK && !options->show)
        code = check_output(cli, options->output);
    if (code == OB_EXIT_OK)
        code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    ob_status status = options->show ? show(cli, options, &roofline, &err)
                                     : measure(cli, options, &threads, &roofline, &err);
    if (status == OB_OK)
        status = options->plot ? print_picture(cli, roofline, &err)
                               : print_table(cli, roofline, options->json, &err);
    ob_roofline_destroy(roofline);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, roofline_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(STRING, "num-threads", threads, .value = "LIST", .otherwise = "1, and one per CPU",
        .help = "Numbers of threads to measure with, separated by commas."),
    OB_OPTION_OLD_NAME("threads", "num-threads"),
    ROW(DOUBLE, "budget", budget, .unit = "seconds", .min = 0.1, .max = 3600, .initial = "10",
        .help = "About how long to take in all."),
    ROW(STRING, "backend", backends, .value = "NAME", .otherwise = "all that are available",
        .help = "Only the calls and devices of this backend, or of these (a,b)."),
    ROW(STRING, "device", device, .letter = 'd', .value = "DEVICE",
        .otherwise = "each backend's first",
        .help = "Which devices the backends use, as for run: \"cuda:1\"."),
    ROW(STRING, "output", output, .letter = 'o', .value = "FILE",
        .otherwise = "this machine's file in the user's cache",
        .help = "Save the ceilings in this file."),
    ROW(FLAG, "show", show, .help = "Print the saved ceilings without measuring."),
    ROW(FLAG, "plot", plot, .help = "Draw the ceilings as text instead of printing the table."),
    ROW(FLAG, "json", json, .help = "One JSON object per ceiling."),
    {.name = NULL},
};

const ob_cli_command ob__command_roofline = {
    .name = "roofline",
    .libraries = OB_CLI_BACKEND, /* it calls all backends */
    .help = "measure the limits of this machine",
    .text = "Measures the ceilings of this machine: multiply-adds per second for each dtype and "
            "instruction set, bytes per second for each level of memory, the cost of a call for "
            "each backend, and the memory of devices, including transfers to and from them. Each "
            "ceiling is the best of many short tries on an otherwise idle machine, and the results "
            "of the loops are checked.\n\n"
            "Results of run and time then show what share of the attainable speed they reach, and "
            "what bounds them. Ceilings are saved per kind of machine.",
    .options = OPTIONS,
    .options_size = sizeof(roofline_options),
    .example = "opbench roofline\nopbench roofline --num-threads 1 --budget 30\nopbench roofline "
               "--show --plot",
    .run = run,
};
