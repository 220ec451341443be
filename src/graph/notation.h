/* SPDX-License-Identifier: Apache-2.0
 *
 * Graph notation (docs/graphs.md): tokens, the tree, and its evaluation into a graph.
 */
#ifndef OB_GRAPH_NOTATION_H
#define OB_GRAPH_NOTATION_H

#include "base/arena.h"
#include "graph/graph_internal.h"

enum {
    OB__NOTATION_MAX_BYTES = 1 << 20,
    OB__NOTATION_MAX_DEPTH = 96,      /* of the tree, so that walking it needs little stack */
    OB__NOTATION_MAX_ITEMS = 1 << 14, /* of a list, those of its lists included */
};

/* ---- tokens ---- */

/* id, text for messages. The fixed ones' text is also how they are written. */
#define OB__TOKEN_MAP(X)                                                                           \
    X(END, "the end")                                                                              \
    X(NAME, "a name")                                                                              \
    X(FUNCTION, "a function")                                                                      \
    X(INT, "a whole number")                                                                       \
    X(REAL, "a number")                                                                            \
    X(STRING, "a string")                                                                          \
    X(TRUE, "True")                                                                                \
    X(FALSE, "False")                                                                              \
    X(NONE, "None")                                                                                \
    X(IF, "if")                                                                                    \
    X(ELSE, "else")                                                                                \
    X(NOT, "not")                                                                                  \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(EQ, "==")                                                                                    \
    X(NE, "!=")                                                                                    \
    X(LE, "<=")                                                                                    \
    X(GE, ">=")                                                                                    \
    X(FLOORDIV, "//")                                                                              \
    X(LT, "<")                                                                                     \
    X(GT, ">")                                                                                     \
    X(ASSIGN, "=")                                                                                 \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(PERCENT, "%")                                                                                \
    X(LPAREN, "(")                                                                                 \
    X(RPAREN, ")")                                                                                 \
    X(LBRACKET, "[")                                                                               \
    X(RBRACKET, "]")                                                                               \
    X(COMMA, ",")                                                                                  \
    X(SEMICOLON, ";")                                                                              \
    X(COLON, ":")

typedef enum ob__token_kind {
#define OB__TOKEN_ENUM(id, text) OB__TOKEN_##id,
    OB__TOKEN_MAP(OB__TOKEN_ENUM)
#undef OB__TOKEN_ENUM
        OB__TOKEN_COUNT
} ob__token_kind;

typedef struct ob__token {
    ob__token_kind kind;
    uint32_t start, end; /* bytes in the text */
    const char *text;    /* NAME, FUNCTION (without "@"), STRING (decoded): NUL-terminated */
    size_t length;
    int64_t integer;
    double real;
} ob__token;

/* A text with the place of an error in it. */
typedef struct ob__source {
    const char *text;
    size_t length;
    const char *what; /* "the derivative of aten::mul.Tensor"; NULL = the user's own text */
} ob__source;

const char *ob__token_name(ob__token_kind kind);
/* Reads the token at *at and moves *at behind it. Texts of tokens live in the arena. */
ob_status ob__token_read(const ob__source *source, size_t *at, ob_arena *arena, ob__token *token,
                         ob_err *err);
/* Sets code and "message, at "part" of what" with line and column of [start, end); returns code. */
ob_status ob__source_error(const ob__source *source, uint32_t start, uint32_t end, ob_status code,
                           ob_err *err, const char *format, ...) OB_PRINTF(6, 7);
/* Adds the place to an error that came from below. */
void ob__source_locate(const ob__source *source, uint32_t start, uint32_t end, ob_err *err);

/* ---- the tree ---- */

typedef enum ob__expr_kind {
    OB__EXPR_VALUE, /* None, True, False, numbers, strings: token */
    OB__EXPR_NAME,
    OB__EXPR_CALL,     /* text(items) */
    OB__EXPR_MODULE,   /* text(items)(a's items): constructor and call */
    OB__EXPR_FUNCTION, /* @text(items) */
    OB__EXPR_LIST,     /* [items] */
    OB__EXPR_INDEX,    /* a[b] */
    OB__EXPR_NEGATE,   /* -a */
    OB__EXPR_BINARY,   /* a op b: arithmetic and comparisons */
    OB__EXPR_NOT,      /* not a */
    OB__EXPR_AND,
    OB__EXPR_OR,
    OB__EXPR_IF, /* a if b else c */
} ob__expr_kind;

