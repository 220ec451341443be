/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for a worker without ever depending on its good behaviour: nothing here blocks on what it
 * sends, its death is seen even if a process that it started keeps its socket open, and clock and memory
 * are looked at however busily it talks.
 */
#include "run/worker_client.h"

#include "base/text_append.h"
#include "config/config_int.h"
#include "opbench/vec.h"
#include "run/identity.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WATCH_MS = 20,
    WATCH_ALL_MS = 200,
    TELL_MS = 100,    /* between two words on how far a case is */
    END_S = 5,        /* from the end of its work to its death */
    START_S = 120,    /* until its backend is open */
    IDLE_S = 60,      /* between two cases, and within a message */
    HOSTED_S = 600,   /* the first, in a program that imports what the user names */
    WRAPPED_S = 1800, /* the first two, under a command that may take its time */
};
static const double GRACE_S = 0.5; /* from the end of its socket to its death */

ob_status ob__worker_client_open(ob_worker_client *client, const ob_config *config,
                                 const ob_run_params *params, const ob_worker_start_params *place,
                                 ob_err *err)
{
    ob_system system;
    *client = (ob_worker_client){
        .params = params,
        .seed = {.config_fd = -1, .memory = OB_NO_MEMORY},
        .worker = OB_NO_PROCESS,
        .start_limit_s = place != NULL && place->counts > 0 ? place->limit_s
                         : params->options->wrap != NULL    ? WRAPPED_S
                         : ob_backend_has_host(config->context, ob__backend_name(params->options))
                             ? HOSTED_S
                             : START_S,
        .idle_limit_s = params->worker_idle_s > 0 ? params->worker_idle_s : IDLE_S};
    const ob_backend_desc *desc =
        ob_context_find_backend(config->context, ob__backend_name(params->options));
    client->isa_limits = desc != NULL ? desc->isa_limits : NULL;
    client->log = ob_context_log(config->context);
    OB_TRY(ob_system_read(NULL, NULL, &system, err));
    client->max_memory_bytes = ob__memory_limit(params->options, &system);
    return ob__worker_seed_make(params->worker_program, config, params->options, place,
                                &client->seed, err);
}

/* What the command around the worker says at its end, and whatever came with it. */
static void hand_on_wrapped(const ob_worker_client *client)
{
    const ob_run_params *params = client->params;
    ob_text text = {.data = NULL};
    if (params->on_wrapped != NULL && ob__process_output(&client->worker, &text) && text.size > 0)
        params->on_wrapped(params->ctx, text.data, text.size);
    ob_text_fini(&text);
}

void ob__worker_client_end_worker(ob_worker_client *client, bool at_once)
{
    const bool wrapped = client->params->options != NULL && client->params->options->wrap != NULL;
    const bool was_there = client->worker.guard != 0;
    ob__process_end(&client->worker, at_once ? 0 : wrapped ? WRAPPED_S : END_S);
    if (wrapped && was_there && !at_once)
        hand_on_wrapped(client);
}

void ob__worker_client_close(ob_worker_client *client)
{
    ob__process_close(&client->worker);
    ob__worker_seed_fini(&client->seed);
    ob_text_fini(&client->inbox.bytes);
    ob_text_fini(&client->parts);
    free(client->lost);
    client->lost = NULL;
}

ob_status ob__worker_client_start_worker(ob_worker_client *client, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    ob__wire_inbox_reset(&client->inbox);
    client->greeted = client->ready = client->condemned = client->interrupted = false;
    client->leased = client->told_to_stop = false;
    client->idle_ns = client->torn_ns = 0;
    client->started_ns = client->looked_ns = client->all_looked_ns = ob_clock_now_ns(&clock);
    client->oom_kills = ob__oom_kills();
    ob__process_close(&client->worker);
    return ob__worker_start(&client->seed, &client->worker, err);
}

