/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a backend from its plug-in, and one call prepared on it.
 */
#include "conform.h"

#include "bound.h"
#include "tensor/half.h"

#include <stdlib.h>
#include <string.h>

/* The backend that loading the plug-in brought. */
static ob_status find_backend(subject *s, const char *plugin, ob_err *err)
{
    const size_t before = ob_context_count(s->context, OB_ENTRY_BACKEND);
    OB_TRY(ob_plugin_load(s->context, plugin, err));
    if (ob_context_count(s->context, OB_ENTRY_BACKEND) == before)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "%s has no backend", plugin);
    const ob_entry_info info = ob_context_entry(s->context, OB_ENTRY_BACKEND, before);
    s->desc = ob_context_find_backend(s->context, info.name);
    return s->desc != NULL ? OB_OK : ob_err_set(err, OB_ERR_UNSUPPORTED, "%s", info.reason);
}

static ob_status first_device(const char *types, ob_device *out, ob_err *err)
{
    const int length = (int)strcspn(types, " ");
    const bool is_cpu = length == 3 && strncmp(types, "cpu", 3) == 0;
    char word[32];
    snprintf(word, sizeof word, "%.*s%s", length, types, is_cpu ? "" : ":0");
    return ob_device_parse(word, strlen(word), out, err);
}

/* CONFORM_OPTIONS=a=1,b=2: those that the backend has. The texts stay. */
static ob_status take_options(const ob_option *rows, void *options, ob_err *err)
{
    const char *given = getenv("CONFORM_OPTIONS");
    for (const char *at = given != NULL ? given : ""; *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ","), name_length = strcspn(at, "=");
        char name[64], *word = malloc(length + 3);
        char *words[] = {(char *)"", word, NULL};
        const char *rest[2];
        size_t rest_count = 0;
        snprintf(name, sizeof name, "%.*s", (int)name_length, at);
        if (word == NULL)
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
        sprintf(word, "--%.*s", (int)length, at);
        if (ob_options_find(rows, name) != NULL)
            OB_TRY(ob_options_parse(rows, 2, words, options, rest, &rest_count, err));
        else
            free(word);
        at += length;
    }
    return OB_OK;
}

ob_status subject_open(subject *s, const char *plugin, const char *isa, int threads, ob_err *err)
{
    *s = (subject){.context = NULL};
    OB_TRY(ob_context_create(NULL, &s->context, err));
    OB_TRY(find_backend(s, plugin, err));
    OB_TRY(first_device(s->desc->device_types, &s->device, err));
    ob_reason why_not = {.text = ""};
    if (s->desc->probe != NULL && s->desc->probe(ob_host_get(), &why_not) != OB_OK)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s", why_not.text);
    void *options = calloc(1, s->desc->options_size + sizeof isa);
    if (options == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (s->desc->options != NULL)
        OB_TRY(ob_options_init(s->desc->options, options, err));
    if (s->desc->options != NULL)
        OB_TRY(take_options(s->desc->options, options, err));
    /* The first field of the native backend's options is the instruction set. */
    if (isa != NULL)
        memcpy(options, &isa, sizeof isa);
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = s->device,
                                          .threads = threads,
                                          .seed = 1,
                                          .options = options};
    const ob_status status = s->desc->open(&settings, &s->backend, err);
    free(options);
    return status;
}

void subject_close(subject *s)
{
    if (s->backend != NULL)
        s->desc->close(s->backend);
    ob_context_destroy(s->context);
}

static ob_status make_graph(trial *t, const ob_call *call, const golden *g, ob_err *err)
{
    ob_setup *setup = &t->setup;
    OB_TRY(ob_graph_build(ob_context_operators(t->subject->context), g->op, NULL, call,
                          &setup->graph, err));
    if (!setup->has_backward || setup->desc->has_autograd)
        return OB_OK;
    ob_graph *simple = NULL;
    OB_TRY(ob_graph_decompose(setup->graph, NULL, NULL, &simple, err));
    ob_graph_destroy(setup->graph);
    setup->graph = simple;
    OB_TRY(ob_graph_derive_backward(setup->graph, &setup->backward, err));
    if (setup->backward.target_count == 0)
        return ob_err_set(err, OB_END, "there is nothing to differentiate");
    return OB_OK;
}

