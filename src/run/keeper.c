/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for a worker without ever depending on its good behaviour: nothing here blocks on what it
 * sends, its death is seen even if a process that it started keeps its socket open, and clock and memory
 * are looked at however busily it talks.
 */
#include "run/keeper.h"

#include "config/config_int.h"
#include "run/identity.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WATCH_MS = 20,
    WATCH_ALL_MS = 200,
    END_S = 5,     /* from the end of its work to its death */
    START_S = 120, /* until its backend is open */
    IDLE_S = 60,   /* between two cases, and within a message */
};
static const double GRACE_S = 0.5; /* from the end of its socket to its death */

ob_status ob__keeper_open(ob_keeper *keeper, const ob_config *config, const ob_run_params *params,
                          const ob_worker_place *place, ob_err *err)
{
    ob_system system;
    *keeper =
        (ob_keeper){.params = params,
                    .seed = {.config_fd = -1, .memory = OB_NO_MEMORY},
                    .worker = OB_NO_PROCESS,
                    .start_limit_s = START_S,
                    .idle_limit_s = params->worker_idle_s > 0 ? params->worker_idle_s : IDLE_S};
    const ob_backend_desc *desc =
        ob_context_find_backend(config->context, ob__backend_name(params->options));
    keeper->isa_limits = desc != NULL ? desc->isa_limits : NULL;
    OB_TRY(ob_system_read(NULL, NULL, &system, err));
    keeper->max_memory_bytes = ob__memory_limit(params->options, &system);
    return ob__worker_seed_make(params->worker_program, config, params->options, place,
                                &keeper->seed, err);
}

void ob__keeper_end_worker(ob_keeper *keeper, bool at_once)
{
    ob__process_end(&keeper->worker, at_once ? 0 : END_S);
}

void ob__keeper_close(ob_keeper *keeper)
{
    ob__process_close(&keeper->worker);
    ob__worker_seed_fini(&keeper->seed);
    ob_text_fini(&keeper->inbox.bytes);
}

ob_status ob__keeper_start_worker(ob_keeper *keeper, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    ob__wire_inbox_reset(&keeper->inbox);
    keeper->ready = keeper->condemned = keeper->interrupted = false;
    keeper->leased = keeper->told_to_stop = false;
    keeper->idle_ns = keeper->torn_ns = 0;
    keeper->started_ns = keeper->looked_ns = keeper->all_looked_ns = ob_clock_now_ns(&clock);
    keeper->oom_kills = ob__oom_kills();
    ob__process_close(&keeper->worker);
    return ob__worker_start(&keeper->seed, &keeper->worker, err);
}

void ob__keeper_lease(ob_keeper *keeper, uint64_t first, uint64_t count)
{
    const ob_lease lease = {.first = first, .count = count};
    const ob_clock clock = ob_clock_monotonic();
    keeper->leased = true;
    keeper->idle_ns = 0;
    keeper->news_ns = ob_clock_now_ns(&clock);
    ob__wire_send(keeper->worker.socket, OB_MESSAGE_LEASE, &lease, sizeof lease, NULL);
}

int ob__keeper_wanted_stop(const ob_keeper *keeper)
{
    const ob_run_params *params = keeper->params;
    return params->stop != NULL ? params->stop(params->ctx) : 0;
}

size_t ob__keeper_output(const ob_keeper *keeper, char *out, size_t size, uint64_t *all)
{
    struct stat info;
    const int fd = keeper->worker.output;
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
             "; its library took an instruction that this machine lacks: %s%s%s",
             limits != NULL ? "set " : "see the library's manual for how to limit it",
             limits != NULL ? limits : "",
             limits != NULL ? " in the environment, which limits it to common ones" : "");
}

static void describe_signal(const ob_keeper *keeper, int number, ob_loss *out)
{
    const char *abbreviation = sigabbrev_np(number);
    snprintf(out->signal, sizeof out->signal, "SIG%s", abbreviation ? abbreviation : "?");
    if (number == SIGKILL && ob__oom_kills() > keeper->oom_kills) {
        out->status = OB_RECORD_OUT_OF_MEMORY;
        snprintf(out->reason, sizeof out->reason,
                 "the kernel killed the worker (SIGKILL) because memory was out; a lower "
                 "--max-memory ends such a case earlier");
        return;
    }
    const char *text = sigdescr_np(number);
    snprintf(out->reason, sizeof out->reason, "the worker died of %s (%s)%s", out->signal,
             text ? text : "unknown signal",
             number == SIGKILL  ? "; somebody killed it, or a limit of memory outside of opbench"
             : number == SIGFPE ? "; whole numbers were divided by 0: give a \"value_range\" "
                                  "without it"
                                : "");
    if (number == SIGILL)
        describe_illegal(keeper->isa_limits, out);
}

