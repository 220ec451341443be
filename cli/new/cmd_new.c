/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench new plugin NAME: a folder with a plug-in that builds. What is written is examples/plugin/kernel, word for
 * word, with the user's name in the place of the example's, and a file that says where this opbench is.
 */
#include "new/plugin_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAME = 40 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* It becomes the name of files, of the backend and of a target of CMake. */
static bool is_name(const char *name)
{
    size_t length = 0;
    while (is_letter(name[length]) || name[length] == '_' || name[length] == '-' ||
           (name[length] >= '0' && name[length] <= '9'))
        length++;
    return is_letter(name[0]) && name[length] == '\0' && length <= MOST_NAME;
}

static bool is_taken(const ob_cli *cli, const char *name)
{
    for (size_t i = 0; i < ob_context_count(cli->context, OB_ENTRY_BACKEND); i++)
        if (strcmp(ob_context_entry(cli->context, OB_ENTRY_BACKEND, i).name, name) == 0)
            return true;
    return ob_manifests_find(ob_context_manifests(cli->context), name) != NULL;
}

static ob_status write_file(int folder, const ob_new_file *file, const char *name, ob_err *err)
{
    char path[MOST_NAME + 32];
    ob_text text = {0};
    OB_TRY(ob__new_fill(file->name, name, &text, err));
    snprintf(path, sizeof path, "%s", text.data);
    text.size = 0;
    ob_status status = ob__new_fill(file->text, name, &text, err);
    const int fd = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          file->is_program ? 0777 : 0666);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool ok = out != NULL;
    if (status == OB_OK && ok)
        ok = fwrite(text.data, 1, text.size, out) == text.size;
    if (out != NULL)
        ok = fclose(out) == 0 && ok;
    if (status == OB_OK && !ok)
        status =
            ob_err_set(err, OB_ERR_IO, "%s/%s cannot be written: %s", name, path, strerror(errno));
    ob_text_fini(&text);
    return status;
}

static ob_status write_folder(const char *name, const char *where, ob_err *err)
{
    const ob_new_file own = {.name = "opbench.mk", .text = where};
    if (mkdir(name, 0777) != 0)
        return errno == EEXIST
                   ? ob_err_set(err, OB_ERR_DUPLICATE,
                                "%s already exists; choose another name, or remove it", name)
                   : ob_err_set(err, OB_ERR_IO, "the folder %s cannot be made: %s", name,
                                strerror(errno));
    const int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return ob_err_set(err, OB_ERR_IO, "%s cannot be opened: %s", name, strerror(errno));
    ob_status status = write_file(folder, &own, name, err);
    for (size_t i = 0; status == OB_OK && ob__new_files[i].name != NULL; i++)
        status = write_file(folder, &ob__new_files[i], name, err);
    close(folder);
    return status;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const char *name = call->word_count > 1 ? call->words[1] : "";
    ob_err err;
    if (!is_name(name))
        return ob__cli_usage_error(cli,
                                   "\"%.60s\" is not a valid plug-in name; use at most %d letters, "
                                   "digits, _ and -, starting with a letter",
                                   name, MOST_NAME);
    const int code = ob__cli_open_context(cli, OB_CLI_WITH_PLUGINS, OB_LOG_ERROR);
    if (code != OB_EXIT_OK)
        return code;
    if (is_taken(cli, name))
        return ob__cli_usage_error(cli, "there is already a backend called %s; choose another name",
                                   name);
    ob_text where = {0};
    ob_status status = ob__new_where(&where, &err);
    if (status == OB_OK)
        status = write_folder(name, where.data, &err);
    ob_text_fini(&where);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    ob__cli_printf(cli, "%s: a backend with one kernel, aten::relu in %s.c\n", name, name);
    ob__cli_printf(cli, "next: cd %s && make && make test\n", name);
    return OB_EXIT_OK;
}

static const ob_cli_word WORDS[] = {
    {.name = "WHAT", .choices = "plugin", .required = true, .help = "What to create."},
    {.name = "NAME",
     .required = true,
     .help = "The name of the folder, the plug-in and its backend: letters, digits, _ and -."},
    {.name = NULL},
};

const ob_cli_command ob__command_new = {
    .name = "new",
    .help = "start a plug-in: a folder that builds",
    .text = "Creates the folder NAME with a plug-in that adds a backend of that name: one kernel "
            "in C, a Makefile and a CMakeLists.txt, a config, and a test that compares its results "
            "with native's. Both builds find the headers and the kit of this opbench. Existing "
            "files are never overwritten. docs/plugins.md describes the interface.",
    .words = WORDS,
    .example = "opbench new plugin mine && cd mine && make && make test",
    .run = run,
};
