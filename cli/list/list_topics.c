/* SPDX-License-Identifier: Apache-2.0
 *
 * Where `opbench list` takes the items of each topic from.
 */
#include "list.h"

#include "opbench/graph.h"

#include <string.h>
#include <strings.h>

static const char BUILT_IN[] = "built in";

/* "a b" as "a, b". */
static void join_words(const char *words, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = words + strspn(words, " "); *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        const int n =
            snprintf(out + used, size - used, "%s%.*s", used > 0 ? ", " : "", (int)length, at);
        if (n < 0 || (size_t)n >= size - used) {
            out[used] = '\0';
            return;
        }
        used += (size_t)n;
        at += length;
    }
}

static void from_entry(const ob_context *context, ob_entry_kind kind, size_t index,
                       ob_list_item *item)
{
    const ob_entry_info info = ob_context_entry(context, kind, index);
    item->name = info.name;
    join_words(info.names, item->also_text, sizeof item->also_text);
    item->also = item->also_text;
    item->origin = info.origin;
    item->category = info.category;
    item->help = info.help;
    item->shown = NULL;
    item->available = info.available;
    item->reason = info.reason;
}

/* ---- operators, then modules and models ---- */

/* Rows of one name that follow each other are overloads of one module. Returns the number of the
 * row that begins module `index`, or how many modules there are for an index that is too high. */
static size_t find_module(size_t index, size_t *row)
{
    size_t seen = 0;
    for (size_t i = 0; i < ob_module_count(); i++) {
        if (i > 0 && strcmp(ob_module_at(i - 1).name, ob_module_at(i).name) == 0)
            continue;
        if (seen == index) {
            *row = i;
            return seen;
        }
        seen++;
    }
    return seen;
}

static size_t count_ops(const ob_context *context)
{
    size_t row;
    return ob_context_count(context, OB_ENTRY_OPERATOR) + find_module(SIZE_MAX, &row);
}

static void module_at(size_t index, ob_list_item *item)
{
    size_t row = 0;
    find_module(index, &row);
    const ob_module_info module = ob_module_at(row);
    size_t used = 0;
    for (; row < ob_module_count() && used < sizeof item->text; row++) {
        const ob_module_info other = ob_module_at(row);
        if (strcmp(other.name, module.name) != 0)
            break;
        const int n = snprintf(item->text + used, sizeof item->text - used, "%s%s",
                               used > 0 ? " or " : "", other.signature);
        used += n > 0 ? (size_t)n : 0;
    }
    item->name = module.name;
    item->also = "";
    item->origin = BUILT_IN;
    item->category = module.category;
    item->help = item->text;
    item->shown = NULL;
    item->available = true;
    item->reason = "";
}

static void op_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const size_t operators = ob_context_count(context, OB_ENTRY_OPERATOR);
    if (index < operators)
        from_entry(context, OB_ENTRY_OPERATOR, index, item);
    else
        module_at(index - operators, item);
}

/* Whether a front-end name leads to the operator: the base alone is all of its overloads. */
bool ob__list_op_is_named(const ob_context *context, const ob_list_item *item, const char *text)
{
    ob_op_name name;
    const char *space = strstr(item->name, "::");
    if (space == NULL ||
        ob_op_resolve_name(ob_context_operators(context), text, &name, NULL) != OB_OK)
        return false;
    if (name.overload[0] == '\0' && strcmp(name.base, item->name) == 0)
        return true; /* one without overloads, whose dots are its own */
    const size_t length = strcspn(item->name, ".");
    /* A function with an adapter leads to one of several operators (relu and relu_), of which the
     * name gives one; the one that is called as the function is belongs to it too. */
    const char *dot = strrchr(text, '.'), *word = space + 2;
    const size_t word_length = length - (size_t)(word - item->name);
    if (name.adapter != NULL && dot != NULL && strlen(dot + 1) == word_length &&
        memcmp(dot + 1, word, word_length) == 0)
        return true;
    if (strlen(name.base) != length || memcmp(name.base, item->name, length) != 0)
        return false;
    const char *overload = item->name[length] == '.' ? item->name + length + 1 : "default";
    return name.overload[0] == '\0' || strcmp(name.overload, overload) == 0;
}

/* The names of PyTorch's front end that are made by rule. They all begin alike, so they are offered
 * only to a pattern that says so: "tensor" would select every method otherwise. */
bool ob__list_op_any_name(const ob_context *context, const ob_list_item *item, const char *pattern,
                          bool (*fn)(const char *name, const char *pattern))
{
    static const char *const PREFIXES[] = {"torch.", "torch.Tensor.", "torch.nn.functional."};
    static const char SPACE[] = "aten::";
    if (strncasecmp(pattern, PREFIXES[0], strlen(PREFIXES[0])) != 0 ||
        strncmp(item->name, SPACE, sizeof SPACE - 1) != 0)
        return false;
    const char *word = item->name + sizeof SPACE - 1;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%.*s", PREFIXES[i], (int)strcspn(word, "."), word);
        if (fn(name, pattern) && ob__list_op_is_named(context, item, name))
            return true;
    }
    return false;
}

