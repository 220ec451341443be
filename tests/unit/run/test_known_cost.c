/* SPDX-License-Identifier: Apache-2.0
 *
 * What cases cost before they are made: exact where the rows are, cut where they are not, and never an error.
 */
#include "run/known_cost.h"
#include "run/run_test.h"

#define MATRIX(rows, columns)                                                                      \
    "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [" rows ", " columns "]}"
#define PAIR_OF(a, b) "{\"args\": [" a ", " b "]}"

/* "flops bytes inputs", or what is known. */
static void check(const char *op, const char *input, const char *want)
{
    char config_text[1024], text[96];
    ob_context *context = run_context();
    ob_cases *cases = NULL;
    const ob_case *c = NULL;
    snprintf(config_text, sizeof config_text, "{" TEST_OPERATOR("%s", "%s") "}", op, input);
    ob_config *config = run_config(context, config_text);
    CHECK_INT(ob_cases_open(config, NULL, &cases, NULL), OB_OK);
    CHECK_INT(ob_cases_next(cases, &c, NULL), OB_OK);
    const ob_known_cost cost = ob__known_cost(context, c);
    snprintf(text, sizeof text, "%s%llu %llu %llu",
             cost.is_known ? "" : "not known: ", (unsigned long long)cost.flops,
             (unsigned long long)cost.bytes, (unsigned long long)cost.inputs);
    CHECK_STR(text, want);
    ob_cases_close(cases);
    ob_config_destroy(config);
    ob_context_destroy(context);
}

static void rows_say_it(void)
{
    check("torch.add", TEST_PAIR, "4 48 32"); /* 3 tensors of 16 bytes; alpha is 1 */
    check("torch.mm", PAIR_OF(MATRIX("4", "8"), MATRIX("8", "2")), "128 224 192");
}

/* 2 * 1001^3 has more digits than are kept: 2006006002 >> 19 << 19. */
static void digits_are_cut(void)
{
    check("torch.mm", PAIR_OF(MATRIX("1001", "1001"), MATRIX("1001", "1001")),
          "2005925888 12021760 8015872");
}

/* A logarithm, of which machines may see another last digit. */
static void logarithms_are_cut(void)
{
    check("torch.sort", "{\"args\": [" MATRIX("1000", "1000") "]}", "9965568 15998976 3999744");
}

/* No row, values that do not fit, more than any machine has: nothing is made, and nothing fails. */
static void what_is_not_known(void)
{
    check("torch.no_such_operator", TEST_PAIR, "not known: 0 0 32");
    check("torch.mm", PAIR_OF(MATRIX("4", "8"), MATRIX("4", "8")), "not known: 0 0 256");
    check("torch.add", PAIR_OF(MATRIX("1000000", "1000000"), MATRIX("1000000", "1000000")),
          "999922073600 11995843657728 7999376588800");
}

int main(void)
{
    RUN(rows_say_it);
    RUN(digits_are_cut);
    RUN(logarithms_are_cut);
    RUN(what_is_not_known);
    return ob_test_end();
}
