/* SPDX-License-Identifier: Apache-2.0
 *
 * One table in each form, to the byte; what hostile texts become; which rows and columns are chosen.
 */
#include "check.h"
#include "report/filter.h"
#include "report/table_model.h"

#include <stdlib.h>

static ob_table *table;
static char printed[8192];

static const char *print(const ob_table_style *style)
{
    ob_text text = {0};
    CHECK_INT(ob_table_print(table, style, &text, NULL), OB_OK);
    CHECK(text.size < sizeof printed);
    snprintf(printed, sizeof printed, "%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
    return printed;
}

static const char *print_as(ob_table_format format)
{
    return print(&(ob_table_style){.size = sizeof(ob_table_style), .format = format});
}

enum { NAME, MARKED, WORD, TIME, COUNT, SHARE, HIDDEN };

static void add(const char *name, const char *word, double time, double count, double share)
{
    char marked[64];
    snprintf(marked, sizeof marked, "%s*", word);
    ob_table_add_row(table);
    ob_table_set_text(table, NAME, name);
    ob_table_set_text(table, MARKED, marked);
    ob_table_set_text(table, WORD, word);
    ob_table_set_number(table, TIME, time);
    ob_table_set_number(table, COUNT, count);
    ob_table_set_number(table, SHARE, share);
    ob_table_set_number(table, HIDDEN, count / 2);
}

static void make(void)
{
    static const ob_column COLUMNS[] = {
        [NAME] = {.title = "name", .name = "name"},
        [MARKED] = {.title = "word"},
        [WORD] = {.name = "word"},
        [TIME] = {.title = "time", .name = "time_ns", .hint = OB_HINT_TIME},
        [COUNT] = {.title = "count", .name = "count", .hint = OB_HINT_COUNT},
        [SHARE] = {.title = "share", .name = "share", .hint = OB_HINT_SHARE},
        [HIDDEN] = {.title = "half",
                    .name = "half",
                    .hint = OB_HINT_FIGURE,
                    .flags = OB_COLUMN_HIDDEN},
    };
    ob_table_destroy(table);
    table = ob_table_create();
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        CHECK_INT(ob_table_add_column(table, &COLUMNS[i]), i);
    add("b|1", "ok", 1234.5678, 3, 0.25);
    ob_table_set_note(table, "first\nsecond");
    add("a", "bad", NAN, 12, NAN);
    ob_table_add_line(table, "a line");
}

static void forms(void)
{
    make();
    CHECK_STR(print(NULL), "name  word      time  count   share\n"
                           "b|1   ok*   1.235 us      3  25.0 %\n"
                           "    first\n"
                           "    second\n"
                           "a     bad*         -     12       -\n"
                           "a line\n");
    CHECK_STR(print_as(OB_TABLE_MARKDOWN), "| name | word |     time | count |  share |\n"
                                           "|------|------|---------:|------:|-------:|\n"
                                           "| b\\|1  | ok*  | 1.235 us |     3 | 25.0 % |\n"
                                           "| a    | bad* |        - |    12 |      - |\n");
    CHECK_STR(print_as(OB_TABLE_CSV), "name,word,time_ns,count,share\n"
                                      "b|1,ok,1234.568,3,0.25\n"
                                      "a,bad,,12,\n");
    CHECK_STR(print_as(OB_TABLE_JSON),
              "{\"name\": \"b|1\", \"word\": \"ok\", \"time_ns\": 1234.5678, \"count\": 3, "
              "\"share\": 0.25}\n"
              "{\"name\": \"a\", \"word\": \"bad\", \"time_ns\": null, \"count\": 12, "
              "\"share\": null}\n");
    CHECK_STR(
        print(&(ob_table_style){
            .size = sizeof(ob_table_style), .format = OB_TABLE_JSON, .list = "all"}),
        "{\"all\": [{\"name\": \"b|1\", \"word\": \"ok\", \"time_ns\": 1234.5678, \"count\": 3, "
        "\"share\": 0.25}, {\"name\": \"a\", \"word\": \"bad\", \"time_ns\": null, \"count\": 12, "
        "\"share\": null}]}\n");
    static const char BOLD[] = "\033[1mname  word      time  count   share\033[0m\nb|1 ";
    CHECK(strncmp(print(&(ob_table_style){.size = sizeof(ob_table_style), .bold_titles = true}),
                  BOLD, strlen(BOLD)) == 0);
}

/* Numbers for programs read back exactly. */
static void numbers(void)
{
    ob_text text = {0};
    CHECK(ob__number_append(0.1 + 0.2, OB_HINT_FIGURE, &text));
    CHECK(ob_text_append(&text, " ", 1) && ob__number_append(1000, OB_HINT_FIGURE, &text));
    CHECK(ob_text_append(&text, " ", 1) && ob__number_append(1000, OB_HINT_REAL, &text));
    CHECK(ob_text_append(&text, " ", 1) && ob__number_append(1e15 + 1, OB_HINT_COUNT, &text));
    CHECK(ob_text_append(&text, " ", 1) && ob__number_append(0.00049, OB_HINT_TIME, &text));
    CHECK(ob_text_append(&text, "", 1));
    CHECK_STR(text.data, "0.30000000000000004 1000 1000.0 1000000000000001 0");
    ob_text_fini(&text);
    char time[32];
    CHECK_STR(ob_time_format(999.96, time, sizeof time), "1000 ns");
    CHECK_STR(ob_time_format(2.5e9, time, sizeof time), "2.5 s");
    CHECK_STR(ob_time_format(NAN, time, sizeof time), "-");
}

static void columns_that_come_later(void)
{
    make();
    ob_table_add_column(table, &(ob_column){.title = "new", .name = "new"});
    ob_table_add_column(
        table, &(ob_column){.title = "none", .name = "none", .flags = OB_COLUMN_NOT_EMPTY});
    ob__table_cell(table, 0, HIDDEN + 1)->text = "x";
    CHECK_STR(print(NULL), "name  word      time  count   share  new\n"
                           "b|1   ok*   1.235 us      3  25.0 %  x\n"
                           "    first\n"
                           "    second\n"
                           "a     bad*         -     12       -  \n"
                           "a line\n");
}

/* Groups of columns, headings of rows, no blanks at the end. */
static void groups(void)
{
    ob_table_destroy(table);
    table = ob_table_create();
    ob_table_add_column(table, &(ob_column){.title = ""});
    ob_table_add_column(table,
                        &(ob_column){.title = "x", .group = "long name", .hint = OB_HINT_COUNT});
    ob_table_add_column(table,
                        &(ob_column){.title = "y", .group = "long name", .hint = OB_HINT_COUNT});
    ob_table_add_column(table, &(ob_column){.title = "z", .group = "", .hint = OB_HINT_COUNT});
    ob_table_add_row(table);
    ob_table_set_heading(table, "one\n  two");
    ob_table_set_text(table, 0, "    row");
    ob_table_set_number(table, 1, 7);
    ob_table_set_text(table, 3, "");
    CHECK_STR(print(&(ob_table_style){.size = sizeof(ob_table_style), .trimmed = true}),
              "        | long name |\n"
              "        | x       y | z\n"
              "one\n"
              "  two\n"
              "    row | 7       - |\n");
}

/* ---- hostile texts ---- */

static const char *harmless(bool (*append)(ob_text *, const char *), const char *text)
{
    static char out[256];
    ob_text to = {0};
    CHECK(append(&to, text));
    snprintf(out, sizeof out, "%.*s", (int)to.size, to.size > 0 ? to.data : "");
    ob_text_fini(&to);
    return out;
}

static void csv_texts(void)
{
    static const char *const TEXTS[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"a,b", "\"a,b\""},
        {"say \"x\"", "\"say \"\"x\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"two\r\nlines", "\"two\nlines\""},
        {"=1+1", "'=1+1"},
        {"+cmd", "'+cmd"},
        {"-2+3", "'-2+3"},
        {"-2.5", "-2.5"},
        {"+1e3", "+1e3"},
        {"-", "'-"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"=a,b", "\"'=a,b\""},
        {"\t=1", "'\t=1"},
        {"a\033[2J\007b\177", "a?[2J?b?"},
        {"c1\302\233x", "c1?x"},
        {"\xff", "\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        CHECK_STR(harmless(ob__append_csv, TEXTS[i][0]), TEXTS[i][1]);
}

static void markdown_texts(void)
{
    static const char *const TEXTS[][2] = {
        {"a|b", "a\\|b"},
        {"batch_norm", "batch_norm"},
        {"_x_", "\\_x\\_"},
        {"ok*", "ok*"},
        {"*b*", "\\*b*"},
        {"<script>", "&lt;script>"},
        {"[a](b)", "\\[a\\](b)"},
        {"`x`", "\\`x\\`"},
        {"a\nb", "a<br>b"},
        {"\033[1m&", "?\\[1m&amp;"},
        {"@alice", "@&#8203;alice"},
        {"see #12, @ 5", "see #&#8203;12, @ 5"},
        {"~~gone~~ ~1", "\\~\\~gone\\~\\~ \\~1"},
        {"http://a.b/c", "http&#58;//a.b/c"},
        {"see HTTPS://a.b", "see HTTPS&#58;//a.b"},
        {"xftp://a", "xftp&#58;//a"},
        {"mailto:a", "mailto&#58;a"},
        {"(www.a.b)", "(www&#46;a.b)"},
        {"new.json: ww.a", "new.json: ww.a"},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        CHECK_STR(harmless(ob__append_markdown, TEXTS[i][0]), TEXTS[i][1]);
}

/* A name cannot make a row of its own, move the cursor or change the width of its column. */
static void hostile_names(void)
{
    make();
    ob_table_set_text(table, NAME, "x\ny\033[A\tz");
    ob_table_set_note(table, "why\033]0;title\007\nand\rwhy");
    CHECK_STR(print(NULL), "name      word      time  count   share\n"
                           "b|1       ok*   1.235 us      3  25.0 %\n"
                           "    first\n"
                           "    second\n"
                           "x y?[A z  bad*         -     12       -\n"
                           "    why?]0;title?\n"
                           "    and?why\n"
                           "a line\n");
}

/* ---- choosing ---- */

static ob_status choose(const ob_table_choice *choice, ob_err *err)
{
    make();
    add("c", "ok", 5e6, 12, 0.5);
    table->rows[0].notes = NULL;
    table->line_count = 0;
    return ob_table_choose(table, choice, err);
}

static const char *chosen(const ob_table_choice *choice)
{
    ob_err err = {.message = ""};
    if (choose(choice, &err) != OB_OK)
        OB_TEST_FAIL("%s", err.message);
    return print_as(OB_TABLE_CSV);
}

static void rows_and_columns(void)
{
    CHECK_STR(
        chosen(&(ob_table_choice){.size = sizeof(ob_table_choice), .columns = "half, name ,time"}),
        "half,name,time_ns\n1.5,b|1,1234.568\n6,a,\n6,c,5000000\n");
    CHECK_STR(print(NULL),
              "half  name      time\n 1.5  b|1   1.235 us\n   6  a            -\n   6  c "
              "        5 ms\n");
    CHECK_STR(chosen(&(ob_table_choice){.size = sizeof(ob_table_choice), .columns = "name,word"}),
              "name,word\nb|1,ok\na,bad\nc,ok\n");
    CHECK_STR(print(NULL), "name  word\nb|1   ok*\na     bad*\nc     ok*\n");
    CHECK_STR(chosen(&(ob_table_choice){
                  .size = sizeof(ob_table_choice), .columns = "name", .sort = "name"}),
              "name\na\nb|1\nc\n");
    /* What people or programs alone have is shown to both when it is asked for. */
    make();
    ob_table_add_column(table, &(ob_column){.name = "for_programs"});
    ob_table_add_column(table, &(ob_column){.title = "for people"});
    ob_table_set_text(table, HIDDEN + 1, "x");
    ob_table_set_text(table, HIDDEN + 2, "y");
    CHECK_INT(ob_table_choose(table,
                              &(ob_table_choice){.size = sizeof(ob_table_choice),
                                                 .columns = "for_programs,for people"},
                              NULL),
              OB_OK);
    table->line_count = 0;
    table->rows[0].notes = NULL;
    CHECK_STR(print(NULL), "for_programs  for people\n              \nx             y\n");
    CHECK_STR(print_as(OB_TABLE_CSV), "for_programs,for people\n,\nx,y\n");
    CHECK_STR(chosen(&(ob_table_choice){
                  .size = sizeof(ob_table_choice), .columns = "name", .sort = "-time"}),
              "name\nc\nb|1\na\n");
    CHECK_STR(chosen(&(ob_table_choice){
                  .size = sizeof(ob_table_choice), .columns = "name", .sort = "time_ns"}),
              "name\nb|1\nc\na\n");
    /* Equal rows stay in their order. */
    CHECK_STR(chosen(&(ob_table_choice){
                  .size = sizeof(ob_table_choice), .columns = "name", .sort = "-count"}),
              "name\na\nc\nb|1\n");
    CHECK_STR(chosen(&(ob_table_choice){
                  .size = sizeof(ob_table_choice), .columns = "name", .sort = "-half", .top = 2}),
              "name\na\nc\n");
    CHECK_STR(
        chosen(&(ob_table_choice){.size = sizeof(ob_table_choice), .columns = "name", .top = 9}),
        "name\nb|1\na\nc\n");
}

static void filters(void)
{
    static const char *const FILTERS[][2] = {
        {"word == ok", "b|1\nc\n"},
        {"word = ok and count < 10", "b|1\n"},
        {"word != ok", "a\n"},
        {"time > 5us", "c\n"},
        {"time > 1.2us and time <= 5ms", "b|1\nc\n"},
        {"time >= 5000000", "c\n"},
        {"time_ns < 2000", "b|1\n"},
        {"time", "b|1\nc\n"},
        {"not time", "a\n"},
        {"time != 3ns", "b|1\na\nc\n"},
        {"share >= 50%", "c\n"},
        {"share < 0.5", "b|1\n"},
        {"half == 1.5", "b|1\n"},
        {"name ~ B", ""},
        {"name ~ '|'", "b|1\n"},
        {"name ~ b?1", "b|1\n"},
        {"name ~ \"*1\"", "b|1\n"},
        {"name !~ b", "a\nc\n"},
        {"name < b", "a\n"},
        {"name == a or name == c and count > 100", "a\n"},
        {"(name == a or name == c) and not (word = bad)", "c\n"},
        {"not not word == bad", "a\n"},
        {"\"name\"=='a'", "a\n"},
    };
    for (size_t i = 0; i < sizeof FILTERS / sizeof *FILTERS; i++) {
        const char *got = chosen(&(ob_table_choice){
            .size = sizeof(ob_table_choice), .columns = "name", .filter = FILTERS[i][0]});
        if (strcmp(got + strlen("name\n"), FILTERS[i][1]) != 0)
            OB_TEST_FAIL("'%s' gives '%s'", FILTERS[i][0], got);
        ob_test_checks++;
    }
}

static void mistakes(void)
{
    static const struct {
        ob_table_choice choice;
        ob_status status;
        const char *message;
    } ROWS[] = {
        {{.size = sizeof(ob_table_choice), .columns = "nam"},
         OB_ERR_NOT_FOUND,
         "--columns: there is no column \"nam\"; did you mean \"name\"? The columns are name, "
         "word, "
         "time, count, share"},
        {{.size = sizeof(ob_table_choice), .sort = "tme"},
         OB_ERR_NOT_FOUND,
         "--sort: there is no column \"tme\"; did you mean \"time\"?"},
        {{.size = sizeof(ob_table_choice), .filter = "qqqqqq == 1"},
         OB_ERR_NOT_FOUND,
         "--filter: there is no column \"qqqqqq\"; the columns are name"},
        {{.size = sizeof(ob_table_choice), .columns = " , "},
         OB_ERR_INVALID,
         "--columns: no column is named"},
        {{.size = sizeof(ob_table_choice), .filter = ""},
         OB_ERR_SYNTAX,
         "--filter '', character 1: a column is missing"},
        {{.size = sizeof(ob_table_choice), .filter = "count >"},
         OB_ERR_SYNTAX,
         "character 8: a value is missing"},
        {{.size = sizeof(ob_table_choice), .filter = "count > many"},
         OB_ERR_SYNTAX,
         "the column holds numbers; give a number"},
        {{.size = sizeof(ob_table_choice), .filter = "count > 5us"},
         OB_ERR_SYNTAX,
         "the column holds numbers; give a number"},
        {{.size = sizeof(ob_table_choice), .filter = "time > 5xs"},
         OB_ERR_SYNTAX,
         "a time must be a number with ns, us, ms or s"},
        {{.size = sizeof(ob_table_choice), .filter = "count ~ 5"},
         OB_ERR_SYNTAX,
         "~ is for text, but"},
        {{.size = sizeof(ob_table_choice), .filter = "(count > 5"},
         OB_ERR_SYNTAX,
         "a closing parenthesis is missing"},
        {{.size = sizeof(ob_table_choice), .filter = "count > 5)"},
         OB_ERR_SYNTAX,
         "character 10: expected `and`, `or` or the end"},
        {{.size = sizeof(ob_table_choice), .filter = "name == 'a"},
         OB_ERR_SYNTAX,
         "the quote is not closed"},
        {{.size = sizeof(ob_table_choice), .filter = "count > 5 count < 9"},
         OB_ERR_SYNTAX,
         "character 11: expected `and`"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_err err = {.message = ""};
        CHECK_INT(choose(&ROWS[i].choice, &err), ROWS[i].status);
        CHECK_HAS(err.message, ROWS[i].message);
    }
}

/* Neither depth nor length exhausts anything. */
static void long_filters(void)
{
    enum { SIZE = 20000 };
    char *text = malloc(SIZE);
    ob_err err;
    memset(text, '(', SIZE - 1);
    text[SIZE - 1] = '\0';
    CHECK_INT(choose(&(ob_table_choice){.size = sizeof(ob_table_choice), .filter = text}, &err),
              OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "too many nested parentheses");
    for (size_t i = 0; i + 10 < SIZE; i += 9)
        memcpy(text + i, "share or ", 10);
    CHECK_INT(choose(&(ob_table_choice){.size = sizeof(ob_table_choice), .filter = text}, &err),
              OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "the filter is too long");
    memset(text, 'x', SIZE - 1);
    CHECK_INT(choose(&(ob_table_choice){.size = sizeof(ob_table_choice), .filter = text}, &err),
              OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "the word is too long");
    free(text);
}

/* ---- screens ---- */

static void make_wide(void)
{
    ob_table_destroy(table);
    table = ob_table_create();
    ob_table_add_column(table, &(ob_column){.title = "call", .flags = OB_COLUMN_SHORTENED});
    ob_table_add_column(table, &(ob_column){.title = "time", .hint = OB_HINT_TIME});
    ob_table_add_column(
        table, &(ob_column){.title = "p99", .hint = OB_HINT_TIME, .flags = OB_COLUMN_LESSER});
    ob_table_add_column(
        table, &(ob_column){.title = "samples", .hint = OB_HINT_COUNT, .flags = OB_COLUMN_LESSER});
    for (int i = 0; i < 2; i++) {
        ob_table_add_row(table);
        ob_table_set_text(table, 0, "a call of thirty characters...");
        for (size_t c = 1; c < 4; c++)
            ob_table_set_number(table, c, 1000);
    }
}

static const char *print_wide(size_t width)
{
    return print(&(ob_table_style){.size = sizeof(ob_table_style), .width = width});
}

/* The call gives way first, to 20 characters; then lesser columns, the last first; then the call again. */
static void narrow_screens(void)
{
    make_wide();
    CHECK_STR(print_wide(51), "call                            time   p99  samples\n"
                              "a call of thirty characters...  1 us  1 us     1000\n"
                              "a call of thirty characters...  1 us  1 us     1000\n");
    CHECK_STR(print_wide(41), "call                  time   p99  samples\n"
                              "a call of thirty ...  1 us  1 us     1000\n"
                              "a call of thirty ...  1 us  1 us     1000\n");
    CHECK_STR(print_wide(40),
              "call                          time   p99\n" /* it gets back what it can */
              "a call of thirty characte...  1 us  1 us\n"
              "a call of thirty characte...  1 us  1 us\n"
              "left out because the screen is too narrow: samples\n");
    CHECK_STR(print_wide(18), "call          time\n"
                              "a call of...  1 us\n"
                              "a call of...  1 us\n"
                              "left out because the screen is too narrow: p99, samples\n");
}

/* Calls that differ stay apart, what belongs together is left out together, and what can be spared last. */
static void narrow_screens_tell_rows_apart(void)
{
    ob_table_destroy(table);
    table = ob_table_create();
    ob_table_add_column(table, &(ob_column){.title = "call", .flags = OB_COLUMN_SHORTENED});
    ob_table_add_column(table, &(ob_column){.title = "pass", .flags = OB_COLUMN_LESSER});
    ob_table_add_column(table, &(ob_column){.title = "ratio", .flags = OB_COLUMN_SPARE});
    ob_table_add_column(table, &(ob_column){.title = "spread", .flags = OB_COLUMN_WITH_LAST});
    for (int i = 0; i < 2; i++) {
        ob_table_add_row(table);
        ob_table_set_text(table, 0,
                          i == 0 ? "a call that ends in the number one"
                                 : "a call that ends in the number two");
        for (size_t c = 1; c < 4; c++)
            ob_table_set_text(table, c, "x");
    }
    CHECK_STR(print_wide(40), "call                       ratio  spread\n"
                              "a call that ends ...r one  x      x\n"
                              "a call that ends ...r two  x      x\n"
                              "left out because the screen is too narrow: pass\n");
    CHECK_STR(print_wide(30), "call\n"
                              "a call that ends in t...er one\n"
                              "a call that ends in t...er two\n"
                              "left out because the screen is too narrow: pass, ratio, spread\n");
}

/* How a result ended is in colour where the style says so. */
static void coloured_cells(void)
{
    make_wide();
    ob__table_set_mark(table, 1, OB_MARK_FAILED);
    CHECK(strstr(print_wide(0), "\033") == NULL);
    CHECK(strstr(print(&(ob_table_style){.size = sizeof(ob_table_style), .coloured = true}),
                 "characters...  \033[1;31m1 us\033[0m  1 us") != NULL);
}

/* What several rows say stands below the table, with their number. */
static void equal_notes(void)
{
    static const char *const NOTES[] = {"why", "other", "why", "why"};
    ob_table_destroy(table);
    table = ob_table_create();
    ob_table_add_column(table, &(ob_column){.title = "row", .hint = OB_HINT_COUNT});
    for (size_t i = 0; i < 4; i++) {
        ob_table_add_row(table);
        ob_table_set_number(table, 0, (double)i);
        ob_table_set_note(table, NOTES[i]);
        if (i == 3)
            ob__table_add_note(table, "and more");
    }
    ob__table_fold_notes(table);
    CHECK_STR(print_wide(0), "row\n  0\n  1\n    other\n  2\n  3\n    and more\n3 cases: why\n");
}

int main(void)
{
    RUN(forms);
    RUN(numbers);
    RUN(columns_that_come_later);
    RUN(groups);
    RUN(csv_texts);
    RUN(markdown_texts);
    RUN(hostile_names);
    RUN(rows_and_columns);
    RUN(filters);
    RUN(mistakes);
    RUN(long_filters);
    RUN(narrow_screens);
    RUN(narrow_screens_tell_rows_apart);
    RUN(coloured_cells);
    RUN(equal_notes);
    ob_table_destroy(table);
    return ob_test_end();
}
