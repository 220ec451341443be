/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph notation: constants, functions, names, places of errors, limits.
 */
#include "graph_test.h"

/* A constant expression is seen through the sizes that it gives to zeros([...]). */
static void check_ints(const char *expression, const char *want)
{
    char text[512];
    ob_graph *graph = graph_with("x f32[2, 3, 5]; y i64[4]");
    snprintf(text, sizeof text, "r = zeros(%s)", expression);
    if (add_text(graph, text))
        CHECK_STR(edge_text(graph, "r"), want);
    ob_graph_destroy(graph);
}

static void check_error(const char *text, ob_status code, uint32_t column, const char *part)
{
    ob_err err;
    ob_graph *graph = graph_with("x f32[2, 3, 5]; y i64[4]");
    ob_err_clear(&err);
    CHECK_INT(ob_graph_add_text(graph, text, NULL, 0, &err), code);
    CHECK_INT(err.code, code);
    CHECK_INT(err.column, column);
    CHECK_HAS(err.message, part);
    ob_graph_destroy(graph);
}

static void constants(void)
{
    check_ints("[1 + 2 * 3]", "f32[7]");
    check_ints("[(1 + 2) * 3, 7 // 2, 7 % 3]", "f32[9, 3, 1]");
    check_ints("[-7 // 2 + 10, -7 % 3, 7 % -3 + 10]", "f32[6, 2, 8]");
    check_ints("[10 - 3 - 2]", "f32[5]");
    check_ints("[@int(7 / 2 * 10)]", "f32[35]");
    check_ints("[1 if 2 < 3 else 4, 1 if 3 <= 2 else 4]", "f32[1, 4]");
    check_ints("[1 if not 1 == 1.0 else 2]", "f32[2]");
    check_ints("[1 if 1 > 2 or 2 >= 2 and 'a' != 'b' else 2]", "f32[1]");
    check_ints("[1 if None == None else 2, 1 if True == 1 else 2]", "f32[1, 1]");
    check_ints("[1 if 1 == 2 else 2 if 1 == 3 else 3]", "f32[3]");
    check_ints("[- - 3]", "f32[3]");
    check_ints("[1 if -inf < 0 and not (nan == nan) else 2]", "f32[1]");
    check_ints("[1 if [1, 2] == [1, 2.0] else 2]", "f32[1]");
    check_ints("[[2, 3], [4, 5]][1]", "f32[4, 5]");
    check_ints("[[7, 8, 9][-1]]", "f32[9]");
    check_ints("[]", "f32[]");
}

static void functions(void)
{
    check_ints("@sizes(x)", "f32[2, 3, 5]");
    check_ints("[@size(x, -1), @numel(x), @ndim(x)]", "f32[5, 30, 3]");
    check_ints("[1 if @dtype(x) == @dtype(y) else 2, 1 if @is_floating(x) else 2]", "f32[2, 1]");
    check_ints("[1 if @is_none(None) and not @is_none(x) and @is_tensor(x) else 2]", "f32[1]");
    check_ints("[1 if @is_list([]) and @is_str('') and not @is_list(x) else 2]", "f32[1]");
    check_ints("[@int(@sqrt(16)), @abs(-3), @int(@abs(-2.5)), @int(@float(3))]", "f32[4, 3, 2, 3]");
    check_ints("[@min(3, 2, 4), @max([3, 2, 4])]", "f32[2, 4]");
    check_ints("@range(1, 4)", "f32[1, 2, 3]");
    check_ints("@range(5, 0, -2)", "f32[5, 3, 1]");
    check_ints("@slice([1, 2, 3, 4], 1, -1)", "f32[2, 3]");
    check_ints("@slice([1, 2, 3, 4], -2, 100)", "f32[3, 4]");
    check_ints("@concat([1], [2, 3], [])", "f32[1, 2, 3]");
    check_ints("@repeat(2, 3)", "f32[2, 2, 2]");
    check_ints("@list(2, 2)", "f32[2, 2]");
    check_ints("@list([3], 2)", "f32[3]");
    check_ints("@reverse([1, 2, 3])", "f32[3, 2, 1]");
    check_ints("@replace([1, 2, 3], -1, 7)", "f32[1, 2, 7]");
    check_ints("[@prod([2, 3, 4]), @sum([2, 3, 4]), @len([1, 1]), @prod([])]", "f32[24, 9, 2, 1]");
    check_ints("[@normdim(-1, 3)]", "f32[2]");
    check_ints("@canonical_dims(None, 3)", "f32[0, 1, 2]");
    check_ints("@canonical_dims([-1, 0], 3)", "f32[2, 0]");
    check_ints("@canonical_dims(1, 3)", "f32[1]");
    check_ints("@complement([1], 3)", "f32[0, 2]");
    check_ints("@complement([], 2)", "f32[0, 1]");
    check_ints("@inverse([2, 0, 1])", "f32[1, 2, 0]");
    check_ints("@keepdim_sizes([2, 3, 5], [-1])", "f32[2, 3, 1]");
    check_ints("@broadcast([3, 1], [4])", "f32[3, 4]");
}

