/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing and reading the JSON of a batch. Reading trusts nothing: the text may be a file of the user's.
 */
#include "run/profiler_batch_text.h"

#include "base/json_node.h"
#include "base/text_append.h"
#include "run/command_line.h"
#include "run/identity.h"

#include <stdlib.h>

static const char *const GENERATORS[] = {"build_data_generator", "input_data_generator"};
static const char *const ITERATORS[] = {"build_iterator", "input_iterator"};
enum { TWO = 2 };

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the profiler's batch");
}

/* ---- writing ---- */

static bool append_string(ob_text *out, const char *str)
{
    return ob__json_write_string(out, str, strlen(str));
}

static bool append_member(ob_text *out, const char *key, const ob_json *value)
{
    return append_string(out, key) && ob_text_append_str(out, ": ") &&
           (value != NULL ? ob__json_write(out, value) : ob_text_append_str(out, "null")) &&
           ob_text_append_str(out, ", ");
}

/* The words that PARAM has no key for, as a list. */
static bool append_words(ob_text *out, const ob_run_options *options)
{
    ob_run_options defaults, rest = *options;
    ob_text words = {0};
    ob_run_options_init(&defaults);
    rest.device = defaults.device;
    rest.backward = defaults.backward;
    rest.exec_mode = defaults.exec_mode;
    rest.warmup = defaults.warmup;
    rest.iteration = defaults.iteration;
    rest.cache = defaults.cache;
    rest.l2_cache = defaults.l2_cache;
    rest.profile = false;                /* the trace file is the parent's */
    rest.processes = defaults.processes; /* the profiler sees one */
    bool ok = ob_text_append(out, "[", 1) && ob__run_options_words(&rest, &words);
    for (size_t at = 0; ok && at < words.size; at += strlen(words.data + at) + 1)
        ok = (at == 0 || ob_text_append_str(out, ", ")) && append_string(out, words.data + at);
    ob_text_fini(&words);
    return ok && ob_text_append(out, "]", 1);
}

static bool append_options(ob_text *out, const ob_run_options *o)
{
    return ob_text_append_str(out, "{\"device\": ") &&
           append_string(out, o->device ? o->device : "cpu") &&
           ob_text_printf(out,
                          ", \"pass_type\": \"%s\", \"op_exec_mode\": \"%s\", "
                          "\"cuda_l2_cache\": %s, \"warmup\": %lld, \"iteration\": %lld, "
                          "\"args\": ",
                          o->backward ? "backward" : "forward", o->exec_mode,
                          ob__options_cold(o) ? "false" : "true", (long long)o->warmup,
                          (long long)o->iteration) &&
           append_words(out, o) && ob_text_append(out, "}", 1);
}

ob_status ob__batch_print(const ob_batch_queue *queue, const ob_run_options *options, ob_text *out,
                          ob_err *err)
{
    bool ok = ob_text_append_str(out, "{\"op_name\": ") && append_string(out, queue->op_name) &&
              ob_text_append_str(out, ", \"config_build_id\": ") &&
              append_string(out, queue->config_build_id) &&
              ob_text_append_str(out, ", \"op_info\": {");
    for (int i = 0; ok && i < TWO; i++)
        ok = append_member(out, ITERATORS[i], ob_json_get(queue->op_info, ITERATORS[i]));
    for (int i = 0; ok && i < TWO; i++)
        ok = append_member(out, GENERATORS[i], ob_json_get(queue->op_info, GENERATORS[i]));
    ok = ok && ob_text_append_str(out, "\"config\": [{\"build\": ") &&
         ob_text_append(out, queue->build->data, queue->build->size) &&
         ob_text_append_str(out, ", \"input\": [") &&
         ob_text_append(out, queue->inputs->data, queue->inputs->size) &&
         ob_text_append_str(out, "]}]}, \"run_options\": ") && append_options(out, options) &&
         ob_text_append(out, "}", 1);
    return ok ? OB_OK : out_of_memory(err);
}

