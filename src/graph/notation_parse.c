/* SPDX-License-Identifier: Apache-2.0
 *
 * From tokens to the tree, by recursive descent. The depth of the tree is bounded while it is made,
 * also where no recursion of the parser makes it deep ("1+1+1+..."), because evaluation recurses.
 */
#include "graph/notation.h"

#include <string.h>

typedef struct parser {
    ob__program *program;
    size_t at;
    ob__token token; /* the next one */
    int depth;       /* of the parser's own recursion */
    ob_err *err;
} parser;

static ob_status parse_expr(parser *p, ob__expr **out);

static ob_status advance(parser *p)
{
    return ob__token_read(&p->program->source, &p->at, &p->program->arena, &p->token, p->err);
}

static ob_status fail_expected(parser *p, const char *expected)
{
    const ob__token *token = &p->token;
    return ob__source_error(
        &p->program->source, token->start, token->end, OB_ERR_SYNTAX, p->err,
        "expected %s, found %s%s%s", expected, token->kind == OB__TOKEN_END ? "" : "\"",
        token->kind == OB__TOKEN_NAME ? token->text : ob__token_name(token->kind),
        token->kind == OB__TOKEN_END ? "" : "\"");
}

static ob_status expect(parser *p, ob__token_kind kind, const char *expected)
{
    if (p->token.kind != kind)
        return fail_expected(p, expected);
    return advance(p);
}

static ob_status fail_memory(parser *p)
{
    return ob_err_set(p->err, OB_ERR_NOMEM, "out of memory for a text of %zu bytes",
                      p->program->source.length);
}

static ob_status new_expr(parser *p, ob__expr_kind kind, uint32_t start, ob__expr **out)
{
    ob__expr *expr = ob__arena_alloc(&p->program->arena, sizeof *expr);
    if (expr == NULL)
        return fail_memory(p);
    *expr = (ob__expr){.kind = kind, .start = start, .depth = 1};
    *out = expr;
    return OB_OK;
}

/* Takes a child's depth into account. */
static ob_status deepen(parser *p, ob__expr *expr, const ob__expr *child)
{
    if (child != NULL && child->depth >= expr->depth)
        expr->depth = (uint16_t)(child->depth + 1);
    if (expr->depth > OB__NOTATION_MAX_DEPTH)
        return ob__source_error(&p->program->source, expr->start, expr->start + 1, OB_ERR_LIMIT,
                                p->err, "the text is nested more than %d levels deep; split it",
                                OB__NOTATION_MAX_DEPTH);
    return OB_OK;
}

static ob_status enter(parser *p)
{
    if (++p->depth > OB__NOTATION_MAX_DEPTH)
        return ob__source_error(&p->program->source, p->token.start, p->token.end, OB_ERR_LIMIT,
                                p->err, "the text is nested more than %d levels deep; split it",
                                OB__NOTATION_MAX_DEPTH);
    return OB_OK;
}

/* An argument or list item; appended behind *tail. */
static ob_status parse_item(parser *p, ob__expr *list, ob__expr **tail, bool keywords)
{
    const char *keyword = NULL;
    if (keywords && p->token.kind == OB__TOKEN_NAME) {
        /* One token ahead decides whether this is name=expr. */
        const size_t at = p->at;
        const ob__token name = p->token;
        OB_TRY(advance(p));
        if (p->token.kind == OB__TOKEN_ASSIGN) {
            keyword = name.text;
            OB_TRY(advance(p));
        } else {
            p->at = at;
            p->token = name;
        }
    }
    ob__expr *item = NULL;
    OB_TRY(parse_expr(p, &item));
    item->keyword = keyword;
    if (keyword == NULL && *tail != NULL && (*tail)->keyword != NULL)
        return ob__source_error(&p->program->source, item->start, item->end, OB_ERR_SYNTAX, p->err,
                                "a positional argument comes after %s=; put it before",
                                (*tail)->keyword);
    if (*tail != NULL)
        (*tail)->next = item;
    else
        list->items = item;
    *tail = item;
    list->item_count++;
    return deepen(p, list, item);
}