static void function_errors(void)
{
    check_error("r = @nothing(1)", OB_ERR_NOT_FOUND, 5, "@nothing");
    check_error("r = @size(x)", OB_ERR_INVALID, 5, "write @size(t, d)");
    check_error("r = @size(x, 3)", OB_ERR_INVALID, 5, "has no dimension 3");
    check_error("r = @sizes(1)", OB_ERR_INVALID, 5, "argument 1 of @sizes must be a tensor");
    check_error("r = @prod(3)", OB_ERR_INVALID, 5, "list of whole numbers");
    check_error("r = @range(0, 9, 0)", OB_ERR_INVALID, 5, "step");
    check_error("r = @range(0, 100000)", OB_ERR_LIMIT, 5, "@range");
    check_error("r = @repeat(1, 100000)", OB_ERR_LIMIT, 5, "items");
    check_error("r = @inverse([0, 0])", OB_ERR_INVALID, 5, "twice");
    check_error("r = @normdim(3, 3)", OB_ERR_INVALID, 5, "not in [-3, 3)");
    check_error("r = @broadcast([2], [3])", OB_ERR_INVALID, 5, "3");
    check_error("r = @needs_grad(x)", OB_ERR_INVALID, 5, "only works in derivatives");
    check_error("r = @parameter('zeros', [2])", OB_ERR_INVALID, 5, "set-up of modules");
    check_error("r = @sqrt(-1)", OB_ERR_INVALID, 5, "negative");
    check_error("r = @int(1e300)", OB_ERR_OVERFLOW, 5, "64 bits");
    check_error("r = @require(1 == 2, 'one is not two')", OB_ERR_INVALID, 5, "one is not two");
    check_error("r = @min([])", OB_ERR_INVALID, 5, "empty list");
}

static void syntax_errors(void)
{
    check_error("r = ", OB_ERR_SYNTAX, 5, "expected a value, a name or a call, found the end");
    check_error("r = relu(x", OB_ERR_SYNTAX, 11, "',' or ')'");
    check_error("r = [1, 2", OB_ERR_SYNTAX, 10, "',' or ']'");
    check_error("= 3", OB_ERR_SYNTAX, 1, "a name to assign to");
    check_error("r 3", OB_ERR_SYNTAX, 3, "',' or '='");
    check_error("r = 1 2", OB_ERR_SYNTAX, 7, "';' or the end");
    check_error("r = $", OB_ERR_SYNTAX, 5, "'$'");
    check_error("r = \x01", OB_ERR_SYNTAX, 5, "0x01");
    check_error("r = 'abc", OB_ERR_SYNTAX, 5, "close it");
    check_error("r = 'a\\q'", OB_ERR_SYNTAX, 7, "unknown escape");
    check_error("r = 12x", OB_ERR_SYNTAX, 5, "followed by 'x'");
    check_error("r = 99999999999999999999", OB_ERR_OVERFLOW, 5, "64 bits");
    check_error("r = @ 3", OB_ERR_SYNTAX, 5, "name of a function");
    check_error("r = @sizes", OB_ERR_SYNTAX, 11, "'('");
    check_error("r = add(other=x, x)", OB_ERR_SYNTAX, 18, "after other=");
    check_error("r = 1 if 2", OB_ERR_SYNTAX, 11, "expected else");
    check_error("'label' r = 1", OB_ERR_SYNTAX, 9, "':'");
}