void ob__worker_client_lease(ob_worker_client *client, const ob_lease *lease)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_text message = {0};
    client->leased = true;
    client->idle_ns = 0;
    client->news_ns = ob_clock_now_ns(&clock);
    client->parts.size = 0;
    if (client->lost_of != lease->first)
        client->lost_count = 0;
    /* Without memory it is begun again with all of its parts, and lost again. */
    if (client->lost_count == 0 || !ob_text_append(&message, (const char *)lease, sizeof *lease) ||
        !ob_text_append(&message, (const char *)client->lost,
                        client->lost_count * sizeof *client->lost))
        ob__wire_send(client->worker.socket, OB_MESSAGE_LEASE, lease, sizeof *lease, NULL);
    else
        ob__wire_send(client->worker.socket, OB_MESSAGE_LEASE, message.data, message.size, NULL);
    ob_text_fini(&message);
}

bool ob__worker_client_lose_part(ob_worker_client *client, uint64_t index, const ob_loss *why)
{
    const ob_state_page *page = client->seed.page;
    const int64_t part = atomic_load(&page->parts.part);
    if (client->lost_of != index)
        client->lost_count = 0;
    client->lost_of = index;
    /* What the page says may be wrong, so nothing is lost twice. */
    bool can = client->params->options->maker != NULL &&
               (why->status == OB_RECORD_CRASHED || why->status == OB_RECORD_OUT_OF_MEMORY) &&
               !why->scribbled && part != OB_NO_PART && atomic_load(&page->case_index) == index &&
               client->lost_count < OB_MOST_LOST_PARTS;
    for (size_t i = 0; i < client->lost_count; i++)
        can = can && client->lost[i].part != part;
    if (!can || !OB_RESERVE(client->lost, client->lost_capacity, client->lost_count + 1))
        return false;
    /* All of it goes to another process. */
    memset(&client->lost[client->lost_count], 0, sizeof *client->lost);
    client->lost[client->lost_count++] = (ob_lost_part){.part = part, .why = *why};
    ob_log_message(client->log, OB_LOG_WARNING,
                   "node %" PRId64 ": %s; leaving it out and starting the step again", part,
                   why->reason);
    return true;
}

int ob__worker_client_wanted_stop(const ob_worker_client *client)
{
    const ob_run_params *params = client->params;
    return params->stop != NULL ? params->stop(params->ctx) : 0;
}

size_t ob__worker_client_output(const ob_worker_client *client, char *out, size_t size,
                                uint64_t *all)
{
    struct stat info;
    const int fd = client->worker.output;
    const ssize_t got = pread(fd, out, size, 0);
    *all = got > 0 ? (uint64_t)got : 0;
    if (got > 0 && fstat(fd, &info) == 0 && info.st_size > got)
        *all = (uint64_t)info.st_size;
    return got > 0 ? (size_t)got : 0;
}

/* ---- why it is gone ---- */

/* An illegal instruction is hardly ever the case's fault, and what helps is not to be guessed. */
static void describe_illegal(const char *limits, ob_loss *out)
{
    const size_t used = strlen(out->reason);
    snprintf(out->reason + used, sizeof out->reason - used,
             "; its library used an instruction that this machine lacks: %s%s%s",
             limits != NULL ? "set " : "see the library's manual for how to limit it",
             limits != NULL ? limits : "",
             limits != NULL ? " in the environment to limit it to common ones" : "");
}

static void describe_signal(const ob_worker_client *client, int number, ob_loss *out)
{
    const char *abbreviation = sigabbrev_np(number);
    snprintf(out->signal, sizeof out->signal, "SIG%s", abbreviation ? abbreviation : "?");
    if (number == SIGKILL && ob__oom_kills() > client->oom_kills) {
        out->status = OB_RECORD_OUT_OF_MEMORY;
        snprintf(out->reason, sizeof out->reason,
                 "the kernel killed the worker (SIGKILL) because memory ran out; a lower "
                 "--max-memory stops such a case earlier");
        return;
    }
    const char *text = sigdescr_np(number);
    snprintf(out->reason, sizeof out->reason, "the worker died of %s (%s)%s", out->signal,
             text ? text : "unknown signal",
             number == SIGKILL  ? "; somebody killed it, or a memory limit outside opbench did"
             : number == SIGFPE ? "; an integer was divided by 0, by the kernel or in the data (a "
                                  "\"value_range\" without "
                                  "0 avoids the latter)"
                                : "");
    if (number == SIGILL)
        describe_illegal(client->isa_limits, out);
}

