/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that runs a plug-in's iterators and its generators' checks for one that does not load the plug-in, and what
 * the two say to each other: a question and an answer, each a JSON object in one message.
 */
#ifndef OB_PLUGIN_WALKER_H
#define OB_PLUGIN_WALKER_H

#include "plugin/registry.h"
#include "plugin/walk.h"
#include "process/answer.h"

struct ob__walker {
    ob_context *context;
    ob__plugin_record *record;
    ob_process process;
    ob_wire_inbox inbox;
    uint64_t number;  /* of the last question */
    char broken[400]; /* why it is asked no more: it died of a question; "" = it may be asked */
};

/* What is asked, and what the plug-in does then. */
#define OB__WALK_MAP(X)                                                                            \
    X(VALIDATE, "checked")                                                                         \
    X(OPEN, "began with")                                                                          \
    X(AT, "made an item of")                                                                       \
    X(CLOSE, "ended with")                                                                         \
    X(CHECK_ENTRY, "checked")                                                                      \
    X(CHECK_TYPE, "checked an argument of type")
typedef enum ob__walk_word {
#define OB__WALK_ENUM(name, doing) OB__WALK_##name,
    OB__WALK_MAP(OB__WALK_ENUM)
#undef OB__WALK_ENUM
        OB__WALK_WORDS
} ob__walk_word;

/* One question, and what it is about, for messages. */
typedef struct ob__walk_question {
    ob__walker *walker;
    ob__walk_word word;
    const char *what, *name; /* "iterator", "PowersOfTwoIterator" */
    const char *of;          /* "input", "blocksparse_tensor" */
    uint32_t line, column;   /* where the config has that */
    /* What is asked with it; 0 and NULL where it is not. */
    const ob_iterator_args *args;
    const ob_json *entry;
    int64_t state;
    uint64_t index;
} ob__walk_question;

/* Memory in the context, without a process. NULL when memory is out. */
ob__walker *ob__walker_create(ob_context *context, ob__plugin_record *record);
/* NULL is allowed. */
void ob__walker_close(ob__walker *walker);

/* The answer, where the plug-in did what was asked; else as the plug-in says, or OB_ERR_PLUGIN. */
ob_status ob__walker_ask(const ob__walk_question *question, ob_json_doc **out, ob_err *err);
/* Its answer is none to that: it is not asked again. */
ob_status ob__walker_nonsense(const ob__walk_question *question, ob_err *err);

/* Who has the code; NULL = it is in this process. */
ob__walker *ob__generator_walker(const ob_generator_desc *desc);
ob__walker *ob__iterator_walker(const ob_iterator_desc *desc);

/* In the process that has the code: answers until the other one is gone. */
int ob__walker_serve(void *walker, int socket);

/* ---- parts of messages (walk_message.c) ---- */

bool ob__walk_write_question(const ob__walk_question *question, uint64_t number, ob_text *text);
/* Appends `, "name": NODE` and where each value in it is written; nothing for NULL. False: memory is out. */
bool ob__walk_write_node(ob_text *text, const char *name, const ob_json *node);
/* The value, with its places; NULL where there is none. False: its places are nonsense. */
bool ob__walk_read_node(const ob_json *root, const char *name, const ob_json **out);
/* Appends an object; the code may be a status, or the level of a warning. */
bool ob__walk_write_error(ob_text *text, int code, const ob_err *err);
/* code is as it was written, and any number. Texts come out in one line. */
void ob__walk_read_error(const ob_json *node, int64_t *code, ob_err *err);

#endif
