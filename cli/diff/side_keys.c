/* SPDX-License-Identifier: Apache-2.0
 *
 * What a side is told: one table of keys, for words of the command line and for files.
 */
#include "side_keys.h"

#include "opbench/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LISTED = 32 }; /* variables, or plug-ins, of a side */

/* ---- memory ---- */

static ob_status no_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the sides");
}

void ob__cli_sides_fini(ob_cli_sides *sides)
{
    for (size_t i = 0; i < sides->text_count; i++)
        free(sides->texts[i]);
    free(sides->texts);
    ob_json_doc_destroy(sides->file);
    *sides = (ob_cli_sides){.count = 0};
}

/* Of these bytes, zero, until the end of the sides; NULL when memory is out. */
static void *keep(ob_cli_sides *sides, size_t size)
{
    if (!OB_RESERVE(sides->texts, sides->text_capacity, sides->text_count + 1))
        return NULL;
    void *made = calloc(1, size);
    if (made != NULL)
        sides->texts[sides->text_count++] = made;
    return made;
}

static char *keep_text(ob_cli_sides *sides, const char *text, size_t length)
{
    char *copy = keep(sides, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

/* ---- keys ---- */

typedef struct setting {
    ob_cli_sides *sides;
    ob_side *side;
    const char *key, *value; /* that live as long as the sides */
} setting;

typedef ob_status (*set_fn)(const setting *s, ob_err *err);

/* Appends to a list that ends with NULL. */
static ob_status add_to_list(const setting *s, const char *const **list, const char *text,
                             ob_err *err)
{
    const char **items = *list != NULL ? (const char **)(uintptr_t)*list
                                       : keep(s->sides, (MOST_LISTED + 1) * sizeof *items);
    size_t count = 0;
    if (items == NULL)
        return no_memory(err);
    while (items[count] != NULL)
        count++;
    if (count == MOST_LISTED)
        return ob_err_set(err, OB_ERR_LIMIT, "side %s has more than %d %s", s->side->name,
                          MOST_LISTED, strncmp(s->key, "env.", 4) == 0 ? "variables" : "plug-ins");
    items[count] = text;
    *list = items;
    return OB_OK;
}

static ob_status set_plugin(const setting *s, ob_err *err)
{
    return add_to_list(s, &s->side->plugins, s->value, err);
}

static ob_status set_threads(const setting *s, ob_err *err)
{
    char *end;
    const long threads = strtol(s->value, &end, 10);
    if (end == s->value || *end != '\0' || threads < 1 || threads > 65536)
        return ob_err_set(err, OB_ERR_INVALID,
                          "side %s: threads=%s is not a number from 1 to 65536", s->side->name,
                          s->value);
    s->side->threads = threads;
    return OB_OK;
}

/* "env.NAME" */
static ob_status set_variable(const setting *s, ob_err *err)
{
    const char *name = s->key + strlen("env.");
    char *text = keep(s->sides, strlen(name) + strlen(s->value) + 2);
    if (text == NULL)
        return no_memory(err);
    sprintf(text, "%s=%s", name, s->value);
    for (size_t i = 0; s->side->variables != NULL && s->side->variables[i] != NULL; i++)
        if (strncmp(s->side->variables[i], text, strlen(name) + 1) == 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "side %s: the variable %s is given twice; leave one out",
                              s->side->name, name);
    return add_to_list(s, &s->side->variables, text, err);
}

/* A text of the side, or of its code, as it is given, or what sets it. */
static const struct {
    const char *key;
    ob_cli_key_use use;
    size_t text;
    set_fn set;
} KEYS[] = {
    {"backend", OB_CLI_KEY_OF_OPERATORS, offsetof(ob_side, backend), NULL},
    {"options", OB_CLI_KEY_OF_OPERATORS, offsetof(ob_side, backend_options), NULL},
    {"device", OB_CLI_KEY_OF_OPERATORS, offsetof(ob_side, device), NULL},
    {"plugin", OB_CLI_KEY_OF_OPERATORS, offsetof(ob_side, plugins), set_plugin},
    {"opbench", OB_CLI_KEY_OF_ALL, offsetof(ob_side, program), NULL},
    {"threads", OB_CLI_KEY_OF_ALL, 0, set_threads},
    {"stmt", OB_CLI_KEY_OF_STATEMENT, offsetof(ob_cli_side_code, stmt), NULL},
    {"setup", OB_CLI_KEY_OF_STATEMENT, offsetof(ob_cli_side_code, line.setup), NULL},
    {"global-setup", OB_CLI_KEY_OF_STATEMENT, offsetof(ob_cli_side_code, line.global_setup), NULL},
    {"cc", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.cc), NULL},
    {"cxx", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.cxx), NULL},
    {"python", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.python), NULL},
    {"cflags", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.cflags), NULL},
    {"ldflags", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.ldflags), NULL},
    {"libs", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.libs), NULL},
    {"std", OB_CLI_KEY_OF_CODE, offsetof(ob_cli_side_code, line.std), NULL},
};