/* The worker's socket or the worker itself is at its end. */
static void lose(ob_worker_client *client, ob_loss *out)
{
    if (client->condemned) {
        ob__worker_client_end_worker(client, true);
        *out = client->sentence;
        return;
    }
    const bool in_time = ob__process_wait(&client->worker, GRACE_S);
    const int status = ob__process_end(&client->worker, 0);
    *out = (ob_loss){.status = OB_RECORD_CRASHED, .exit_code = OB_NO_INT};
    /* A dying process closes its descriptors some time before it is dead, on a busy machine long before; a signal that
     * comes in between does not change what it died of. */
    if (!in_time && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        snprintf(out->reason, sizeof out->reason,
                 "the operator closed the worker's own descriptor; the worker was stopped");
    } else if (WIFSIGNALED(status)) {
        describe_signal(client, WTERMSIG(status), out);
    } else {
        out->exit_code = WEXITSTATUS(status);
        snprintf(out->reason, sizeof out->reason, "the worker ended with exit code %d",
                 WEXITSTATUS(status));
    }
}

void ob__worker_client_reject(ob_worker_client *client, ob_loss *loss)
{
    ob__worker_client_end_worker(client, true);
    *loss = (ob_loss){.status = OB_RECORD_CRASHED, .exit_code = OB_NO_INT, .scribbled = true};
    snprintf(loss->reason, sizeof loss->reason,
             "the operator wrote to the worker's own descriptor; the worker was stopped");
}

/* ---- limits ---- */

/* What is no opbench may say nothing for ever; one whose backend takes its time to open has said hello. */
static bool starts_too_slowly(const ob_worker_client *client, uint64_t now_ns, ob_loss *why)
{
    const double since_s = (double)(now_ns - client->started_ns) / 1e9;
    const bool is_mute = !client->greeted && client->hello_limit_s > 0;
    const double limit_s = is_mute ? client->hello_limit_s : client->start_limit_s;
    if (client->ready || limit_s <= 0 || since_s <= limit_s)
        return false;
    snprintf(why->reason, sizeof why->reason,
             is_mute ? "it did not answer within %g s: it hangs, or is not opbench"
                     : "the backend did not open within %g s",
             limit_s);
    why->status = OB_RECORD_TIMED_OUT;
    return true;
}

static bool took_too_long(const ob_worker_client *client, uint64_t now_ns, ob_loss *why)
{
    const double limit_s = client->params->options->case_timeout_s;
    const ob_state_page *page = client->seed.page;
    if (starts_too_slowly(client, now_ns, why))
        return true;
    if (limit_s <= 0 || atomic_load(&page->case_index) == OB_NO_CASE)
        return false;
    const uint64_t started_ns = atomic_load(&page->started_ns);
    /* What the page says may be wrong; but who waits for a turn knows no other time. */
    const bool too_late = client->ring == NULL && client->leased &&
                          (double)(now_ns - client->news_ns) / 1e9 > limit_s + client->idle_limit_s;
    if (!too_late && (now_ns <= started_ns || (double)(now_ns - started_ns) / 1e9 <= limit_s))
        return false;
    snprintf(why->reason, sizeof why->reason, "the case took longer than %g s; see --case-timeout",
             limit_s);
    why->status = OB_RECORD_TIMED_OUT;
    return true;
}

/* Whether another one's turn is all that it waits for. */
static bool waits_for_turn(const ob_worker_client *client)
{
    return client->ring != NULL && ob__ring_is_elsewhere(client->ring, client->member);
}

