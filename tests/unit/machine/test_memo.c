/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/machine_trial.h"

#include "../check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], path[128], library[128];

typedef struct oracle {
    int asked;
    ob_trial_outcome says;
} oracle;

static void answer(void *ctx, const ob_trial *trial, ob_trial_outcome *out)
{
    oracle *o = ctx;
    (void)trial;
    o->asked++;
    *out = o->says;
}

/* Asks once in a run of its own; the text of what came out. */
static const char *ask(oracle *o, const ob_trial *trial, const char *kernel)
{
    static ob_trial_outcome out;
    ob_trial_memo memo;
    ob__memo_open(&memo, dir, "0123456789abcdef", kernel);
    const ob_trial_runner place = {.fn = answer, .ctx = o, .memo = &memo};
    ob__trial_ask(&place, trial, &out);
    ob__memo_close(&memo);
    static char text[256];
    snprintf(text, sizeof text, "%d%s", out.state, out.text);
    return text;
}

static void write_text(const char *file, const char *text)
{
    FILE *f = fopen(file, "we");
    CHECK(f != NULL);
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
}

static void test_once(void)
{
    oracle o = {.says = {.state = OB_TRIAL_OK}};
    const ob_trial avx2 = {.what = "avx2"}, amx = {.what = "amx"};
    CHECK_STR(ask(&o, &avx2, "6.1"), "1");
    CHECK_STR(ask(&o, &avx2, "6.1"), "1");
    CHECK_INT(o.asked, 1);
    o.says = (ob_trial_outcome){OB_TRIAL_FAILED, "it\tdies\nhere"};
    CHECK_STR(ask(&o, &amx, "6.1"), "2it dies here");
    CHECK_STR(ask(&o, &amx, "6.1"), "2it dies here");
    CHECK_STR(ask(&o, &avx2, "6.1"), "1");
    CHECK_INT(o.asked, 2);
    struct stat st;
    CHECK(stat(path, &st) == 0 && (st.st_mode & 077) == 0);
}

static void test_another_kernel(void)
{
    oracle o = {.says = {OB_TRIAL_OK, "again"}};
    CHECK_STR(ask(&o, &(ob_trial){.what = "amx"}, "6.2"), "1again");
    CHECK_INT(o.asked, 1);
}

static void test_unknown_is_not_kept(void)
{
    oracle o = {.says = {.state = OB_TRIAL_UNKNOWN}};
    const ob_trial trial = {.what = "never"};
    ask(&o, &trial, "6.2");
    CHECK_STR(ask(&o, &trial, "6.2"), "0");
    CHECK_INT(o.asked, 2);
}

static void test_library(void)
{
    oracle o = {.says = {OB_TRIAL_OK, "Zen"}};
    const ob_trial plain = {.what = "openblas", .library = library};
    const ob_trial with = {
        .what = "openblas", .library = library, .variable = "OPENBLAS_CORETYPE=Haswell"};
    write_text(library, "one");
    CHECK_STR(ask(&o, &plain, "6.2"), "1Zen");
    o.says = (ob_trial_outcome){OB_TRIAL_OK, "Haswell"};
    CHECK_STR(ask(&o, &with, "6.2"), "1Haswell");
    CHECK_STR(ask(&o, &plain, "6.2"), "1Zen");
    CHECK_INT(o.asked, 2);
    write_text(library, "a new release");
    CHECK_STR(ask(&o, &plain, "6.2"), "1Haswell");
    CHECK_INT(o.asked, 3);
    unlink(library);
    CHECK_STR(ask(&o, &plain, "6.2"), "1Haswell"); /* no identity, nothing kept */
    CHECK_INT(o.asked, 4);
}

