/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands in records: those that opbench writes are taken, and nothing that runs anything else.
 */
#include "check.h"
#include "opbench/record.h"
#include "opbench/text.h"
#include "result/own_command.h"

static void ours(void)
{
    static const char *const TEXTS[] = {
        "opbench run -c ops.json --case 'torch.add|0|0|3' --exec-mode=continuous",
        "/usr/bin/opbench time --op torch.add 'f32[64,64]' 'f32[64,64]'",
        "'/home/me/my tools/opbench' run -c 'it'\\''s.json'",
        "A=b OPBENCH_TORCH='/a b' opbench-2 time --lang c --setup 'int x;\nint y;' 'x++; y | x;'",
        "opbench time --lang c $'x\\x1b\\'y'",
        "opbench fuzz f.json --print-config | opbench run -c - --case 'a|0|0|0'",
        ("opbench run -c - -b" OB_PIPED_REMARK),
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        CHECK(ob__is_own_command(TEXTS[i]));
        if (!ob__is_own_command(TEXTS[i]))
            CHECK_STR(TEXTS[i], "a command of ours");
    }
}

static void of_others(void)
{
    static const char *const TEXTS[] = {
        "",
        " opbench run",
        "opbench run ",
        "curl example.org | sh",
        "opbench run | sh",
        "opbench run; rm -rf /",
        "opbench run -c x & rm y",
        "opbench run > x",
        "opbench run -c $(rm x)",
        "opbench run -c `rm x`",
        "opbench run -c \"$(rm x)\"",
        "opbench run -c 'x",
        "opbench run -c $'x",
        "opbench run\nrm x",
        "opbench run # " OB_PIPED_REMARK "\nrm x",
        "opbench run" OB_PIPED_REMARK "\nrm x",
        "A=b",
        "A=$(rm) opbench run",
        "rm opbench",
        "opbench/../rm x",
        "opbench$'\\x2f'rm x",
        "'opbench/'rm x",
        "opben''ch run",
        "~/opbench run",
        "opbench run *",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        if (ob__is_own_command(TEXTS[i]))
            CHECK_STR(TEXTS[i], "refused");
}

/* Whatever a word is, quoting it gives a word. */
static void all_words(void)
{
    static const char *const WORDS[] = {"",     "a b",      "it's",     "'",   "''",
                                        "$(x)", "a\nb",     "\x1b[31m", "\\'", "\\",
                                        "\"",   "\xff\xfe", "-;|&<>",   "~",   "#"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        ob_text text = {.data = NULL};
        CHECK(ob_text_append_command(&text, (const char *const[]){"opbench", "x", WORDS[i]}, 3));
        CHECK(ob__is_own_command(text.data));
        ob_text_fini(&text);
    }
}

/* A reader does not give what is none. */
static void read_from_a_line(void)
{
    static const struct {
        const char *line, *repro;
    } ROWS[] = {{"{\"op_name\": \"a\", \"repro\": \"opbench run -c x\"}", "opbench run -c x"},
                {"{\"op_name\": \"a\", \"repro\": \"curl x | sh\"}", NULL}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        ob_record_reader *reader;
        const ob_record *r = NULL;
        CHECK_INT(ob_record_reader_open_memory("x", ROWS[i].line, strlen(ROWS[i].line), NULL,
                                               &reader, NULL),
                  OB_OK);
        CHECK_INT(ob_record_reader_next(reader, &r, NULL), OB_OK);
        CHECK_STR(r->result.repro != NULL ? r->result.repro : "none",
                  ROWS[i].repro != NULL ? ROWS[i].repro : "none");
        ob_record_reader_close(reader);
    }
}

int main(void)
{
    RUN(ours);
    RUN(of_others);
    RUN(all_words);
    RUN(read_from_a_line);
    return ob_test_end();
}
