/* SPDX-License-Identifier: Apache-2.0
 *
 * Topics of `opbench list`: one row each, in list_topics.c.
 */
#ifndef OB_CLI_LIST_H
#define OB_CLI_LIST_H

#include "command.h"

#define OB_LIST_TOPICS "ops|backends|plugins|generators|iterators|dtypes|types"

typedef struct ob_list_item {
    const char *name;
    const char *origin;
    const char *category;
    const char *help;
    bool available;
    const char *reason; /* "" when available */
    char text[256];     /* room for a help that a topic puts together */
} ob_list_item;

typedef struct ob_list_topic {
    const char *name;
    const char *help_title; /* title of the last column */
    bool needs_plugins;     /* plug-ins may add to it */
    bool shows_failures;    /* its rows say which plug-in did not load */
    size_t (*count)(const ob_context *context);
    /* index < count. Texts live as long as the context and the item. */
    void (*at)(const ob_context *context, size_t index, ob_list_item *item);
} ob_list_topic;

const ob_list_topic *ob__list_find_topic(const char *name); /* a word of OB_LIST_TOPICS */

#endif