/* Neither a stopped worker, nor half a message, nor a wild write into the shared memory may hold the run for ever. */
static bool stands_still(ob_worker_client *client, uint64_t now_ns, ob_loss *why)
{
    const ob_state_page *page = client->seed.page;
    const bool in_case = atomic_load(&page->case_index) != OB_NO_CASE &&
                         atomic_load(&page->started_ns) != UINT64_MAX;
    if (!client->leased || in_case || waits_for_turn(client))
        client->idle_ns = 0;
    else if (client->idle_ns == 0)
        client->idle_ns = now_ns;
    const uint64_t since_ns = client->torn_ns != 0 ? client->torn_ns : client->idle_ns;
    if (since_ns == 0 || (double)(now_ns - since_ns) / 1e9 <= client->idle_limit_s)
        return false;
    why->status = OB_RECORD_TIMED_OUT;
    why->scribbled = client->torn_ns != 0;
    snprintf(why->reason, sizeof why->reason,
             client->torn_ns != 0
                 ? "the rest of the worker's message did not arrive within %g s"
                 : "the worker did nothing for %g s and was not running a case; is it stopped?",
             client->idle_limit_s);
    return true;
}

/* The worker alone often, with all that it started now and then: that takes longer. */
static bool grew_too_large(ob_worker_client *client, uint64_t now_ns, ob_loss *why)
{
    const uint64_t limit = client->max_memory_bytes;
    const bool all = now_ns - client->all_looked_ns >= WATCH_ALL_MS * UINT64_C(1000000);
    if (limit == 0)
        return false;
    if (all)
        client->all_looked_ns = now_ns;
    const uint64_t held = all ? ob__process_above_limit(&client->worker, limit)
                              : ob__process_resident_bytes(&client->worker);
    if (held <= limit)
        return false;
    why->status = OB_RECORD_OUT_OF_MEMORY;
    snprintf(why->reason, sizeof why->reason,
             "the worker used %.0f MiB, but the limit is %.0f MiB; see --max-memory",
             (double)held / 1048576, (double)limit / 1048576);
    return true;
}

/* How far a case with parts is. */
static void tell_progress(ob_worker_client *client, uint64_t now_ns)
{
    const ob_run_params *params = client->params;
    const ob_part_state *state = &client->seed.page->parts;
    const ob_run_options *o = params->options;
    const bool by_rule = o->min_time_s > 0 || o->precision > 0;
    const int64_t passes = (o->warmup > 0 ? o->warmup : 0) + (o->iteration > 0 ? o->iteration : 0);
    const ob_run_progress progress = {.index = atomic_load(&client->seed.page->case_index),
                                      .backend = ob__backend_name(o),
                                      .passes = by_rule ? 0 : (uint64_t)passes,
                                      .pass = atomic_load(&state->pass),
                                      .done = atomic_load(&state->done),
                                      .size = atomic_load(&state->size)};
    if (params->on_progress == NULL || progress.index == OB_NO_CASE || progress.size == 0 ||
        (progress.pass == client->told_pass && progress.done == client->told_done) ||
        now_ns - client->told_ns < TELL_MS * UINT64_C(1000000))
        return;
    client->told_pass = progress.pass;
    client->told_done = progress.done;
    client->told_ns = now_ns;
    params->on_progress(params->ctx, &progress);
}

/* Kills a worker that went over a limit. Its last messages are still read: the case may just have
 * come to its end. */
static void look(ob_worker_client *client)
{
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t now_ns = ob_clock_now_ns(&clock);
    ob_loss *why = &client->sentence;
    if (client->condemned || now_ns - client->looked_ns < WATCH_MS * UINT64_C(1000000))
        return;
    client->looked_ns = now_ns;
    tell_progress(client, now_ns);
    *why = (ob_loss){.exit_code = OB_NO_INT};
    ob__capture_bound(client->worker.output, OB_KEPT_BEGIN);
    client->condemned = took_too_long(client, now_ns, why) || stands_still(client, now_ns, why) ||
                        grew_too_large(client, now_ns, why);
    if (client->condemned)
        ob__process_kill(&client->worker);
}

