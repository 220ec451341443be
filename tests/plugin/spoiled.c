/* SPDX-License-Identifier: Apache-2.0
 *
 * The native backend with a fault that only --check can find: results a little too large, or of an earlier call.
 */
#include "fixture.h"

#include "tensor/half.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct spoiled_options {
    const char *isa; /* native's own, which are the first */
    const char *fault;
    double factor;
} spoiled_options;

static const ob_option OPTIONS[] = {
    OB_OPTION(STRING, "isa", spoiled_options, isa, .initial = "best", .help = "Of native."),
    OB_OPTION(CHOICE, "fault", spoiled_options, fault, .choices = "none|caches|once|early",
              .initial = "none",
              .help = "Gives its first results again, zeros after the first, or computes once."),
    OB_OPTION(DOUBLE, "factor", spoiled_options, factor, .initial = "1",
              .help = "What floating results are multiplied by."),
    {.name = NULL},
};

static const ob_host *host;
static const ob_backend_desc *native;
static ob_backend_desc spoiled;
static spoiled_options options;

/* Of the one case that is prepared at a time, or two during a check. */
enum { MOST_CASES = 4, MOST_RESULTS = 8 };
static struct {
    const ob_prepared *prepared;
    uint64_t forwards;
    ob_value first[MOST_RESULTS];
    size_t first_count;
} cases[MOST_CASES];

static size_t find_case(const ob_prepared *prepared)
{
    size_t i = 0;
    while (i < MOST_CASES - 1 && cases[i].prepared != prepared)
        i++;
    return i;
}

static ob_status open_spoiled(const ob_backend_settings *settings, ob_backend **out, ob_err *err)
{
    options = *(const spoiled_options *)settings->options;
    return native->open(settings, out, err);
}

static ob_status prepare(ob_backend *backend, const ob_prepare_args *args, ob_prepared **out,
                         ob_err *err)
{
    OB_TRY(native->prepare(backend, args, out, err));
    cases[find_case(NULL)].prepared = *out;
    return OB_OK;
}

static void release(ob_prepared *prepared)
{
    const size_t at = find_case(prepared);
    for (size_t i = 0; i < cases[at].first_count; i++)
        host->value_fini(&cases[at].first[i]);
    memset(&cases[at], 0, sizeof cases[at]);
    native->release(prepared);
}

static ob_status run(ob_prepared *prepared, ob_phase phase, uint64_t iterations, ob_err *err)
{
    const size_t at = find_case(prepared);
    if (phase == OB_PHASE_FORWARD && cases[at].forwards > 0 && strcmp(options.fault, "early") == 0)
        return OB_OK;
    cases[at].forwards += phase == OB_PHASE_FORWARD ? iterations : 0;
    return native->run(prepared, phase, iterations, err);
}

/* Whether numbers of the dtype can be spoiled. */
static bool multiply(void *y, const void *x, int64_t i, ob_dtype dtype, double factor)
{
    const uint16_t half =
        dtype == OB_DTYPE_F16 || dtype == OB_DTYPE_BF16 ? ((const uint16_t *)x)[i] : 0;
    switch (dtype) {
    case OB_DTYPE_F64:
        ((double *)y)[i] = factor * ((const double *)x)[i];
        return true;
    case OB_DTYPE_F32:
        ((float *)y)[i] = (float)(factor * (double)((const float *)x)[i]);
        return true;
    case OB_DTYPE_F16:
        ((uint16_t *)y)[i] = ob__f16_from_float((float)(factor * (double)ob__f16_to_float(half)));
        return true;
    case OB_DTYPE_BF16:
        ((uint16_t *)y)[i] = ob__bf16_from_float((float)(factor * (double)ob__bf16_to_float(half)));
        return true;
    default:
        return false;
    }
}

/* A tensor of its own in place of one of native's, with each floating number times the factor. */
static ob_status spoil(ob_value *value, double factor, ob_err *err)
{
    const ob_tensor *from = value->as.tensor;
    ob_tensor made;
    ob_value other;
    bool is_floating = true;
    if (!host->tensor_is_contiguous(from))
        return OB_OK;
    OB_TRY(host->tensor_init(&made, from->dtype, from->sizes, from->ndim, NULL, err));
    for (int64_t i = 0; is_floating && i < host->tensor_numel(from); i++)
        is_floating =
            multiply(host->tensor_data(&made), host->tensor_data(from), i, from->dtype, factor);
    if (!is_floating) {
        host->tensor_fini(&made);
        return OB_OK;
    }
    const ob_status status = host->value_init_tensor(&other, &made, err);
    host->tensor_fini(&made);
    if (status != OB_OK)
        return status;
    host->value_fini(value);
    *value = other;
    return OB_OK;
}

static ob_status outputs(ob_prepared *prepared, ob_pass pass, ob_value *values, size_t capacity,
                         size_t *count, ob_err *err)
{
    const size_t at = find_case(prepared);
    const bool again = cases[at].forwards > 1;
    const bool zeros = again && strcmp(options.fault, "once") == 0;
    OB_TRY(native->outputs(prepared, pass, values, capacity, count, err));
    for (size_t i = 0; i < *count && i < MOST_RESULTS; i++) {
        if (values[i].kind == OB_VALUE_TENSOR)
            OB_TRY(spoil(&values[i], zeros ? 0 : options.factor, err));
        if (pass != OB_PASS_FORWARD || strcmp(options.fault, "caches") != 0)
            continue;
        if (i >= cases[at].first_count) {
            OB_TRY(host->value_copy(&cases[at].first[i], &values[i], err));
            cases[at].first_count++;
        }
        host->value_fini(&values[i]);
        OB_TRY(host->value_copy(&values[i], &cases[at].first[i], err));
    }
    return OB_OK;
}

static const ob_backend_desc *const BACKENDS[] = {&spoiled, NULL};
static const ob_plugin PLUGIN = {OB_PLUGIN_HEAD, .name = "spoiled", .version = "1",
                                 .backends = BACKENDS};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *given, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *given, ob_reason *why_not)
{
    typedef const ob_plugin *entry_fn(const ob_host *host, ob_reason *why_not);
    void *library = dlopen(NATIVE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "ob_plugin_entry") : NULL;
    entry_fn *entry;
    if (symbol == NULL) {
        snprintf(why_not->text, sizeof why_not->text, "%s", dlerror());
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast for it */
    const ob_plugin *plugin = entry(given, why_not);
    if (plugin == NULL)
        return NULL;
    host = given;
    native = plugin->backends[0];
    spoiled = *native;
    spoiled.name = "spoiled";
    spoiled.help = "native with a fault in its results";
    spoiled.options = OPTIONS;
    spoiled.options_size = sizeof options;
    spoiled.reference = NULL;
    spoiled.open = open_spoiled;
    spoiled.prepare = prepare;
    spoiled.release = release;
    spoiled.run = run;
    spoiled.outputs = outputs;
    return &PLUGIN;
}
