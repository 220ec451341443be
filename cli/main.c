/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench: finds the command's row, parses the options by it, runs it.
 */
#include "backend_options.h"
#include "help/help.h"
#include "library_choice.h"
#include "screen.h"
#include "set_caps.h"

#include "opbench/old_option.h"
#include "opbench/version.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct global_options {
    bool help, help_all, version;
} global_options;

static const ob_option GLOBAL_OPTIONS[] = {
    {.name = "help",
     .letter = 'h',
     .type = OB_OPTION_FLAG,
     .offset = offsetof(global_options, help),
     .help = "Show the list of commands and exit."},
    {.name = "help-all",
     .type = OB_OPTION_FLAG,
     .offset = offsetof(global_options, help_all),
     .help = "After a command: show all of its options."},
    {.name = "version",
     .letter = 'V',
     .type = OB_OPTION_FLAG,
     .offset = offsetof(global_options, version),
     .help = "Show the version and exit."},
    {.name = NULL},
};

const ob_option *ob__cli_global_options(void)
{
    return GLOBAL_OPTIONS;
}

/* What parsing a command's line needs, in one block that lives while the command runs. */
typedef struct line {
    ob_option *rows;    /* the command's rows, then those that commands have in common */
    char *options;      /* the command's struct, then the common one */
    const char **words; /* room for argc */
} line;

static void line_fini(line *l)
{
    free(l->rows);
    free(l->options);
    free((void *)l->words);
}

static bool line_init(line *l, ob_cli *cli, const ob_cli_command *command, int argc)
{
    *l = (line){
        .rows = ob__cli_command_options(cli, command, true),
        .options = calloc(1, ob__cli_common_offset(command) + sizeof(ob_cli_common)),
        .words = calloc((size_t)argc + 1, sizeof *l->words),
    };
    if (l->rows != NULL && l->options != NULL && l->words != NULL)
        return true;
    line_fini(l);
    return false;
}

static void note_old_name(void *ctx, const ob_option *row, const char *value)
{
    const ob_cli *cli = ctx;
    (void)value;
    if (row != NULL && ob_option_new_name(row) != NULL)
        ob__cli_say("opbench %s: note: --%s is the old name of --%s\n", cli->command->name,
                    row->name, ob_option_new_name(row));
}

/* Workers and whoever else is started inherit the variable, so that all know the same plug-ins. */
static int take_plugins(ob_cli *cli, const ob_option_list *files)
{
    const char *before = getenv("OPBENCH_PLUGIN_PATH");
    ob_text path = {.data = NULL}, shown = {.data = NULL};
    bool ok = true;
    for (size_t i = 0; ok && files->items[i] != NULL; i++) {
        char *real = realpath(files->items[i], NULL);
        if (real == NULL || strchr(real, ':') != NULL) {
            const char *why = real == NULL ? strerror(errno) : "its path has a colon";
            const int code = ob__cli_usage_error(cli, "--plugin %s: %s", files->items[i], why);
            free(real);
            ob_text_fini(&path);
            return code;
        }
        ok = ob_text_printf(&path, "%s%s", i > 0 ? ":" : "", real);
        free(real);
    }
    if (path.size == 0)
        return ok ? OB_EXIT_OK : ob__cli_out_of_memory(cli);
    ok = ok && (before == NULL || before[0] == '\0' || ob_text_printf(&path, ":%s", before)) &&
         ob_text_append(&path, "", 1);
    const char *const words[] = {path.data};
    ok = ok && ob_text_append_str(&shown, "OPBENCH_PLUGIN_PATH=") &&
         ob_text_append_command(&shown, words, 1) && ob_text_append(&shown, " ", 2) &&
         setenv("OPBENCH_PLUGIN_PATH", path.data, 1) == 0;
    cli->plugin_path = shown.data;
    ob_text_fini(&path);
    return ok ? OB_EXIT_OK : ob__cli_out_of_memory(cli);
}

static int run_command(ob_cli *cli, int argc, char **argv)
{
    const ob_cli_command *command = cli->command;
    line l;
    if (!line_init(&l, cli, command, argc))
        return ob__cli_out_of_memory(cli);
    int code = OB_EXIT_OK;
    size_t word_count = 0;
    ob_err err;
    if (command->options_init != NULL)
        command->options_init(l.options);
    ob_status parsed = ob_options_init(l.rows, l.options, &err);
    if (parsed == OB_OK)
        parsed = ob_options_parse(l.rows, argc, argv, l.options, l.words, &word_count, &err);
    ob_cli_common common;
    memcpy(&common, l.options + ob__cli_common_offset(command), sizeof common);
    cli->backend_values = common.backend;
    cli->line = argv;
    cli->line_count = argc;
    cli->line_rows = l.rows;
    if (parsed == OB_OK)
        ob_options_walk(l.rows, argc, argv, note_old_name, cli, NULL);
    if (parsed != OB_OK)
        code = ob__cli_usage_error(cli, "%s", err.message);
    else if (common.help || common.help_all)
        code = ob__cli_print_command_help(cli, command, common.help_all);
    else if ((code = ob__cli_check_words(cli, command, l.words, word_count)) == OB_EXIT_OK &&
             (code = ob__cli_take_word(cli, l.rows, l.options, l.words, &word_count)) ==
                 OB_EXIT_OK &&
             (code = take_plugins(cli, &common.plugins)) == OB_EXIT_OK &&
             (code = ob__library_options_apply(cli, l.options, common.library)) == OB_EXIT_OK &&
             (code = ob__backend_variables_set(cli, l.options)) == OB_EXIT_OK &&
             (code = ob__cli_cap_libraries(cli, l.rows, l.options,
                                           word_count > 0 ? l.words[0] : NULL)) == OB_EXIT_OK)
        code = command->run(
            cli, &(ob_cli_call){.options = l.options, .words = l.words, .word_count = word_count});
    cli->backend_values = NULL;
    cli->line_rows = NULL;
    line_fini(&l);
    return code;
}

/* opbench --version, opbench -h: everything before the command's name. */
static int run_global(ob_cli *cli, int argc, char **argv)
{
    global_options options = {.help = false};
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    size_t word_count = 0;
    ob_err err;
    if (words == NULL)
        return ob__cli_out_of_memory(cli);
    const ob_status status =
        ob_options_parse(GLOBAL_OPTIONS, argc, argv, &options, words, &word_count, &err);
    free((void *)words);
    if (status != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    if (options.version) {
        ob__cli_printf(cli, "opbench %s\n", ob_version());
        return OB_EXIT_OK;
    }
    if (options.help || options.help_all)
        return ob__cli_print_overview(cli);
    return ob__cli_usage_error(cli, "no command given; a command's options come after it");
}

static int dispatch(ob_cli *cli, int argc, char **argv)
{
    if (argc < 2)
        return ob__cli_print_overview(cli);
    if (argv[1][0] == '-')
        return run_global(cli, argc, argv);
    cli->command = ob__cli_find_command(argv[1]);
    if (cli->command == NULL)
        return ob__cli_unknown_command(cli, argv[1]);
    if (!cli->command->started_by_opbench)
        ob__cli_read_manifests(cli);
    return run_command(cli, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    ob_cli cli = {.command = NULL};
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is told as a full disk is */
    ob__cli_screen_init(&cli);
    int code = dispatch(&cli, argc, argv);
    ob_manifests_destroy(cli.manifests);
    free(cli.plugin_path);
    ob_context_destroy(cli.context);
    ob__cli_caps_fini(&cli);
    if (ob__cli_finish(&cli) != OB_EXIT_OK && code == OB_EXIT_OK)
        code = OB_EXIT_FAILED;
    return code;
}
