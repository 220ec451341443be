/* SPDX-License-Identifier: Apache-2.0
 *
 * test_embedded STAND_IN_DIR PROGRAM: a program that uses the library and corrects libraries for itself, or does not
 * and leaves it to its sessions.
 */
#include "opbench/machine.h"
#include "plugin/registry.h"
#include "run/library_caps.h"

#include "../unit/check.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdlib.h>

static const char *program;
static char library[4096];
static const char VARIABLE[] = "OPENBLAS_CORETYPE";

static ob_library_caps *find(const char *with, const char *users)
{
    ob_library_caps *caps = NULL;
    ob_err err;
    const ob_library_caps_params params = {.size = sizeof params, .program = with, .users = users};
    CHECK_INT(ob_library_caps_find(&params, &caps, &err), OB_OK);
    return caps;
}

/* A program that cannot answer, or none: nothing is known, nothing is kept. */
static void no_answer(void)
{
    static const char *const PROGRAMS[] = {NULL, "/nowhere/opbench", "/bin/false", "/bin/true"};
    for (size_t i = 0; i < sizeof PROGRAMS / sizeof *PROGRAMS; i++) {
        ob_library_caps *caps = find(PROGRAMS[i], "native");
        CHECK_INT(ob_library_caps_count(caps), 1);
        CHECK_INT(ob_library_caps_at(caps, 0)->state, OB_CAP_FINE);
        CHECK_STR(ob_library_caps_at(caps, 0)->own, "");
        CHECK(ob_library_caps_at(caps, 1) == NULL);
        ob_library_caps_destroy(caps);
    }
    ob_library_caps *caps = find(NULL, "null,");
    CHECK_INT(ob_library_caps_count(caps), 0);
    CHECK_INT(ob_json_count(ob_library_caps_json(caps)), 0);
    ob_library_caps_destroy(caps);
    ob_library_caps_destroy(NULL);
}

static void corrected(void)
{
    ob_err err;
    ob_library_caps *caps = find(program, "native");
    const ob_library_cap *cap = ob_library_caps_at(caps, 0);
    CHECK_INT(cap->state, OB_CAP_SET);
    CHECK_STR(cap->own, "Prescott");
    CHECK(getenv(VARIABLE) == NULL); /* finding changes nothing */
    CHECK_INT(ob_library_caps_apply(caps, &err), OB_OK);
    CHECK_STR(getenv(VARIABLE), cap->value);
    ob_library_caps_destroy(caps);
    unsetenv(VARIABLE);
}

static char logged[1024];

static void keep_log(void *ctx, ob_log_level level, const ob_err *what)
{
    (void)ctx;
    snprintf(logged, sizeof logged, "%d %s", (int)level, what->message);
}

static const ob_log LOG = {.fn = keep_log, .max_level = OB_LOG_INFO};

/* It knows what was tried before. */
static void session(void)
{
    ob_run_options options;
    ob_context *context = NULL;
    ob_err err;
    CHECK_INT(ob__context_create_empty(&LOG, &context, &err), OB_OK);
    ob_run_options_init(&options);
    CHECK_INT(ob__cap_for_session(context, &options, "null", &err), OB_OK);
    CHECK(getenv(VARIABLE) == NULL);
    options.library_caps = "off";
    CHECK_INT(ob__cap_for_session(context, &options, "native", &err), OB_OK);
    CHECK(getenv(VARIABLE) == NULL);
    options.library_caps = NULL;
    setenv(OB_CAPS_VARIABLE, "off", 1);
    CHECK_INT(ob__cap_for_session(context, &options, "native", &err), OB_OK);
    CHECK(getenv(VARIABLE) == NULL);
    unsetenv(OB_CAPS_VARIABLE);
    CHECK_INT(ob__cap_for_session(context, &options, "native", &err), OB_OK);
    CHECK(getenv(VARIABLE) != NULL);
    CHECK_HAS(logged, "OpenBLAS would choose Prescott: ");
    ob_context_destroy(context);
    unsetenv(VARIABLE);
}

static void loaded_already(void)
{
    ob_context *context = NULL;
    ob_err err;
    CHECK(dlopen(library, RTLD_NOW | RTLD_LOCAL) != NULL);
    ob_library_caps *caps = find(program, "native");
    CHECK_INT(ob_library_caps_apply(caps, &err), OB_OK);
    const ob_library_cap *cap = ob_library_caps_at(caps, 0);
    CHECK_INT(cap->state, OB_CAP_CANNOT);
    CHECK_HAS(cap->why, "; it is already loaded, so start the program with OPENBLAS_CORETYPE=");
    CHECK_STR(cap->value, "");
    CHECK(getenv(VARIABLE) == NULL);
    const ob_json *row = ob_json_item(ob_library_caps_json(caps), 0);
    CHECK_STR(ob_json_string(ob_json_get(row, "by"), NULL), "nobody");
    ob_library_caps_destroy(caps);
    ob_run_options options;
    ob_run_options_init(&options);
    CHECK_INT(ob__context_create_empty(&LOG, &context, &err), OB_OK);
    CHECK_INT(ob__cap_for_session(context, &options, "native", &err), OB_OK);
    ob_context_destroy(context);
    CHECK_HAS(logged, "OpenBLAS chooses Prescott, which cannot be corrected: ");
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

int main(int argc, char **argv)
{
    char cache[] = "/tmp/opbench-test-embedded-XXXXXX";
    if (argc != 3 || mkdtemp(cache) == NULL)
        return 2;
    program = argv[2];
    snprintf(library, sizeof library, "%s/libopenblas.so.0", argv[1]);
    setenv("LD_LIBRARY_PATH", argv[1], 1);
    setenv("STAND_IN", "old", 1);
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv(OB_CAPS_VARIABLE);
    unsetenv(VARIABLE);
    RUN(no_answer);
    RUN(corrected);
    RUN(session);
    RUN(loaded_already);
    nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return ob_test_end();
}