/* ---- reading ---- */

static ob_status wrong(const ob_batch_contents *plan, const ob_json *node, const char *what,
                       ob_err *err)
{
    return ob_err_set_at(err, OB_ERR_CONFIG, ob_json_doc_name(plan->doc), ob_json_line(node),
                         ob_json_column(node), NULL, "%s", what);
}

/* An entry without the "id" that the queue gave it. */
static ob_json *copy_entry(ob_json_doc *to, const ob_json *entry)
{
    ob_json *copy = ob_json_new_object(to);
    for (size_t i = 0; copy != NULL && i < ob_json_count(entry); i++)
        if (strcmp(ob_json_key(entry, i), "id") != 0 &&
            ob_json_set(to, copy, ob_json_key(entry, i), ob_json_item(entry, i), NULL) != OB_OK)
            return NULL;
    return copy;
}

static ob_json *copy_entries(ob_json_doc *to, const ob_json *entries)
{
    ob_json *list = ob_json_new_array(to);
    for (size_t i = 0; list != NULL && i < ob_json_count(entries); i++) {
        const ob_json *copy = copy_entry(to, ob_json_item(entries, i));
        if (copy == NULL || ob_json_append(to, list, copy, NULL) != OB_OK)
            return NULL;
    }
    return list;
}

/* The item of "config": a build that is one entry becomes a list of it. */
static ob_json *make_spec(ob_json_doc *to, const ob_json *build, const ob_json *inputs)
{
    ob_json *spec = ob_json_new_object(to);
    const ob_json *entries = copy_entries(to, inputs);
    if (spec == NULL || entries == NULL)
        return NULL;
    if (ob_json_get_kind(build) == OB_JSON_OBJECT && ob_json_count(build) > 0) {
        ob_json *list = ob_json_new_array(to);
        if (list == NULL || ob_json_append(to, list, build, NULL) != OB_OK)
            return NULL;
        build = list;
    }
    if (ob_json_get_kind(build) != OB_JSON_NULL &&
        ob_json_set(to, spec, "build", build, NULL) != OB_OK)
        return NULL;
    return ob_json_set(to, spec, "input", entries, NULL) == OB_OK ? spec : NULL;
}

/* A config of one operator. The entries are expanded already, so the default iterator goes over them. */
static ob_status make_config(ob_batch_contents *plan, const char *op_name, const ob_json *info,
                             const ob_json *build, ob_err *err)
{
    OB_TRY(ob_json_doc_create(&plan->config, err));
    ob_json_doc *to = plan->config;
    ob_json *root = ob_json_new_object(to), *op = ob_json_new_object(to);
    ob_json *list = ob_json_new_array(to);
    const ob_json *spec = make_spec(to, build, plan->inputs);
    if (root == NULL || op == NULL || list == NULL || spec == NULL)
        return out_of_memory(err);
    for (int i = 0; i < TWO; i++) {
        const ob_json *name = ob_json_get(info, GENERATORS[i]);
        if (ob_json_get_kind(name) == OB_JSON_STRING)
            OB_TRY(ob_json_set(to, op, GENERATORS[i], name, err));
    }
    OB_TRY(ob_json_append(to, list, spec, err));
    OB_TRY(ob_json_set(to, op, "config", list, err));
    OB_TRY(ob_json_set(to, root, op_name, op, err));
    ob_json_doc_set_root(to, root);
    return OB_OK;
}

