/* SPDX-License-Identifier: Apache-2.0
 *
 * What may stand in a batch script, and what does.
 */
#include "check.h"

#include "opbench/cluster.h"

static void expect_time(const char *text, int64_t wanted)
{
    int64_t seconds = -1;
    ob_err err = {.message = ""};
    CHECK_INT(ob_slurm_time_parse(text, &seconds, &err), OB_OK);
    CHECK_INT(seconds, wanted);
}

static void times(void)
{
    expect_time("90", 90 * 60);
    expect_time("1:30", 90);
    expect_time("1:30:15", 5415);
    expect_time("2-0", 2 * 86400);
    expect_time("2-12", 2 * 86400 + 12 * 3600);
    expect_time("2-12:30", 2 * 86400 + 12 * 3600 + 30 * 60);
    expect_time("0-0:0:7", 7);
    expect_time("UNLIMITED", 0);
    static const char *const WRONG[] = {
        "",          "soon",  "1h",   "-5",  "1-",
        "1:",        ":30",   "1:2:", "1 2", "1:2:3:4",
        "1-2:3:4:5", "1-2-3", "+5",   "5.5", "99999999999999999999"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        int64_t seconds;
        CHECK_INT(ob_slurm_time_parse(WRONG[i], &seconds, NULL), OB_ERR_INVALID);
    }
}

static void refuse(const ob_slurm_options *options, const char *message)
{
    ob_err err = {.message = ""};
    CHECK_INT(ob_slurm_options_check(options, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, message);
}

static void options(void)
{
    const ob_slurm_options fine = {.size = sizeof fine,
                                   .partition = "short,long",
                                   .constraint = "[rack1*2&rack2*4]",
                                   .exclude = "n[1-4,7]",
                                   .time = "1:30:00",
                                   .grace_s = 60,
                                   .more = {.items = {"--mail-type=END", "--gres=gpu:2"}}};
    CHECK_INT(ob_slurm_options_check(&fine, NULL), OB_OK);
    refuse(
        &(ob_slurm_options){.size = sizeof fine, .account = "a\n#SBATCH --uid=0"},
        "--account: 'a\n"
        "#SBATCH --uid=0' cannot go into a batch script; give it without blanks, quotes and '#'");
    refuse(&(ob_slurm_options){.size = sizeof fine, .qos = ""},
           "--qos: '' cannot go into a batch script; give it without blanks, quotes and '#'");
    refuse(&(ob_slurm_options){.size = sizeof fine, .more = {.items = {"--wrap=a b"}}},
           "--sbatch: '--wrap=a b' cannot go into a batch script; give it without blanks, quotes "
           "and '#'");
    refuse(&(ob_slurm_options){.size = sizeof fine, .more = {.items = {"--"}}},
           "--sbatch: '--' is not an sbatch option; give one such as --sbatch=--mail-type=END");
    refuse(&(ob_slurm_options){.size = sizeof fine, .time = "1", .grace_s = 60},
           "--grace: 60 seconds use up all of --time 1; give more time, or less grace");
}

/* Whether the line stands in the text. */
static bool has_line(const ob_text *text, const char *line)
{
    const size_t length = strlen(line);
    for (const char *at = text->data; (at = strstr(at, line)) != NULL; at++)
        if ((at == text->data || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static void scripts(void)
{
    static const char *const WORDS[] = {"-c",        "/a b/it's.json", "--tag=x=$(id)",
                                        "--op=a\nb", "\x1b",           NULL};
    const ob_slurm_plan plan = {
        .size = sizeof plan,
        .folder = "/data/my \"shards\"#a",
        .program = "/usr/bin/op bench",
        .cwd = "/home/`id`",
        .config = "/a b/it's.json",
        .words = WORDS,
        .chunks = 8,
        .options = {.size = sizeof plan.options, .nodes = 2, .exclude = "n9", .grace_s = 60}};
    ob_text text = {0};
    CHECK_INT(ob_slurm_print_chunk_script(&plan, &text, NULL), OB_OK);
    CHECK(ob_text_append(&text, "", 1));
    CHECK(has_line(&text, "#SBATCH --job-name=opbench-my__shards__a"));
    CHECK(has_line(&text, "#SBATCH --array=1-8%2"));
    CHECK(has_line(&text, "#SBATCH --exclusive"));
    CHECK(has_line(&text, "#SBATCH --signal=B:TERM@60"));
    CHECK(has_line(&text, "folder='/data/my \"shards\"#a'"));
    CHECK(has_line(&text, "program='/usr/bin/op bench'"));
    CHECK(has_line(&text, "directory='/home/`id`'"));
    CHECK(has_line(&text, "exclude=n9"));
    CHECK(has_line(&text, "patience=20"));
    CHECK(has_line(&text, "run=(-c '/a b/it'\\''s.json' '--tag=x=$(id)' $'--op=a\\nb' $'\\x1b')"));
    text.size = 0;
    CHECK_INT(ob_slurm_print_merge_script(&plan, &text, NULL), OB_OK);
    CHECK(ob_text_append(&text, "", 1));
    CHECK(has_line(&text, "exec '/usr/bin/op bench' merge \"$folder\" --output "
                          "\"$folder/merged/all.json\" --force"));
    ob_text_fini(&text);
}

static void names_that_slurm_reads(void)
{
    static const char *const WORDS[] = {NULL};
    ob_slurm_plan plan = {.size = sizeof plan,
                          .folder = "/data/a\nb",
                          .program = "/p",
                          .cwd = "/",
                          .words = WORDS,
                          .chunks = 1,
                          .options = {.size = sizeof plan.options, .grace_s = 60}};
    ob_text text = {0};
    ob_err err = {.message = ""};
    CHECK_INT(ob_slurm_print_chunk_script(&plan, &text, &err), OB_ERR_INVALID);
    CHECK_STR(err.message,
              "the folder's name has a line feed or another control character; use another name");
    plan.folder = "/data/100%";
    CHECK_INT(ob_slurm_print_chunk_script(&plan, &text, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "the folder's name, /data/100%, has '%' or '\\', which Slurm replaces "
                           "in log names; use another name");
    ob_text_fini(&text);
}

int main(void)
{
    RUN(times);
    RUN(options);
    RUN(scripts);
    RUN(names_that_slurm_reads);
    return ob_test_end();
}
