/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries beside ceilings, with files that stand in for them: noted, kept, and another one asks for a new measurement.
 */
#include "check.h"
#include "machine/roofline_list.h"
#include "opbench/run.h"
#include "run/backend_memo.h"

#include <stdlib.h>
#include <unistd.h>

static char dir[64], maps[96], library[96], kept[96];

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* As a process that has loaded the library. */
static void note(ob_roofline *r, const char *backend, const char *name)
{
    char line[192];
    ob_text files = {.data = NULL};
    ob_err err;
    snprintf(line, sizeof line, "1000-2000 r-xp 00000000 08:01 1  %s\n", library);
    write_file(maps, line);
    CHECK(ob__mapped_files_append(maps, &files) && ob_text_append(&files, "", 1));
    CHECK_INT(ob_roofline_note_library(r, backend, name, files.data, &err), OB_OK);
    ob_text_fini(&files);
}

static ob_roofline *read_again(void)
{
    ob_roofline *r = NULL;
    ob_err err;
    CHECK_INT(ob_roofline_read(kept, &r, &err), OB_OK);
    return r;
}

static void another_library(void)
{
    char why[512] = "", wanted[512];
    ob_roofline *r = ob__roofline_create();
    ob_err err;
    write_file(library, "one");
    ob_roofline_note_now(r->noted, sizeof r->noted);
    note(r, "mine", "My BLAS 1.0");
    note(r, "other", "");
    CHECK_INT(ob_roofline_write(r, kept, &err), OB_OK);
    ob_roofline_destroy(r);

    r = read_again();
    CHECK_INT(r->library_count, 2);
    CHECK_STR(r->libraries[0].name, "My BLAS 1.0");
    CHECK(!ob_roofline_is_outdated(r, NULL, why, sizeof why));
    write_file(library, "another");
    CHECK(ob_roofline_is_outdated(r, NULL, why, sizeof why));
    snprintf(wanted, sizeof wanted,
             "with My BLAS 1.0 under mine, and %s has since been replaced or removed", library);
    CHECK_STR(why, wanted);
    CHECK(ob_roofline_is_outdated(r, "null,other", why, sizeof why));
    snprintf(wanted, sizeof wanted,
             "with the libraries of other, and %s has since been replaced or removed", library);
    CHECK_STR(why, wanted);
    CHECK(!ob_roofline_is_outdated(r, "null,min", why, sizeof why)); /* whose library it is not */
    unlink(library);
    CHECK(ob_roofline_is_outdated(r, "mine", why, sizeof why));
    ob_roofline_destroy(r);
}

static void another_kernel(void)
{
    char why[512] = "", class[OB_MACHINE_CLASS_BYTES], again[OB_MACHINE_CLASS_BYTES];
    ob_roofline *r = ob__roofline_create();
    char now[sizeof r->noted];
    ob_machine_class(class);
    ob_roofline_note_now(now, sizeof now);
    snprintf(r->noted, sizeof r->noted, "Linux 2.6.32, microcode 0x1, %s", strstr(now, "opbench "));
    CHECK(ob__roofline_is_of_this_build(r));
    CHECK(ob_roofline_is_outdated(r, NULL, why, sizeof why));
    CHECK(strncmp(why, "under Linux 2.6.32, microcode 0x1, opbench ", 42) == 0);
    snprintf(r->noted, sizeof r->noted, "%.*s", (int)(strstr(now, ", opbench ") - now), now);
    CHECK(!ob__roofline_is_of_this_build(r)); /* as older versions wrote it */
    CHECK(ob_roofline_is_outdated(r, NULL, why, sizeof why));
    CHECK_HAS(why, "by another build of opbench and are not used: under ");
    ob_machine_class(again);
    CHECK_STR(class, again);
    ob_roofline_destroy(r);
}

static void older_files(void)
{
    char why[512];
    ob_roofline *r = NULL;
    ob_err err;
    write_file(kept, "{\"opbench_roofline\": 1, \"noted\": \"x\", \"ceilings\": []}");
    r = read_again();
    CHECK_INT(r->library_count, 0);
    ob_roofline_note_now(r->noted, sizeof r->noted);
    CHECK(!ob_roofline_is_outdated(r, NULL, why, sizeof why));
    ob_roofline_destroy(r);
    write_file(kept, "{\"opbench_roofline\": 1, \"noted\": \"x\", \"libraries\": [{}]}");
    CHECK_INT(ob_roofline_read(kept, &r, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "libraries[0] is not a library");
}

static void names(void)
{
    CHECK(ob_backend_is_among(NULL, "a"));
    CHECK(ob_backend_is_among("a,b", "b"));
    CHECK(ob_backend_is_among("a", "a"));
    CHECK(!ob_backend_is_among("ab,bc", "b"));
    CHECK(!ob_backend_is_among("", "b"));
}

int main(void)
{
    snprintf(dir, sizeof dir, "/tmp/ob_libraries.XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
    snprintf(maps, sizeof maps, "%s/maps", dir);
    snprintf(library, sizeof library, "%s/libmine.so", dir);
    snprintf(kept, sizeof kept, "%s/roofline.json", dir);
    RUN(another_library);
    RUN(another_kernel);
    RUN(older_files);
    RUN(names);
    unlink(maps);
    unlink(kept);
    rmdir(dir);
    return ob_test_end();
}
