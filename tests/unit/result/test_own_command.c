/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands in records: those that opbench writes come back as they are, and nothing that runs anything else.
 */
#include "check.h"
#include "opbench/record.h"
#include "opbench/text.h"
#include "result/own_command.h"

static void check_rebuilt(const char *from, const char *expected)
{
    ob_text text = {.data = NULL};
    const bool ok = ob__own_command_append(&text, from) && ob_text_append(&text, "", 1);
    CHECK_STR(ok ? text.data : "refused", expected);
    ob_text_fini(&text);
}

static void ours(void)
{
    static const char *const TEXTS[] = {
        "opbench run -c ops.json --case 'torch.add|0|0|3' --exec-mode=continuous",
        "/usr/bin/opbench time --op torch.add 'f32[64,64]' 'f32[64,64]'",
        "'/home/me/my tools/opbench' run -c 'it'\\''s.json'",
        "A=b OPBENCH_TORCH='/a b' opbench-2 time --lang c --setup $'int x;\\nint y;' 'x++; y | x;'",
        "opbench time --lang c $'x\\x1b\\x27y'",
        "opbench fuzz f.json --print-config | opbench run -c - --case 'a|0|0|0'",
        "A='' opbench run -c '' -b",
        ("opbench run -c - -b" OB_PIPED_REMARK),
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        check_rebuilt(TEXTS[i], TEXTS[i]);
}

/* Of a record that somebody else wrote: the same words, quoted as we do it. */
static void quoted_again(void)
{
    static const char *const ROWS[][2] = {
        {"opben''ch run", "opbench run"},
        {"'opbench' 'run' -c 'a'.'json'", "opbench run -c a.json"},
        {"A='$'$'\\n' opbench run", "A=$'$\\n' opbench run"},
        {"opbench time 'a\n//\tb'", "opbench time $'a\\n//\\x09b'"},
        {"opbench time $'\\x01\\'\\\\'", "opbench time $'\\x01\\x27\\x5c'"},
        {"'/usr/bin\u200B/opbench' run", "$'/usr/bin\\xe2\\x80\\x8b/opbench' run"},
        {"A='x y':'z' opbench run", "A='x y:z' opbench run"},
        {"opbench run '\x1b[2Jx'", "opbench run $'\\x1b[2Jx'"},
        {"opbench time 'it\xff's", "opbench time $'it\\xffs'"},
        {"opbench run | A=b opbench show", "opbench run | A=b opbench show"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        check_rebuilt(ROWS[i][0], ROWS[i][1]);
}

static void of_others(void)
{
    static const char *const TEXTS[] = {
        "",
        " opbench run",
        "opbench run ",
        "opbench  run",
        "curl example.org | sh",
        "opbench run | sh",
        "opbench run |",
        "opbench run; rm -rf /",
        "opbench run -c x & rm y",
        "opbench run > x",
        "opbench run -c $(rm x)",
        "opbench run -c `rm x`",
        "opbench run -c \"$(rm x)\"",
        "opbench run -c 'x",
        "opbench run -c $'x",
        "opbench run -c $'x\\",
        "opbench run -c $'\\x1'",
        "opbench run -c $'\\x00'",
        "opbench run -c $'\\u0027'",
        "opbench run\nrm x",
        "opbench run # " OB_PIPED_REMARK "\nrm x",
        "opbench run" OB_PIPED_REMARK "\nrm x",
        "A=b",
        "A=$(rm) opbench run",
        "1A=b opbench run",
        "A+=x/opbench sh",
        "1=b/opbench sh",
        "'A+=x/opbench' sh",
        "rm opbench",
        "opbench/../rm x",
        "opbench$'\\x2f'rm x",
        "'opbench/'rm x",
        "'A=b/opbench' rm",
        "'opbench;rm' x",
        "~/opbench run",
        "opbench run *",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ob_text text = {.data = NULL};
        if (ob__own_command_append(&text, TEXTS[i]))
            CHECK_STR(TEXTS[i], "refused");
        ob_text_fini(&text);
    }
}

/* Whatever a word is, it comes back. */
static void all_words(void)
{
    static const char *const WORDS[] = {"",     "a b",      "it's",     "'",   "''",
                                        "$(x)", "a\tb",     "\x1b[31m", "\\'", "\\",
                                        "\"",   "\xff\xfe", "-;|&<>",   "~",   "#"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        ob_text text = {.data = NULL};
        CHECK(ob_text_append_command(&text, (const char *const[]){"opbench", "x", WORDS[i]}, 3));
        check_rebuilt(text.data, text.data);
        ob_text_fini(&text);
    }
}

/* A reader does not give what is none. */
static void read_from_a_line(void)
{
    static const struct {
        const char *line, *repro;
    } ROWS[] = {{"{\"op_name\": \"a\", \"repro\": \"opbench run -c x\"}", "opbench run -c x"},
                {"{\"op_name\": \"a\", \"repro\": \"opbench run -c 'x'\"}", "opbench run -c x"},
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
    RUN(quoted_again);
    RUN(of_others);
    RUN(all_words);
    RUN(read_from_a_line);
    return ob_test_end();
}