/* Items up to the closing mark, which is taken too; a comma may stand before it. */
static ob_status parse_items(parser *p, ob__expr *list, ob__token_kind close, bool keywords)
{
    ob__expr *tail = NULL;
    while (p->token.kind != close) {
        OB_TRY(parse_item(p, list, &tail, keywords));
        if (p->token.kind == OB__TOKEN_COMMA)
            OB_TRY(advance(p));
        else if (p->token.kind != close)
            return fail_expected(p, close == OB__TOKEN_RPAREN ? "',' or ')'" : "',' or ']'");
    }
    list->end = p->token.end;
    return advance(p);
}

/* name, name(...), name(...)(...) or @name(...). */
static ob_status parse_named(parser *p, ob__expr **out)
{
    const ob__token name = p->token;
    const bool function = name.kind == OB__TOKEN_FUNCTION;
    OB_TRY(new_expr(p, function ? OB__EXPR_FUNCTION : OB__EXPR_NAME, name.start, out));
    (*out)->text = name.text;
    (*out)->end = name.end;
    OB_TRY(advance(p));
    if (function && p->token.kind != OB__TOKEN_LPAREN)
        return fail_expected(p, "'('");
    if (p->token.kind != OB__TOKEN_LPAREN)
        return OB_OK;
    if (!function)
        (*out)->kind = OB__EXPR_CALL;
    OB_TRY(advance(p));
    OB_TRY(parse_items(p, *out, OB__TOKEN_RPAREN, !function));
    if (function || p->token.kind != OB__TOKEN_LPAREN)
        return OB_OK;
    ob__expr *forward = NULL;
    (*out)->kind = OB__EXPR_MODULE;
    OB_TRY(new_expr(p, OB__EXPR_LIST, p->token.start, &forward));
    OB_TRY(advance(p));
    OB_TRY(parse_items(p, forward, OB__TOKEN_RPAREN, true));
    (*out)->a = forward;
    (*out)->end = forward->end;
    return deepen(p, *out, forward);
}

static ob_status parse_constant(parser *p, ob__expr **out)
{
    OB_TRY(new_expr(p, OB__EXPR_VALUE, p->token.start, out));
    (*out)->op = p->token.kind;
    (*out)->end = p->token.end;
    (*out)->text = p->token.text;
    (*out)->length = p->token.length;
    (*out)->integer = p->token.integer;
    (*out)->real = p->token.real;
    return advance(p);
}

static ob_status parse_primary(parser *p, ob__expr **out)
{
    switch (p->token.kind) {
    case OB__TOKEN_INT:
    case OB__TOKEN_REAL:
    case OB__TOKEN_STRING:
    case OB__TOKEN_TRUE:
    case OB__TOKEN_FALSE:
    case OB__TOKEN_NONE:
        return parse_constant(p, out);
    case OB__TOKEN_NAME:
    case OB__TOKEN_FUNCTION:
        return parse_named(p, out);
    case OB__TOKEN_LBRACKET:
        OB_TRY(new_expr(p, OB__EXPR_LIST, p->token.start, out));
        OB_TRY(advance(p));
        return parse_items(p, *out, OB__TOKEN_RBRACKET, false);
    case OB__TOKEN_LPAREN:
        OB_TRY(advance(p));
        OB_TRY(parse_expr(p, out));
        return expect(p, OB__TOKEN_RPAREN, "')'");
    default:
        return fail_expected(p, "a value, a name or a call");
    }
}

static ob_status parse_postfix(parser *p, ob__expr **out)
{
    OB_TRY(parse_primary(p, out));
    while (*out != NULL && p->token.kind == OB__TOKEN_LBRACKET) {
        ob__expr *index = NULL, *node = NULL;
        OB_TRY(advance(p));
        OB_TRY(parse_expr(p, &index));
        OB_TRY(new_expr(p, OB__EXPR_INDEX, (*out)->start, &node));
        node->end = p->token.end;
        OB_TRY(expect(p, OB__TOKEN_RBRACKET, "']'"));
        node->a = *out;
        node->b = index;
        OB_TRY(deepen(p, node, node->a));
        OB_TRY(deepen(p, node, node->b));
        *out = node;
    }
    return OB_OK;
}

