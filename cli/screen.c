/* SPDX-License-Identifier: Apache-2.0
 *
 * All that the program writes: results to standard output, messages to standard error.
 *
 * A full disk or a closed pipe must not look like success, so every result goes through here and the
 * first failure is told and remembered. Texts may come from a config or a trace of unknown origin: what a terminal would
 * obey is replaced in all of them.
 */
#include "screen.h"

#include "interrupts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool shows_colour(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    if (term == NULL || strcmp(term, "dumb") == 0)
        return false;
    return isatty(fd) == 1;
}

void ob__cli_screen_init(ob_cli *cli)
{
    cli->terminal_out = isatty(STDOUT_FILENO) == 1;
    cli->colour_out = shows_colour(STDOUT_FILENO);
    cli->colour_err = shows_colour(STDERR_FILENO);
}

size_t ob__cli_width(const ob_cli *cli)
{
    (void)cli;
    struct winsize size = {.ws_col = 0};
    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

bool ob__cli_is_utf8(void)
{
    static const char *const VARIABLES[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
        const char *value = getenv(VARIABLES[i]);
        if (value != NULL && value[0] != '\0') /* the first that is set decides */
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

/* ---- results ---- */

static bool note_write(ob_cli *cli, bool ok, int error)
{
    if (ok || cli->write_failed)
        return !cli->write_failed;
    cli->write_failed = true;
    /* The reader of a pipe went away on purpose (head): nothing to tell. */
    if (error != EPIPE)
        fprintf(stderr, "opbench: error: cannot write to standard output: %s\n", strerror(error));
    return false;
}

static bool write_visible(ob_cli *cli, const char *data, size_t size, bool keep_styles)
{
    ob_text text = {.data = NULL};
    if (cli->write_failed || size == 0) /* an empty text has no data */
        return !cli->write_failed;
    errno = ENOMEM;
    const bool ok = ob_text_append_visible(&text, data, size, keep_styles) &&
                    fwrite(text.data, 1, text.size, stdout) == text.size;
    const int error = errno;
    ob_text_fini(&text);
    return note_write(cli, ok, error);
}

bool ob__cli_write(ob_cli *cli, const char *data, size_t size)
{
    return write_visible(cli, data, size, false);
}

bool ob__cli_write_styled(ob_cli *cli, const char *data, size_t size)
{
    return write_visible(cli, data, size, cli->colour_out);
}

bool ob__cli_printf(ob_cli *cli, const char *format, ...)
{
    char *text = NULL;
    if (cli->write_failed)
        return false;
    va_list args;
    va_start(args, format);
    errno = 0;
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return note_write(cli, false, ENOMEM);
    const bool ok = ob__cli_write(cli, text, (size_t)length);
    free(text);
    return ok;
}

int ob__cli_finish(ob_cli *cli)
{
    if (!cli->write_failed) {
        errno = 0;
        const bool ok = fflush(stdout) == 0 && !ferror(stdout);
        note_write(cli, ok, errno);
    }
    return cli->write_failed ? OB_EXIT_FAILED : OB_EXIT_OK;
}

/* ---- messages ---- */

typedef struct severity {
    const char *plain, *coloured;
} severity;

static const severity ERROR_WORD = {"error", "\033[1;31merror\033[0m"};
static const severity WARNING_WORD = {"warning", "\033[1;35mwarning\033[0m"};
static const severity NOTE_WORD = {"note", "\033[1;36mnote\033[0m"};

/* A config that was made from the command line is in no file: of a place in it only the argument says
 * something. */
static void hide_made_config(const ob_cli *cli, ob_err *err)
{
    const char *args = strstr(err->path, ".args[");
    const bool is_made = (err->file[0] == '<' && strcmp(err->file, "<stdin>") != 0) ||
                         (cli->config_is_words && strcmp(err->file, "-") == 0);
    if (!is_made)
        return;
    if (args == NULL)
        args = strstr(err->path, ".kwargs.");
    err->file[0] = '\0';
    err->line = err->column = 0;
    memmove(err->path, args != NULL ? args : "", args != NULL ? strlen(args) + 1 : 1);
}

/* In its place, cut if it becomes too long. */
static void make_visible(char *text, size_t room)
{
    ob_text visible = {.data = NULL};
    const bool ok = ob_text_append_visible(&visible, text, strlen(text), false);
    const size_t length = !ok ? 0 : visible.size < room ? visible.size : room - 1;
    if (length > 0)
        memcpy(text, visible.data, length);
    text[length] = '\0';
    ob_text_fini(&visible);
}

/* A message about a place in a file starts with that; any other one with who speaks. */
static void print_err(const ob_cli *cli, const severity *word, const ob_err *err)
{
    ob_err shown = *err;
    hide_made_config(cli, &shown);
    make_visible(shown.file, sizeof shown.file);
    make_visible(shown.path, sizeof shown.path);
    make_visible(shown.message, sizeof shown.message);
    char line[sizeof(ob_err) + 64];
    ob_err_format(&shown, cli->colour_err ? word->coloured : word->plain, line, sizeof line);
    const char *command = cli->command != NULL ? cli->command->name : NULL;
    if (shown.file[0] == '\0')
        fprintf(stderr, "opbench%s%s: ", command != NULL ? " " : "",
                command != NULL ? command : "");
    fprintf(stderr, "%s\n", line);
}

void ob__cli_log(void *ctx, ob_log_level level, const ob_err *what)
{
    ob_cli *cli = ctx;
    if (cli->hide_refused_plugins && level == OB_LOG_WARNING && what->code == OB_ERR_PLUGIN)
        return;
    if (level == OB_LOG_WARNING && cli->wants_warning != NULL &&
        !cli->wants_warning(cli->wants_ctx, what))
        return;
    const severity *word = level == OB_LOG_ERROR     ? &ERROR_WORD
                           : level == OB_LOG_WARNING ? &WARNING_WORD
                                                     : &NOTE_WORD;
    print_err(cli, word, what);
    if (level == OB_LOG_ERROR)
        cli->logged_error = true;
}

/* Failures of the machine or of the program, not of what the user wrote. */
static bool is_machine_failure(ob_status status)
{
    return status == OB_ERR_NOMEM || status == OB_ERR_BACKEND || status == OB_ERR_STATE;
}

int ob__cli_fail(ob_cli *cli, const ob_err *err)
{
    if (!cli->logged_error)
        print_err(cli, &ERROR_WORD, err);
    cli->logged_error = false;
    if (err->code == OB_ERR_STATE && ob__cli_is_interrupted(NULL) > 0)
        return OB_EXIT_INTERRUPTED;
    return is_machine_failure(err->code) ? OB_EXIT_FAILED : OB_EXIT_USAGE;
}

int ob__cli_out_of_memory(ob_cli *cli)
{
    const ob_err err = {.code = OB_ERR_NOMEM, .message = "out of memory"};
    return ob__cli_fail(cli, &err);
}

static void message(ob_cli *cli, const severity *word, const char *format, va_list args)
{
    ob_err err;
    ob_err_setv(&err, OB_ERR_INVALID, format, args);
    print_err(cli, word, &err);
}

int ob__cli_usage_error(ob_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(cli, &ERROR_WORD, format, args);
    va_end(args);
    const bool named = cli->command != NULL && ob__cli_is_listed(cli->command);
    fprintf(stderr, "Try 'opbench help%s%s'.\n", named ? " " : "", named ? cli->command->name : "");
    return cli->command != NULL && cli->command->usage_exit != NULL ? cli->command->usage_exit(cli)
                                                                    : OB_EXIT_USAGE;
}

void ob__cli_say(const char *format, ...)
{
    char *text = NULL;
    ob_text visible = {.data = NULL};
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return;
    if (ob_text_append_visible(&visible, text, (size_t)length, false))
        fwrite(visible.data, 1, visible.size, stderr);
    ob_text_fini(&visible);
    free(text);
}

void ob__cli_clear_line(void)
{
    fputs("\r\033[K", stderr);
}

void ob__cli_warn(ob_cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(cli, &WARNING_WORD, format, args);
    va_end(args);
}

ob_status ob__cli_print_table(ob_cli *cli, ob_table *table, const ob_table_style *style,
                              ob_err *err)
{
    ob_text text = {0};
    const ob_status status = table != NULL ? ob_table_print(table, style, &text, err)
                                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (status == OB_OK)
        ob__cli_write_styled(cli, text.data, text.size);
    ob_text_fini(&text);
    ob_table_destroy(table);
    return status;
}

ob_status ob__cli_print_json(ob_cli *cli, const ob_json *value, ob_err *err)
{
    char *text;
    size_t length;
    OB_TRY(ob_json_print(value, &text, &length, err));
    ob__cli_write(cli, text, length);
    ob__cli_write(cli, "\n", 1);
    free(text);
    return OB_OK;
}
