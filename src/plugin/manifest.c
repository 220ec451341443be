/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading one manifest, and sets of them. Anybody may have written the file: every text is bounded and without control
 * characters, names are names, and the only variables that can be set are opbench's own. Keys that are not known are a
 * later version's and are left alone.
 */
#include "base/arena.h"
#include "opbench/json.h"
#include "plugin/manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 20, MAX_OPTIONS = 32, MAX_VARIANTS = 16, MAX_TEXT = 600, MAX_LINES = 4000 };

struct ob_manifests {
    ob_arena arena;
    ob_manifest items[OB__MAX_MANIFESTS];
    size_t count;
    bool replaced; /* one has taken the place of another */
};

typedef struct reading {
    ob_arena *arena;
    const char *file;
    ob_err *err;
} reading;

static ob_status wrong(const reading *r, const ob_json *node, const char *text)
{
    return ob_err_set_at(r->err, OB_ERR_CONFIG, r->file, ob_json_line(node), ob_json_column(node),
                         NULL, "%s", text);
}

static ob_status no_memory(const reading *r)
{
    return ob_err_set(r->err, OB_ERR_NOMEM, "out of memory for a manifest");
}

/* ---- texts ---- */

/* What a key holds. */
typedef enum key_kind { TEXT, NAME, VARIABLE, WORDS, LINES, FLAG } key_kind;

typedef struct key_row {
    const char *name;
    key_kind kind;
    size_t offset;
    bool required;
} key_row;

/* Small letters, digits and what stands between them: what options and backends are called. */
static bool is_name(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return length > 0 && length <= 64 && text[length] == '\0' && text[0] != '-';
}

