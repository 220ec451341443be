/* SPDX-License-Identifier: Apache-2.0
 *
 * "f(a, b) -> y": what goes into a statement and what comes out of it, and the calls of a model that
 * follow from it. The notation is as strict as the original's: arguments are split at ", " exactly.
 */
#include "base/text_append.h"
#include "snippet/lines.h"
#include "snippet/suite_int.h"

#include <stdlib.h>

static ob_status split_args(ob_arena *arena, const char *text, ob_snippet_signature *out,
                            ob_err *err)
{
    size_t count = 1;
    for (const char *at = text; (at = strstr(at, ", ")) != NULL; at += 2)
        count++;
    const char **args = ob__arena_alloc_array(arena, count, sizeof *args);
    if (args == NULL)
        return ob__snippet_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const char *comma = strstr(text, ", ");
        const size_t length = comma == NULL ? strlen(text) : (size_t)(comma - text);
        args[i] = ob__arena_strdup(arena, text, length);
        if (args[i] == NULL)
            return ob__snippet_no_memory(err);
        text += length + (comma != NULL ? 2 : 0);
    }
    out->args = args;
    out->arg_count = count;
    return OB_OK;
}

ob_status ob__snippet_signature_parse(ob_arena *arena, const char *text, ob_snippet_signature *out,
                                      ob_err *err)
{
    static const char ARROW[] = ") -> ";
    *out = (ob_snippet_signature){.args = NULL};
    const char *arrow = NULL, *newline = strchr(text, '\n');
    /* One newline may end it, as in a block of YAML. */
    if (strncmp(text, "f(", 2) == 0 && (newline == NULL || newline[1] == '\0'))
        for (const char *at = text + 2; (at = strstr(at, ARROW)) != NULL; at++)
            arrow = at; /* the last one */
    if (arrow == NULL)
        return ob_err_set(err, OB_ERR_CONFIG, "Invalid signature: `%s`", text);
    const char *args = ob__arena_strdup(arena, text + 2, (size_t)(arrow - text) - 2);
    const char *output = ob__strip(arena, arrow + strlen(ARROW));
    if (args == NULL || output == NULL)
        return ob__snippet_no_memory(err);
    if (strchr(output, ',') != NULL)
        return ob_err_set(err, OB_ERR_CONFIG,
                          "Multiple return values are not currently allowed: `%s`", output);
    out->output = strcmp(output, "None") == 0 ? NULL : output;
    return split_args(arena, args, out, err);
}

ob_status ob_signature_parse(const char *signature, ob_json_doc *doc, ob_json **args,
                             ob_json **output, ob_err *err)
{
    ob_arena arena;
    ob_snippet_signature parsed;
    ob__arena_init(&arena, 0);
    ob_status status = ob__snippet_signature_parse(&arena, signature, &parsed, err);
    *args = ob_json_new_array(doc);
    *output = status != OB_OK || parsed.output == NULL
                  ? ob_json_new_null(doc)
                  : ob_json_new_string(doc, parsed.output, strlen(parsed.output));
    if (*args == NULL || *output == NULL)
        status = ob__snippet_no_memory(err);
    for (size_t i = 0; status == OB_OK && i < parsed.arg_count; i++) {
        const ob_json *arg = ob_json_new_string(doc, parsed.args[i], strlen(parsed.args[i]));
        status = arg == NULL ? ob__snippet_no_memory(err) : ob_json_append(doc, *args, arg, err);
    }
    ob__arena_fini(&arena);
    return status;
}

/* The arguments, with ", " between them. */
static bool append_args(ob_text *text, const ob_snippet_signature *signature)
{
    bool ok = true;
    for (size_t i = 0; ok && i < signature->arg_count; i++)
        ok = ob_text_printf(text, "%s%s", i > 0 ? ", " : "", signature->args[i]);
    return ok;
}

static bool append_result(ob_text *text, const ob_snippet_signature *signature, const char *word)
{
    return signature->output == NULL || ob_text_printf(text, "%s%s = ", word, signature->output);
}

static bool append_call(ob_text *text, const ob_snippet_signature *signature, ob_language language,
                        bool ahead)
{
    if (language == OB_LANGUAGE_PYTHON)
        return append_result(text, signature, "") &&
               ob_text_append_str(text, ahead ? "jit_model(" : "model(") &&
               append_args(text, signature) && ob_text_append_str(text, ")");
    if (language == OB_LANGUAGE_C) /* its inputs and output are its own */
        return ob_text_append_str(text, "ob_op_call(model);");
    return append_result(text, signature, "auto ") && ob_text_append_str(text, "model->forward(") &&
           append_args(text, signature) && ob_text_append_str(text, ");");
}

/* In C++ the call of a model that was made ahead is a template of the backend's. */
static const char *fill_call(ob_arena *arena, const ob_snippet_signature *signature,
                             const ob_manifest_models *ahead)
{
    const char *values = "";
    ob_text result = {0};
    for (size_t i = 0; values != NULL && i < signature->arg_count; i++) {
        const char *const names[] = {"{value}", signature->args[i], NULL};
        const char *value = ob__fill_in(arena, ahead->cpp_value, names);
        values = value == NULL
                     ? NULL
                     : ob__join(arena, "",
                                (const char *const[]){values, i > 0 ? ", " : "", value, NULL});
    }
    const char *made = NULL;
    if (values != NULL && append_result(&result, signature, "auto ") &&
        ob_text_append(&result, "", 1)) {
        const char *const names[] = {"{values}", values, "{result}", result.data, NULL};
        made = ob__fill_in(arena, ahead->cpp_call, names);
    }
    ob_text_fini(&result);
    return made;
}

const char *ob__call_model(ob_arena *arena, const ob_snippet_signature *signature,
                           ob_language language, const ob_manifest_models *ahead)
{
    ob_text text = {0};
    if (language == OB_LANGUAGE_CPP && ahead != NULL)
        return fill_call(arena, signature, ahead);
    const char *made = append_call(&text, signature, language, ahead != NULL)
                           ? ob__arena_strdup(arena, text.data, text.size)
                           : NULL;
    ob_text_fini(&text);
    return made;
}
