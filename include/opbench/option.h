/* SPDX-License-Identifier: Apache-2.0
 *
 * Option rows, the only list of options: defaults, parsing, help, man pages, completion, what a
 * header says about options and what a resumed run compares all come from them.
 */
#ifndef OPBENCH_OPTION_H
#define OPBENCH_OPTION_H

#include "opbench/json.h"
#include "opbench/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ob_option_type {
    OB_OPTION_FLAG,   /* bool */
    OB_OPTION_STRING, /* const char *: points into argv */
    OB_OPTION_INT,    /* int64_t, within [min, max] */
    OB_OPTION_DOUBLE, /* double, within [min, max] */
    OB_OPTION_CHOICE, /* const char *: one of `choices` */
    OB_OPTION_ROWS,   /* no option: rows of another table stand here, see `rows` */
    OB_OPTION_LIST,   /* ob_option_list: a text that may be given several times */
} ob_option_type;

enum { OB_OPTION_MAX_VALUES = 8 };

/* The texts in their order, NULL after the last; they point into argv. */
typedef struct ob_option_list {
    const char *items[OB_OPTION_MAX_VALUES + 1];
} ob_option_list;

typedef struct ob_option ob_option;
struct ob_option {
    const char *name;         /* "config": given as --config VALUE or --config=VALUE */
    char letter;              /* 'c', or 0 */
    bool open;                /* numbers only: min and max themselves are not allowed */
    bool rare;                /* few people need it: the short help leaves it out */
    bool affects_measurement; /* results with another value are not of the same run */
    ob_option_type type;
    size_t offset; /* of the field in the options struct */
    /* Placeholder in help, "FILE"; NULL = the unit, or none for a flag. "FRACTION" also takes
     * percentages: 5% is 0.05. */
    const char *value;
    const char *unit;      /* "seconds"; NULL = none */
    const char *choices;   /* "on|off", else NULL */
    double min, max;       /* numbers only; both 0 = any */
    const char *initial;   /* the default, as it would be written; NULL = false, 0, none */
    const char *otherwise; /* the default in words; NULL = `initial` says it */
    const char *group;     /* its heading in help; NULL = none */
    const char *help;      /* one sentence or more, without the default; NULL = it is not shown */
    const char *refused;   /* why it is refused, and what to do instead; NULL = it is not */
    /* OB_OPTION_ROWS: another table; `name` says which of its rows to take ("backend|device"; "*" =
     * all, "!device" = all others). `offset` is added to theirs; a group, help, default or other
     * string given here replaces theirs. A later row of the same name for the same field also
     * replaces an earlier one. */
    const ob_option *(*rows)(void);
}; /* a table ends with a row whose name is NULL */

/* A row: OB_OPTION(INT, "warmup", my_options, warmup, .letter = 'w', .value = "N", .help =
 * "...") */
#define OB_OPTION(kind, option_name, options_type, field, ...)                                     \
    {                                                                                              \
        .name = (option_name), .type = OB_OPTION_##kind, .offset = offsetof(options_type, field),  \
        __VA_ARGS__                                                                                \
    }
/* Rows of another table whose struct begins at `base`. */
#define OB_OPTION_ROWS_OF(table, names, base, ...)                                                 \
    {                                                                                              \
        .name = (names), .type = OB_OPTION_ROWS, .rows = (table), .offset = (base), __VA_ARGS__    \
    }
/* A number that is a macro, as `initial`. */
#define OB_OPTION_NUMBER_(number) #number
#define OB_OPTION_NUMBER(number) OB_OPTION_NUMBER_(number)

/* The table with OB_OPTION_ROWS replaced by the rows it stands for; all calls below need this form.
 * malloc'ed; free() it. OB_ERR_INVALID when a name is in no table. */
ob_status ob_options_join(const ob_option *rows, ob_option **out, ob_err *err);
/* The row of that name, NULL when there is none; rows may be NULL. */
const ob_option *ob_options_find(const ob_option *rows, const char *name);
size_t ob_options_count(const ob_option *rows);

/* Sets the field of each row that has an `initial`; the others stay as they are (zeros, if *target
 * is new). OB_ERR_INVALID names a row whose default does not fit its type. */
ob_status ob_options_init(const ob_option *rows, void *target, ob_err *err);

/* Parses argv[1..] into *target by the rows. Words that are not options are gathered into
 * positionals (room for argc). "--" ends options. A repeated option: the last one counts, unless it
 * is a LIST. OB_ERR_INVALID with a message that names the option and, for a misspelt one, the
 * nearest row. */
ob_status ob_options_parse(const ob_option *rows, int argc, char *const *argv, void *target,
                           const char **positionals, size_t *positional_count, ob_err *err);

/* Gets an option on a command line with its value (NULL: a flag), or any other word, with row
 * NULL. */
typedef void (*ob_option_seen_fn)(void *ctx, const ob_option *row, const char *value);
/* Walks a command line word by word without filling anything: for callers that must know what was
 * given, even if it is the default, or that print the line again. Values are not checked. */
ob_status ob_options_walk(const ob_option *rows, int argc, char *const *argv,
                          ob_option_seen_fn seen, void *ctx, ob_err *err);

/* ---- values ---- */

/* The value in *target as a user would write it: "5", "given", "not given". */
void ob_option_format_value(const ob_option *row, const void *target, char *out, size_t size);
/* Whether the value in *target is the default. */
bool ob_option_is_default(const ob_option *row, const void *target);
/* The first row that affects_measurement and has other values in a and b; NULL = there is none. */
const ob_option *ob_options_find_difference(const ob_option *rows, const void *a, const void *b);
/* Writes all values as members of an object, with "_" for "-" in their names, and reads them back:
 * members that are missing or of another kind leave *target unchanged (null is not a text). Strings
 * live as long as the object. */
ob_status ob_options_to_json(const ob_option *rows, const void *target, ob_json_doc *doc,
                             ob_json *object, ob_err *err);
void ob_options_from_json(const ob_option *rows, const ob_json *object, void *target);

/* ---- texts: false when out of memory ---- */

/* "-c, --config FILE", like snprintf. */
size_t ob_option_format_title(const ob_option *row, char *out, size_t size);
/* The whole help: what the row says, its choices, its default or why it is refused. */
bool ob_option_append_help(const ob_option *row, ob_text *text);
/* Whether it is shown below that heading. */
bool ob_option_is_in(const ob_option *row, const char *group);
/* The heading after this one, in the order in which the rows name them; group NULL: the first. NULL
 * = no more. Rows without a group are below "Options". */
const char *ob_options_next_group(const ob_option *rows, const char *group);
/* The help block of a group, one line or more each, wrapped at 80 columns. */
bool ob_options_append_help(const ob_option *rows, const char *group, ob_text *text);

/* The row nearest in spelling to `word` from a list of names, or NULL when none is near. */
const char *ob_nearest_name(const char *word, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif
#endif
