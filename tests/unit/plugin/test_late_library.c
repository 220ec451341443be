/* SPDX-License-Identifier: Apache-2.0 */
#include "opbench/shared_object.h"

#include "check.h"

static struct {
    double (*cosine)(double);
    double (*square_root)(double);
} table;

static void filled_in_order(void)
{
    static const char *const NAMES[] = {"cos", "sqrt"};
    ob_late_library library = {.name = "libm.so.6",
                               .purpose = "to compute",
                               .functions = NAMES,
                               .count = 2,
                               .table = &table};
    ob_err err;
    CHECK_INT(ob_late_library_open(&library, &err), OB_OK);
    CHECK(library.is_open);
    CHECK(table.cosine(0.0) == 1.0 && table.square_root(9.0) == 3.0);
    table.cosine = NULL; /* it is filled once */
    CHECK_INT(ob_late_library_open(&library, &err), OB_OK);
    CHECK(table.cosine == NULL);
}

static void missing(void)
{
    static const char *const NAMES[] = {"cos", "no_such_function_of_libm"};
    ob_late_library library = {.name = "libopbench_none.so.9",
                               .purpose = "to compute",
                               .functions = NAMES,
                               .count = 2,
                               .table = &table};
    ob_err err;
    CHECK_INT(ob_late_library_open(&library, &err), OB_ERR_NOT_FOUND);
    CHECK_STR(err.message, "there is no libopbench_none.so.9; install it to compute");
    library.name = "libm.so.6";
    CHECK_INT(ob_late_library_open(&library, &err), OB_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "libm.so.6 has no no_such_function_of_libm; install another to compute");
    CHECK(!library.is_open);
}

int main(void)
{
    RUN(filled_in_order);
    RUN(missing);
    return ob_test_end();
}
