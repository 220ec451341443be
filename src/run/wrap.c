/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of --wrap. They go before the worker's own without a shell, so nothing in them means anything but itself.
 */
#include "run/wrap.h"

#include "process/programs.h"

#include <stdlib.h>

static ob_status find_program(const char *name, char **path, ob_err *err)
{
    if (!ob__program_find(name, path))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for --wrap");
    if (*path != NULL)
        return OB_OK;
    return ob_err_set(err, OB_ERR_INVALID,
                      "--wrap: there is no program \"%.64s\"; install it, or give its path", name);
}

ob_status ob__wrap_words(const char *text, ob_command_words *words, ob_err *err)
{
    ob_command_words split = {.count = 0};
    char *path = NULL;
    if (text == NULL)
        return OB_OK;
    ob_status status = ob__command_words_split(&split, text, "--wrap", err);
    if (status == OB_ERR_SYNTAX)
        status = OB_ERR_INVALID;
    if (status == OB_OK && split.count == 0)
        status =
            ob_err_set(err, OB_ERR_INVALID, "--wrap: no command; give one such as 'perf stat -d'");
    if (status == OB_OK)
        status = find_program(split.text.data, &path, err);
    bool ok = status != OB_OK || ob__command_words_add(words, path);
    const char *at = split.text.data;
    for (size_t i = 1; ok && status == OB_OK && i < split.count; i++) {
        at += strlen(at) + 1;
        ok = ob__command_words_add(words, at);
    }
    free(path);
    ob__command_words_fini(&split);
    return ok ? status : ob_err_set(err, OB_ERR_NOMEM, "out of memory for --wrap");
}