ob_status trial_prepare(trial *t, const subject *s, const golden *g, ob_pass pass, ob_err *err)
{
    const ob_call call = golden_call(g);
    *t = (trial){.subject = s,
                 .setup = {.desc = s->desc,
                           .writes_inputs = true,
                           .has_backward = pass == OB_PASS_BACKWARD}};
    ob_setup *setup = &t->setup;
    OB_TRY(make_graph(t, &call, g, err));
    size_t count = setup->graph->edge_count;
    setup->inputs = calloc(count + 1, sizeof *setup->inputs);
    if (setup->inputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(ob_graph_flatten_inputs(&call, setup->inputs, &count, err));
    setup->input_count = count;
    ob_reason why_not = {.text = ""};
    const ob_status status = s->desc->supports(s->backend, setup->graph, pass, &why_not);
    if (status != OB_OK)
        return ob_err_set(err, status, "%s", why_not.text);
    const ob_prepare_args args = {.graph = setup->graph,
                                  .backward =
                                      setup->backward.graph != NULL ? &setup->backward : NULL,
                                  .inputs = setup->inputs,
                                  .input_count = setup->input_count,
                                  .pass = pass};
    OB_TRY(s->desc->prepare(s->backend, &args, &setup->prepared, err));
    if (pass == OB_PASS_BACKWARD && s->desc->has_backward != NULL &&
        !s->desc->has_backward(setup->prepared))
        return ob_err_set(err, OB_END, "there is nothing to differentiate");
    return OB_OK;
}

void trial_release(trial *t)
{
    ob__setup_fini(&t->setup);
    *t = (trial){.subject = NULL};
}

ob_status trial_run(trial *t, ob_phase phase, ob_err *err)
{
    return t->subject->desc->run(t->setup.prepared, phase, 1, err);
}

bool trial_refused(const trial *t, ob_status status)
{
    return t->subject->desc->has_autograd &&
           (status == OB_ERR_UNSUPPORTED || status == OB_ERR_BACKEND);
}

ob_status trial_outputs(trial *t, ob_pass pass, ob_value **values, size_t *count, ob_err *err)
{
    const subject *s = t->subject;
    const size_t capacity =
        pass == OB_PASS_FORWARD ? t->setup.graph->output_count : t->setup.graph->edge_count;
    *values = calloc(capacity + 1, sizeof **values);
    *count = 0;
    if (*values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (s->desc->sync != NULL)
        OB_TRY(s->desc->sync(s->backend, err));
    return s->desc->outputs(t->setup.prepared, pass, *values, capacity, count, err);
}

void values_free(ob_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ob_value_fini(&values[i]);
    free(values);
}

/* ---- elements ---- */

int64_t tensor_count(const ob_tensor *tensor)
{
    return ob_tensor_numel(tensor);
}

static char *address(const ob_tensor *tensor, int64_t index)
{
    int64_t offset = 0;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        offset += index % tensor->sizes[d] * tensor->strides[d];
        index /= tensor->sizes[d];
    }
    return (char *)ob_tensor_data(tensor) + offset * (int64_t)ob_dtype_size(tensor->dtype);
}

double tensor_get(const ob_tensor *tensor, int64_t index)
{
    return ob__element_get(tensor->dtype, address(tensor, index));
}

void tensor_set(const ob_tensor *tensor, int64_t index, double value)
{
    char *at = address(tensor, index);
#define SET(type) *(type *)at = (type)value
    switch (tensor->dtype) {
    case OB_DTYPE_BOOL:
        *(uint8_t *)at = value != 0;
        break;
    case OB_DTYPE_U8:
        SET(uint8_t);
        break;
    case OB_DTYPE_I8:
        SET(int8_t);
        break;
    case OB_DTYPE_I16:
        SET(int16_t);
        break;
    case OB_DTYPE_I32:
        SET(int32_t);
        break;
    case OB_DTYPE_I64:
        SET(int64_t);
        break;
    case OB_DTYPE_F16:
        *(uint16_t *)at = ob__f16_from_float((float)value);
        break;
    case OB_DTYPE_BF16:
        *(uint16_t *)at = ob__bf16_from_float((float)value);
        break;
    case OB_DTYPE_F32:
        SET(float);
        break;
    default:
        SET(double);
        break;
    }
#undef SET
}
