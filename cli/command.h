/* SPDX-License-Identifier: Apache-2.0
 *
 * What a sub-command is: one row, defined in cli/cmd_<name>.c and named in commands.def. Dispatch,
 * parsing, help, man pages, completion and docs/commands.md are made from the rows, so a new
 * command touches its own file and one line of the table.
 *
 * Results go to standard output through ob__cli_write and friends; everything else goes to standard
 * error. A command returns an exit code of ob_cli_exit and never calls exit().
 */
#ifndef OB_CLI_COMMAND_H
#define OB_CLI_COMMAND_H

#include "opbench/config.h"
#include "opbench/machine.h"
#include "opbench/manifest.h"
#include "opbench/option.h"
#include "opbench/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum ob_cli_exit {
    OB_EXIT_OK = 0,
    OB_EXIT_FAILED = 1,        /* a case failed, or the output could not be written */
    OB_EXIT_USAGE = 2,         /* wrong command line or config */
    OB_EXIT_INTERRUPTED = 130, /* as shells have it for SIGINT */
} ob_cli_exit;

/* What an exit code means, for help and man pages. Those that hold for all commands are in help/exit_codes.c. */
typedef struct ob_cli_exit_row {
    int code;
    const char *meaning; /* NULL ends the list */
} ob_cli_exit_row;

typedef struct ob_cli_command ob_cli_command;

/* The value of an option that is a backend's own; see backend_options.h. */
typedef struct ob_cli_backend_value {
    const char *text;
    bool flag;
} ob_cli_backend_value;
enum { OB_CLI_BACKEND_VALUES = 48, OB_CLI_LIBRARIES = 4 }; /* that a command has at most */

/* The running program. Commands get it from main and hand it to the helpers below. */
typedef struct ob_cli {
    const ob_cli_command *command; /* the one that runs, or NULL before dispatch */
    ob_context *context;           /* NULL until ob__cli_open_context */
    bool colour_out,
        colour_err; /* whether colours may go to each stream: a terminal that shows them, or asked for */
    bool terminal_out;         /* standard output is one */
    bool write_failed;         /* standard output took no more; told once, exit code 1 */
    bool logged_error;         /* the log has shown an error that ob__cli_fail need not repeat */
    bool config_is_words;      /* of the command line, so that "-" is no file */
    bool hide_refused_plugins; /* the command shows them itself: no warnings */
    /* Which warnings of the log are shown; NULL = all. */
    bool (*wants_warning)(void *ctx, const ob_err *what);
    void *wants_ctx;
    ob_library_caps *caps;   /* what libraries were corrected to; NULL = nothing was looked at */
    ob_json_doc *no_caps;    /* the word for it where the user wanted none */
    ob_manifests *manifests; /* NULL = memory was out */
    char *plugin_path;       /* OPBENCH_PLUGIN_PATH=FILE:... of --plugin and a blank; NULL = none */
    const ob_cli_backend_value *backend_values; /* of the command's options from them, in order */
    /* The command's line, with its name as the first word, and the rows that it was read by. */
    char *const *line;
    int line_count;
    const ob_option *line_rows;
    char new_file
        [4096]; /* of ob__cli_check_new: it was not there, and nobody said that it may be replaced; "" = none */
    ob_option
        common_rows[OB_CLI_BACKEND_VALUES + OB_CLI_LIBRARIES + 2]; /* see ob__cli_common_options */
} ob_cli;

/* What a command is called with. Options are parsed and words counted already. */
typedef struct ob_cli_call {
    const void *options; /* the command's own options struct, zeros where nothing was given */
    const char *const *words;
    size_t word_count;
} ob_cli_call;

/* A word that the command line takes besides options. */
typedef struct ob_cli_word {
    const char *name;    /* "TOPIC"; NULL ends the list */
    const char *choices; /* "ops|backends", or NULL = any text */
    bool required;
    bool many; /* the last row only: it may be given several times */
    const char
        *option; /* a single word is the value of this one; NULL = it is a word like any other */
    const char *
        unless; /* with option: but not where one of these is given, "op|lang", and only a file's name */
    const char *help; /* one sentence */
} ob_cli_word;

/* What the library of a backend is chosen for where no backend is named (library_choice.h): nothing, what is compiled
 * against it, or the backend as well. */
typedef enum ob_cli_library_use {
    OB_CLI_NO_LIBRARY,
    OB_CLI_HEADERS,
    OB_CLI_BACKEND
} ob_cli_library_use;