/* The worker's socket or the worker itself is at its end. */
static void lose(ob_keeper *keeper, ob_loss *out)
{
    if (keeper->condemned) {
        ob__keeper_end_worker(keeper, true);
        *out = keeper->sentence;
        return;
    }
    const bool in_time = ob__process_wait(&keeper->worker, GRACE_S);
    const int status = ob__process_end(&keeper->worker, 0);
    *out = (ob_loss){.status = OB_RECORD_CRASHED, .exit_code = OB_NO_INT};
    /* A dying process closes its descriptors some time before it is dead, on a busy machine long before; a signal that
     * comes in between does not change what it died of. */
    if (!in_time && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        snprintf(out->reason, sizeof out->reason,
                 "the operator closed the worker's own descriptor; the worker was ended");
    } else if (WIFSIGNALED(status)) {
        describe_signal(keeper, WTERMSIG(status), out);
    } else {
        out->exit_code = WEXITSTATUS(status);
        snprintf(out->reason, sizeof out->reason, "the worker ended by itself with exit code %d",
                 WEXITSTATUS(status));
    }
}

void ob__keeper_reject(ob_keeper *keeper, ob_loss *loss)
{
    ob__keeper_end_worker(keeper, true);
    *loss = (ob_loss){.status = OB_RECORD_CRASHED, .exit_code = OB_NO_INT, .scribbled = true};
    snprintf(loss->reason, sizeof loss->reason,
             "the operator wrote to the worker's own descriptor; the worker was ended");
}

/* ---- limits ---- */

static bool took_too_long(const ob_keeper *keeper, uint64_t now_ns, ob_loss *why)
{
    const double limit_s = keeper->params->options->case_timeout_s;
    const ob_state_page *page = keeper->seed.page;
    const double start_s = keeper->start_limit_s;
    if (!keeper->ready && start_s > 0 && (double)(now_ns - keeper->started_ns) / 1e9 > start_s) {
        snprintf(why->reason, sizeof why->reason, "the backend did not open within %g s", start_s);
        why->status = OB_RECORD_TIMED_OUT;
        return true;
    }
    if (limit_s <= 0 || atomic_load(&page->case_index) == OB_NO_CASE)
        return false;
    const uint64_t started_ns = atomic_load(&page->started_ns);
    /* What the page says may be wrong; but who waits for a turn knows no other time. */
    const bool too_late = keeper->ring == NULL && keeper->leased &&
                          (double)(now_ns - keeper->news_ns) / 1e9 > limit_s + keeper->idle_limit_s;
    if (!too_late && (now_ns <= started_ns || (double)(now_ns - started_ns) / 1e9 <= limit_s))
        return false;
    snprintf(why->reason, sizeof why->reason, "the case took longer than %g s; see --case-timeout",
             limit_s);
    why->status = OB_RECORD_TIMED_OUT;
    return true;
}

/* Whether another one's turn is all that it waits for. */
static bool waits_for_turn(const ob_keeper *keeper)
{
    return keeper->ring != NULL && ob__ring_is_elsewhere(keeper->ring, keeper->member);
}

/* Neither a stopped worker, nor half a message, nor a wild write into the shared memory may hold the run for ever. */
static bool stands_still(ob_keeper *keeper, uint64_t now_ns, ob_loss *why)
{
    const ob_state_page *page = keeper->seed.page;
    const bool in_case = atomic_load(&page->case_index) != OB_NO_CASE &&
                         atomic_load(&page->started_ns) != UINT64_MAX;
    if (!keeper->leased || in_case || waits_for_turn(keeper))
        keeper->idle_ns = 0;
    else if (keeper->idle_ns == 0)
        keeper->idle_ns = now_ns;
    const uint64_t since_ns = keeper->torn_ns != 0 ? keeper->torn_ns : keeper->idle_ns;
    if (since_ns == 0 || (double)(now_ns - since_ns) / 1e9 <= keeper->idle_limit_s)
        return false;
    why->status = OB_RECORD_TIMED_OUT;
    why->scribbled = keeper->torn_ns != 0;
    snprintf(why->reason, sizeof why->reason,
             keeper->torn_ns != 0
                 ? "the rest of what the worker began to say did not come within %g s"
                 : "the worker did nothing for %g s, and was not on a case; is it stopped?",
             keeper->idle_limit_s);
    return true;
}

/* The worker alone often, with all that it started now and then: that takes longer. */
static bool grew_too_large(ob_keeper *keeper, uint64_t now_ns, ob_loss *why)
{
    const uint64_t limit = keeper->max_memory_bytes;
    const bool all = now_ns - keeper->all_looked_ns >= WATCH_ALL_MS * UINT64_C(1000000);
    if (limit == 0)
        return false;
    if (all)
        keeper->all_looked_ns = now_ns;
    const uint64_t held = all ? ob__process_above_limit(&keeper->worker, limit)
                              : ob__process_resident_bytes(&keeper->worker);
    if (held <= limit)
        return false;
    why->status = OB_RECORD_OUT_OF_MEMORY;
    snprintf(why->reason, sizeof why->reason,
             "the worker held %.0f MiB, the limit is %.0f MiB; see --max-memory",
             (double)held / 1048576, (double)limit / 1048576);
    return true;
}