static void meaning_errors(void)
{
    check_error("r = relu(z)", OB_ERR_NOT_FOUND, 10, "not known here; in \"z\"");
    check_error("r = x + 1", OB_ERR_INVALID, 5, "this is a tensor, but a constant is needed");
    check_error("r = 1 if x else 2", OB_ERR_INVALID, 10, "@is_none");
    check_error("r = 1 // 0", OB_ERR_INVALID, 5, "division by zero");
    check_error("r = 'a' + 1", OB_ERR_INVALID, 5, "needs two numbers, not str and int");
    check_error("r = -'a'", OB_ERR_INVALID, 5, "needs a number");
    check_error("r = 9223372036854775807 + 1", OB_ERR_OVERFLOW, 5, "64 bits");
    check_error("r = x[0]", OB_ERR_INVALID, 5, "only lists have items");
    check_error("r = [1][1]", OB_ERR_INVALID, 5, "no item 1, only 1 items");
    check_error("r = [1]['a']", OB_ERR_INVALID, 9, "whole number");
    check_error("a, b = [1, 2, 3]", OB_ERR_INVALID, 8, "2 targets for 3 values");
    check_error("a, b = x", OB_ERR_INVALID, 8, "2 targets for 1 values");
    check_error("r = no_such_operator(x)", OB_ERR_NOT_FOUND, 5, "no_such_operator");
    check_error("r = torch.nn.Nothing(1)(x)", OB_ERR_NOT_FOUND, 5, "torch.nn.Nothing");
    check_error("r = mm(x, x)", OB_ERR_INVALID, 5, "mm");
    check_error("q = 1;\n  r = relu(z)", OB_ERR_NOT_FOUND, 12, "in \"z\"");
}

static void place_has_line(void)
{
    ob_err err;
    ob_graph *graph = graph_with("x f32[2]");
    CHECK_INT(ob_graph_add_text(graph, "a = relu(x); # fine\n b = relu(c)", NULL, 0, &err),
              OB_ERR_NOT_FOUND);
    CHECK_INT(err.line, 2);
    CHECK_INT(err.column, 11);
    CHECK_STR(edge_text(graph, "a"), "f32[2]"); /* what was before the error stays */
    ob_graph_destroy(graph);
}

static char *repeated(const char *head, const char *part, size_t times, const char *tail)
{
    const size_t length = strlen(part);
    char *text = malloc(strlen(head) + length * times + strlen(tail) + 1);
    char *at = text + sprintf(text, "%s", head);
    for (size_t i = 0; i < times; i++, at += length)
        memcpy(at, part, length);
    strcpy(at, tail);
    return text;
}

static void limits(void)
{
    static const struct {
        const char *head, *part, *tail;
        size_t times;
    } cases[] = {
        {"r = ", "(", "", 100000},
        {"r = ", "[", "", 100000},
        {"r = ", "-", "1", 100000},
        {"r = ", "not ", "1", 100000},
        {"r = 1", "+1", "", 100000},
        {"r = x", "[0]", "", 100000},
        {"r = ", "1 if 1 else ", "1", 50000},
        {"r = ", "relu(", "x", 100000},
        {"a = [1, 1]", "; a = [a, a]", "", 60},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = repeated(cases[i].head, cases[i].part, cases[i].times, cases[i].tail);
        ob_err err;
        ob_graph *graph = graph_with("x f32[2]");
        CHECK_INT(ob_graph_add_text(graph, text, NULL, 0, &err), OB_ERR_LIMIT);
        ob_graph_destroy(graph);
        free(text);
    }
    char *huge = repeated("r = 1", " ", 1 << 20, "");
    ob_graph *graph = graph_with("x f32[2]");
    CHECK_INT(ob_graph_add_text(graph, huge, NULL, 0, NULL), OB_ERR_LIMIT);
    ob_graph_destroy(graph);
    free(huge);
}

