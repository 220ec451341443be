/* SPDX-License-Identifier: Apache-2.0
 *
 * What values there are, by the placeholder of a row or, where that says too little, by its name. Files and folders are
 * the shell's business: the answer says that they are wanted, in a line ":files" or ":folders".
 */
#include "complete.h"

#include "opbench/config.h"
#include "opbench/dtype.h"
#include "opbench/fuzz.h"
#include "opbench/graph.h"
#include "opbench/manifest.h"
#include "opbench/op.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of a config. A key was pressed: what takes longer to read or to look through is not offered. */
enum { MOST_CONFIG_BYTES = 16 << 20, MOST_CASES = 1000 };

/* Names may come from a config of unknown origin. One that could end a shell's quotes, or a line of the answer, is not
 * offered: it would be put where a command is written. */
static bool is_harmless(const char *word)
{
    for (; *word != '\0'; word++)
        if (iscntrl((unsigned char)*word) || strchr("'\"`$\\!", *word) != NULL)
            return false;
    return true;
}

void ob__complete_offer(const ob_completion *c, const char *word, const char *help)
{
    const char *value = c->part + c->kept;
    if (strncmp(word, value, strlen(value)) != 0 || !is_harmless(word))
        return;
    ob__cli_write(c->cli, c->part, c->kept);
    ob__cli_printf(c->cli, "%s", word);
    if (help != NULL) {
        const char *stop = strstr(help, ". ");
        size_t length = strcspn(help, "\n\t");
        if (stop != NULL && (size_t)(stop - help) < length)
            length = (size_t)(stop - help);
        else if (length > 0 && help[length - 1] == '.')
            length--;
        ob__cli_printf(c->cli, "\t%.*s", (int)length, help);
    }
    ob__cli_write(c->cli, "\n", 1);
}

/* ---- files ---- */

static void tell_shell(const ob_completion *c, const char *what)
{
    ob__cli_printf(c->cli, ":%s %.*s\n", what, (int)c->kept, c->part);
}

static void offer_files(ob_completion *c)
{
    tell_shell(c, "files");
}

static void offer_folders(ob_completion *c)
{
    tell_shell(c, "folders");
}

/* ---- lists ---- */

/* The value begins after the last comma. */
static void skip_commas(ob_completion *c)
{
    const char *comma = strrchr(c->part + c->kept, ',');
    if (comma != NULL)
        c->kept = (size_t)(comma + 1 - c->part);
}

/* "on|off" */
static void offer_choices(const ob_completion *c, const char *choices)
{
    for (size_t length; *choices != '\0'; choices += length + (choices[length] == '|')) {
        char word[64];
        length = strcspn(choices, "|");
        if (length == 0 || length >= sizeof word)
            continue;
        memcpy(word, choices, length);
        word[length] = '\0';
        ob__complete_offer(c, word, NULL);
    }
}

static void offer_levels(ob_completion *c)
{
    offer_choices(c, "debug|info|warning|error");
}

static void offer_presets(ob_completion *c)
{
    for (size_t i = 0; ob_fuzz_preset_at(i) != NULL; i++)
        ob__complete_offer(c, ob_fuzz_preset_at(i)->name, ob_fuzz_preset_at(i)->help);
    offer_files(c);
}

static void offer_dtypes(ob_completion *c)
{
    for (int i = 0; i < OB_DTYPE_COUNT; i++)
        ob__complete_offer(c, ob_dtype_get_info((ob_dtype)i)->torch_name, NULL);
}

/* By their manifests, so that nothing is loaded. */
static void offer_backends(ob_completion *c)
{
    skip_commas(c);
    for (size_t i = 0; i < ob_manifests_count(c->cli->manifests); i++) {
        const ob_manifest *manifest = ob_manifests_at(c->cli->manifests, i);
        ob__complete_offer(c, manifest->name, manifest->help);
        for (size_t k = 0; k < manifest->variant_count; k++) {
            char name[160];
            const int length =
                snprintf(name, sizeof name, "%s:%s", manifest->name, manifest->variants[k].name);
            if (length > 0 && (size_t)length < sizeof name)
                ob__complete_offer(c, name, manifest->variants[k].help);
        }
    }
}

static bool has_context(ob_completion *c, ob_cli_plugins plugins)
{
    return c->cli->context != NULL ||
           ob__cli_open_context(c->cli, plugins, OB_LOG_ERROR) == OB_EXIT_OK;
}