static bool is_variable(const char *text)
{
    static const char START[] = "OPBENCH_";
    const char *rest = text + sizeof START - 1;
    const size_t length = strlen(text);
    return length > sizeof START - 1 && length < 64 &&
           strncmp(text, START, sizeof START - 1) == 0 &&
           rest[strspn(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static ob_status take_text(const reading *r, const ob_json *node, key_kind kind, const char **out)
{
    size_t length = 0;
    const char *text = ob_json_string(node, &length);
    if (text == NULL || length > MAX_TEXT || strlen(text) != length)
        return wrong(r, node, "expected a string of at most 600 bytes");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return wrong(r, node, "the string has a control character; leave it out");
    if (kind == NAME && !is_name(text))
        return wrong(r, node, "a name may only have lower-case letters, digits, - and _");
    if (kind == VARIABLE && !is_variable(text))
        return wrong(r, node,
                     "the name of a variable must begin with OPBENCH_; others are not set");
    *out = ob__arena_strdup(r->arena, text, length);
    return *out != NULL ? OB_OK : no_memory(r);
}

/* ["a", "b"] as "a b"; lines by their ends, with blanks in them. */
static ob_status take_list(const reading *r, const ob_json *node, key_kind kind, const char **out)
{
    char text[MAX_LINES + 2] = "";
    size_t used = 0;
    const bool lines = kind == LINES;
    const size_t most = lines ? MAX_LINES : MAX_TEXT;
    if (ob_json_get_kind(node) != OB_JSON_ARRAY)
        return wrong(r, node, lines ? "expected a list of lines" : "expected a list of words");
    for (size_t i = 0; i < ob_json_count(node); i++) {
        const char *word = NULL;
        OB_TRY(take_text(r, ob_json_item(node, i), TEXT, &word));
        const size_t length = strlen(word);
        if ((!lines && (length == 0 || strchr(word, ' ') != NULL)) || used + length > most)
            return wrong(r, ob_json_item(node, i),
                         lines ? "there are too many lines; the limit is 4000 bytes"
                               : "this is not a word, or there are too many");
        if (i > 0)
            text[used++] = lines ? '\n' : ' ';
        memcpy(text + used, word, length + 1);
        used += length;
    }
    *out = ob__arena_strdup(r->arena, text, used);
    return *out != NULL ? OB_OK : no_memory(r);
}

static ob_status take_key(const reading *r, const key_row *key, const ob_json *node, char *target)
{
    if (key->kind == FLAG) {
        if (ob_json_get_kind(node) != OB_JSON_BOOL)
            return wrong(r, node, "expected true or false");
        *(bool *)(void *)(target + key->offset) = ob_json_bool(node, false);
        return OB_OK;
    }
    const char *text = NULL;
    OB_TRY(key->kind == WORDS || key->kind == LINES ? take_list(r, node, key->kind, &text)
                                                    : take_text(r, node, key->kind, &text));
    memcpy(target + key->offset, &text, sizeof text);
    return OB_OK;
}

static ob_status take_object(const reading *r, const ob_json *object, const key_row *keys,
                             void *target)
{
    if (ob_json_get_kind(object) != OB_JSON_OBJECT)
        return wrong(r, object, "expected an object");
    for (; keys->name != NULL; keys++) {
        const ob_json *node = ob_json_get(object, keys->name);
        char text[96];
        if (node != NULL) {
            OB_TRY(take_key(r, keys, node, target));
        } else if (keys->required) {
            snprintf(text, sizeof text, "\"%s\" is missing; add it", keys->name);
            return wrong(r, object, text);
        }
    }
    return OB_OK;
}

/* ---- keys ---- */

#define KEY(type, text, kind, field, required)                                                     \
    {                                                                                              \
        text, kind, offsetof(type, field), required                                                \
    }

static const key_row OPTION_KEYS[] = {
    KEY(ob_manifest_option, "name", NAME, name, true),
    KEY(ob_manifest_option, "value", TEXT, value, false),
    KEY(ob_manifest_option, "help", TEXT, help, true),
    KEY(ob_manifest_option, "commands", WORDS, commands, true),
    KEY(ob_manifest_option, "gives", NAME, gives, false),
    KEY(ob_manifest_option, "variable", VARIABLE, variable, false),
    KEY(ob_manifest_option, "writes", TEXT, writes, false),
    KEY(ob_manifest_option, "sets", TEXT, sets, false),
    KEY(ob_manifest_option, "holds", TEXT, holds, false),
    KEY(ob_manifest_option, "note", TEXT, note, false),
    KEY(ob_manifest_option, "file", FLAG, is_file, false),
    KEY(ob_manifest_option, "plain", FLAG, is_plain, false),
    KEY(ob_manifest_option, "operators", FLAG, brings_operators, false),
    KEY(ob_manifest_option, "called", TEXT, operators, false),
    KEY(ob_manifest_option, "brings", TEXT, brings, false),
    {NULL, TEXT, 0, false},
};

static const key_row LIBRARY_KEYS[] = {
    KEY(ob_manifest_library, "name", NAME, name, true),
    KEY(ob_manifest_library, "package", TEXT, package, true),
    KEY(ob_manifest_library, "module", NAME, module, false),
    KEY(ob_manifest_library, "option", NAME, option, true),
    KEY(ob_manifest_library, "value", TEXT, value, true),
    KEY(ob_manifest_library, "help", TEXT, help, true),
    KEY(ob_manifest_library, "otherwise", TEXT, otherwise, false),
    KEY(ob_manifest_library, "header", TEXT, header, true),
    KEY(ob_manifest_library, "folders", WORDS, folders, false),
    KEY(ob_manifest_library, "object", TEXT, object, true),
    KEY(ob_manifest_library, "versions", WORDS, versions, true),
    KEY(ob_manifest_library, "macros", TEXT, macros, true),
    KEY(ob_manifest_library, "wants_cpp20", TEXT, wants_cpp20, false),
    KEY(ob_manifest_library, "old_abi", WORDS, old_abi, false),
    KEY(ob_manifest_library, "words", WORDS, words, true),
    KEY(ob_manifest_library, "includes", WORDS, includes, true),
    KEY(ob_manifest_library, "begin", TEXT, begin, false),
    KEY(ob_manifest_library, "links", WORDS, links, true),
    KEY(ob_manifest_library, "part_links", WORDS, part_links, false),
    KEY(ob_manifest_library, "part_variable", VARIABLE, part_variable, false),
    {NULL, TEXT, 0, false},
};

static const key_row MODEL_KEYS[] = {
    KEY(ob_manifest_models, "runtime", TEXT, runtime, true),
    KEY(ob_manifest_models, "end", TEXT, end, true),
    KEY(ob_manifest_models, "make", LINES, make, true),
    KEY(ob_manifest_models, "python_setup", LINES, python_setup, true),
    KEY(ob_manifest_models, "cpp_setup", LINES, cpp_setup, true),
    KEY(ob_manifest_models, "cpp_global", LINES, cpp_global, true),
    KEY(ob_manifest_models, "cpp_call", LINES, cpp_call, true),
    KEY(ob_manifest_models, "cpp_value", TEXT, cpp_value, true),
    KEY(ob_manifest_models, "cpp_backward", TEXT, cpp_backward, true),
    {NULL, TEXT, 0, false},
};

static const key_row HOST_KEYS[] = {
    KEY(ob_manifest_host, "program", TEXT, program, true),
    KEY(ob_manifest_host, "flag", TEXT, flag, true),
    KEY(ob_manifest_host, "code", LINES, code, true),
    KEY(ob_manifest_host, "object", TEXT, object, true),
    {.name = NULL},
};

static const key_row VARIANT_KEYS[] = {
    KEY(ob_manifest_variant, "name", NAME, name, true),
    KEY(ob_manifest_variant, "options", TEXT, options, true),
    KEY(ob_manifest_variant, "help", TEXT, help, true),
    {.name = NULL},
};

static const key_row KEYS[] = {
    KEY(ob_manifest, "name", NAME, name, true),
    KEY(ob_manifest, "help", TEXT, help, true),
    KEY(ob_manifest, "needs", TEXT, needs, false),
    KEY(ob_manifest, "libraries", WORDS, libraries, false),
    KEY(ob_manifest, "runtimes", WORDS, runtimes, false),
    KEY(ob_manifest, "replays", FLAG, replays, false),
    KEY(ob_manifest, "variable", VARIABLE, variable, false),
    {NULL, TEXT, 0, false},
};

static ob_status take_option(const reading *r, const ob_json *node, ob_manifest_option *o)
{
    OB_TRY(take_object(r, node, OPTION_KEYS, o));
    if ((o->gives == NULL) == (o->variable == NULL))
        return wrong(r, node, "an option needs either \"gives\" or \"variable\"; add one of them");
    if ((o->value != NULL) + (o->writes != NULL) + (o->sets != NULL) != 1)
        return wrong(r, node,
                     "an option needs a \"value\", or is a flag that \"writes\" a file or \"sets\" "
                     "what it gives; give one of these");
    if (o->writes != NULL && (o->gives == NULL || strchr(o->writes, '/') != NULL))
        return wrong(r, node,
                     "\"writes\" must be the end of a file name, without /, and needs \"gives\"");
    return OB_OK;
}

static ob_status take_options(const reading *r, const ob_json *list, ob_manifest *m)
{
    const size_t count = ob_json_count(list);
    if (list == NULL)
        return OB_OK;
    if (ob_json_get_kind(list) != OB_JSON_ARRAY || count > MAX_OPTIONS)
        return wrong(r, list, "expected a list of at most 32 options");
    ob_manifest_option *options = ob__arena_alloc_array(r->arena, count, sizeof *options);
    if (options == NULL)
        return no_memory(r);
    for (size_t i = 0; i < count; i++) {
        options[i] = (ob_manifest_option){.name = NULL};
        OB_TRY(take_option(r, ob_json_item(list, i), &options[i]));
    }
    m->options = options;
    m->option_count = count;
    return OB_OK;
}

static ob_status take_library(const reading *r, const ob_json *node, ob_manifest *m)
{
    ob_manifest_library *library =
        node != NULL ? ob__arena_alloc_array(r->arena, 1, sizeof *library) : NULL;
    if (node == NULL)
        return OB_OK;
    if (library == NULL)
        return no_memory(r);
    *library = (ob_manifest_library){.folders = "", .old_abi = "", .part_links = ""};
    OB_TRY(take_object(r, node, LIBRARY_KEYS, library));
    if (m->variable == NULL)
        return wrong(r, node, "a library needs the \"variable\" that selects it; add it");
    m->library = library;
    return OB_OK;
}

static ob_status take_models(const reading *r, const ob_json *node, ob_manifest *m)
{
    ob_manifest_models *models =
        node != NULL ? ob__arena_alloc_array(r->arena, 1, sizeof *models) : NULL;
    if (node == NULL)
        return OB_OK;
    if (models == NULL)
        return no_memory(r);
    *models = (ob_manifest_models){.runtime = NULL};
    OB_TRY(take_object(r, node, MODEL_KEYS, models));
    const char *end = models->end;
    if (end == NULL || end[0] != '.' ||
        end[1 + strspn(end + 1, "abcdefghijklmnopqrstuvwxyz0123456789")] != '\0')
        return wrong(r, node, "\"end\" must be a dot followed by lower-case letters or digits");
    m->models = models;
    return OB_OK;
}

static ob_status take_host(const reading *r, const ob_json *node, ob_manifest *m)
{
    ob_manifest_host *host = node != NULL ? ob__arena_alloc_array(r->arena, 1, sizeof *host) : NULL;
    if (node == NULL)
        return OB_OK;
    if (host == NULL)
        return no_memory(r);
    *host = (ob_manifest_host){.program = "", .flag = "", .code = "", .object = ""};
    OB_TRY(take_object(r, node, HOST_KEYS, host));
    if (strchr(host->program, '/') != NULL || strchr(host->object, '/') != NULL)
        return wrong(r, node, "program and object must be names without /");
    m->host = host;
    return OB_OK;
}

static ob_status take_variants(const reading *r, const ob_json *list, ob_manifest *m)
{
    const size_t count = ob_json_count(list);
    if (list == NULL)
        return OB_OK;
    if (ob_json_get_kind(list) != OB_JSON_ARRAY || count > MAX_VARIANTS)
        return wrong(r, list, "expected a list of at most 16 variants");
    ob_manifest_variant *variants = ob__arena_alloc_array(r->arena, count, sizeof *variants);
    if (variants == NULL)
        return no_memory(r);
    for (size_t i = 0; i < count; i++) {
        variants[i] = (ob_manifest_variant){.name = ""};
        OB_TRY(take_object(r, ob_json_item(list, i), VARIANT_KEYS, &variants[i]));
        for (size_t n = 0; n < i; n++)
            if (strcmp(variants[n].name, variants[i].name) == 0)
                return wrong(r, ob_json_item(list, i), "two variants have this name");
    }
    m->variants = variants;
    m->variant_count = count;
    return OB_OK;
}

/* ---- sets ---- */

static ob_status place(ob_manifests *set, const ob_manifest *m, ob_err *err)
{
    size_t at = 0;
    while (at < set->count && strcmp(set->items[at].name, m->name) < 0)
        at++;
    const bool known = at < set->count && strcmp(set->items[at].name, m->name) == 0;
    if (!known && set->count == OB__MAX_MANIFESTS)
        return ob_err_set(err, OB_ERR_LIMIT, "there are more than %d backend manifests",
                          (int)OB__MAX_MANIFESTS);
    if (!known) {
        memmove(&set->items[at + 1], &set->items[at], (set->count - at) * sizeof *set->items);
        set->count++;
    }
    set->items[at] = *m;
    set->replaced = set->replaced || known;
    return OB_OK;
}

bool ob__manifests_has_own(const ob_manifests *manifests, const char *text, size_t size)
{
    for (const ob__own_manifest *own = ob__own_manifests; own->text != NULL; own++)
        if (strlen(own->text) == size && memcmp(own->text, text, size) == 0)
            return !manifests->replaced;
    return false;
}

ob_status ob_manifests_add(ob_manifests *manifests, const char *file, const void *data, size_t size,
                           ob_err *err)
{
    const ob_json_limits limits = {
        .size = sizeof limits, .max_memory_bytes = MAX_BYTES, .max_depth = 8};
    const reading r = {.arena = &manifests->arena, .file = file, .err = err};
    ob_manifest m = {.name = "", .help = "", .needs = "", .libraries = "", .runtimes = ""};
    ob_json_doc *doc = NULL;
    OB_TRY(ob_json_parse(file, data, size, &limits, &doc, err));
    const ob_json *root = ob_json_doc_root(doc);
    ob_status status = take_object(&r, root, KEYS, &m);
    if (status == OB_OK)
        status = take_options(&r, ob_json_get(root, "options"), &m);
    if (status == OB_OK)
        status = take_library(&r, ob_json_get(root, "library"), &m);
    if (status == OB_OK)
        status = take_models(&r, ob_json_get(root, "models"), &m);
    if (status == OB_OK)
        status = take_host(&r, ob_json_get(root, "host"), &m);
    if (status == OB_OK)
        status = take_variants(&r, ob_json_get(root, "variants"), &m);
    if (status == OB_OK)
        status = place(manifests, &m, err);
    ob_json_doc_destroy(doc);
    return status;
}

ob_status ob__manifests_create(ob_manifests **out, ob_err *err)
{
    ob_manifests *set = calloc(1, sizeof *set);
    *out = NULL;
    if (set == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for manifests");
    ob__arena_init(&set->arena, (size_t)16 << 20);
    for (const ob__own_manifest *own = ob__own_manifests; own->text != NULL; own++) {
        const ob_status status =
            ob_manifests_add(set, own->file, own->text, strlen(own->text), err);
        if (status != OB_OK) {
            ob_manifests_destroy(set);
            return status;
        }
    }
    *out = set;
    return OB_OK;
}

void ob_manifests_destroy(ob_manifests *manifests)
{
    if (manifests == NULL)
        return;
    ob__arena_fini(&manifests->arena);
    free(manifests);
}

size_t ob_manifests_count(const ob_manifests *manifests)
{
    return manifests->count;
}

const ob_manifest *ob_manifests_at(const ob_manifests *manifests, size_t index)
{
    return &manifests->items[index];
}

const ob_manifest *ob_manifests_find(const ob_manifests *manifests, const char *backend)
{
    const size_t length = strcspn(backend, ":");
    for (size_t i = 0; i < manifests->count; i++)
        if (strlen(manifests->items[i].name) == length &&
            strncmp(manifests->items[i].name, backend, length) == 0)
            return &manifests->items[i];
    return NULL;
}

bool ob_manifest_has(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (; *words != '\0'; words += strcspn(words, " "), words += *words == ' ')
        if (strcspn(words, " ") == length && strncmp(words, word, length) == 0)
            return true;
    return false;
}
