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
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WATCH_MS = 20,
    GRACE_MS = 500,          /* from the end of its socket to its death */
    END_MS = 5000,           /* from the end of its work to its death */
    START_S = 120,           /* until its backend is open */
    KEPT_OUTPUT = 64 << 10,  /* more than a record takes */
    MUCH_OUTPUT = 256 << 10, /* from here on memory is given back */
};

ob_status ob__keeper_open(ob_keeper *keeper, const ob_config *config, const ob_run_params *params,
                          const ob_worker_place *place, ob_err *err)
{
    ob_system system;
    *keeper = (ob_keeper){.params = params,
                          .seed = {.config_fd = -1, .state_fd = -1, .output_fd = -1},
                          .worker = {.socket = -1, .death = -1},
                          .start_limit_s = START_S};
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
    int ignored;
    ob__worker_end(&keeper->worker, at_once ? 0 : END_MS, &ignored);
}

void ob__keeper_close(ob_keeper *keeper)
{
    ob__keeper_end_worker(keeper, true);
    ob__worker_seed_fini(&keeper->seed);
    ob_text_fini(&keeper->inbox.bytes);
}

ob_status ob__keeper_start_worker(ob_keeper *keeper, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    ob__wire_inbox_reset(&keeper->inbox);
    keeper->ready = keeper->condemned = keeper->interrupted = false;
    keeper->started_ns = keeper->looked_ns = ob_clock_now_ns(&clock);
    return ob__worker_start(&keeper->seed, &keeper->worker, err);
}

void ob__keeper_lease(ob_keeper *keeper, uint64_t first, uint64_t count)
{
    const ob_lease lease = {.first = first, .count = count};
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
    const ssize_t got = pread(keeper->seed.output_fd, out, size, 0);
    *all = got > 0 ? (uint64_t)got : 0;
    if (got > 0 && fstat(keeper->seed.output_fd, &info) == 0 && info.st_size > got)
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

static void describe_signal(const ob_keeper *keeper, const ob_worker_process *worker, int number,
                            ob_loss *out)
{
    const char *abbreviation = sigabbrev_np(number);
    snprintf(out->signal, sizeof out->signal, "SIG%s", abbreviation ? abbreviation : "?");
    if (number == SIGKILL && ob__oom_kills() > worker->oom_kills) {
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
    const ob_worker_process worker = keeper->worker;
    int status;
    if (keeper->condemned) {
        ob__keeper_end_worker(keeper, true);
        *out = keeper->sentence;
        return;
    }
    const bool by_itself = ob__worker_end(&keeper->worker, GRACE_MS, &status);
    *out = (ob_loss){.status = OB_RECORD_CRASHED, .exit_code = OB_NO_INT};
    if (!by_itself) {
        snprintf(out->reason, sizeof out->reason,
                 "the operator closed the worker's own descriptor; the worker was ended");
    } else if (WIFSIGNALED(status)) {
        describe_signal(keeper, &worker, WTERMSIG(status), out);
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
    if (now_ns <= started_ns || (double)(now_ns - started_ns) / 1e9 <= limit_s)
        return false;
    snprintf(why->reason, sizeof why->reason, "the case took longer than %g s; see --case-timeout",
             limit_s);
    why->status = OB_RECORD_TIMED_OUT;
    return true;
}

static bool grew_too_large(const ob_keeper *keeper, ob_loss *why)
{
    const uint64_t limit = keeper->max_memory_bytes;
    const uint64_t resident = limit > 0 ? ob__worker_resident_bytes(&keeper->worker) : 0;
    if (resident <= limit)
        return false;
    why->status = OB_RECORD_OUT_OF_MEMORY;
    snprintf(why->reason, sizeof why->reason,
             "the worker held %.0f MiB, the limit is %.0f MiB; see --max-memory",
             (double)resident / 1048576, (double)limit / 1048576);
    return true;
}

/* What libraries print lies in memory that nobody else limits: the middle of very much is dropped. The
 * file keeps its length, so that the record can say how much it was. */
static void bound_output(const ob_keeper *keeper)
{
    struct stat info;
    if (fstat(keeper->seed.output_fd, &info) == 0 && info.st_blocks * 512 > MUCH_OUTPUT &&
        info.st_size > KEPT_OUTPUT)
        fallocate(keeper->seed.output_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, KEPT_OUTPUT,
                  info.st_size - KEPT_OUTPUT);
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
    bound_output(keeper);
    keeper->condemned = took_too_long(keeper, now_ns, why) || grew_too_large(keeper, why);
    if (keeper->condemned)
        ob__worker_kill(&keeper->worker);
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
    ob__worker_kill(&keeper->worker);
}

/* ---- waiting ---- */

/* A whole message that is there already, or one that is none. False: neither. */
static bool take_message(ob_keeper *keeper, ob_news *out)
{
    const ob_status status = ob__wire_next(&keeper->inbox, &out->message, NULL);
    if (status == OB_END)
        return false;
    out->kind = status == OB_OK ? OB_NEWS_MESSAGE : OB_NEWS_LOST;
    if (status != OB_OK)
        ob__keeper_reject(keeper, &out->loss);
    else if (out->message.type == OB_MESSAGE_READY)
        keeper->ready = true;
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
    if (stop > 0 && !keeper->finish_case)
        atomic_store(&keeper->seed.page->stop, 1);
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
        p[2 * i + 1] = (struct pollfd){.fd = keepers[i]->worker.death, .events = POLLIN};
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