/* ---- the registry's other kinds ---- */

#define OB_LIST_KIND(name, kind)                                                                   \
    static size_t count_##name(const ob_context *context)                                          \
    {                                                                                              \
        return ob_context_count(context, kind);                                                    \
    }                                                                                              \
    static void name##_at(const ob_context *context, size_t index, ob_list_item *item)             \
    {                                                                                              \
        from_entry(context, kind, index, item);                                                    \
    }
OB_LIST_KIND(probed, OB_ENTRY_BACKEND)
OB_LIST_KIND(plugins, OB_ENTRY_PLUGIN)
OB_LIST_KIND(generators, OB_ENTRY_GENERATOR)
OB_LIST_KIND(iterators, OB_ENTRY_ITERATOR)

/* "the user's Python; also NAME:VARIANT, ..." */
static void show_variants(const ob_context *context, ob_list_item *item)
{
    const ob_manifest *m = ob_manifests_find(ob_context_manifests(context), item->name);
    if (m == NULL || m->variant_count == 0)
        return;
    size_t used = (size_t)snprintf(item->text, sizeof item->text, "%.600s", item->help);
    for (size_t i = 0; i < m->variant_count && used < sizeof item->text; i++)
        used += (size_t)snprintf(item->text + used, sizeof item->text - used, "%s%s:%s",
                                 i > 0 ? ", " : "; also ", m->name, m->variants[i].name);
    item->shown = item->text;
}

/* What the probe said, and then what came of opening it. */
static void backend_at(const ob_context *context, size_t index, ob_list_item *item)
{
    const char *why_not = ob__list_trial_reason(index);
    probed_at(context, index, item);
    show_variants(context, item);
    item->library = ob__list_trial_library(index);
    if (why_not[0] != '\0') {
        item->available = false;
        item->reason = why_not;
    }
}

static ob_status backend_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                                ob_json *object, ob_err *err)
{
    const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, index);
    const ob_backend_desc *desc = ob_context_find_backend(context, info.name);
    const ob_manifest *manifest = ob_manifests_find(ob_context_manifests(context), info.name);
    char options[2560] = "", variants[1280] = ""; /* names have 64 letters; there are 32, and 16 */
    for (size_t i = 0, used = 0; manifest != NULL && i < manifest->option_count; i++)
        used += (size_t)snprintf(options + used, sizeof options - used, "%s ",
                                 manifest->options[i].name);
    OB_TRY(ob__list_set_string(doc, object, "library", ob__list_trial_library(index), err));
    for (size_t i = 0, used = 0; manifest != NULL && i < manifest->variant_count; i++)
        used += (size_t)snprintf(variants + used, sizeof variants - used, "%s ",
                                 manifest->variants[i].name);
    OB_TRY(ob__list_set_words(doc, object, "options", options, " ", err));
    OB_TRY(ob__list_set_words(doc, object, "variants", variants, " ", err));
    return ob__list_set_words(doc, object, "devices", desc != NULL ? desc->device_types : "", " ",
                              err);
}

/* The names of all entries of a kind that the plug-in has brought; NULL when memory is out. */
static ob_json *list_contents(const ob_context *context, ob_entry_kind kind, const char *plugin,
                              ob_json_doc *doc)
{
    ob_json *array = ob_json_new_array(doc);
    for (size_t i = 0; array != NULL && i < ob_context_count(context, kind); i++) {
        const ob_entry_info info = ob_context_entry(context, kind, i);
        if (strcmp(info.origin, plugin) == 0 &&
            ob_json_append(doc, array, ob_json_new_string(doc, info.name, strlen(info.name)),
                           NULL) != OB_OK)
            return NULL;
    }
    return array;
}

static ob_status plugin_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                               ob_json *object, ob_err *err)
{
    static const struct {
        const char *key;
        ob_entry_kind kind;
    } KINDS[] = {
        {"backends", OB_ENTRY_BACKEND},
        {"operators", OB_ENTRY_OPERATOR},
        {"generators", OB_ENTRY_GENERATOR},
        {"iterators", OB_ENTRY_ITERATOR},
    };
    const ob_entry_info info = ob_context_entry(context, OB_ENTRY_PLUGIN, index);
    /* One that was refused may have the name of another that was not. */
    const char *plugin = info.available ? info.name : "";
    OB_TRY(ob__list_set_string(doc, object, "version", info.version, err));
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        OB_TRY(ob_json_set(doc, object, KINDS[i].key,
                           list_contents(context, KINDS[i].kind, plugin, doc), err));
    return OB_OK;
}

/* ---- element types ---- */

