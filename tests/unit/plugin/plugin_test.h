/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of plug-ins share: a context whose messages are kept, and private folders with
 * copies of plug-in files whose rights a test can change.
 */
#ifndef OB_TEST_PLUGIN_TEST_H
#define OB_TEST_PLUGIN_TEST_H

#include "check.h"
#include "plugin/registry.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Messages of a context, one per line: "warning: FILE: text". */
typedef struct test_log {
    char text[8192];
    int count;
} test_log;

static inline void test_log_add(void *ctx, ob_log_level level, const ob_err *what)
{
    test_log *log = ctx;
    char line[1600];
    ob_err_format(what, level == OB_LOG_WARNING ? "warning" : "other", line, sizeof line);
    const size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s\n", line);
    log->count++;
}

/* A context with the core's operators alone. log may be NULL. */
static inline ob_context *test_context(test_log *log)
{
    const ob_log sink = {.fn = test_log_add, .ctx = log, .max_level = OB_LOG_INFO};
    ob_context *context = NULL;
    ob_err err;
    if (ob__context_create_empty(log != NULL ? &sink : NULL, &context, &err) != OB_OK) {
        fprintf(stderr, "no context: %s\n", err.message);
        exit(1);
    }
    return context;
}

/* A fresh folder that only the user may write to; the caller removes it with test_remove. */
static inline void test_folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/opbench-plugin-test-XXXXXX");
    if (mkdtemp(path) == NULL) {
        perror("mkdtemp");
        exit(1);
    }
}

static inline void test_shell(const char *format, const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, format, a, b);
    if (system(command) != 0) {
        fprintf(stderr, "failed: %s\n", command);
        exit(1);
    }
}

static inline void test_remove(const char *folder)
{
    test_shell("rm -rf '%s' # %s", folder, "");
}

/* The entry called name of one kind; name is "" when there is none. */
static inline ob_entry_info test_entry(const ob_context *context, ob_entry_kind kind,
                                       const char *name)
{
    for (size_t i = 0; i < ob_context_count(context, kind); i++) {
        const ob_entry_info info = ob_context_entry(context, kind, i);
        if (strcmp(info.name, name) == 0)
            return info;
    }
    return ob_context_entry(context, kind, SIZE_MAX);
}

#endif
