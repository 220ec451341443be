/* SPDX-License-Identifier: Apache-2.0
 *
 * What the PATTERN of `opbench list` selects. A pattern that is the name of something, by whatever
 * spelling a config may use, selects that alone: torch.add is not also torch.addmm. Any other text
 * selects what has it in a name or is of that category. With * or ? it has to fit a whole name, with
 * or without what stands in front of it (aten::, torch.nn.).
 */
#include "list.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

enum { MAX_NAME = 256 };

void ob__list_item_at(const ob_context *context, const ob_list_topic *topic, size_t index,
                      ob_list_item *item)
{
    item->name = item->also = item->origin = item->category = item->library = item->help =
        item->reason = "";
    item->shown = NULL;
    item->available = true;
    item->also_text[0] = item->text[0] = '\0';
    topic->at(context, index, item);
}

typedef bool (*name_fn)(const char *name, const char *pattern);

static bool is_same(const char *name, const char *pattern)
{
    return strcasecmp(name, pattern) == 0;
}

static bool has_text(const char *name, const char *pattern)
{
    return strcasestr(name, pattern) != NULL;
}

static bool fits(const char *name, const char *pattern)
{
    const int flags = FNM_CASEFOLD | FNM_NOESCAPE;
    if (fnmatch(pattern, name, flags) == 0)
        return true;
    /* The dot of an operator's name is before its overload, that of a module's before its name. */
    const char *space = strstr(name, "::");
    const char *dot = strrchr(name, '.');
    const char *word = space != NULL ? space + 2 : dot != NULL ? dot + 1 : NULL;
    return word != NULL && fnmatch(pattern, word, flags) == 0;
}

/* Whether fn takes the item's name or one of the others that it lists. */
static bool any_listed(const ob_list_item *item, const char *pattern, name_fn fn)
{
    if (fn(item->name, pattern))
        return true;
    for (const char *at = item->also; *at != '\0'; at += strspn(at, ", ")) {
        const char *comma = strchr(at, ',');
        const size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        char name[MAX_NAME];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (fn(name, pattern))
            return true;
        at += length;
    }
    return false;
}

static bool is_exactly(const ob_context *context, const ob_list_topic *topic,
                       const ob_list_item *item, const char *pattern)
{
    return any_listed(item, pattern, is_same) ||
           (topic->is_named != NULL && topic->is_named(context, item, pattern));
}

static bool is_glob(const char *pattern)
{
    return strpbrk(pattern, "*?") != NULL;
}

ob_list_query ob__list_query(const ob_context *context, const ob_list_topic *topic,
                             const char *pattern)
{
    ob_list_query query = {.topic = topic, .pattern = pattern};
    const size_t count = pattern != NULL && !is_glob(pattern) ? topic->count(context) : 0;
    for (size_t i = 0; i < count && !query.exact; i++) {
        ob_list_item item;
        ob__list_item_at(context, topic, i, &item);
        query.exact = is_exactly(context, topic, &item, pattern);
    }
    return query;
}

bool ob__list_matches(const ob_context *context, const ob_list_query *query,
                      const ob_list_item *item)
{
    const char *pattern = query->pattern;
    if (pattern == NULL)
        return true;
    if (query->exact)
        return is_exactly(context, query->topic, item, pattern);
    const name_fn fn = is_glob(pattern) ? fits : has_text;
    return any_listed(item, pattern, fn) || is_same(item->category, pattern) ||
           (query->topic->any_name != NULL && query->topic->any_name(context, item, pattern, fn));
}
