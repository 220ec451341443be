/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks the cases of a benchmark config that is a text in this program, with a config iterator of
 * its own: HalvingIterator takes the shape of each entry's first argument, and then half of it, and
 * half again. Prints one line per case: operator, id, number of elements, the case as JSON.
 *
 * docs/library.md explains it step by step.
 */
#include <opbench/config.h>
#include <opbench/plugin.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char CONFIG[] =
    "{\"torch.relu\": {"
    "  \"input_iterator\": \"HalvingIterator\","
    "  \"input_data_generator\": \"PyTorch:DefaultDataGenerator\","
    "  \"config\": [{\"input\": ["
    "    {\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [64]}]},"
    "    {\"args\": [{\"type\": \"tensor\", \"dtype\": \"half\", \"shape\": [8]}]}]}]},"
    " \"torch.mm\": {"
    "  \"input_data_generator\": \"PyTorch:DefaultDataGenerator\","
    "  \"config\": [{\"input\": [{\"args\": ["
    "    {\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, 3]},"
    "    {\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [3, 4]}]}]}]}}";

/* ---- the iterator ---- */

enum { STEPS = 3 };

typedef struct halving {
    const ob_json *entries;
    ob_json_doc *doc; /* holds the entry that was given last */
} halving;

static const ob_json *first_arg(const ob_json *entry)
{
    return ob_json_item(ob_json_get(entry, "args"), 0);
}

/* Once, before any case is made: what is wrong is told with its place in the config. */
static ob_status halving_validate(const ob_iterator_args *args, ob_err *err)
{
    for (size_t i = 0; i < ob_json_count(args->entries); i++) {
        const ob_json *entry = ob_json_item(args->entries, i);
        const ob_json *arg = first_arg(entry);
        if (ob_json_count(ob_json_get(arg, "shape")) != 1)
            return ob_err_set_at(err, OB_ERR_CONFIG, NULL, ob_json_line(entry),
                                 ob_json_column(entry), NULL,
                                 "HalvingIterator needs a first argument whose shape has one "
                                 "dimension; give it one, or use RangeConfigIterator");
    }
    return OB_OK;
}

static ob_status halving_open(const ob_iterator_args *args, void **state, ob_err *err)
{
    halving *h = calloc(1, sizeof *h);
    *state = h;
    if (h == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    h->entries = args->entries;
    return OB_OK;
}

static uint64_t halving_count(void *state)
{
    const halving *h = state;
    return (uint64_t)ob_json_count(h->entries) * STEPS;
}

/* A case is made when it is asked for; nothing is kept but the last one. */
static ob_status halving_at(void *state, uint64_t index, ob_iterator_item *item, ob_err *err)
{
    halving *h = state;
    const size_t number = (size_t)(index / STEPS);
    const unsigned step = (unsigned)(index % STEPS);
    const ob_json *arg = first_arg(ob_json_item(h->entries, number));
    const int64_t size = ob_json_int(ob_json_item(ob_json_get(arg, "shape"), 0), 0);

    ob_json_doc_destroy(h->doc);
    h->doc = NULL;
    OB_TRY(ob_json_doc_create(&h->doc, err));
    ob_json *entry = ob_json_new_object(h->doc), *list = ob_json_new_array(h->doc);
    ob_json *tensor = ob_json_new_object(h->doc), *shape = ob_json_new_array(h->doc);
    /* The functions below take the NULL of a maker that found no memory, and say so. */
    OB_TRY(ob_json_append(h->doc, shape, ob_json_new_int(h->doc, size >> step), err));
    OB_TRY(ob_json_set(h->doc, tensor, "type", ob_json_get(arg, "type"), err));
    OB_TRY(ob_json_set(h->doc, tensor, "dtype", ob_json_get(arg, "dtype"), err));
    OB_TRY(ob_json_set(h->doc, tensor, "shape", shape, err));
    OB_TRY(ob_json_append(h->doc, list, tensor, err));
    OB_TRY(ob_json_set(h->doc, entry, "args", list, err));
    item->entry = entry;
    snprintf(item->id, sizeof item->id, "%zu_%u", number, step);
    return OB_OK;
}

static void halving_close(void *state)
{
    halving *h = state;
    if (h != NULL)
        ob_json_doc_destroy(h->doc);
    free(h);
}

static const ob_iterator_desc HALVING = {
    .name = "HalvingIterator",
    .help = "the first argument's shape, halved twice",
    .validate = halving_validate,
    .open = halving_open,
    .count = halving_count,
    .at = halving_at,
    .close = halving_close,
};

/* ---- the program ---- */

/* The library never prints: messages come here. */
static void print_message(void *ctx, ob_log_level level, const ob_err *what)
{
    char line[sizeof(ob_err) + 64];
    (void)ctx;
    ob_err_format(what, level == OB_LOG_ERROR ? "error" : "warning", line, sizeof line);
    fprintf(stderr, "%s\n", line);
}

/* Elements of all tensors that are arguments of the case. */
static int64_t count_elements(const ob_case *c)
{
    const ob_json *args = ob_json_get(ob_case_input(c), "args");
    int64_t all = 0;
    for (size_t i = 0; i < ob_json_count(args); i++) {
        const ob_json *shape = ob_json_get(ob_json_item(args, i), "shape");
        int64_t elements = 1;
        for (size_t d = 0; d < ob_json_count(shape); d++)
            elements *= ob_json_int(ob_json_item(shape, d), 0);
        all += elements;
    }
    return all;
}

static ob_status walk(const ob_config *config, ob_err *err)
{
    ob_cases *cases = NULL;
    ob_text text = {0};
    const ob_case *c;
    OB_TRY(ob_cases_open(config, NULL, &cases, err));
    ob_status status;
    while ((status = ob_cases_next(cases, &c, err)) == OB_OK) {
        text.size = 0; /* the buffer is used again */
        status = ob_case_print(c, &text, err);
        if (status != OB_OK)
            break;
        printf("%s %s %" PRId64 " %.*s\n", ob_case_op_name(c), ob_case_id(c), count_elements(c),
               (int)text.size, text.data);
    }
    ob_text_fini(&text);
    ob_cases_close(cases);
    return status == OB_END ? OB_OK : status;
}

int main(void)
{
    const ob_log log = {.fn = print_message, .max_level = OB_LOG_WARNING};
    ob_context *context = NULL;
    ob_config *config = NULL;
    ob_err err;
    ob_status status = ob_context_create(&log, &context, &err);
    if (status == OB_OK)
        status = ob_register_iterator(context, &HALVING, &err);
    if (status == OB_OK)
        status = ob_config_open_memory(context, "walk_cases", CONFIG, strlen(CONFIG), NULL, &config,
                                       &err);
    if (status == OB_OK)
        status = walk(config, &err);
    if (status != OB_OK)
        print_message(NULL, OB_LOG_ERROR, &err);
    ob_config_destroy(config); /* before its context */
    ob_context_destroy(context);
    return status == OB_OK ? 0 : 1;
}