/* The user wants to end at once. What the worker sent before still counts here too. */
static void interrupt(ob_worker_client *client)
{
    if (client->interrupted)
        return;
    client->interrupted = true;
    if (client->condemned)
        return;
    client->condemned = true;
    client->sentence = (ob_loss){.status = OB_RECORD_INTERRUPTED,
                                 .reason = "the run was interrupted in the middle of the case",
                                 .exit_code = OB_NO_INT};
    ob__process_kill(&client->worker);
}

/* ---- waiting ---- */

/* A whole message that is there already, or one that is none. False: neither. */
static bool take_message(ob_worker_client *client, ob_news *out)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_status status;
    while ((status = ob__wire_next(&client->inbox, &out->message, NULL)) == OB_OK &&
           out->message.type == OB_MESSAGE_PARTS) {
        client->parts.size = 0; /* without memory there are none */
        ob_text_append(&client->parts, out->message.data, out->message.size);
    }
    if (status == OB_END && client->torn_ns == 0 && client->inbox.bytes.size > client->inbox.start)
        client->torn_ns = ob_clock_now_ns(&clock);
    if (status == OB_END)
        return false;
    client->torn_ns = client->idle_ns = 0;
    client->news_ns = ob_clock_now_ns(&clock);
    client->greeted = true;
    out->kind = status == OB_OK ? OB_NEWS_MESSAGE : OB_NEWS_LOST;
    if (status != OB_OK)
        ob__worker_client_reject(client, &out->loss);
    else if (out->message.type == OB_MESSAGE_READY)
        client->ready = true;
    else if (out->message.type == OB_MESSAGE_IDLE)
        client->leased = false;
    return true;
}

ob_status ob__worker_client_try(ob_worker_client *client, ob_news *out, ob_err *err)
{
    (void)err;
    if (take_message(client, out))
        return OB_OK;
    const int stop = ob__worker_client_wanted_stop(client);
    if (stop > 1)
        interrupt(client);
    if (stop > 0)
        atomic_store(&client->seed.page->parts.stop, 1);
    if (stop > 0 && !client->finish_case) {
        client->told_to_stop = true;
        atomic_store(&client->seed.page->stop, 1);
    }
    if (!client->inbox.ended)
        return OB_END;
    out->kind = client->interrupted ? OB_NEWS_STOPPED : OB_NEWS_LOST;
    lose(client, &out->loss);
    return OB_OK;
}

ob_status ob__worker_client_wait(ob_worker_client *const *clients, size_t count, ob_err *err)
{
    struct pollfd p[2 * OB_MOST_MEMBERS];
    for (size_t i = 0; i < count; i++) {
        p[2 * i] = (struct pollfd){.fd = clients[i]->worker.socket, .events = POLLIN};
        p[2 * i + 1] = (struct pollfd){.fd = clients[i]->worker.control, .events = POLLIN};
    }
    const int ready = poll(p, 2 * count, WATCH_MS);
    if (ready < 0 && errno != EINTR)
        return ob_err_set(err, OB_ERR_IO, "the worker cannot be watched: %s", strerror(errno));
    for (size_t i = 0; i < count; i++) {
        ob_worker_client *client = clients[i];
        if (ready > 0 && p[2 * i].revents != 0)
            OB_TRY(ob__wire_fill(&client->inbox, client->worker.socket, err));
        else if (ready > 0 && p[2 * i + 1].revents != 0)
            client->inbox.ended = true; /* it is dead, and all that it sent was read */
        look(client);
    }
    return OB_OK;
}

ob_status ob__worker_client_next(ob_worker_client *client, ob_news *out, ob_err *err)
{
    for (;;) {
        const ob_status status = ob__worker_client_try(client, out, err);
        if (status != OB_END)
            return status;
        OB_TRY(ob__worker_client_wait(&client, 1, err));
    }
}
