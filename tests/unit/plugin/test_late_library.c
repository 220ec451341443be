/* SPDX-License-Identifier: Apache-2.0 */
#include "opbench/shared_object.h"

#include "check.h"

#include <limits.h>
#include <string.h>

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

/* A name with a slash is the file itself; others are looked for where the dynamic linker would. */
static void found(void)
{
    char path[PATH_MAX], short_path[4];
    CHECK(ob_shared_object_find("/proc/self/exe", path, sizeof path));
    CHECK_STR(path, "/proc/self/exe");
    CHECK(ob_shared_object_find("/proc/self/exe", short_path, sizeof short_path));
    CHECK_STR(short_path, "/pr");
    CHECK(!ob_shared_object_find("/proc/self/no_such_file.so", path, sizeof path));
    CHECK(ob_shared_object_find("libm.so.6", path, sizeof path));
    CHECK(path[0] == '/' && strcmp(strrchr(path, '/'), "/libm.so.6") == 0);
    CHECK(!ob_shared_object_find("libopbench_none.so.9", NULL, 0));
}

int main(void)
{
    RUN(filled_in_order);
    RUN(missing);
    RUN(found);
    return ob_test_end();
}