static const char *const CLASS_NAMES[] = {
    [OB_DTYPE_CLASS_BOOL] = "bool",       [OB_DTYPE_CLASS_UINT] = "unsigned",
    [OB_DTYPE_CLASS_INT] = "integer",     [OB_DTYPE_CLASS_FLOAT] = "floating",
    [OB_DTYPE_CLASS_COMPLEX] = "complex",
};

static size_t count_dtypes(const ob_context *context)
{
    (void)context;
    return OB_DTYPE_COUNT;
}

/* The config's name first, then PyTorch's, then the rest; each once. */
static void join_dtype_names(const ob_dtype_info *info, char *out, size_t size)
{
    const bool config_differs = strcmp(info->param_name, info->name) != 0;
    const bool torch_differs = strcmp(info->torch_name, info->name) != 0 &&
                               strcmp(info->torch_name, info->param_name) != 0;
    const char *const names[] = {config_differs ? info->param_name : "",
                                 torch_differs ? info->torch_name : ""};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i][0] != '\0')
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", names[i]);
    }
    for (const char *at = info->aliases; at != NULL && *at != '\0' && used < size;) {
        const size_t length = strcspn(at, "|");
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", used > 0 ? ", " : "",
                                 (int)length, at);
        at += length + (at[length] == '|');
    }
}

static void dtype_at(const ob_context *context, size_t index, ob_list_item *item)
{
    (void)context;
    const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)index);
    join_dtype_names(info, item->also_text, sizeof item->also_text);
    snprintf(item->text, sizeof item->text, "%zu %s", info->size_bytes,
             info->size_bytes == 1 ? "byte" : "bytes");
    item->name = info->name;
    item->also = item->also_text;
    item->origin = BUILT_IN;
    item->category = CLASS_NAMES[info->cls];
    item->help = item->text;
    item->shown = NULL;
    item->available = true;
    item->reason = "";
}

static bool dtype_is_named(const ob_context *context, const ob_list_item *item, const char *text)
{
    (void)context;
    const ob_dtype_info *info = ob_dtype_get_info(ob_dtype_from_name(text, strlen(text)));
    return info != NULL && strcmp(info->name, item->name) == 0;
}

static ob_status dtype_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                              ob_json *object, ob_err *err)
{
    (void)context;
    const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)index);
    return ob_json_set(doc, object, "size_bytes", ob_json_new_int(doc, (int64_t)info->size_bytes),
                       err);
}

/* ---- the rows ---- */

/* The words of OB_LIST_TOPICS, in its order. */
static const ob_list_topic TOPICS[] = {
    {.name = "ops",
     .about = "operators, modules and models",
     .help_title = "SCHEMA",
     .needs_plugins = true,
     .count = count_ops,
     .at = op_at,
     .is_named = ob__list_op_is_named,
     .any_name = ob__list_op_any_name},
    {.name = "backends",
     .about = "what runs operators, and whether it works here",
     .help_title = "HELP",
     .needs_plugins = true,
     .tries = true,
     .is_prose = true,
     .count = count_probed,
     .at = backend_at,
     .add_fields = backend_fields},
    {.name = "plugins",
     .about = "plug-ins, and what is in them",
     .help_title = "CONTENTS",
     .needs_plugins = true,
     .shows_failures = true,
     .count = count_plugins,
     .at = plugins_at,
     .add_fields = plugin_fields},
    {.name = "generators",
     .about = "what fills tensors with data",
     .help_title = "HELP",
     .needs_plugins = true,
     .count = count_generators,
     .at = generators_at},
    {.name = "iterators",
     .about = "what expands one config into many cases",
     .help_title = "HELP",
     .needs_plugins = true,
     .count = count_iterators,
     .at = iterators_at},
    {.name = "dtypes",
     .about = "element types of tensors",
     .help_title = "SIZE",
     .count = count_dtypes,
     .at = dtype_at,
     .is_named = dtype_is_named,
     .add_fields = dtype_fields},
    {.name = "types",
     .about = "types of arguments in configs",
     .help_title = "ATTRIBUTES; HELP",
     .needs_plugins = true,
     .count = ob__list_count_types,
     .at = ob__list_type_at,
     .add_fields = ob__list_type_fields},
    {.name = "libraries",
     .about = "which kernels the backends' libraries choose on this machine",
     .help_title = "CHOICE",
     .open = ob__list_libraries_open,
     .count = ob__list_count_libraries,
     .at = ob__list_library_at,
     .add_fields = ob__list_library_fields},
};

const ob_list_topic *ob__list_topic_at(size_t index)
{
    return index < sizeof TOPICS / sizeof TOPICS[0] ? &TOPICS[index] : NULL;
}

const ob_list_topic *ob__list_find_topic(const char *name)
{
    for (size_t i = 0; i < sizeof TOPICS / sizeof TOPICS[0]; i++) {
        if (strcmp(TOPICS[i].name, name) == 0)
            return &TOPICS[i];
    }
    return NULL;
}
