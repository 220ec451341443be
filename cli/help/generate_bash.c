/* SPDX-License-Identifier: Apache-2.0
 *
 * The bash completion, from the command rows. Options, words and their choices are written into the
 * script; backends and devices depend on the plug-ins that are there, so the script asks the program
 * when it needs them. Names of files may hold blanks, so answers are lines, never words.
 */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

/* What completes a value for which the row has no choices, by its placeholder or, where that says
 * less, by the option's name. The words of the script begin with "@". */
static const struct {
    const char *placeholder, *option, *values;
} VALUES[] = {
    {"FILE", NULL, "@files"},     {"PREFIX", NULL, "@files"},          {"DIR", NULL, "@folders"},
    {"DEVICE", NULL, "@devices"}, {"BACKEND", "backend", "@backends"}, {"PATH", NULL, "@files"},
};

/* option is "" for a word that is no option's value. */
static void print_values(ob_cli *cli, const char *choices, const char *placeholder,
                         const char *option)
{
    for (const char *c = choices; c != NULL && *c != '\0'; c++)
        ob__cli_write(cli, *c == '|' ? " " : c, 1);
    for (size_t i = 0; choices == NULL && i < sizeof VALUES / sizeof *VALUES; i++) {
        if ((placeholder != NULL && strstr(placeholder, VALUES[i].placeholder) != NULL) ||
            (VALUES[i].option != NULL && strcmp(option, VALUES[i].option) == 0)) {
            ob__cli_printf(cli, "%s", VALUES[i].values);
            return;
        }
    }
}

static void print_option_names(ob_cli *cli, const ob_option *rows)
{
    for (const ob_option *row = rows; row != NULL && row->name != NULL; row++) {
        if (row->help == NULL || row->refused != NULL)
            continue;
        ob__cli_printf(cli, " --%s", row->name);
        if (row->letter != 0)
            ob__cli_printf(cli, " -%c", row->letter);
    }
}

static void print_command_names(ob_cli *cli)
{
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        if (ob__cli_is_listed(ob__cli_commands[i]))
            ob__cli_printf(cli, " %s", ob__cli_commands[i]->name);
    }
}

/* One branch per option that takes a value, keyed "command:--option". */
static void print_value_branches(ob_cli *cli, const ob_cli_command *command)
{
    ob_option *rows = ob__cli_command_options(cli, command, false);
    for (const ob_option *row = rows; row != NULL && row->name != NULL; row++) {
        if (row->type == OB_OPTION_FLAG || row->refused != NULL)
            continue;
        ob__cli_printf(cli, "    %s:--%s", command->name, row->name);
        if (row->letter != 0)
            ob__cli_printf(cli, "|%s:-%c", command->name, row->letter);
        ob__cli_printf(cli, ") values='");
        print_values(cli, row->choices, row->value, row->name);
        ob__cli_printf(cli, "' ;;\n");
    }
    free(rows);
}

/* One branch per word of a command that can be completed, keyed "command:place". */
static void print_word_branches(ob_cli *cli, const ob_cli_command *command)
{
    const bool is_help = strcmp(command->name, "help") == 0;
    size_t place = 0;
    for (const ob_cli_word *w = command->words; w != NULL && w->name != NULL; w++, place++) {
        if (w->many)
            ob__cli_printf(cli, "        %s:*) values='", command->name);
        else
            ob__cli_printf(cli, "        %s:%zu) values='", command->name, place);
        if (is_help)
            print_command_names(cli);
        else
            print_values(cli, w->choices, w->name, "");
        ob__cli_printf(cli, "' ;;\n");
    }
}

static void print_option_branch(ob_cli *cli, const ob_cli_command *command)
{
    ob_option *rows = ob__cli_command_options(cli, command, true);
    ob__cli_printf(cli, "    %s) options='", command->name);
    print_option_names(cli, rows);
    ob__cli_printf(cli, "' ;;\n");
    free(rows);
}

static void each_command(ob_cli *cli, void (*print)(ob_cli *, const ob_cli_command *))
{
    for (size_t i = 0; i < ob__cli_command_count; i++) {
        if (ob__cli_is_listed(ob__cli_commands[i]))
            print(cli, ob__cli_commands[i]);
    }
}