struct ob_cli_command {
    const char *name;
    const char *help;  /* "show ...": small letters, no full stop; for the list of commands */
    const char *text;  /* what it does, in a few sentences; paragraphs are split by "\n\n" */
    const char *usage; /* "-c FILE [--count]"; NULL = made from the words */
    const ob_cli_word *words; /* NULL = takes none */
    const ob_option *options; /* rows ended by name == NULL; NULL = none. --help is added to all */
    size_t options_size;      /* of the struct that the rows fill */
    void (*options_init)(void *options); /* what has no row; NULL = zeros */
    const ob_cli_exit_row *exits; /* codes of its own, or with a meaning of its own; NULL = none */
    const char *example;          /* command lines, one per line */
    bool started_by_opbench;      /* so it has no options of backends, and starts sooner */
    ob_cli_library_use libraries;
    /* Whose libraries it may load: those of the backends that are named, else the default's, but for this. Names of its
     * options; lists end with NULL, and may be NULL. */
    bool takes_any_backend;            /* where none is named */
    const char *const *loads_anything; /* with one of these: anybody's */
    const char *const *loads_nothing;  /* first words, not options: with one of these, nobody's */
    /* What wrong usage ends with, also if the options cannot be read; NULL = OB_EXIT_USAGE. */
    int (*usage_exit)(const ob_cli *cli);
    int (*run)(ob_cli *cli, const ob_cli_call *call);
};

/* The table, in the order of commands.def. */
extern const ob_cli_command *const ob__cli_commands[];
extern const char
    *const ob__cli_command_headings[]; /* in the list of commands; NULL = not listed */
bool ob__cli_is_listed(const ob_cli_command *command); /* people call it */
extern const size_t ob__cli_command_count;
const ob_cli_command *ob__cli_find_command(const char *name); /* NULL when there is none */
/* The command's own rows; they live as long as the program. */
const ob_option *ob__cli_own_options(const ob_cli_command *command);

/* Whether one of the options "a|b" stands on the command line, though it be with its default. */
bool ob__cli_is_given(const ob_cli *cli, const char *names);

/* ---- the library, from a command ---- */

typedef enum ob_cli_plugins { OB_CLI_NO_PLUGINS, OB_CLI_WITH_PLUGINS } ob_cli_plugins;

/* Makes cli->context with a log that prints "FILE:LINE:COL: error: PATH: ..." to standard error;
 * discovers plug-ins if asked. Says what failed and returns an exit code; OB_EXIT_OK = it is there.
 * main destroys it. log_level: OB_LOG_WARNING for most commands. */
int ob__cli_open_context(ob_cli *cli, ob_cli_plugins plugins, ob_log_level log_level);
/* The same with plug-ins, of which these files come first: a later one cannot take their names. */
int ob__cli_open_context_with(ob_cli *cli, const char *const *files, size_t count,
                              ob_log_level log_level);

/* Refuses a --plugin that brings a backend if --backend is not given: the default one would be measured in its place. */
int ob__cli_check_plugin_backend(ob_cli *cli, const char *backend);

/* Fills cli->manifests, where memory allows. */
void ob__cli_read_manifests(ob_cli *cli);
/* The folder of this program's plug-ins; false when it does not know where it is (no /proc). */
bool ob__cli_plugin_dir(char *dir, size_t size);

/* ---- messages, on standard error ---- */

/* "opbench expand: error: ...", then where help is. Returns OB_EXIT_USAGE, or what the command has instead. */
int ob__cli_usage_error(ob_cli *cli, const char *format, ...) OB_PRINTF(2, 3);
/* Prints err in the form of the log, unless the log has shown errors since the last call (a config's
 * first error is both logged and returned). Returns the exit code for its status: config and usage 2, failures of the machine 1. */
int ob__cli_fail(ob_cli *cli, const ob_err *err);
int ob__cli_out_of_memory(ob_cli *cli); /* says so; returns OB_EXIT_FAILED */
void ob__cli_warn(ob_cli *cli, const char *format, ...) OB_PRINTF(2, 3);
/* Anything else to standard error; what would move a terminal's cursor is not shown. */
void ob__cli_say(const char *format, ...) OB_PRINTF(1, 2);
/* A line of progress begins anew. */
void ob__cli_clear_line(void);

/* ---- results, on standard output ---- */

/* False: the output cannot be written (told on standard error, once); stop and return
 * ob__cli_finish(). Buffered, so that the failure may show on a later call. */
bool ob__cli_write(ob_cli *cli, const char *data, size_t size);
bool ob__cli_printf(ob_cli *cli, const char *format, ...) OB_PRINTF(2, 3);
/* The same, of a text that is visible already: its own changes of colours and weight stay where colours are shown. */
bool ob__cli_write_styled(ob_cli *cli, const char *data, size_t size);
/* The table, and then it is gone; NULL: memory was out. */
ob_status ob__cli_print_table(ob_cli *cli, ob_table *table, const ob_table_style *style,
                              ob_err *err);
/* The value in one line. */
ob_status ob__cli_print_json(ob_cli *cli, const ob_json *value, ob_err *err);
/* Flushes; OB_EXIT_OK, or OB_EXIT_FAILED when the output could not be written. main calls it after
 * every command, so a command only needs it to stop early. */
int ob__cli_finish(ob_cli *cli);

#endif
