/* SPDX-License-Identifier: Apache-2.0
 *
 * `opbench list backends` opens each backend that it shows; one that crashes or hangs is listed with that.
 */
#include "list.h"

#include "opbench/run.h"

#include <stdlib.h>

static struct {
    ob_backend_trial *at; /* one per backend of the context */
    size_t count;
} trials;

void ob__list_try_backends(ob_context *context, const ob_list_query *query)
{
    const ob_list_topic *topic = query->topic;
    const size_t count = topic->count(context);
    ob_backend_trial *all = calloc(count > 0 ? count : 1, sizeof *all);
    if (all == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        ob_list_item item;
        ob__list_item_at(context, topic, i, &item);
        if (item.available && ob__list_matches(context, query, &item))
            all[i].name = item.name;
    }
    ob_backends_try(context, all, count);
    trials.at = all;
    trials.count = count;
}

const char *ob__list_trial_reason(size_t index)
{
    return index < trials.count && !trials.at[index].opened ? trials.at[index].text : "";
}

const char *ob__list_trial_library(size_t index)
{
    return index < trials.count && trials.at[index].opened ? trials.at[index].text : "";
}