/* A file of ours that is torn or changed, or that others may change, is not believed, and replaced. */
static void test_bad_files(void)
{
#define HEAD "opbench machine 1 0123456789abcdef 6.2\n"
    static const char *const TEXTS[] = {"", HEAD, (HEAD "amx\t-\t-\t+\nend 0000000000000000\n")};
#undef HEAD
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        oracle o = {.says = {OB_TRIAL_FAILED, "no"}};
        const ob_trial trial = {.what = "amx"};
        write_text(path, TEXTS[i]);
        CHECK_STR(ask(&o, &trial, "6.2"), "2no");
        CHECK_INT(o.asked, 1);
        CHECK_STR(ask(&o, &trial, "6.2"), "2no");
        CHECK_INT(o.asked, 1);
    }
    oracle o = {.says = {OB_TRIAL_OK, ""}};
    chmod(path, 0666); /* others could have written it */
    CHECK_STR(ask(&o, &(ob_trial){.what = "amx"}, "6.2"), "1");
    CHECK_INT(o.asked, 1);
    unlink(path);
    mkdir(path, 0700); /* nor is a folder of that name touched */
    ask(&o, &(ob_trial){.what = "amx"}, "6.2");
    ask(&o, &(ob_trial){.what = "amx"}, "6.2");
    CHECK_INT(o.asked, 3);
    CHECK_INT(rmdir(path), 0);
}

/* What is not ours is neither believed nor replaced, nor is what a link leads to. */
static void test_files_of_others(void)
{
    static const char *const TEXTS[] = {"\177ELF", "amx\t-\t-\t+\n", "my notes\n"};
    oracle o = {.says = {OB_TRIAL_OK, ""}};
    char held[64], notes[128];
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        write_text(path, TEXTS[i]);
        ask(&o, &(ob_trial){.what = "amx"}, "6.2");
        FILE *f = fopen(path, "re");
        CHECK(f != NULL && fgets(held, sizeof held, f) != NULL && fclose(f) == 0);
        CHECK_STR(held, TEXTS[i]);
    }
    snprintf(notes, sizeof notes, "%s/notes", dir);
    CHECK_INT(rename(path, notes), 0);
    CHECK_INT(symlink("notes", path), 0);
    struct stat st;
    ask(&o, &(ob_trial){.what = "amx"}, "6.2");
    CHECK(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
    CHECK_INT(o.asked, 4);
    unlink(path);
    unlink(notes);
}

static void test_nowhere(void)
{
    ob_trial_memo memo;
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    ob__memo_open(&memo, NULL, "k", "6.2");
    CHECK_STR(memo.path, "");
    oracle o = {.says = {OB_TRIAL_OK, "x"}};
    ob_trial_outcome out;
    const ob_trial_runner place = {.fn = answer, .ctx = &o, .memo = &memo};
    ob__trial_ask(&place, &(ob_trial){.what = "amx"}, &out);
    CHECK_STR(out.text, "x");
    ob__memo_close(&memo);
    ob__trial_ask(&(ob_trial_runner){.fn = NULL}, &(ob_trial){.what = "amx"}, &out);
    CHECK_INT(out.state, OB_TRIAL_UNKNOWN);
    setenv("HOME", "/nonexistent", 1);
    ob__memo_open(&memo, NULL, "k", "6.2");
    CHECK_STR(memo.path, "");
    ob__memo_close(&memo);
    setenv("XDG_CACHE_HOME", "/some/cache", 1);
    ob__memo_open(&memo, NULL, "k", "6.2");
    CHECK_STR(memo.path, "/some/cache/opbench/machine/k.txt");
    ob__memo_close(&memo);
}

int main(void)
{
    strcpy(dir, "/tmp/opbench-test-memo-XXXXXX");
    if (mkdtemp(dir) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/0123456789abcdef.txt", dir);
    snprintf(library, sizeof library, "%s/library", dir);
    RUN(test_once);
    RUN(test_another_kernel);
    RUN(test_unknown_is_not_kept);
    RUN(test_library);
    RUN(test_bad_files);
    RUN(test_files_of_others);
    RUN(test_nowhere);
    unlink(path);
    rmdir(dir);
    return ob_test_end();
}