typedef struct ob__expr ob__expr;
struct ob__expr {
    ob__expr_kind kind;
    ob__token_kind op; /* BINARY: its token; VALUE: the token's kind */
    uint16_t depth;
    uint32_t start, end;
    const char *text;
    size_t length;
    int64_t integer;
    double real;
    const ob__expr *a, *b, *c;
    const ob__expr *items; /* first of the list, linked by next */
    size_t item_count;
    const ob__expr *next;
    const char *keyword; /* as an argument: name=...; NULL = positional */
};

typedef struct ob__statement ob__statement;
struct ob__statement {
    const char *label; /* "conv1": prefix of the parameters' names; NULL = none */
    const char **targets;
    size_t target_count;
    const ob__expr *expr;
    const ob__statement *next;
    uint32_t start;
};

typedef struct ob__program {
    ob_arena arena;
    ob__source source;
    const ob__statement *first;
    size_t count;
} ob__program;

/* text and what are borrowed and must outlive the program. Call fini also after a failure. */
ob_status ob__program_parse(ob__program *out, const char *text, const char *what, ob_err *err);
void ob__program_fini(ob__program *program);

/* ---- evaluation ---- */

typedef struct ob__binding {
    char *name; /* malloc'ed */
    ob_operand operand;
} ob__binding;

/* Where names come from and where targets go. Looked up in this order: locals,
 * the hook, names, edges of the graph. */
typedef struct ob__scope {
    ob_graph *graph;
    ob__binding *locals;
    size_t local_count, local_capacity;
    const ob_graph_name *names; /* borrowed */
    size_t name_count;
    bool sees_edges;            /* free names may be edges of the graph */
    const char *prefix;         /* of the names of parameters; NULL = "" */
    bool makes_parameters;      /* @parameter and @buffer are allowed */
    ob_dtype parameter_dtype;   /* what they make */
    ob_device parameter_device; /* and where; type "" = the run's */
    const ob__hints *hints;     /* names for the edges of result, result_0, ... */
    const bool *skip;           /* one flag per statement; NULL = run all */
    void *ctx;                  /* of the hooks */
    /* A name that only the caller knows; *out is owned by the evaluator. */
    ob_status (*lookup)(void *ctx, const char *name, ob_operand *out, bool *found, ob_err *err);
    /* A target that the caller takes; *value is moved out when *taken. */
    ob_status (*assign)(void *ctx, const char *name, ob_operand *value, bool *taken, ob_err *err);
    /* The name for the edge that a target gets; NULL = by the operator. Without the hook: the
     * target. */
    const char *(*hint)(void *ctx, const char *target);
    /* @needs_grad(name); NULL = the function is not allowed here. */
    bool (*needs_grad)(void *ctx, const char *name);
} ob__scope;

ob_status ob__program_run(const ob__program *program, ob__scope *scope, ob_err *err);
/* Parses and runs. */
ob_status ob__scope_run_text(ob__scope *scope, const char *text, const char *what, ob_err *err);
ob_status ob__scope_set(ob__scope *scope, const char *name, ob_operand *value, ob_err *err);
/* NULL when there is no such local. Borrowed. */
const ob_operand *ob__scope_find(const ob__scope *scope, const char *name);
/* The result of a text: `result`, or the list of result_0, result_1, ... Owned by the caller. */
ob_status ob__scope_result(const ob__scope *scope, const char *what, ob_operand *out, ob_err *err);
void ob__scope_fini(ob__scope *scope);

/* -1 unless name is stem ("result") or stem_<number>. */
int ob__name_number(const char *name, const char *stem);

/* ---- parts of the evaluator ---- */

/* What a function sees of its call. */
typedef struct ob__function_args {
    ob__scope *scope;
    const char *name;
    const ob_operand *args;
    size_t count;
    const char *target; /* name of the statement's first target; NULL = none */
} ob__function_args;

/* OB_ERR_LIMIT for a list that has grown beyond OB__NOTATION_MAX_ITEMS. */
ob_status ob__operand_check_size(const ob_operand *operand, ob_err *err);
ob_status ob__function_eval(const ob__function_args *args, ob_operand *out, ob_err *err);
ob_status ob__constant_binary(ob__token_kind op, const ob_value *a, const ob_value *b,
                              ob_value *out, ob_err *err);
ob_status ob__constant_negate(const ob_value *a, ob_value *out, ob_err *err);
/* What a condition means: numbers are not zero, strings and lists not empty, None is false. */
bool ob__constant_truth(const ob_value *value);

#endif
