/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count does four things, and most options belong to some of them: one that means nothing is refused, so that
 * nobody believes it did something.
 */
#include "count_command.h"

#include <string.h>

/* What each option goes with; those that are not here belong to cases. */
static const struct {
    const char *name;
    unsigned uses;
} ROWS[] = {
    {"suite", OB_COUNT_SUITE},
    {"only", OB_COUNT_SUITE},
    {"retries", OB_COUNT_SUITE},
    {"list", OB_COUNT_SUITE},
    {"baseline", OB_COUNT_SUITE | OB_COUNT_CASES},
    {"max-regression", OB_COUNT_SUITE | OB_COUNT_CASES},
    {"ci", OB_COUNT_SUITE},
    {"jobs", OB_COUNT_SUITE},
    {"rounds", OB_COUNT_SUITE},
    {"no-times", OB_COUNT_SUITE},
    {"min-run-time", OB_COUNT_SUITE},
    {"md5", OB_COUNT_SUITE},
    {"lang", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES}, /* told by cases themselves */
    {"setup", OB_COUNT_STATEMENT},
    {"global-setup", OB_COUNT_STATEMENT},
    {"cc", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"cxx", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"cflags", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"ldflags", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"std", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"libs", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"compile-timeout", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"python", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"cache-dir", OB_COUNT_SUITE | OB_COUNT_STATEMENT},
    {"number", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"repeats", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"num-threads", OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"no-baseline", OB_COUNT_STATEMENT},
    {"label", OB_COUNT_STATEMENT},
    {"case-timeout", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"library-caps", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"output", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"append", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"resume", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"force", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"wait", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"format", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"quiet", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES},
    {"json", OB_COUNT_SUITE | OB_COUNT_STATEMENT | OB_COUNT_CASES | OB_COUNT_FILES},
    {"inclusive", OB_COUNT_FILES},
    {"denoise", OB_COUNT_FILES},
    {"standardise", OB_COUNT_FILES},
    {"less-baseline", OB_COUNT_FILES},
    {"match", OB_COUNT_FILES},
    {"part", OB_COUNT_FILES},
    {"all", OB_COUNT_FILES},
    {"width", OB_COUNT_FILES},
};

/* Options that say more about another one. */
static const struct {
    const char *name, *needs;
} NEEDS[] = {
    {"max-regression", "baseline"},
    {"no-times", "ci"},
    {"min-run-time", "ci"},
};

static unsigned uses_of(const char *name)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        if (strcmp(ROWS[i].name, name) == 0)
            return ROWS[i].uses;
    return OB_COUNT_CASES;
}

static bool is_given(const ob_option *rows, const char *name, const ob_count_options *options)
{
    const ob_option *row = ob_options_find(rows, name);
    return row != NULL && !ob_option_is_default(row, options);
}

static const char *say_uses(unsigned uses)
{
    return (uses & OB_COUNT_STATEMENT) != 0 ? "a statement (--lang)"
           : (uses & OB_COUNT_SUITE) != 0   ? "a suite (-s FILE)"
           : (uses & OB_COUNT_CASES) != 0   ? "cases of operators (--op, -c)"
                                            : "show and diff";
}

/* An option with the value that it has anyway changes nothing. */
int ob__count_check(ob_cli *cli, const ob_count_options *options, ob_count_use use)
{
    const ob_option *rows = ob__cli_own_options(cli->command);
    for (const ob_option *row = rows; row->name != NULL; row++) {
        const unsigned uses = uses_of(row->name);
        if ((uses & use) == 0 && !ob_option_is_default(row, options))
            return ob__cli_usage_error(cli, "--%s is for %s; leave it out here", row->name,
                                       say_uses(uses));
    }
    for (size_t i = 0; i < sizeof NEEDS / sizeof NEEDS[0]; i++)
        if (is_given(rows, NEEDS[i].name, options) && !is_given(rows, NEEDS[i].needs, options))
            return ob__cli_usage_error(cli, "--%s needs --%s; add that, or leave this out",
                                       NEEDS[i].name, NEEDS[i].needs);
    return OB_EXIT_OK;
}