/* What plug-ins that came with opbench say of themselves; others would have to be started. */
static void offer_devices(ob_completion *c)
{
    unsetenv("OPBENCH_PLUGIN_PATH");
    if (!has_context(c, OB_CLI_WITH_PLUGINS))
        return;
    const ob_context *context = c->cli->context;
    char seen[512] = " ";
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_BACKEND); i++) {
        const ob_backend_desc *desc =
            ob_context_find_backend(context, ob_context_entry(context, OB_ENTRY_BACKEND, i).name);
        const char *at = desc != NULL ? desc->device_types : "";
        for (size_t length; *(at += strspn(at, " ")) != '\0'; at += length) {
            char word[64], marked[sizeof word + 2];
            length = strcspn(at, " ");
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            snprintf(marked, sizeof marked, " %s ", word);
            if (strstr(seen, marked) != NULL || strlen(seen) + strlen(marked) >= sizeof seen)
                continue;
            strcat(seen, marked + 1);
            ob__complete_offer(c, word, NULL);
        }
    }
}

/* ---- operators ---- */

/* The names by which PyTorch's front end knows an operator, and its own. Overloads are left out: they follow from the
 * arguments. */
static void offer_operator(ob_completion *c, const char *name)
{
    static const char *const PREFIXES[] = {"torch.", "torch.nn.functional.", "torch.Tensor."};
    static const char SPACE[] = "aten::";
    const size_t length = strcspn(name, ".");
    const char *word = name + sizeof SPACE - 1;
    char text[160];
    if (strncmp(name, SPACE, sizeof SPACE - 1) != 0) {
        ob__complete_offer(c, name, NULL);
        return;
    }
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    ob__complete_offer(c, text, NULL);
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        ob_op_name found;
        snprintf(text, sizeof text, "%s%.*s", PREFIXES[i], (int)strcspn(word, "."), word);
        if (ob_op_resolve_name(ob_context_operators(c->cli->context), text, &found, NULL) == OB_OK)
            ob__complete_offer(c, text, NULL);
    }
}

static bool is_overload_of(const char *name, const char *other)
{
    const size_t length = strcspn(name, ".");
    return strcspn(other, ".") == length && strncmp(name, other, length) == 0;
}

/* Of the overloads of an operator, which need not follow each other. */
static bool is_first(const ob_context *context, size_t index, const char *name)
{
    for (size_t i = 0; i < index; i++)
        if (is_overload_of(name, ob_context_entry(context, OB_ENTRY_OPERATOR, i).name))
            return false;
    return true;
}

static void offer_all_operators(ob_completion *c)
{
    if (!has_context(c, OB_CLI_NO_PLUGINS))
        return;
    const ob_context *context = c->cli->context;
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_OPERATOR); i++) {
        const char *name = ob_context_entry(context, OB_ENTRY_OPERATOR, i).name;
        if (is_first(context, i, name))
            offer_operator(c, name);
    }
    const char *before = "";
    for (size_t i = 0; i < ob_module_count(); i++) {
        const ob_module_info module = ob_module_at(i);
        if (strcmp(module.name, before) != 0)
            ob__complete_offer(c, module.name, module.signature);
        before = module.name;
    }
}

/* ---- what a config has ---- */

static ob_config *open_config(ob_completion *c)
{
    const char *path = c->config;
    struct stat info;
    ob_config *config;
    if (path == NULL && c->first_word != NULL && ob__cli_looks_like_config(c->first_word))
        path = c->first_word;
    /* Neither what a terminal types nor a pipe is read. */
    if (path == NULL || strcmp(path, "-") == 0 || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode) || info.st_size > MOST_CONFIG_BYTES ||
        !has_context(c, OB_CLI_NO_PLUGINS))
        return NULL;
    const ob_config_options options = {.size = sizeof options, .foreign_operators = true};
    return ob_config_open_file(c->cli->context, path, &options, &config, NULL) == OB_OK ? config
                                                                                        : NULL;
}

static void offer_operators(ob_completion *c)
{
    ob_config *config = open_config(c);
    for (size_t i = 0; config != NULL && i < ob_config_op_count(config); i++)
        ob__complete_offer(c, ob_config_op_name(config, i), NULL);
    if (config == NULL)
        offer_all_operators(c);
    ob_config_destroy(config);
}

