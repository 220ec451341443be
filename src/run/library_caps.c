/* SPDX-License-Identifier: Apache-2.0
 *
 * The caps of libraries as programs ask for them: here the trials of src/machine become processes, and the decisions
 * variables of the environment.
 */
#include "run/library_caps.h"

#include "plugin/manifests.h"

#include "base/sized.h"
#include "machine/caps.h"
#include "opbench/shared_object.h"
#include "process/process.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

struct ob_library_caps {
    ob_library_cap items[OB_CAP_ROW_COUNT];
    size_t count;
    char openblas[PATH_MAX], onednn[PATH_MAX]; /* "" = not there */
    ob_json_doc *doc;
};

/* ---- trials ---- */

static const char ANSWER[] = "trial: ";
enum { LIMIT_S = 60 }; /* a trial ends itself earlier, if it can */

static void take_line(void *ctx, const char *line, size_t length)
{
    ob_trial_outcome *out = ctx;
    const size_t head = sizeof ANSWER - 1;
    if (length <= head || memcmp(line, ANSWER, head) != 0)
        return; /* a library's own words */
    out->state = line[head] == '+'   ? OB_TRIAL_OK
                 : line[head] == '-' ? OB_TRIAL_FAILED
                                     : OB_TRIAL_UNKNOWN;
    snprintf(out->text, sizeof out->text, "%.*s", (int)(length - head - 1), line + head + 1);
}

/* Only deaths that the instructions or the library are guilty of count. */
static void take_death(int number, ob_trial_outcome *out)
{
    const char *name = sigabbrev_np(number);
    out->state = OB_TRIAL_UNKNOWN;
    if (number != SIGILL && number != SIGSEGV && number != SIGBUS && number != SIGFPE &&
        number != SIGABRT)
        return;
    out->state = OB_TRIAL_FAILED;
    snprintf(out->text, sizeof out->text, "a matrix product with its kernels dies of SIG%s",
             name != NULL ? name : "?");
}

static void try_library(const char *program, const ob_trial *trial, ob_trial_outcome *out)
{
    char what[96], library[PATH_MAX + 32];
    snprintf(what, sizeof what, "--trial=%s", trial->what);
    snprintf(library, sizeof library, "--trial-library=%s", trial->library);
    const char *const words[] = {program, "worker", what, library, NULL};
    const char *const variables[] = {trial->variable, NULL};
    const ob_process_params params = {.words = words, .variables = variables, .limit_s = LIMIT_S};
    int status = 0;
    if (ob__process_lines(&params, take_line, out, &status, NULL) != OB_OK)
        out->state = OB_TRIAL_UNKNOWN;
    else if (WIFSIGNALED(status))
        take_death(WTERMSIG(status), out);
}

static void try_in_process(void *ctx, const ob_trial *trial, ob_trial_outcome *out)
{
    *out = (ob_trial_outcome){.state = OB_TRIAL_UNKNOWN};
    if (trial->library == NULL) {
        const int works = ob__isa_try_apart(ob__isa_find(trial->what), out->text);
        out->state = works < 0 ? OB_TRIAL_UNKNOWN : works > 0 ? OB_TRIAL_OK : OB_TRIAL_FAILED;
    } else if (ctx != NULL) {
        try_library(ctx, trial, out);
    }
}

/* ---- finding ---- */

/* NULL = it is not there, as below. */
static const char *find_openblas(char path[PATH_MAX])
{
    return ob_shared_object_find("libopenblas.so.0", path, PATH_MAX) ||
                   ob_shared_object_find("libopenblas.so", path, PATH_MAX)
               ? path
               : NULL;
}

/* The oldest that is there: what it knows, the others know too. */
static const char *find_onednn(char path[PATH_MAX])
{
    enum { MOST_MINOR = 40 };
    const char *said = getenv("OPBENCH_ONEDNN_LIBRARY");
    char name[32];
    if (said != NULL && ob_shared_object_find(said, path, PATH_MAX))
        return path;
    if (ob_shared_object_find("libdnnl.so.2", path, PATH_MAX) ||
        ob_shared_object_find("libdnnl.so.3", path, PATH_MAX))
        return path;
    for (int minor = 0; minor < MOST_MINOR; minor++) {
        snprintf(name, sizeof name, "libdnnl.so.3.%d", minor);
        if (ob_shared_object_find(name, path, PATH_MAX))
            return path;
    }
    return NULL;
}

