/* SPDX-License-Identifier: Apache-2.0
 *
 * What counts as a difference between a schema that somebody wrote and the one that is registered.
 */
#include "check.h"
#include "op/schema_compare.h"

#include <string.h>

static const char *difference(const char *given, const char *own)
{
    static char text[160];
    ob_schema *a = NULL, *b = NULL;
    text[0] = '\0';
    CHECK_INT(ob_schema_parse(given, strlen(given), &a, NULL), OB_OK);
    CHECK_INT(ob_schema_parse(own, strlen(own), &b, NULL), OB_OK);
    if (a != NULL && b != NULL)
        CHECK(ob__schema_differs(a, b, text, sizeof text) == (text[0] != '\0'));
    ob_schema_destroy(a);
    ob_schema_destroy(b);
    return text;
}

#define OWN "a::f(Tensor self, int[1] dim, bool keep=False, *, ScalarType? dtype=None) -> Tensor"

static void no_difference(void)
{
    CHECK_STR(difference(OWN, OWN), "");
    CHECK_STR(difference("a::f(Tensor(a) self, SymInt[] dim, bool keep=True) -> Tensor(a)", OWN),
              "");
    CHECK_STR(
        difference("a::f(Tensor self, int[1]? dim, bool keep=False, *, ScalarType? dtype=None, "
                   "int more=3) -> Tensor out",
                   OWN),
        "");
    CHECK_STR(difference("a::f((int, SymInt) x) -> ()", "a::f((int, int) x) -> ()"), "");
}

static void differences(void)
{
    CHECK_STR(difference("a::f(Tensor self, int[1] dim, int k) -> Tensor", OWN),
              "there is no argument 'k'");
    CHECK_STR(difference("a::f(Tensor self) -> Tensor", OWN), "there is an extra argument 'dim'");
    CHECK_STR(difference("a::f(Tensor self, float dim) -> Tensor", OWN),
              "'dim' is int[1] here, not float");
    CHECK_STR(difference("a::f(int[1] dim, Tensor self) -> Tensor", OWN),
              "'dim' is in a different position");
    CHECK_STR(difference("a::f(Tensor self, int[1] dim, ScalarType? dtype=None) -> Tensor", OWN),
              "'dtype' is in a different position");
    CHECK_STR(difference("a::f(Tensor self, int[1] dim) -> (Tensor, Tensor)", OWN),
              "it has 1 results here, not 2");
    CHECK_STR(difference("a::f(Tensor self, int[1] dim) -> int", OWN),
              "'result' is Tensor here, not int");
    CHECK_STR(difference("a::f(Storage x) -> ()", "a::f(Stream x) -> ()"),
              "'x' is Stream here, not Storage");
    CHECK_STR(difference("a::f((int, int) x) -> ()", "a::f((int, int, int) x) -> ()"),
              "'x' is (int, int, int) here, not (int, int)");
}

int main(void)
{
    RUN(no_difference);
    RUN(differences);
    return ob_test_end();
}