/* Kills a worker that went over a limit. Its last messages are still read: the case may just have
 * come to its end. */
static void look(ob_keeper *keeper)
{
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t now_ns = ob_clock_now_ns(&clock);
    ob_loss *why = &keeper->sentence;
    if (keeper->condemned || now_ns - keeper->looked_ns < WATCH_MS * UINT64_C(1000000))
        return;
    keeper->looked_ns = now_ns;
    *why = (ob_loss){.exit_code = OB_NO_INT};
    ob__capture_bound(keeper->worker.output, OB_KEPT_BEGIN);
    keeper->condemned = took_too_long(keeper, now_ns, why) || stands_still(keeper, now_ns, why) ||
                        grew_too_large(keeper, now_ns, why);
    if (keeper->condemned)
        ob__process_kill(&keeper->worker);
}

/* The user wants to end at once. What the worker sent before still counts here too. */
static void interrupt(ob_keeper *keeper)
{
    if (keeper->interrupted)
        return;
    keeper->interrupted = true;
    if (keeper->condemned)
        return;
    keeper->condemned = true;
    keeper->sentence = (ob_loss){.status = OB_RECORD_INTERRUPTED,
                                 .reason = "the run was interrupted in the middle of the case",
                                 .exit_code = OB_NO_INT};
    ob__process_kill(&keeper->worker);
}

/* ---- waiting ---- */

/* A whole message that is there already, or one that is none. False: neither. */
static bool take_message(ob_keeper *keeper, ob_news *out)
{
    const ob_clock clock = ob_clock_monotonic();
    const ob_status status = ob__wire_next(&keeper->inbox, &out->message, NULL);
    if (status == OB_END && keeper->torn_ns == 0 && keeper->inbox.bytes.size > keeper->inbox.start)
        keeper->torn_ns = ob_clock_now_ns(&clock);
    if (status == OB_END)
        return false;
    keeper->torn_ns = keeper->idle_ns = 0;
    keeper->news_ns = ob_clock_now_ns(&clock);
    out->kind = status == OB_OK ? OB_NEWS_MESSAGE : OB_NEWS_LOST;
    if (status != OB_OK)
        ob__keeper_reject(keeper, &out->loss);
    else if (out->message.type == OB_MESSAGE_READY)
        keeper->ready = true;
    else if (out->message.type == OB_MESSAGE_IDLE)
        keeper->leased = false;
    return true;
}

ob_status ob__keeper_try(ob_keeper *keeper, ob_news *out, ob_err *err)
{
    (void)err;
    if (take_message(keeper, out))
        return OB_OK;
    const int stop = ob__keeper_wanted_stop(keeper);
    if (stop > 1)
        interrupt(keeper);
    if (stop > 0 && !keeper->finish_case) {
        keeper->told_to_stop = true;
        atomic_store(&keeper->seed.page->stop, 1);
    }
    if (!keeper->inbox.ended)
        return OB_END;
    out->kind = keeper->interrupted ? OB_NEWS_STOPPED : OB_NEWS_LOST;
    lose(keeper, &out->loss);
    return OB_OK;
}

ob_status ob__keeper_wait(ob_keeper *const *keepers, size_t count, ob_err *err)
{
    struct pollfd p[2 * OB_MOST_MEMBERS];
    for (size_t i = 0; i < count; i++) {
        p[2 * i] = (struct pollfd){.fd = keepers[i]->worker.socket, .events = POLLIN};
        p[2 * i + 1] = (struct pollfd){.fd = keepers[i]->worker.control, .events = POLLIN};
    }
    const int ready = poll(p, 2 * count, WATCH_MS);
    if (ready < 0 && errno != EINTR)
        return ob_err_set(err, OB_ERR_IO, "the worker cannot be watched: %s", strerror(errno));
    for (size_t i = 0; i < count; i++) {
        ob_keeper *keeper = keepers[i];
        if (ready > 0 && p[2 * i].revents != 0)
            OB_TRY(ob__wire_fill(&keeper->inbox, keeper->worker.socket, err));
        else if (ready > 0 && p[2 * i + 1].revents != 0)
            keeper->inbox.ended = true; /* it is dead, and all that it sent was read */
        look(keeper);
    }
    return OB_OK;
}

ob_status ob__keeper_next(ob_keeper *keeper, ob_news *out, ob_err *err)
{
    for (;;) {
        const ob_status status = ob__keeper_try(keeper, out, err);
        if (status != OB_END)
            return status;
        OB_TRY(ob__keeper_wait(&keeper, 1, err));
    }
}