/* The user's own word, for either name of the variable. */
static bool take_users_word(const ob_cap_row *row, ob_library_cap *cap)
{
    for (size_t i = 0; i < sizeof row->variables / sizeof *row->variables; i++) {
        const char *value = row->variables[i] != NULL ? getenv(row->variables[i]) : NULL;
        if (value == NULL || value[0] == '\0')
            continue;
        *cap = (ob_library_cap){
            .library = row->library, .variable = row->variables[i], .state = OB_CAP_USER};
        snprintf(cap->value, sizeof cap->value, "%s", value);
        return true;
    }
    return false;
}

typedef struct decider {
    ob_library_caps *caps;
    ob_cpu cpu;
    ob_trial_memo memo;
    ob_trial_runner trials;
    ob_trial_outcome outcomes[OB_ISA_COUNT];
    const char *reasons[OB_ISA_COUNT];
    ob_cap_facts facts;
} decider;

/* What all decisions need, once the first is to be made. */
static void prepare(decider *d, const ob_library_caps_params *params)
{
    struct utsname system = {.release = ""};
    uname(&system);
    ob__cpu_read(NULL, &d->cpu);
    ob__memo_open(&d->memo, params->cache_dir, d->cpu.key, system.release);
    d->trials = (ob_trial_runner){
        .fn = try_in_process, .ctx = (void *)(uintptr_t)params->program, .memo = &d->memo};
    const ob_isa_set works = ob__cap_try_isas(&d->cpu, &d->trials, d->outcomes);
    for (int isa = 0; isa < OB_ISA_COUNT; isa++)
        d->reasons[isa] = d->outcomes[isa].text;
    d->facts =
        (ob_cap_facts){.cpu = &d->cpu,
                       .works = works,
                       .reasons = d->reasons,
                       .trials = &d->trials,
                       .openblas = find_openblas(d->caps->openblas),
                       /* Which words it knows matters only where it is to be capped. */
                       .onednn = works != d->cpu.announced ? find_onednn(d->caps->onednn) : NULL};
}

static void decide_all(ob_library_caps *caps, const ob_library_caps_params *params)
{
    decider d = {.caps = caps};
    for (size_t i = 0; i < OB_CAP_ROW_COUNT; i++) {
        const ob_cap_row *row = &ob__cap_rows[i];
        if (!ob__cap_is_used(row, params->users, params->manifests))
            continue;
        ob_library_cap *cap = &caps->items[caps->count++];
        if (take_users_word(row, cap))
            continue;
        if (d.facts.cpu == NULL)
            prepare(&d, params);
        ob__cap_decide(row, &d.facts, cap);
    }
    if (d.facts.cpu != NULL)
        ob__memo_close(&d.memo);
}

/* ---- as JSON ---- */

static bool put(ob_json_doc *doc, ob_json *object, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return true;
    ob_json *text = ob_json_new_string(doc, value, strlen(value));
    return text != NULL && ob_json_set(doc, object, name, text, NULL) == OB_OK;
}

static const char *state_word(ob_cap_state state)
{
    switch (state) {
    case OB_CAP_SET:
        return "opbench";
    case OB_CAP_USER:
        return "user";
    case OB_CAP_CANNOT:
        return "nobody";
    case OB_CAP_FINE:
        break;
    }
    return "library";
}

static ob_status make_json(ob_library_caps *caps, ob_err *err)
{
    ob_json_doc_destroy(caps->doc);
    caps->doc = NULL;
    OB_TRY(ob_json_doc_create(&caps->doc, err));
    ob_json *array = ob_json_new_array(caps->doc);
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < caps->count; i++) {
        const ob_library_cap *cap = &caps->items[i];
        ob_json *object = ob_json_new_object(caps->doc);
        ok = object != NULL && put(caps->doc, object, "library", cap->library) &&
             put(caps->doc, object, "variable", cap->variable) &&
             put(caps->doc, object, "own", cap->own) &&
             put(caps->doc, object, "value", cap->value) &&
             put(caps->doc, object, "by", state_word(cap->state)) &&
             put(caps->doc, object, "why", cap->why) &&
             ob_json_append(caps->doc, array, object, NULL) == OB_OK;
    }
    if (!ok)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the caps of libraries");
    ob_json_doc_set_root(caps->doc, array);
    return OB_OK;
}

