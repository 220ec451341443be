/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/graphs.md: the table of functions is that of the code, and the examples build.
 */
#include "graph_test.h"

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = calloc(1, 1 << 20);
    const size_t size = fread(text, 1, (1 << 20) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static char *page;

static void functions(void)
{
    static const struct {
        const char *usage, *meaning;
    } rows[] = {
#define OB_FUNCTION(name, fewest, most, usage, meaning) {usage, meaning},
#include "graph/notation_functions.def"
#undef OB_FUNCTION
    };
    size_t lines = 0;
    for (const char *at = page; (at = strstr(at, "\n| `@")) != NULL; at++)
        lines++;
    CHECK_INT(lines, sizeof rows / sizeof rows[0] + 1); /* and @needs_grad */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[512];
        snprintf(line, sizeof line, "\n| `%s` | %s |\n", rows[i].usage, rows[i].meaning);
        if (strstr(page, line) == NULL)
            OB_TEST_FAIL("docs/graphs.md has no line%s", line);
    }
}

/* Blocks marked "graph"; their first line names the inputs. */
static void examples(void)
{
    static const char FENCE[] = "```graph\n# inputs: ";
    size_t count = 0;
    for (char *at = page; (at = strstr(at, FENCE)) != NULL; count++) {
        at += strlen(FENCE);
        char *end = strstr(at, "```"), *line = strchr(at, '\n');
        CHECK(end != NULL && line != NULL);
        *line = *end = '\0';
        ob_graph *graph = graph_with(at);
        if (add_text(graph, line + 1))
            CHECK(graph->node_count > 0);
        ob_graph_destroy(graph);
        at = end + 1;
    }
    CHECK_INT(count, 2);
}

int main(void)
{
    open_table();
    page = read_file(OB_SOURCE_DIR "/docs/graphs.md");
    CHECK(page != NULL);
    if (page != NULL) {
        RUN(functions);
        RUN(examples);
    }
    free(page);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