/* "=" is a word of its own for bash, unless COMP_WORDBREAKS was changed. */
static const char SCRIPT_READ[] =
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command=${COMP_WORDS[1]} values=@none options='' front='' place=0 i word\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    elif [[ $cur == --*=* ]]; then\n"
    "        front=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=}\n"
    "    fi\n";

/* Counts the words before the one at the cursor; values of options are not among them. */
static const char SCRIPT_COUNT[] = "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                                   "        word=${COMP_WORDS[i]}\n"
                                   "        if [[ $word == -?* ]]; then\n"
                                   "            _opbench_values \"$command\" \"$word\"\n"
                                   "            if [[ $values != @none ]]; then\n"
                                   "                [[ ${COMP_WORDS[i+1]} == = ]] && ((i += 1))\n"
                                   "                ((i += 1))\n"
                                   "            fi\n"
                                   "        else\n"
                                   "            ((place += 1))\n"
                                   "        fi\n"
                                   "    done\n"
                                   "    _opbench_values \"$command\" \"$prev\"\n";

static const char SCRIPT_ANSWER[] =
    "    case $values in\n"
    "    @files) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    @folders) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "    *)\n"
    "        if [[ $values == @* ]]; then\n"
    "            word=${COMP_WORDS[0]/#\\~/$HOME}\n"
    "            values=$(\"$word\" __generate \"${values#@}\" 2>/dev/null)\n"
    "        fi\n"
    "        compopt +o filenames 2>/dev/null || true\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\") ;;\n"
    "    esac\n"
    "    [[ -n $front ]] && COMPREPLY=(\"${COMPREPLY[@]/#/$front}\")\n"
    "    return 0\n"
    "}\n"
    "complete -o filenames -F _opbench opbench\n";

void ob__generate_bash(ob_cli *cli)
{
    ob__cli_printf(cli,
                   "# Made by 'opbench __generate bash'.\n\n"
                   "# Sets values to what completes the option's value; @none: it takes none.\n"
                   "_opbench_values() {\n    case $1:$2 in\n");
    each_command(cli, print_value_branches);
    ob__cli_printf(cli, "    *) values=@none ;;\n    esac\n}\n\n_opbench() {\n%s", SCRIPT_READ);
    ob__cli_printf(cli, "    COMPREPLY=()\n"
                        "    if ((COMP_CWORD == 1)); then\n"
                        "        mapfile -t COMPREPLY < <(compgen -W '");
    print_command_names(cli);
    print_option_names(cli, ob__cli_global_options());
    ob__cli_printf(cli, "' -- \"$cur\")\n        return 0\n    fi\n    case $command in\n");
    each_command(cli, print_option_branch);
    ob__cli_printf(cli, "    esac\n%s    if [[ $values == @none ]]; then\n", SCRIPT_COUNT);
    /* A command without words to choose from is completed by its options. */
    ob__cli_printf(cli, "        case $command:$place in\n");
    each_command(cli, print_word_branches);
    ob__cli_printf(cli,
                   "        *:0) values=$options ;;\n        *) values='' ;;\n        esac\n"
                   "        [[ $cur == -* ]] && values=$options\n"
                   "    fi\n%s",
                   SCRIPT_ANSWER);
}

/* ---- the words that are asked for ---- */

void ob__generate_backends(ob_cli *cli)
{
    if (ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR) != OB_EXIT_OK)
        return;
    for (size_t i = 0; i < ob_context_count(cli->context, OB_ENTRY_BACKEND); i++) {
        const char *name = ob_context_entry(cli->context, OB_ENTRY_BACKEND, i).name;
        if (ob_context_find_backend(cli->context, name) != NULL)
            ob__cli_printf(cli, "%s\n", name);
    }
}

void ob__generate_devices(ob_cli *cli)
{
    if (ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR) != OB_EXIT_OK)
        return;
    for (size_t i = 0; i < ob_context_count(cli->context, OB_ENTRY_BACKEND); i++) {
        const ob_entry_info info = ob_context_entry(cli->context, OB_ENTRY_BACKEND, i);
        const ob_backend_desc *desc = ob_context_find_backend(cli->context, info.name);
        for (const char *at = desc != NULL ? desc->device_types : ""; *at != '\0';) {
            const size_t length = strcspn(at, " ");
            ob__cli_printf(cli, "%.*s\n", (int)length, at);
            at += length;
            at += strspn(at, " ");
        }
    }
}
