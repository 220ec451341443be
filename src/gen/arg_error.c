/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors in an entry. When memory for the path is out, the path is short; the error still comes.
 */
#include "gen/arg_error.h"

#include "base/json_node.h"

#include <stdio.h>
#include <string.h>

size_t ob__arg_path_enter_key(ob_arg_path *place, const char *key)
{
    const size_t mark = place->path.size;
    ob__json_path_key(&place->path, key, strlen(key));
    return mark;
}

size_t ob__arg_path_enter_index(ob_arg_path *place, size_t index)
{
    const size_t mark = place->path.size;
    ob__json_path_index(&place->path, index);
    return mark;
}

void ob__arg_path_leave(ob_arg_path *place, size_t mark)
{
    place->path.size = mark;
}

static void report(const ob_arg_path *place, const ob_json *node, ob_status code,
                   const char *format, va_list args)
{
    ob_err what;
    char path[sizeof what.path + 1]; /* one more, so that a cut is seen as one */
    ob_err_setv(&what, code, format, args);
    snprintf(path, sizeof path, "%.*s",
             place->path.size < sizeof path ? (int)place->path.size : (int)sizeof path,
             place->path.data ? place->path.data : "");
    ob_err_set_at(place->err, code, NULL, ob_json_line(node), ob_json_column(node), path, "%s",
                  what.message);
}

ob_status ob__arg_path_error(const ob_arg_path *place, const ob_json *node, ob_status code,
                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(place, node, code, format, args);
    va_end(args);
    return code;
}

ob_status ob__attr_error(ob_arg_path *place, const ob_json *arg, const char *attr, ob_status code,
                         const char *format, ...)
{
    const ob_json *node = ob_json_get(arg, attr);
    const size_t mark = place->path.size;
    va_list args;
    if (node)
        ob__arg_path_enter_key(place, attr);
    va_start(args, format);
    report(place, node ? node : arg, code, format, args);
    va_end(args);
    ob__arg_path_leave(place, mark);
    return code;
}