/* ---- */

ob_status ob_library_caps_find(const ob_library_caps_params *params, ob_library_caps **out,
                               ob_err *err)
{
    ob_library_caps_params whole;
    *out = NULL;
    OB_TRY(OB__TAKE(ob_library_caps_params, &whole, params, err));
    ob_library_caps *caps = calloc(1, sizeof *caps);
    if (caps == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the caps of libraries");
    ob_manifests *own = NULL;
    ob_status status = OB_OK;
    if (whole.users != NULL && whole.manifests == NULL)
        status = ob__manifests_create(&own, err);
    if (own != NULL)
        whole.manifests = own;
    if (status == OB_OK) {
        decide_all(caps, &whole);
        status = make_json(caps, err);
    }
    ob_manifests_destroy(own);
    if (status != OB_OK) {
        ob_library_caps_destroy(caps);
        return status;
    }
    *out = caps;
    return OB_OK;
}

void ob_library_caps_destroy(ob_library_caps *caps)
{
    if (caps == NULL)
        return;
    ob_json_doc_destroy(caps->doc);
    free(caps);
}

size_t ob_library_caps_count(const ob_library_caps *caps)
{
    return caps->count;
}

const ob_library_cap *ob_library_caps_at(const ob_library_caps *caps, size_t index)
{
    return index < caps->count ? &caps->items[index] : NULL;
}

const ob_json *ob_library_caps_json(const ob_library_caps *caps)
{
    return ob_json_doc_root(caps->doc);
}

static bool is_loaded(const char *path)
{
    void *library = path[0] != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library != NULL)
        dlclose(library);
    return library != NULL;
}

ob_status ob_library_caps_apply(ob_library_caps *caps, ob_err *err)
{
    for (size_t i = 0; i < caps->count; i++) {
        ob_library_cap *cap = &caps->items[i];
        if (cap->state != OB_CAP_SET)
            continue;
        /* oneDNN asks when it is used first; OpenBLAS when it is loaded. */
        if (strcmp(cap->library, "OpenBLAS") == 0 && is_loaded(caps->openblas)) {
            char why[sizeof cap->why];
            snprintf(why, sizeof why,
                     "%.200s; it is already loaded, so start the program with %s=%s", cap->why,
                     cap->variable, cap->value);
            memcpy(cap->why, why, sizeof why);
            cap->state = OB_CAP_CANNOT;
            cap->value[0] = '\0';
        } else if (setenv(cap->variable, cap->value, 1) != 0) {
            return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the environment");
        }
    }
    return make_json(caps, err);
}

ob_status ob__cap_for_session(const ob_context *context, const ob_run_options *options,
                              const char *backend, ob_err *err)
{
    const char *said =
        options->library_caps != NULL ? options->library_caps : getenv(OB_CAPS_VARIABLE);
    ob_library_caps *caps;
    if (said != NULL && strcmp(said, "off") == 0)
        return OB_OK;
    const ob_log *log = ob_context_log(context);
    const ob_library_caps_params params = {
        .size = sizeof params, .users = backend, .manifests = ob_context_manifests(context)};
    OB_TRY(ob_library_caps_find(&params, &caps, err));
    const ob_status status = ob_library_caps_apply(caps, err);
    for (size_t i = 0; i < caps->count; i++) {
        const ob_library_cap *cap = &caps->items[i];
        if (cap->state == OB_CAP_SET)
            ob_log_message(log, OB_LOG_INFO, "%s would choose %s: %s; opbench sets %s=%s",
                           cap->library, cap->own, cap->why, cap->variable, cap->value);
        else if (cap->state == OB_CAP_CANNOT)
            ob_log_message(log, OB_LOG_WARNING, "%s chooses %s, which cannot be corrected: %s",
                           cap->library, cap->own, cap->why);
    }
    ob_library_caps_destroy(caps);
    return status;
}