static void names_and_scopes(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]");
    const ob_value four = ob_value_int(4);
    const ob_operand constant = {.kind = OB_OPERAND_VALUE, .value = four};
    const ob_graph_name names[] = {{"n", &constant}};
    ob_err err;
    CHECK_INT(ob_graph_add_text(graph,
                                "h = zeros([n, n]); x = relu(x); x = neg(x);"
                                "_ = relu(x); y = 'text'",
                                names, 1, &err),
              OB_OK);
    CHECK_STR(edge_text(graph, "h"), "f32[4, 4]");
    CHECK_INT(graph->edge_count, 5);
    CHECK_STR(graph->edges[2].name, "x_2"); /* taken names get the edge's number */
    CHECK_STR(graph->edges[3].name, "x_3");
    CHECK_STR(graph->edges[4].name, "relu");
    CHECK_INT(graph->nodes[2].args[0].edge, 2); /* x was assigned to */
    ob_graph_destroy(graph);
}

static void lists_of_tensors(void)
{
    ob_graph *graph = graph_with("x f32[6, 3]; y f32[2, 3]");
    if (add_text(graph, "parts = split(x, 2); a, b, c = parts; d = cat([a, parts[2], y], 0);"
                        "e = cat(parts, 1); n = zeros([@len(parts), @size(parts[1], 0)])")) {
        CHECK_STR(edge_text(graph, "parts"), "(f32[2, 3] f32[2, 3] f32[2, 3])");
        CHECK_STR(edge_text(graph, "d"), "f32[6, 3]");
        CHECK_STR(edge_text(graph, "e"), "f32[2, 9]");
        CHECK_STR(edge_text(graph, "n"), "f32[3, 2]");
        const ob_operand *list = &graph->nodes[1].args[0];
        CHECK_INT(list->kind, OB_OPERAND_LIST);
        CHECK_INT(list->count, 3);
        CHECK_INT(list->items[0].kind, OB_OPERAND_ITEM);
        CHECK_INT(list->items[1].index, 2);
        CHECK_INT(list->items[2].kind, OB_OPERAND_EDGE);
        CHECK_INT(graph->nodes[2].args[0].kind, OB_OPERAND_EDGE); /* the list as a whole */
    }
    ob_graph_destroy(graph);
}

static void several_outputs(void)
{
    ob_graph *graph = graph_with("x f32[4, 3]");
    if (add_text(graph, "values, _ = max(x, 1); both = max(x, 0); i = both[1]; j = neg(i)")) {
        CHECK_STR(edge_text(graph, "values"), "f32[4]");
        CHECK_STR(edge_text(graph, "j"), "i64[3]");
    }
    ob_graph_destroy(graph);
}

static void modules_in_text(void)
{
    ob_graph *graph = graph_with("x f32[2, 3]");
    if (add_text(graph, "h = torch.nn.Linear(3, 4)(x); 'head': y = torch.nn.Linear(4, 5, "
                        "bias=False)(torch.nn.functional.softsign(h))")) {
        CHECK_STR(edge_text(graph, "h.weight"), "f32[4, 3]");
        CHECK_STR(edge_text(graph, "h.bias"), "f32[4]");
        CHECK_STR(edge_text(graph, "head.weight"), "f32[5, 4]");
        CHECK_INT(edge_named(graph, "head.bias"), OB_NO_EDGE);
        CHECK_STR(edge_text(graph, "y"), "f32[2, 5]");
    }
    ob_graph_destroy(graph);
}

int main(void)
{
    open_table();
    RUN(constants);
    RUN(functions);
    RUN(function_errors);
    RUN(syntax_errors);
    RUN(meaning_errors);
    RUN(place_has_line);
    RUN(limits);
    RUN(names_and_scopes);
    RUN(lists_of_tensors);
    RUN(several_outputs);
    RUN(modules_in_text);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
