/* SPDX-License-Identifier: Apache-2.0
 *
 * `opbench list libraries`: what the libraries under the backends make of this machine, and what they are told instead. For
 * people, and for scripts that start programs of their own on the same libraries.
 */
#include "list.h"
#include "own_path.h"

#include <string.h>

static struct {
    ob_library_caps *caps; /* until the program ends */
} found;

int ob__list_libraries_open(ob_cli *cli)
{
    ob_own_path own;
    ob_err err;
    const ob_library_caps_params params = {.size = sizeof params,
                                           .program = ob__cli_own_path(&own) ? own.path : NULL};
    if (ob_library_caps_find(&params, &cli->caps, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    found.caps = cli->caps; /* which main destroys */
    return OB_EXIT_OK;
}

size_t ob__list_count_libraries(const ob_context *context)
{
    (void)context;
    return found.caps != NULL ? ob_library_caps_count(found.caps) : 0;
}

static const char *text_of(size_t index, const char *key)
{
    const ob_json *row = ob_json_item(ob_library_caps_json(found.caps), index);
    const char *text = ob_json_string(ob_json_get(row, key), NULL);
    return text != NULL ? text : "";
}

void ob__list_library_at(const ob_context *context, size_t index, ob_list_item *item)
{
    (void)context;
    const ob_library_cap *cap = ob_library_caps_at(found.caps, index);
    const bool is_set = cap->value[0] != '\0';
    snprintf(item->text, sizeof item->text, "%s%s%s%s%s%s%s",
             cap->own[0] != '\0' ? "chooses " : "its own choice is not known", cap->own,
             is_set ? "; is set to " : "", cap->value,
             cap->state == OB_CAP_USER ? " by your environment" : "",
             cap->why[0] != '\0' ? ": " : "", cap->why);
    item->name = cap->library;
    item->also = "";
    item->origin = text_of(index, "by");
    item->category = cap->variable;
    item->help = item->text;
    item->shown = NULL;
    item->available = true;
    item->reason = "";
}

ob_status ob__list_library_fields(const ob_context *context, size_t index, ob_json_doc *doc,
                                  ob_json *object, ob_err *err)
{
    static const char *const KEYS[] = {"variable", "own", "value", "by", "why"};
    (void)context;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        OB_TRY(ob__list_set_string(doc, object, KEYS[i], text_of(index, KEYS[i]), err));
    return OB_OK;
}
