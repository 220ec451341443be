/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench list: what this program knows, where each thing comes from, and why something is missing.
 */
#include "backend_options.h"
#include "list.h"

#include <stdlib.h>
#include <string.h>

typedef struct list_options {
    bool json;
    const char *backend, *backend_options;
} list_options;

/* The backend's operators take the place of the topic's. An option of a backend's means that one, if none is named. */
static int open_backend(ob_cli *cli, const list_options *options)
{
    const ob_backend_options_use use = {.records = ""};
    ob_run_options run = {.size = sizeof run,
                          .backend = options->backend,
                          .backend_options = options->backend_options};
    ob_err err;
    char *text;
    const int code = ob__backend_options_apply(cli, &use, &run, &text, &err) == OB_OK
                         ? ob__list_backend_open(cli, run.backend, run.backend_options)
                         : ob__cli_fail(cli, &err);
    free(text);
    return code;
}

static void print_topics(ob_cli *cli)
{
    const ob_list_topic *topic;
    for (size_t i = 0; (topic = ob__list_topic_at(i)) != NULL; i++)
        ob__cli_printf(cli, "%-12s%s\n", topic->name, topic->about);
}

/* "softmax" of "aten::softmax.int": what people type. */
static char *bare_name(const char *name)
{
    const char *colons = strstr(name, "::");
    const char *from = colons != NULL ? colons + 2 : name;
    return strndup(from, colons != NULL ? strcspn(from, ".") : strlen(from));
}

/* With the name that is spelled most like it. */
static void warn_of_nothing(ob_cli *cli, const ob_list_topic *topic, const char *pattern)
{
    const size_t count = topic->count(cli->context);
    char **names = calloc(count + 1, sizeof *names);
    size_t known = 0;
    for (size_t i = 0; names != NULL && pattern != NULL && i < count; i++) {
        ob_list_item item;
        ob__list_item_at(cli->context, topic, i, &item);
        names[known] = bare_name(item.name);
        known += names[known] != NULL;
    }
    const char *nearest =
        known > 0 ? ob_nearest_name(pattern, (const char *const *)names, known) : NULL;
    if (nearest != NULL)
        ob__cli_warn(cli, "no %s match '%s'; did you mean '%s'?", topic->name, pattern, nearest);
    else if (pattern != NULL)
        ob__cli_warn(cli, "no %s match '%s'", topic->name, pattern);
    else
        ob__cli_warn(cli, "there are no %s", topic->name);
    for (size_t i = 0; i < known; i++)
        free(names[i]);
    free(names);
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const list_options *options = call->options;
    if (call->word_count == 0 && cli->line_count > 1) /* options, but of which topic? */
        return ob__cli_usage_error(cli, "TOPIC is missing; give one of %s", OB_LIST_TOPICS);
    if (call->word_count == 0) {
        print_topics(cli);
        return OB_EXIT_OK;
    }
    const ob_list_topic *topic = ob__list_find_topic(call->words[0]);
    const char *pattern = call->word_count > 1 ? call->words[1] : NULL;
    const ob_manifest_option *given = ob__backend_option_given(cli, NULL, NULL);
    const bool by_backend = options->backend != NULL || given != NULL;
    ob_err err;
    if (by_backend && strcmp(topic->name, "ops") != 0 && strcmp(topic->name, "plugins") != 0)
        return ob__cli_usage_error(cli, "--%s only goes with the topics ops and plugins",
                                   options->backend != NULL ? "backend" : given->name);
    if (options->backend != NULL && strchr(options->backend, ',') != NULL)
        return ob__cli_usage_error(
            cli, "--backend takes one name here, not '%s'; list each backend separately",
            options->backend);
    if (ob__backend_options_check(cli, options->backend, &err) != OB_OK)
        return ob__cli_usage_error(cli, "%s", err.message);
    cli->hide_refused_plugins = topic->shows_failures;
    const int code = ob__cli_open_context(
        cli, topic->needs_plugins ? OB_CLI_WITH_PLUGINS : OB_CLI_NO_PLUGINS, OB_LOG_WARNING);
    if (code != OB_EXIT_OK)
        return code;
    const int ready = topic->open != NULL ? topic->open(cli) : OB_EXIT_OK;
    if (ready != OB_EXIT_OK)
        return ready;
    if (by_backend) {
        const int opened = open_backend(cli, options);
        if (opened != OB_EXIT_OK)
            return opened;
        topic = strcmp(topic->name, "ops") == 0 ? &ob__list_backend_topic : &ob__list_modules_topic;
    }
    const ob_list_query query = ob__list_query(cli->context, topic, pattern);
    if (topic->tries)
        ob__list_try_backends(cli->context, &query);
    if (options->json)
        return ob__list_print_json(cli, &query);
    size_t shown = 0;
    const int printed = ob__list_print_table(cli, &query, &shown);
    if (printed == OB_EXIT_OK && shown == 0)
        warn_of_nothing(cli, topic, pattern);
    return printed;
}

static const ob_cli_word WORDS[] = {
    {.name = "TOPIC",
     .choices = OB_LIST_TOPICS,
     .help = "What to list: operators with modules and models, backends, plug-ins, data "
             "generators, config iterators, element types, types of config arguments, or the "
             "kernels that the backends' libraries choose on this machine and what opbench tells "
             "them instead. Without it, lists the topics."},
    {.name = "PATTERN",
     .help =
         "Only what has this name, in any spelling that a config may use; if there is none, "
         "what has this text in its name or category; with * or ?, whole names that match. Case "
         "does not matter."},
    {.name = NULL},
};

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, list_options, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(FLAG, "json", json,
        .help = "One JSON object per line: name, names, origin, category, help, available, reason, "
                "and whatever else the topic has (devices, attributes, contents)."),
    ROW(STRING, "backend", backend, .value = "NAME",
        .help = "With ops: the operators that come with this backend; loads its library. With "
                "plugins: also the operator files that it could not load."),
    ROW(STRING, "backend-options", backend_options, .value = "LIST",
        .help = "Options for that backend, as name=value,name=value."),
    {.name = NULL},
};

const ob_cli_command ob__command_list = {
    .name = "list",
    .libraries = OB_CLI_BACKEND, /* it tries all backends */
    .help = "show operators, backends, plug-ins and types",
    .text = "Lists what this program knows, where it comes from (built in, or which plug-in) and "
            "its category. Anything that cannot be used here is listed with the reason and the "
            "fix; to find out, each backend is opened in its own process.\n\n"
            "Element types may be in upper or lower case, with or without a leading torch. "
            "Attributes in brackets are optional; of those joined by |, one is required.\n\n"
            "opbench looks for plug-ins in the directories of OPBENCH_PLUGIN_PATH (separated by "
            "colons), then in its own plug-in directory.",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(list_options),
    .example = "opbench list ops torch.add\nopbench list ops 'conv*'\n"
               "opbench list ops --backend torch torch.linalg.svd\nopbench list backends --json",
    .run = run,
};
