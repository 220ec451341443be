/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments in short notation, as they are given on a command line: f32[128,64], dim=-1, [2,3]. Each
 * word becomes the same calls of the builder that a program would make, so that a case from a command
 * line and one from a config are one. docs/timer.md has the grammar; case_text.c prints it.
 */
#include "config/builder_int.h"
#include "config/word_lists.h"

#include "base/number.h"
#include "graph/module.h"
#include "tensor/npy.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 64 };
static const char NPY[] = "npy:";

/* A word that is being read. The scratch has room for all of it. */
typedef struct reader {
    ob_builder *builder;
    const char *word, *at;
    char *scratch;
} reader;

static bool fail(const reader *r, const char *what)
{
    ob_err *err = &r->builder->err;
    if (err->code == OB_OK)
        ob_err_set(err, OB_ERR_SYNTAX, "argument \"%.200s\", character %zu: %s", r->word,
                   (size_t)(r->at - r->word) + 1, what);
    return false;
}

static bool good(const reader *r)
{
    return r->builder->err.code == OB_OK;
}

/* Length of a name at `text`; a dotted one ("torch.float32") if dots are taken. */
static size_t name_length(const char *text, bool dots)
{
    size_t length = 0;
    if (!ob__is_word_start(text[0]))
        return 0;
    while (ob__is_word_start(text[length]) || ob__is_digit(text[length]) ||
           (dots && text[length] == '.'))
        length++;
    return length;
}

static const char *copy(const reader *r, const char *from, size_t length)
{
    memcpy(r->scratch, from, length);
    r->scratch[length] = '\0';
    return r->scratch;
}

/* The same, leaving what is in the scratch already. */
static const char *copy_behind(const reader *r, const char *kept, const char *from, size_t length)
{
    char *to = kept != NULL ? r->scratch + (kept - r->scratch) + strlen(kept) + 1 : r->scratch;
    memcpy(to, from, length);
    to[length] = '\0';
    return to;
}

/* ---- numbers ---- */

typedef struct number {
    bool is_real;
    int64_t whole;
    double real; /* also of a whole one */
} number;

static size_t digits_length(const char *text)
{
    size_t length = 0;
    while (ob__is_digit(text[length]))
        length++;
    return length;
}