static void offer_cases_of(ob_completion *c, const ob_config *config, const char *op, size_t *left)
{
    const char *part = c->part + c->kept;
    const size_t written = strcspn(part, "|"), length = strlen(op);
    ob_cases *cases;
    const ob_case *it;
    if (strncmp(part, op, written) != 0 || (part[written] == '|' && written != length) ||
        ob_cases_open(config, op, &cases, NULL) != OB_OK)
        return;
    for (; *left > 0 && ob_cases_next(cases, &it, NULL) == OB_OK; --*left) {
        ob_text id = {.data = NULL}, words = {.data = NULL};
        if (ob_text_printf(&id, "%s|%s", op, ob_case_id(it)) && ob_text_append(&id, "", 1) &&
            ob_case_print_call(it, &words, NULL) == OB_OK && ob_text_append(&words, "", 1))
            ob__complete_offer(c, id.data, words.data);
        ob_text_fini(&id);
        ob_text_fini(&words);
    }
    ob_cases_close(cases);
}

static void offer_cases(ob_completion *c)
{
    ob_config *config = open_config(c);
    size_t left = MOST_CASES;
    for (size_t i = 0; config != NULL && i < ob_config_op_count(config); i++) {
        const char *op = ob_config_op_name(config, i);
        if (c->op == NULL || strcmp(c->op, op) == 0)
            offer_cases_of(c, config, op, &left);
    }
    ob_config_destroy(config);
}

/* ---- which of them ---- */

/* A config, or an operator and then its arguments. */
static void offer_files_or_operators(ob_completion *c)
{
    offer_files(c);
    if (c->place == 0 && strchr(c->part, '/') == NULL)
        offer_all_operators(c);
}

static void offer_file_list(ob_completion *c)
{
    skip_commas(c);
    offer_files(c);
}

typedef struct value_kind {
    const char *placeholder; /* or NULL: any */
    const char *option;      /* or NULL: any */
    void (*offer)(ob_completion *c);
} value_kind;

static const value_kind KINDS[] = {
    {NULL, "backend", offer_backends}, {NULL, "case", offer_cases},
    {NULL, "resume-id", offer_cases},  {NULL, "stop_id", offer_cases},
    {NULL, "op", offer_operators},     {"OP", NULL, offer_all_operators},
    {NULL, "dtype", offer_dtypes},     {"LEVEL", NULL, offer_levels},
    {"DEVICE", NULL, offer_devices},   {"FILES", NULL, offer_file_list},
    {"FILE", NULL, offer_files},       {"PREFIX", NULL, offer_files},
    {"PATH", NULL, offer_files},       {"PROGRAM", NULL, offer_files},
    {"DATABASE", NULL, offer_files},   {"DIR", NULL, offer_folders},
    {"FOLDER", NULL, offer_folders},   {"ARGUMENT", "", offer_files_or_operators},
    {"WHAT", "", offer_files},         {"SPEC", "", offer_presets},
};

/* Whether "FILE|off" has the word FILE. */
static bool has_part(const char *placeholder, const char *word)
{
    const size_t length = strlen(word);
    for (size_t part; *placeholder != '\0'; placeholder += part + (placeholder[part] == '|')) {
        part = strcspn(placeholder, "|");
        if (part == length && memcmp(placeholder, word, length) == 0)
            return true;
    }
    return false;
}

/* option is "" for a word that is no option's value. */
static void offer_kind(ob_completion *c, const char *placeholder, const char *option)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const value_kind *kind = &KINDS[i];
        if ((kind->placeholder == NULL || has_part(placeholder, kind->placeholder)) &&
            (kind->option == NULL || strcmp(option, kind->option) == 0)) {
            kind->offer(c);
            return;
        }
    }
}

void ob__complete_value(ob_completion *c)
{
    const char *placeholder = c->row->value != NULL ? c->row->value : "";
    if (c->row->choices != NULL) {
        offer_choices(c, c->row->choices);
        return;
    }
    const char *literal = strchr(placeholder, '|'); /* "off" of "FILE|off" */
    if (literal != NULL)
        offer_choices(c, islower((unsigned char)*placeholder) ? placeholder : literal + 1);
    offer_kind(c, placeholder, c->row->name);
}

void ob__complete_word(ob_completion *c, const ob_cli_word *word)
{
    if (word->choices != NULL)
        offer_choices(c, word->choices);
    else
        offer_kind(c, word->name, "");
}