static ob_status read_words(ob_batch_contents *plan, const ob_json *list, ob_err *err)
{
    ob_command_words words = {0};
    bool ok = ob__command_words_add(&words, "worker");
    for (size_t i = 0; ok && i < ob_json_count(list); i++) {
        const char *word = ob_json_string(ob_json_item(list, i), NULL);
        ok = ob__command_words_add(&words, word ? word : "");
    }
    plan->words = ok ? ob__command_words_list(&words) : NULL;
    plan->word_text = words.text;
    const char **rest = ok ? calloc(words.count + 1, sizeof *rest) : NULL;
    if (plan->words == NULL || rest == NULL) {
        free((void *)rest);
        return out_of_memory(err);
    }
    size_t rest_count = 0;
    ob_status status = ob_options_parse(ob_run_option_rows(), (int)words.count, plan->words,
                                        &plan->options, rest, &rest_count, err);
    free((void *)rest);
    if (status == OB_OK && rest_count > 0)
        status = wrong(plan, list, "\"args\" must only hold options of `opbench run`", err);
    return status;
}

static ob_status read_options(ob_batch_contents *plan, const ob_json *options, ob_err *err)
{
    static const char *const MODES[] = {"discrete", "continuous", "continuous_events"};
    ob_run_options *o = &plan->options;
    ob_run_options_init(o);
    OB_TRY(read_words(plan, ob_json_get(options, "args"), err));
    const char *device = ob_json_string(ob_json_get(options, "device"), NULL);
    const char *pass = ob_json_string(ob_json_get(options, "pass_type"), NULL);
    const ob_json *mode_node = ob_json_get(options, "op_exec_mode");
    const char *mode = ob_json_string(mode_node, NULL);
    if (device != NULL && strcmp(device, "cpu") != 0)
        o->device = device;
    if (pass != NULL)
        o->backward = strcmp(pass, "backward") == 0;
    o->warmup = ob_json_int(ob_json_get(options, "warmup"), o->warmup);
    o->iteration = ob_json_int(ob_json_get(options, "iteration"), o->iteration);
    if (!ob_json_bool(ob_json_get(options, "cuda_l2_cache"), true))
        o->cache = "cold";
    if (mode == NULL)
        return OB_OK;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (strcmp(mode, MODES[i]) == 0) {
            o->exec_mode = MODES[i];
            return OB_OK;
        }
    return wrong(plan, mode_node,
                 "\"op_exec_mode\" must be discrete, continuous or continuous_events", err);
}

ob_status ob__batch_read(ob_json_doc *doc, ob_batch_contents *plan, ob_err *err)
{
    *plan = (ob_batch_contents){.doc = doc};
    const ob_json *root = ob_json_doc_root(doc);
    const ob_json *info = ob_json_get(root, "op_info");
    const char *op_name = ob_json_string(ob_json_get(root, "op_name"), NULL);
    const ob_json *spec = ob_json_item(ob_json_get(info, "config"), 0);
    plan->inputs = ob_json_get(spec, "input");
    plan->config_build_id = ob_json_string(ob_json_get(root, "config_build_id"), NULL);
    if (op_name == NULL || plan->config_build_id == NULL)
        return wrong(plan, root,
                     "a batch needs the strings \"op_name\" and \"config_build_id\", such as "
                     "\"torch.add\" and \"0|0\"",
                     err);
    if (ob_json_get_kind(plan->inputs) != OB_JSON_ARRAY)
        return wrong(
            plan, info != NULL ? info : root,
            "a batch needs \"op_info\": {\"config\": [{\"build\": ..., \"input\": [...]}]}", err);
    for (size_t i = 0; i < ob_json_count(plan->inputs); i++)
        if (ob_json_get_kind(ob_json_item(plan->inputs, i)) != OB_JSON_OBJECT)
            return wrong(plan, ob_json_item(plan->inputs, i), "an input must be an object", err);
    OB_TRY(read_options(plan, ob_json_get(root, "run_options"), err));
    return make_config(plan, op_name, info, ob_json_get(spec, "build"), err);
}

void ob__batch_contents_fini(ob_batch_contents *plan)
{
    ob_json_doc_destroy(plan->config);
    ob_json_doc_destroy(plan->doc);
    free(plan->words);
    ob_text_fini(&plan->word_text);
    *plan = (ob_batch_contents){0};
}
