/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of PATH, and environments with variables added and replaced.
 */
#include "check.h"
#include "process/programs.h"

#include <stdlib.h>

static void test_find(void)
{
    char *path;
    setenv("PATH", "/nowhere::/usr/bin:/bin", 1);
    CHECK(ob__program_find("sh", &path));
    CHECK(path != NULL && (strcmp(path, "/usr/bin/sh") == 0 || strcmp(path, "/bin/sh") == 0));
    free(path);
    CHECK(ob__program_find("/bin/sh", &path));
    CHECK_STR(path, "/bin/sh");
    free(path);
    CHECK(ob__program_find("no-such-program", &path));
    CHECK(path == NULL);
    CHECK(ob__program_find("/no/such/program", &path));
    CHECK(path == NULL);
    unsetenv("PATH");
    CHECK(ob__program_find("sh", &path));
    CHECK(path != NULL);
    free(path);
}

static const char *value(char **list, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; list[i] != NULL; i++)
        if (strncmp(list[i], name, strlen(name)) == 0 && list[i][strlen(name)] == '=') {
            CHECK(found == NULL); /* once */
            found = list[i] + strlen(name) + 1;
        }
    return found;
}

static void test_environment(void)
{
    setenv("OB_KEPT", "old", 1);
    setenv("OB_CHANGED", "old", 1);
    setenv("OB_CHANGED_TOO", "old", 1);
    char **list = ob__environment_make((const char *const[]){"OB_CHANGED=new", "OB_ADDED=", NULL});
    CHECK_STR(value(list, "OB_KEPT"), "old");
    CHECK_STR(value(list, "OB_CHANGED"), "new");
    CHECK_STR(value(list, "OB_CHANGED_TOO"), "old");
    CHECK_STR(value(list, "OB_ADDED"), "");
    free(list);
    list = ob__environment_make(NULL);
    CHECK_STR(value(list, "OB_CHANGED"), "old");
    free(list);
}

int main(void)
{
    RUN(test_find);
    RUN(test_environment);
    return ob_test_end();
}