/* Two dots end a number: they are a range's. */
static bool read_number(reader *r, number *out)
{
    const char *start = r->at + (r->at[0] == '+');
    const char *at = start + (start[0] == '-');
    const size_t whole = digits_length(at);
    size_t fraction = 0;
    *out = (number){.is_real = false};
    at += whole;
    out->is_real = at[0] == '.' && at[1] != '.';
    if (out->is_real) {
        fraction = digits_length(at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return fail(r, "expected a number");
    if (at[0] == 'e' || at[0] == 'E') {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        const size_t length = digits_length(exponent);
        if (length == 0)
            return fail(r, "the number's exponent has no digits");
        at = exponent + length;
        out->is_real = true;
    }
    const size_t length = (size_t)(at - start);
    if (!out->is_real && !ob__parse_i64(start, length, &out->whole))
        return fail(r, "the number does not fit 64 bits; write a fraction as 1e20");
    out->real = out->is_real ? ob__parse_double(start, length) : (double)out->whole;
    r->at = at;
    return true;
}

static bool begins_number(const char *text)
{
    const char *at = text + (text[0] == '-' || text[0] == '+');
    return ob__is_digit(at[0]) || (at[0] == '.' && ob__is_digit(at[1]));
}

/* LOW or LOW..HIGH; *range says which. */
static bool read_interval(reader *r, number ends[2], bool *range)
{
    if (!read_number(r, &ends[0]))
        return false;
    *range = r->at[0] == '.' && r->at[1] == '.';
    if (*range)
        r->at += 2;
    return !*range || read_number(r, &ends[1]);
}

static bool scalar(reader *r)
{
    number ends[2];
    bool range;
    if (!read_interval(r, ends, &range))
        return false;
    const bool real = ends[0].is_real || (range && ends[1].is_real);
    if (real && range)
        ob_builder_double_range(r->builder, ends[0].real, ends[1].real);
    else if (real)
        ob_builder_double(r->builder, ends[0].real);
    else if (range)
        ob_builder_int_range(r->builder, ends[0].whole, ends[1].whole);
    else
        ob_builder_int(r->builder, ends[0].whole);
    return good(r);
}

/* ---- tensors ---- */

/* "[2,3]" */
static bool read_sizes(reader *r, int64_t *sizes, size_t *count)
{
    *count = 0;
    if (*r->at != '[')
        return fail(r, "expected \"[\" and sizes");
    r->at++;
    while (*r->at != ']') {
        number size;
        if (*count == MOST_SIZES)
            return fail(r, "more than 64 sizes");
        if (!ob__is_digit(*r->at))
            return fail(r, "expected a size or \"]\"");
        if (!read_number(r, &size))
            return false;
        if (size.is_real)
            return fail(r, "a size is a whole number");
        sizes[(*count)++] = size.whole;
        if (*r->at != ',' && *r->at != ']')
            return fail(r, "expected \",\" or \"]\"");
        r->at += *r->at == ',';
    }
    r->at++;
    return true;
}

typedef struct tensor {
    ob_tensor_arg arg;
    int64_t shape[MOST_SIZES], strides[MOST_SIZES];
    double range[2];
    const char *file; /* the .npy file that has its elements; NULL = none */
    uint64_t hash;    /* of it */
} tensor;

/* "npy:x.npy": its dtype, its shape, its strides. said: what stands before it must be so. */
static bool read_file(reader *r, tensor *t, bool in_list, bool said)
{
    ob_err why;
    ob_npy npy;
    r->at += strlen(NPY);
    const size_t length = strcspn(r->at, in_list ? "+@,])" : "+@");
    t->file = copy(r, r->at, length);
    if (length == 0)
        return fail(r, "expected a file name after \"npy:\"");
    if (ob__npy_look(t->file, &npy, &why) != OB_OK) {
        ob_err_set(&r->builder->err, why.code, "argument \"%.200s\": %s", r->word, why.message);
        return false;
    }
    bool same = t->arg.dtype == npy.dtype && t->arg.rank == (size_t)npy.ndim;
    for (size_t i = 0; same && i < t->arg.rank; i++)
        same = t->shape[i] == npy.sizes[i] &&
               (t->arg.strides == NULL || t->strides[i] == npy.strides[i]);
    if (said && !same)
        return fail(r, "the file holds a different array; write just npy:FILE to take it as it is");
    t->arg.dtype = npy.dtype;
    t->arg.rank = (size_t)npy.ndim;
    t->arg.shape = t->shape;
    memcpy(t->shape, npy.sizes, sizeof npy.sizes);
    memcpy(t->strides, npy.strides, sizeof npy.strides);
    t->arg.strides = npy.is_fortran ? t->strides : NULL;
    t->hash = npy.hash;
    r->at += length;
    return true;
}

/* "=0..9", "=1.5" */
static bool read_values(reader *r, tensor *t)
{
    number ends[2];
    bool range;
    if (!read_interval(r, ends, &range))
        return false;
    t->range[0] = ends[0].real;
    t->range[1] = range ? ends[1].real : 0;
    t->arg.value = range ? NULL : t->range;
    t->arg.value_range = range ? t->range : NULL;
    return true;
}

/* "<10" */
static bool read_bound(reader *r, tensor *t)
{
    number bound;
    if (!read_number(r, &bound))
        return false;
    if (bound.is_real || bound.whole < 1 || !ob_dtype_is_integral(t->arg.dtype))
        return fail(r, "\"<\" bounds whole numbers from above: i64[10]<100; for others write "
                       "f32[10]=0..1");
    t->range[0] = 0;
    t->range[1] = (double)(bound.whole - 1);
    t->arg.value = NULL;
    t->arg.value_range = t->range;
    return true;
}

static bool read_attribute(reader *r, tensor *t, bool in_list)
{
    static const char GRAD[] = "grad";
    size_t count;
    switch (*r->at++) {
    case ':':
        if (!read_sizes(r, t->strides, &count))
            return false;
        if (count != t->arg.rank)
            return fail(r, "give as many strides as sizes");
        t->arg.strides = t->strides;
        return true;
    case '=':
        return strncmp(r->at, NPY, strlen(NPY)) == 0 ? read_file(r, t, in_list, true)
                                                     : read_values(r, t);
    case '<':
        return read_bound(r, t);
    case '+':
        if (strncmp(r->at, GRAD, sizeof GRAD - 1) != 0)
            return fail(r, "expected \"grad\" after the \"+\"");
        r->at += sizeof GRAD - 1;
        t->arg.requires_grad = true;
        return true;
    default: {
        const size_t length = strcspn(r->at, ",])+=<");
        t->arg.device = copy_behind(r, t->file, r->at, length);
        r->at += length;
        return length > 0 || fail(r, "expected a device after the \"@\"");
    }
    }
}

static bool end_tensor(reader *r, tensor *t, bool in_list)
{
    while (*r->at != '\0' && strchr(":=<+@", *r->at) != NULL)
        if (!read_attribute(r, t, in_list))
            return false;
    ob__builder_tensor_of(r->builder, &t->arg, t->file, t->hash);
    return good(r);
}

static bool read_tensor(reader *r, size_t name, bool in_list)
{
    tensor t = {.arg = {.size = sizeof t.arg, .dtype = ob_dtype_from_name(r->at, name)}};
    if (t.arg.dtype == OB_DTYPE_INVALID)
        return fail(r, "this is not a dtype; `opbench list dtypes` lists them");
    r->at += name;
    t.arg.shape = t.shape;
    if (!read_sizes(r, t.shape, &t.arg.rank))
        return false;
    return end_tensor(r, &t, in_list);
}

static bool read_npy(reader *r, bool in_list)
{
    tensor t = {.arg = {.size = sizeof t.arg}};
    return read_file(r, &t, in_list, false) && end_tensor(r, &t, in_list);
}

/* ---- other values ---- */

/* Words that say their type, for texts that would be read as something else. */
static const struct {
    const char *prefix;
    void (*make)(ob_builder *builder, const char *value);
} PREFIXES[] = {
    {"str:", ob_builder_str},
    {"device:", ob_builder_device},
    {"layout:", ob_builder_layout},
    {"memory_format:", ob_builder_memory_format},
};

/* By itself such a text goes to the end of the word; in a list it ends where the list goes on. */
static bool read_prefixed(reader *r, bool in_list, bool *found)
{
    *found = false;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        const size_t length = strlen(PREFIXES[i].prefix);
        if (strncmp(r->at, PREFIXES[i].prefix, length) != 0)
            continue;
        *found = true;
        r->at += length;
        const size_t text = strcspn(r->at, in_list ? ",])" : "");
        PREFIXES[i].make(r->builder, copy(r, r->at, text));
        r->at += text;
        return good(r);
    }
    return true;
}

static bool read_quoted(reader *r)
{
    const char *end = strchr(r->at + 1, *r->at);
    if (end == NULL)
        return fail(r, "the closing quote is missing");
    ob_builder_str(r->builder, copy(r, r->at + 1, (size_t)(end - r->at) - 1));
    r->at = end + 1;
    return good(r);
}

static bool read_name(reader *r, size_t length)
{
    const char *text = copy(r, r->at, length);
    const ob_dtype dtype = ob_dtype_from_name(text, length);
    if (strcmp(text, "true") == 0 || strcmp(text, "True") == 0)
        ob_builder_bool(r->builder, true);
    else if (strcmp(text, "false") == 0 || strcmp(text, "False") == 0)
        ob_builder_bool(r->builder, false);
    else if (strcmp(text, "none") == 0 || strcmp(text, "None") == 0)
        ob_builder_none(r->builder);
    else if (dtype != OB_DTYPE_INVALID)
        ob_builder_scalar_type(r->builder, dtype);
    else
        ob_builder_str(r->builder, text);
    r->at += length;
    return good(r);
}

static bool read_simple(reader *r, bool in_list)
{
    bool found;
    if (begins_number(r->at))
        return scalar(r);
    if (*r->at == '"' || *r->at == '\'')
        return read_quoted(r);
    if (strncmp(r->at, NPY, strlen(NPY)) == 0)
        return read_npy(r, in_list);
    if (!read_prefixed(r, in_list, &found) || found)
        return good(r);
    const size_t name = name_length(r->at, true);
    if (name == 0)
        return fail(r, "expected an argument such as f32[2,3], 1.5, [1,2], true or \"text\"");
    return r->at[name] == '[' ? read_tensor(r, name, in_list) : read_name(r, name);
}

/* One value, with all that nests in it: brackets are counted, not recursed into. */
static bool read_value(reader *r)
{
    char open[OB_BUILDER_MAX_NESTING];
    size_t depth = 0;
    for (;;) {
        if (*r->at == '[' || *r->at == '(') {
            if (depth == OB_BUILDER_MAX_NESTING)
                return fail(r, "lists are nested too deeply");
            open[depth++] = *r->at == '[' ? ']' : ')';
            (*r->at == '[' ? ob_builder_list : ob_builder_tuple)(r->builder);
            r->at++;
            if (!good(r))
                return false;
            if (*r->at != open[depth - 1])
                continue;
        } else if (!read_simple(r, depth > 0)) {
            return false;
        }
        while (depth > 0 && *r->at == open[depth - 1]) {
            ob_builder_end(r->builder);
            r->at++;
            depth--;
        }
        if (depth == 0)
            return good(r);
        if (*r->at != ',')
            return fail(r, open[depth - 1] == ']' ? "expected \",\" or \"]\""
                                                  : "expected \",\" or \")\"");
        r->at++;
    }
}

/* What the calls behind a word refuse is told with the word, not with their names. */
static void name_word(const reader *r)
{
    ob_err *err = &r->builder->err;
    const char *what =
        strncmp(err->message, "ob_builder_", 11) == 0 ? strstr(err->message, ": ") : NULL;
    if (err->code == OB_OK || what == NULL)
        return;
    const ob_err before = *err;
    ob_err_set(err, before.code == OB_ERR_NOMEM ? OB_ERR_NOMEM : OB_ERR_SYNTAX,
               "argument \"%.200s\": %s", r->word, before.message + (what - err->message) + 2);
}

void ob_builder_word(ob_builder *b, const char *word)
{
    if (!ob__builder_enter(b, __func__) || !ob__builder_takes_argument(b))
        return;
    if (word == NULL) {
        ob__builder_fail(b, OB_ERR_INVALID, "the word is NULL");
        return;
    }
    reader r = {.builder = b, .word = word, .at = word, .scratch = malloc(strlen(word) + 1)};
    if (r.scratch == NULL) {
        ob__builder_fail(b, OB_ERR_NOMEM, "out of memory");
        return;
    }
    const size_t name = name_length(word, false);
    if (name > 0 && word[name] == '=') {
        ob_builder_name(b, copy(&r, word, name));
        r.at += name + 1;
    } else if (ob_json_count(b->kwargs) > 0) {
        fail(&r, "an argument without a name cannot follow one with a name");
    }
    if (good(&r) && *r.at == '{')
        ob_builder_json(b, r.at);
    else if (good(&r) && read_value(&r) && *r.at != '\0')
        fail(&r, "there is more text after the end of the argument");
    name_word(&r);
    free(r.scratch);
}

/* The words from..to of a combination, each as an argument. */
static void add_words(ob_builder *builder, const ob_word_lists *lists, size_t from, size_t to,
                      size_t combination)
{
    ob_text word = {0};
    for (size_t i = from; i < to && builder->err.code == OB_OK; i++) {
        word.size = 0;
        if (ob__word_lists_print(lists, i, combination, &word))
            ob_builder_word(builder, word.data);
        else
            ob__builder_fail(builder, OB_ERR_NOMEM, "out of memory");
    }
    ob_text_fini(&word);
}

/* Without a constructor a combination is an input; with one it is a group, whose build and input belong together. */
static void add_combinations(ob_builder *builder, const ob_word_lists *lists, size_t slash)
{
    const bool builds = slash < lists->word_count;
    for (size_t k = 0; k < lists->combinations && builder->err.code == OB_OK; k++) {
        if (builds) {
            if (k > 0)
                ob_builder_group(builder);
            ob_builder_build(builder);
            add_words(builder, lists, 0, slash, k);
        }
        ob_builder_input(builder);
        add_words(builder, lists, builds ? slash + 1 : 0, lists->word_count, k);
    }
}

/* A module's constructor has arguments, and no word says where they end: before the first tensor, most likely. */
static void tell_of_slash(ob_builder *builder, const char *name, const char *const *words,
                          size_t count)
{
    size_t inputs = 0;
    ob_text line = {.data = NULL};
    while (inputs < count && strchr(words[inputs], '[') == NULL)
        inputs++;
    bool ok = ob_text_append_str(&line, name);
    for (size_t i = 0; ok && i <= count; i++) {
        ok = i != inputs || ob_text_append_str(&line, " /");
        if (i < count) {
            const char *quote = words[i][strcspn(words[i], " []{}()*?$&;|<>\"")] != '\0' ? "'" : "";
            ok = ok && ob_text_printf(&line, " %s%s%s", quote, words[i], quote);
        }
    }
    ob_err_set(&builder->err, ok ? OB_ERR_INVALID : OB_ERR_NOMEM,
               "%s is a module: arguments of its constructor go before a \"/\", those of its call "
               "after it; write %.*s",
               name, ok ? (int)line.size : 0, ok ? line.data : "");
    ob_text_fini(&line);
}

void ob_builder_call(ob_builder *builder, const char *name, const char *const *words, size_t count)
{
    size_t slash = 0;
    while (slash < count && strcmp(words[slash], "/") != 0)
        slash++;
    ob_builder_op(builder, name, NULL);
    if (builder->err.code == OB_OK && count > 0 && slash == count && ob__module_needs_build(name))
        tell_of_slash(builder, name, words, count);
    if (builder->err.code != OB_OK)
        return;
    ob_word_lists lists;
    if (ob__word_lists_read(&lists, words, count, &builder->err) == OB_OK)
        add_combinations(builder, &lists, slash);
    ob__word_lists_fini(&lists);
}
