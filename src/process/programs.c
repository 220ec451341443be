/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding programs without a shell, and environments for them. Made before fork, because nothing may be
 * allocated behind it.
 */
#include "process/programs.h"

#include "base/text_append.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

bool ob__program_find(const char *name, char **out)
{
    const char *at = getenv("PATH");
    ob_text text = {0};
    *out = NULL;
    if (strchr(name, '/') != NULL) {
        *out = access(name, X_OK) == 0 ? strdup(name) : NULL;
        return *out != NULL || access(name, X_OK) != 0;
    }
    at = at != NULL ? at : "/usr/bin:/bin";
    while (*at != '\0') {
        const size_t length = strcspn(at, ":");
        text.size = 0;
        if (!ob_text_append(&text, at, length) || !ob_text_append(&text, "/", 1) ||
            !ob_text_append(&text, name, strlen(name) + 1)) {
            ob_text_fini(&text);
            return false;
        }
        if (length > 0 && access(text.data, X_OK) == 0) {
            *out = text.data;
            return true;
        }
        at += length + (at[length] == ':');
    }
    ob_text_fini(&text);
    return true;
}

static bool is_replaced(const char *old, const char *const *variables)
{
    for (size_t i = 0; variables != NULL && variables[i] != NULL; i++)
        if (strncmp(old, variables[i], strcspn(variables[i], "=") + 1) == 0)
            return true;
    return false;
}

char **ob__environment_make(const char *const *variables)
{
    size_t own = 0, more = 0, count = 0;
    while (environ[own] != NULL)
        own++;
    while (variables != NULL && variables[more] != NULL)
        more++;
    char **all = calloc(own + more + 1, sizeof *all);
    if (all == NULL)
        return NULL;
    for (size_t i = 0; i < own; i++)
        if (!is_replaced(environ[i], variables))
            all[count++] = environ[i];
    for (size_t i = 0; i < more; i++)
        all[count++] = (char *)(uintptr_t)variables[i]; /* execve does not write to it */
    return all;
}

ob_status ob__process_become(const char *const *words, ob_err *err)
{
    execve(words[0], (char *const *)(void *)words, environ);
    return ob_err_set(err, OB_ERR_IO, "%s cannot be started: %s", words[0], strerror(errno));
}