/* Where the text of a key is. */
static char *place_of(ob_cli_sides *sides, size_t index, size_t key)
{
    const bool is_code =
        KEYS[key].use == OB_CLI_KEY_OF_CODE || KEYS[key].use == OB_CLI_KEY_OF_STATEMENT;
    return (is_code ? (char *)&sides->code[index] : (char *)&sides->items[index]) + KEYS[key].text;
}

static ob_status set_known(const setting *s, size_t i, ob_err *err)
{
    if (KEYS[i].set != NULL)
        return KEYS[i].set(s, err);
    memcpy(place_of(s->sides, (size_t)(s->side - s->sides->items), i), &s->value, sizeof s->value);
    return OB_OK;
}

const char *ob__cli_side_has_key(const ob_cli_sides *sides, size_t index, ob_cli_key_use use)
{
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const void *value;
        memcpy(&value, place_of((ob_cli_sides *)(uintptr_t)sides, index, i), sizeof value);
        if (KEYS[i].use == use && value != NULL)
            return KEYS[i].key;
    }
    return NULL;
}

static ob_status set_key(const setting *s, ob_err *err)
{
    if (strncmp(s->key, "env.", 4) == 0 && s->key[4] != '\0' && strchr(s->key, '=') == NULL)
        return set_variable(s, err);
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        if (strcmp(s->key, KEYS[i].key) == 0)
            return set_known(s, i, err);
    return ob_err_set(err, OB_ERR_INVALID,
                      "side %s: there is no \"%s\"; a side has " OB_CLI_SIDE_KEYS, s->side->name,
                      s->key);
}

ob_status ob__cli_side_make_variable(ob_cli_sides *sides, size_t index, const char *variable,
                                     ob_err *err)
{
    const char **python = &sides->code[index].line.python;
    char key[128];
    if (**python == '\0')
        return ob_err_set(err, OB_ERR_INVALID, "side %s: python= names no interpreter",
                          sides->items[index].name);
    snprintf(key, sizeof key, "env.%s", variable);
    const setting s = {.sides = sides, .side = &sides->items[index], .key = key, .value = *python};
    *python = NULL;
    return set_variable(&s, err);
}

/* NULL: there are too many. */
static ob_side *begin_side(ob_cli_sides *sides, const char *name, ob_err *err)
{
    if (sides->count == OB_CLI_MOST_SIDES) {
        ob_err_set(err, OB_ERR_LIMIT, "more than %d sides are too many to take turns",
                   OB_CLI_MOST_SIDES);
        return NULL;
    }
    ob_side *side = &sides->items[sides->count];
    *side = (ob_side){.size = sizeof *side, .name = name};
    sides->list[sides->count++] = side;
    return side;
}

ob_status ob__cli_side_begin(ob_cli_sides *sides, const char *name, ob_err *err)
{
    const char *copy = keep_text(sides, name, strlen(name));
    if (copy == NULL)
        return no_memory(err);
    return begin_side(sides, copy, err) != NULL ? OB_OK : OB_ERR_LIMIT;
}

ob_status ob__cli_side_set(ob_cli_sides *sides, const char *key, const char *value, ob_err *err)
{
    const setting s = {.sides = sides,
                       .side = &sides->items[sides->count - 1],
                       .key = keep_text(sides, key, strlen(key)),
                       .value = keep_text(sides, value, strlen(value))};
    return s.key != NULL && s.value != NULL ? set_key(&s, err) : no_memory(err);
}

/* ---- words ---- */

/* Where the value ends; its backslashes are taken out. */
static char *end_value(char *from)
{
    char *to = from;
    for (; *from != '\0' && *from != ','; from++) {
        if (*from == '\\' && from[1] != '\0')
            from++;
        *to++ = *from;
    }
    char *end = *from == ',' ? from + 1 : from;
    *to = '\0';
    return end;
}

static ob_status set_words(ob_cli_sides *sides, ob_side *side, char *at, ob_err *err)
{
    while (*at != '\0') {
        const size_t length = strcspn(at, "=,");
        if (at[length] != '=')
            return ob_err_set(err, OB_ERR_INVALID,
                              "side %s: \"%.*s\" is not key=value; put a backslash before a "
                              "comma that belongs to a value",
                              side->name, (int)length, at);
        at[length] = '\0';
        const setting s = {.sides = sides, .side = side, .key = at, .value = at + length + 1};
        at = end_value(at + length + 1);
        OB_TRY(set_key(&s, err));
    }
    return OB_OK;
}

static bool has_side(const ob_cli_sides *sides, const char *name)
{
    for (size_t i = 0; i < sides->count; i++)
        if (strcmp(sides->items[i].name, name) == 0)
            return true;
    return false;
}

/* "native", and "native (2)" for the same backend again: who gives no names asks for none. NULL when memory is out. */
static const char *name_backend(ob_cli_sides *sides, const char *backend)
{
    const size_t size = strlen(backend) + 16;
    char *name = keep(sides, size);
    if (name != NULL)
        strcpy(name, backend);
    for (size_t n = 2; name != NULL && has_side(sides, name); n++)
        snprintf(name, size, "%s (%zu)", backend, n);
    return name;
}

