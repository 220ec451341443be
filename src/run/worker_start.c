/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker's command line and descriptors. It is this program again, not a copy of this process: thread pools of
 * libraries do not survive a bare fork.
 */
#include "run/worker_start.h"

#include "base/text_append.h"
#include "run/identity.h"
#include "run/wrap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the child finds its descriptors. */
enum { CHILD_STATE = OB_CHILD_FIRST, CHILD_CONFIG, CHILD_RING };

static bool add_text(ob_command_words *words, const char *option, const char *value)
{
    if (value == NULL)
        return true;
    words->count++;
    return ob_text_append_str(&words->text, option) && ob_text_append_str(&words->text, value) &&
           ob_text_append(&words->text, "", 1);
}

static bool add_number(ob_command_words *words, const char *option, int number)
{
    words->count++;
    return ob_text_printf(&words->text, "%s%d", option, number) &&
           ob_text_append(&words->text, "", 1);
}

static bool add_place(ob_command_words *words, const ob_worker_start_params *place)
{
    return place == NULL ||
           ((place->counts == 0 || add_number(words, "--counts=", (int)place->counts)) &&
            (place->ring_fd < 0 || (add_number(words, "--ring-fd=", CHILD_RING) &&
                                    add_number(words, "--ring-member=", (int)place->member))));
}

static bool add_options(ob_command_words *words, const ob_run_options *options)
{
    const size_t from = words->text.size;
    if (!ob__run_options_words(options, &words->text))
        return false;
    for (size_t i = from; i < words->text.size; i++)
        words->count += words->text.data[i] == '\0';
    return true;
}

static bool add_plugins(ob_command_words *words, const ob_worker_start_params *place)
{
    const char *const *files = place != NULL ? place->plugins : NULL;
    bool ok = files == NULL || files[0] == NULL || ob__command_words_add(words, "--");
    for (size_t i = 0; ok && files != NULL && files[i] != NULL; i++)
        ok = ob__command_words_add(words, files[i]);
    return ok;
}

static ob_status make_words(ob_worker_seed *seed, const char *program,
                            const ob_run_options *options, const ob_worker_start_params *place,
                            ob_err *err)
{
    ob_command_words *words = &seed->words;
    bool ok = true;
    if (place == NULL || place->counts == 0) /* what counts runs under valgrind */
        OB_TRY(ob__wrap_words(options->wrap, words, err));
    for (size_t i = 0; ok && place != NULL && place->before != NULL && place->before[i] != NULL;
         i++)
        ok = ob__command_words_add(words, place->before[i]);
    ok = ok && ob__command_words_add(words, program) && ob__command_words_add(words, "worker") &&
         add_number(words, "--socket-fd=", OB_CHILD_SOCKET) &&
         add_number(words, "--state-fd=", CHILD_STATE) &&
         add_number(words, "--config-fd=", CHILD_CONFIG) && add_place(words, place) &&
         add_text(words, "--config-name=", options->config_name) &&
         add_text(words, "--config-command=", options->config_command) &&
         add_text(words, "--by-words", options->by_words ? "" : NULL) &&
         add_text(words, "--program-name=", options->program) &&
         add_text(words, "--command-name=", options->command) &&
         add_text(words, "--repro-before=", options->repro_before) &&
         add_text(words, "--side-name=", options->maker != NULL ? options->side : NULL) &&
         add_options(words, options) && add_plugins(words, place);
    seed->list = ok ? ob__command_words_list(words) : NULL;
    return seed->list != NULL
               ? OB_OK
               : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the worker's command line");
}

/* With room for the pad. */
static ob_status make_variables(ob_worker_seed *seed, const char *const *variables, ob_err *err)
{
    size_t count = 0;
    while (variables != NULL && variables[count] != NULL)
        count++;
    seed->variables = calloc(count + 2, sizeof *seed->variables);
    if (seed->variables == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the worker's environment");
    for (size_t i = 0; i < count; i++)
        seed->variables[i] = variables[i];
    seed->variable_count = count;
    return OB_OK;
}

void ob__worker_seed_set_pad(ob_worker_seed *seed, size_t letters)
{
    static const char NAME[] = "OPBENCH_PAD=";
    char *pad = malloc(sizeof NAME + letters);
    if (pad == NULL)
        return;
    memcpy(pad, NAME, sizeof NAME - 1);
    memset(pad + sizeof NAME - 1, 'x', letters);
    pad[sizeof NAME - 1 + letters] = '\0';
    free(seed->pad);
    seed->pad = pad;
    seed->variables[seed->variable_count] = pad;
}

static ob_status make_page(ob_worker_seed *seed, ob_err *err)
{
    seed->has_samples =
        ob__shared_memory_make("opbench-state", sizeof *seed->page, &seed->memory, NULL) == OB_OK;
    if (!seed->has_samples)
        OB_TRY(ob__shared_memory_make("opbench-state", offsetof(ob_state_page, samples),
                                      &seed->memory, err));
    seed->page = seed->memory.at;
    atomic_store(&seed->page->has_samples, seed->has_samples);
    return OB_OK;
}

ob_status ob__worker_seed_make(const char *program, const ob_config *config,
                               const ob_run_options *options, const ob_worker_start_params *place,
                               ob_worker_seed *out, ob_err *err)
{
    char *text = NULL;
    size_t length = 0;
    *out = (ob_worker_seed){
        .config_fd = -1, .ring_fd = place != NULL ? place->ring_fd : -1, .memory = OB_NO_MEMORY};
    ob_status status = make_variables(out, place != NULL ? place->variables : NULL, err);
    if (status == OB_OK)
        status = make_words(out, program, options, place, err);
    if (status == OB_OK)
        status = ob_json_print(ob_config_json(config), &text, &length, err);
    if (status == OB_OK)
        status = ob__sealed_file("opbench-config", text, length, &out->config_fd, err);
    free(text);
    if (status == OB_OK)
        status = make_page(out, err);
    if (status != OB_OK)
        ob__worker_seed_fini(out);
    return status;
}

void ob__worker_seed_fini(ob_worker_seed *seed)
{
    if (seed->config_fd >= 0)
        close(seed->config_fd);
    ob__shared_memory_close(&seed->memory);
    ob__command_words_fini(&seed->words);
    free(seed->list);
    free(seed->variables);
    free(seed->pad);
    *seed = (ob_worker_seed){.config_fd = -1, .memory = OB_NO_MEMORY};
}

ob_status ob__worker_start(const ob_worker_seed *seed, ob_process *out, ob_err *err)
{
    ob_process_params params = {
        .words = (const char *const *)seed->list,
        .variables = (const char *const *)seed->variables,
        .fds = {{CHILD_STATE, seed->memory.fd}, {CHILD_CONFIG, seed->config_fd}},
        .fd_count = 2,
        .talk = true,
        .capture = true,
        .first_to_die = true};
    if (seed->ring_fd >= 0)
        params.fds[params.fd_count++] = (ob_child_fd){CHILD_RING, seed->ring_fd};
    /* The one before may have written anything there. */
    atomic_store(&seed->page->case_index, OB_NO_CASE);
    atomic_store(&seed->page->stop, 0);
    atomic_store(&seed->page->parts.part, OB_NO_PART);
    atomic_store(&seed->page->parts.size, 0);
    atomic_store(&seed->page->parts.stop, 0);
    atomic_store(&seed->page->has_samples, seed->has_samples);
    lseek(seed->config_fd, 0, SEEK_SET);
    return ob__process_start(&params, out, err);
}
