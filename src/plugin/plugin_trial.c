/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is not opbench's own is loaded in a copy of this process first, which may die of it, and which tells what the
 * file registered, or why it was refused.
 */
#include "plugin/plugin_report.h"
#include "process/answer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { LIMIT_S = 20, MOST_BYTES = 20 << 20 };
#define CURE "rebuild it, or remove the file"

static const char TOO_MUCH[] = "it registers more than can be reported";

typedef struct trial {
    ob_context *context;
    const char *path;
} trial;

/* In the copy: all that runs code of the file before a backend is opened. */
static int load_apart(void *ctx, int socket)
{
    const trial *t = ctx;
    const struct rlimit no_core = {0, 0};
    const ob__registry_mark before = ob__registry_get_mark(t->context);
    ob_text report = {0};
    ob_err why;
    setrlimit(RLIMIT_CORE, &no_core);
    const ob_status status = ob__plugin_load_file(t->context, t->path, &why);
    if (status == OB_OK) {
        if (!ob__plugin_report_write(t->context, t->path, &before, &report) ||
            ob__wire_send(socket, OB_MESSAGE_PLUGIN, report.data, report.size, &why) != OB_OK)
            ob__wire_send(socket, OB_MESSAGE_FAILED, TOO_MUCH, sizeof TOO_MUCH - 1, NULL);
    } else {
        ob__wire_send(socket, status == OB_ERR_UNSUPPORTED ? OB_MESSAGE_CANNOT : OB_MESSAGE_FAILED,
                      why.message, strlen(why.message), NULL);
    }
    return EXIT_SUCCESS;
}

/* A text of a stranger, in one line. */
static ob_status refuse(ob_status status, const ob_wire_message *said, ob_err *err)
{
    char text[sizeof err->message];
    size_t length = said->size < sizeof text - 1 ? said->size : sizeof text - 1;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)said->data[i];
        text[i] = (char)(c < ' ' || c == 0x7f ? '?' : c);
    }
    text[length] = '\0';
    return ob_err_set(err, status, "%s", text);
}

static ob_status take_answer(const ob_wire_message *said, ob_text *report, ob_err *err)
{
    switch (said->type) {
    case OB_MESSAGE_PLUGIN:
        return report == NULL || ob_text_append(report, said->data, said->size)
                   ? OB_OK
                   : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    case OB_MESSAGE_FAILED:
        return refuse(OB_ERR_PLUGIN, said, err);
    case OB_MESSAGE_CANNOT:
        return refuse(OB_ERR_UNSUPPORTED, said, err);
    default:
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "the process that loaded it gave a malformed report; " CURE);
    }
}

static ob_status explain_end(bool ended, int status, ob_err *err)
{
    if (!ended)
        return ob_err_set(err, OB_ERR_PLUGIN, "it did not load within %d s; " CURE, LIMIT_S);
    if (WIFSIGNALED(status))
        return ob_err_set(err, OB_ERR_PLUGIN, "it crashes when it is loaded (%s); " CURE,
                          strsignal(WTERMSIG(status)));
    return ob_err_set(err, OB_ERR_PLUGIN,
                      "it ends the process when it is loaded (exit code %d); " CURE,
                      WEXITSTATUS(status));
}

ob_status ob__plugin_try(ob_context *context, const char *real_path, ob_text *report, ob_err *err)
{
    trial t = {.context = context, .path = real_path};
    ob_reply reply;
    OB_TRY(ob__check_trusted_in(NULL, real_path, err)); /* before any of it runs */
    OB_TRY(ob__process_ask(load_apart, &t, LIMIT_S, MOST_BYTES, &reply, err));
    const ob_status status = reply.status == OB_END ? explain_end(reply.ended, reply.end, err)
                                                    : take_answer(&reply.said, report, err);
    ob__reply_fini(&reply);
    return status;
}
