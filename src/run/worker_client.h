/* SPDX-License-Identifier: Apache-2.0
 *
 * The client of one worker at a time: starts it, waits for what it says, and notices when it dies,
 * hangs, grows too large or hands over something else than messages.
 */
#ifndef OB_RUN_WORKER_CLIENT_H
#define OB_RUN_WORKER_CLIENT_H

#include "run/ring.h"
#include "run/worker_start.h"

typedef struct ob_worker_client {
    const ob_run_params *params;
    ob_worker_seed seed;
    ob_process worker;
    uint64_t oom_kills; /* of the whole machine, when it was started */
    ob_wire_inbox inbox;
    uint64_t max_memory_bytes;
    double start_limit_s;   /* until its backend is open; 0 = none */
    double hello_limit_s;   /* until its first word; 0 = as the one above */
    uint64_t started_ns;    /* the worker */
    uint64_t looked_ns;     /* at its clock and memory */
    uint64_t all_looked_ns; /* at the memory of all that it started */
    /* By this process's clock alone: since when it does nothing though it has a lease, and since when a message is not
     * whole; 0 = neither. */
    uint64_t idle_ns, torn_ns;
    uint64_t news_ns;    /* when its last message or lease was: a case under way began later */
    double idle_limit_s; /* of both */
    bool leased;         /* it has work */
    bool told_to_stop;   /* by this process, whatever the shared page says */
    const ob_ring *ring; /* NULL = it takes no turns */
    unsigned member;
    bool greeted;     /* it said something */
    bool ready;       /* its backend is open */
    bool condemned;   /* it went over a limit and was killed; what it sent before still counts */
    bool interrupted; /* it was killed because the user wants to end at once */
    ob_loss sentence; /* which limit */
    const char *isa_limits; /* of the backend; NULL = none */
    bool finish_case;       /* a wish to stop is not passed on: the case needs further workers */
    const ob_log *log;
    ob_text parts;      /* record lines of the case's parts, which come before its own */
    ob_lost_part *lost; /* parts of a case that took workers down */
    size_t lost_count, lost_capacity;
    uint64_t lost_of;                       /* index of that case */
    uint64_t told_pass, told_done, told_ns; /* what on_progress was told last, and when */
} ob_worker_client;

typedef enum ob_news_kind {
    OB_NEWS_MESSAGE,
    OB_NEWS_LOST,    /* the worker is gone */
    OB_NEWS_STOPPED, /* the user wants to end at once; the worker is gone, as in the line above */
} ob_news_kind;

typedef struct ob_news {
    ob_news_kind kind;
    ob_wire_message message; /* until the next call */
    ob_loss loss;
} ob_news;

/* place as in ob__worker_seed_make. */
ob_status ob__worker_client_open(ob_worker_client *client, const ob_config *config,
                                 const ob_run_params *params, const ob_worker_start_params *place,
                                 ob_err *err);
/* Ends the worker, at once or with time to end by itself. */
void ob__worker_client_end_worker(ob_worker_client *client, bool at_once);
void ob__worker_client_close(ob_worker_client *client);

ob_status ob__worker_client_start_worker(ob_worker_client *client, ob_err *err);
/* Cases [first, first + count), the first without its lost parts. A worker that is gone already is noticed by the next
 * call below. */
void ob__worker_client_lease(ob_worker_client *client, const ob_lease *lease);
ob_status ob__worker_client_next(ob_worker_client *client, ob_news *out, ob_err *err);
/* The same without waiting. OB_END: nothing new. */
ob_status ob__worker_client_try(ob_worker_client *client, ob_news *out, ob_err *err);
/* Waits until something may be new of one of them, and not long. count <= OB_MOST_MEMBERS. */
ob_status ob__worker_client_wait(ob_worker_client *const *clients, size_t count, ob_err *err);
/* Whether a part of the case, and not all of it, took the worker down; then the next lease leaves it out. */
bool ob__worker_client_lose_part(ob_worker_client *client, uint64_t index, const ob_loss *why);
/* Gives up a worker whose messages make no sense. */
void ob__worker_client_reject(ob_worker_client *client, ob_loss *loss);
/* What the present or last worker printed since its last record: up to size bytes, and in *all how
 * many there were. */
size_t ob__worker_client_output(const ob_worker_client *client, char *out, size_t size,
                                uint64_t *all);
int ob__worker_client_wanted_stop(const ob_worker_client *client);

#endif