static ob_status parse_prefix(parser *p, ob__token_kind mark, ob__expr_kind kind,
                              ob_status (*operand)(parser *, ob__expr **), ob__expr **out)
{
    if (p->token.kind != mark)
        return operand(p, out);
    ob__expr *inner = NULL;
    OB_TRY(new_expr(p, kind, p->token.start, out));
    OB_TRY(enter(p));
    OB_TRY(advance(p));
    OB_TRY(parse_prefix(p, mark, kind, operand, &inner));
    p->depth--;
    (*out)->a = inner;
    (*out)->end = inner != NULL ? inner->end : p->token.start;
    return deepen(p, *out, inner);
}

static ob_status parse_unary(parser *p, ob__expr **out)
{
    return parse_prefix(p, OB__TOKEN_MINUS, OB__EXPR_NEGATE, parse_postfix, out);
}

/* One level of operators that bind to the left; `tokens` is a list ended by OB__TOKEN_END. */
static ob_status parse_chain(parser *p, const ob__token_kind *tokens, ob__expr_kind kind,
                             ob_status (*operand)(parser *, ob__expr **), ob__expr **out)
{
    OB_TRY(operand(p, out));
    for (;;) {
        const ob__token_kind *match = tokens;
        while (*match != OB__TOKEN_END && *match != p->token.kind)
            match++;
        if (*match == OB__TOKEN_END)
            return OB_OK;
        ob__expr *node = NULL, *right = NULL;
        OB_TRY(new_expr(p, kind, (*out)->start, &node));
        node->op = *match;
        OB_TRY(advance(p));
        OB_TRY(operand(p, &right));
        node->a = *out;
        node->b = right;
        node->end = right->end;
        OB_TRY(deepen(p, node, node->a));
        OB_TRY(deepen(p, node, node->b));
        *out = node;
    }
}

static ob_status parse_product(parser *p, ob__expr **out)
{
    static const ob__token_kind TOKENS[] = {OB__TOKEN_STAR, OB__TOKEN_SLASH, OB__TOKEN_FLOORDIV,
                                            OB__TOKEN_PERCENT, OB__TOKEN_END};
    return parse_chain(p, TOKENS, OB__EXPR_BINARY, parse_unary, out);
}

static ob_status parse_sum(parser *p, ob__expr **out)
{
    static const ob__token_kind TOKENS[] = {OB__TOKEN_PLUS, OB__TOKEN_MINUS, OB__TOKEN_END};
    return parse_chain(p, TOKENS, OB__EXPR_BINARY, parse_product, out);
}

static ob_status parse_comparison(parser *p, ob__expr **out)
{
    static const ob__token_kind TOKENS[] = {OB__TOKEN_EQ, OB__TOKEN_NE, OB__TOKEN_LT, OB__TOKEN_LE,
                                            OB__TOKEN_GT, OB__TOKEN_GE, OB__TOKEN_END};
    return parse_chain(p, TOKENS, OB__EXPR_BINARY, parse_sum, out);
}

static ob_status parse_not(parser *p, ob__expr **out)
{
    return parse_prefix(p, OB__TOKEN_NOT, OB__EXPR_NOT, parse_comparison, out);
}

static ob_status parse_and(parser *p, ob__expr **out)
{
    static const ob__token_kind TOKENS[] = {OB__TOKEN_AND, OB__TOKEN_END};
    return parse_chain(p, TOKENS, OB__EXPR_AND, parse_not, out);
}

static ob_status parse_or(parser *p, ob__expr **out)
{
    static const ob__token_kind TOKENS[] = {OB__TOKEN_OR, OB__TOKEN_END};
    return parse_chain(p, TOKENS, OB__EXPR_OR, parse_and, out);
}