ob_status ob__cli_sides_add(ob_cli_sides *sides, const char *word, const char *otherwise,
                            ob_err *err)
{
    char *copy = keep_text(sides, word, strlen(word));
    const size_t name = strcspn(word, ":=,");
    if (copy == NULL)
        return no_memory(err);
    /* "python:compile" is a variant of a backend; "old:" is a name, and nothing that differs. */
    const bool is_variant =
        word[name] == ':' && word[name + 1] != '\0' && strpbrk(word, "=,") == NULL;
    const bool is_named = word[name] == ':' && !is_variant;
    const bool is_backend = word[name] == '\0' || is_variant;
    if (is_named)
        copy[name] = '\0';
    const char *given = is_backend ? name_backend(sides, copy) : is_named ? copy : "";
    if (given == NULL)
        return no_memory(err);
    ob_side *side = begin_side(sides, given[0] != '\0' ? given : otherwise, err);
    if (side == NULL)
        return OB_ERR_LIMIT;
    /* Without a colon: the name of a backend, or settings. */
    if (!is_backend)
        return set_words(sides, side, is_named ? copy + name + 1 : copy, err);
    side->backend = copy;
    return OB_OK;
}

/* ---- files ---- */

static ob_status bad_place(const char *path, const ob_json *at, ob_err *err, const char *what)
{
    return ob_err_set_at(err, OB_ERR_CONFIG, path, ob_json_line(at), ob_json_column(at), NULL, "%s",
                         what);
}

/* A number is written as it stands. */
static ob_status text_of(ob_cli_sides *sides, const char *path, const ob_json *value,
                         const char **out, ob_err *err)
{
    char digits[32];
    *out = ob_json_string(value, NULL);
    if (*out != NULL)
        return OB_OK;
    if (ob_json_get_kind(value) != OB_JSON_INT)
        return bad_place(path, value, err, "this is not a string; write it in quotes");
    snprintf(digits, sizeof digits, "%lld", (long long)ob_json_int(value, 0));
    *out = keep_text(sides, digits, strlen(digits));
    return *out != NULL ? OB_OK : no_memory(err);
}

static ob_status set_value(const setting *like, const char *path, const char *key,
                           const ob_json *value, ob_err *err)
{
    setting s = *like;
    s.key = key;
    OB_TRY(text_of(s.sides, path, value, &s.value, err));
    ob_err said;
    const ob_status status = set_key(&s, &said);
    return status == OB_OK ? OB_OK : bad_place(path, value, err, said.message);
}

static ob_status set_variables(const setting *s, const char *path, const ob_json *object,
                               ob_err *err)
{
    if (ob_json_get_kind(object) != OB_JSON_OBJECT)
        return bad_place(path, object, err, "\"env\" is an object: {\"NAME\": \"value\"}");
    for (size_t i = 0; i < ob_json_count(object); i++) {
        const char *name = ob_json_key(object, i);
        char *key = keep(s->sides, strlen(name) + 5);
        if (key == NULL)
            return no_memory(err);
        sprintf(key, "env.%s", name);
        OB_TRY(set_value(s, path, key, ob_json_item(object, i), err));
    }
    return OB_OK;
}

static ob_status add_object(ob_cli_sides *sides, const char *path, const ob_json *object,
                            ob_err *err)
{
    const char *name = ob_json_string(ob_json_get(object, "name"), NULL);
    if (ob_json_get_kind(object) != OB_JSON_OBJECT || name == NULL)
        return bad_place(path, object, err,
                         "a side is an object with a \"name\", and " OB_CLI_SIDE_KEYS);
    ob_side *side = begin_side(sides, name, err);
    if (side == NULL)
        return OB_ERR_LIMIT;
    const setting s = {.sides = sides, .side = side};
    for (size_t i = 0; i < ob_json_count(object); i++) {
        const char *key = ob_json_key(object, i);
        const ob_json *value = ob_json_item(object, i);
        if (strcmp(key, "name") == 0)
            continue;
        if (strcmp(key, "env") == 0)
            OB_TRY(set_variables(&s, path, value, err));
        else if (ob_json_get_kind(value) == OB_JSON_ARRAY)
            for (size_t k = 0; k < ob_json_count(value); k++)
                OB_TRY(set_value(&s, path, key, ob_json_item(value, k), err));
        else
            OB_TRY(set_value(&s, path, key, value, err));
    }
    return OB_OK;
}

ob_status ob__cli_sides_add_file(ob_cli_sides *sides, const char *path, ob_err *err)
{
    struct stat info;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                             "is not a regular file; give one, or - for standard input");
    OB_TRY(ob_json_parse_file(path, NULL, &sides->file, err));
    const ob_json *root = ob_json_doc_root(sides->file);
    if (ob_json_get_kind(root) != OB_JSON_ARRAY)
        return bad_place(path, root, err, "sides are a list of objects");
    for (size_t i = 0; i < ob_json_count(root); i++)
        OB_TRY(add_object(sides, path, ob_json_item(root, i), err));
    return OB_OK;
}
