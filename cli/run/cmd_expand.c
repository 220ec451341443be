/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench expand: the cases of a config, one JSON line each, in the order in which they would run.
 * Lines are gathered in one buffer and written in large pieces: a million cases take about as long as
 * writing their text.
 */
#include "backend_options.h"
#include "command.h"
#include "command_rows.h"

#include "opbench/old_option.h"

#include <inttypes.h>

typedef struct expand_options {
    const char *config, *op, *device;
    bool count;
} expand_options;

static const ob_option OPTIONS[] = {
    OB_OPTION_ROWS_OF(ob__text_rows, "config", offsetof(expand_options, config)),
    OB_OPTION_ROWS_OF(ob__text_rows, "op", offsetof(expand_options, op)),
    OB_OPTION(FLAG, "count-cases", expand_options, count, .group = "Cases",
              .help = "Print only the number of cases."),
    OB_OPTION_OLD_NAME("count", "count-cases"),
    OB_OPTION(STRING, "device", expand_options, device, .letter = 'd', .value = "DEVICE",
              .group = "Cases", .otherwise = "cpu", .help = "Device to pass to iterators."),
    {.name = NULL},
};

enum { WRITE_BYTES = 64 << 10 };

static int print_cases(ob_cli *cli, ob_cases *cases)
{
    ob_text text = {0};
    const ob_case *c;
    ob_err err;
    ob_status status;
    bool writable = true;
    while (writable && (status = ob_cases_next(cases, &c, &err)) == OB_OK) {
        status = ob_case_print(c, &text, &err);
        if (status != OB_OK)
            break;
        /* ob_case_print leaves room for its last byte only; the newline needs its own. */
        if (text.size + 1 > text.capacity || text.size >= WRITE_BYTES) {
            writable = ob__cli_write(cli, text.data, text.size) && ob__cli_write(cli, "\n", 1);
            text.size = 0;
        } else {
            text.data[text.size++] = '\n';
        }
    }
    if (writable && text.size > 0)
        writable = ob__cli_write(cli, text.data, text.size);
    ob_text_fini(&text);
    if (!writable)
        return ob__cli_finish(cli);
    return status == OB_END ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

static int expand(ob_cli *cli, const expand_options *options, const ob_config *config)
{
    ob_cases *cases;
    ob_err err;
    if (ob_cases_open(config, options->op, &cases, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    int code = OB_EXIT_OK;
    if (options->count)
        ob__cli_printf(cli, "%" PRIu64 "\n", ob_cases_count(cases));
    else
        code = print_cases(cli, cases);
    ob_cases_close(cases);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const expand_options *options = call->options;
    if (options->config == NULL || options->config[0] == '\0')
        return ob__cli_usage_error(cli, "no config given; name its file");
    int code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    ob_config *config;
    ob_err err;
    ob_run_options run;
    ob_run_options_init(&run);
    ob__backend_option_given(cli, NULL, &run.backend);
    const ob_config_options config_options = {.size = sizeof config_options,
                                              .device = options->device,
                                              .expand = ob_config_expand_foreign,
                                              .expand_options = &run};
    if (ob_config_open_file(cli->context, options->config, &config_options, &config, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    code = expand(cli, options, config);
    ob_config_destroy(config);
    return code;
}

static const ob_cli_word WORDS[] = {
    {.name = "FILE", .option = "config", .help = "The benchmark config, as -c FILE."},
    {.name = NULL},
};

const ob_cli_command ob__command_expand = {
    .name = "expand",
    .help = "show the cases of a benchmark config",
    .text =
        "Reads and checks a benchmark config, and prints one JSON line per case, in the order in "
        "which they would run: op_name, id (<config>|<build>|<input>), key (a hash that survives "
        "reordering and renaming), and build and input with every macro resolved.\n\n"
        "Errors are printed as FILE:LINE:COL: error: PATH: ... (the first one of each build or "
        "input list, 20 at most); nothing then goes to standard output, and the exit code is 2.",
    .usage = "FILE [--op NAME] [--count-cases] [-d DEVICE]",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(expand_options),
    .example = "opbench expand examples/configs/tour.json\n"
               "opbench expand config.json --op torch.mm --count-cases\n"
               "generate_config | opbench expand - | head",
    .run = run,
};