static ob_status parse_expr(parser *p, ob__expr **out)
{
    OB_TRY(enter(p));
    OB_TRY(parse_or(p, out));
    if (p->token.kind == OB__TOKEN_IF) {
        ob__expr *node = NULL, *condition = NULL, *otherwise = NULL;
        OB_TRY(new_expr(p, OB__EXPR_IF, (*out)->start, &node));
        OB_TRY(advance(p));
        OB_TRY(parse_or(p, &condition));
        OB_TRY(expect(p, OB__TOKEN_ELSE, "else"));
        OB_TRY(parse_expr(p, &otherwise));
        node->a = *out;
        node->b = condition;
        node->c = otherwise;
        node->end = otherwise->end;
        OB_TRY(deepen(p, node, node->a));
        OB_TRY(deepen(p, node, node->b));
        OB_TRY(deepen(p, node, node->c));
        *out = node;
    }
    p->depth--;
    return OB_OK;
}

/* ---- statements ---- */

enum { MAX_TARGETS = 64 };

static ob_status parse_targets(parser *p, ob__statement *statement)
{
    const char *targets[MAX_TARGETS];
    for (;;) {
        if (p->token.kind != OB__TOKEN_NAME)
            return fail_expected(p, "a name to assign to");
        if (statement->target_count == MAX_TARGETS)
            return ob__source_error(&p->program->source, p->token.start, p->token.end, OB_ERR_LIMIT,
                                    p->err, "more than %d targets in a statement", MAX_TARGETS);
        targets[statement->target_count++] = p->token.text;
        OB_TRY(advance(p));
        if (p->token.kind != OB__TOKEN_COMMA)
            break;
        OB_TRY(advance(p));
    }
    OB_TRY(expect(p, OB__TOKEN_ASSIGN, "',' or '='"));
    const size_t size = statement->target_count * sizeof *targets;
    statement->targets = ob__arena_alloc(&p->program->arena, size);
    if (statement->targets == NULL)
        return fail_memory(p);
    memcpy(statement->targets, targets, size);
    return OB_OK;
}

static ob_status parse_statement(parser *p, ob__statement **out)
{
    ob__statement *statement = ob__arena_alloc(&p->program->arena, sizeof *statement);
    if (statement == NULL)
        return fail_memory(p);
    *statement = (ob__statement){.start = p->token.start};
    if (p->token.kind == OB__TOKEN_STRING) {
        statement->label = p->token.text;
        OB_TRY(advance(p));
        OB_TRY(expect(p, OB__TOKEN_COLON, "':' after the label"));
    }
    OB_TRY(parse_targets(p, statement));
    ob__expr *expr = NULL;
    OB_TRY(parse_expr(p, &expr));
    statement->expr = expr;
    *out = statement;
    return OB_OK;
}

static ob_status begin(parser *p, ob__program *out, const char *text, const char *what)
{
    ob__arena_init(&out->arena, 0);
    out->source = (ob__source){.text = text, .length = strlen(text), .what = what};
    if (out->source.length > OB__NOTATION_MAX_BYTES)
        return ob_err_set(p->err, OB_ERR_LIMIT,
                          "a graph text can have at most %d bytes; this one has %zu",
                          OB__NOTATION_MAX_BYTES, out->source.length);
    return advance(p);
}

ob_status ob__program_parse(ob__program *out, const char *text, const char *what, ob_err *err)
{
    *out = (ob__program){.first = NULL};
    parser p = {.program = out, .err = err};
    OB_TRY(begin(&p, out, text, what));
    ob__statement *last = NULL;
    while (p.token.kind != OB__TOKEN_END) {
        ob__statement *statement = NULL;
        OB_TRY(parse_statement(&p, &statement));
        if (last != NULL)
            last->next = statement;
        else
            out->first = statement;
        last = statement;
        out->count++;
        if (p.token.kind == OB__TOKEN_SEMICOLON)
            OB_TRY(advance(&p));
        else if (p.token.kind != OB__TOKEN_END)
            return fail_expected(&p, "';' or the end");
    }
    return OB_OK;
}

void ob__program_fini(ob__program *program)
{
    ob__arena_fini(&program->arena);
}
