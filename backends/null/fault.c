/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults on demand: what real libraries do to the process that calls them.
 */
#include "null.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    EXIT_CODE = 3,
    FOREIGN_DESCRIPTOR = 3,
    FLOOD_LINES = 50000,
    GROW_STEP = 8 << 20,
    GROW_STEPS = 256,
};

static ob_status fail_now(ob_backend *backend, const char *phase, ob_err *err)
{
    return backend->host->err_set(err, OB_ERR_BACKEND, "injected error in %s", phase);
}

static ob_status fail_late(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)err;
    backend->host->err_set(&backend->late, OB_ERR_BACKEND, "injected late error in %s", phase);
    backend->has_late = true;
    return OB_OK;
}

static ob_status fail_memory(ob_backend *backend, const char *phase, ob_err *err)
{
    return backend->host->err_set(err, OB_ERR_NOMEM, "injected lack of device memory in %s", phase);
}

/* A true bad access, so that the signal has an address; the compiler cannot see it coming. */
static ob_status do_segfault(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)phase, (void)err;
    volatile uintptr_t address = 64;
    *(volatile char *)address = 1;
    return backend->host->err_set(err, OB_ERR_BACKEND, "address 64 can be written here");
}

/* An instruction that this processor, or a simulated one, does not know. */
static ob_status do_illegal(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    raise(SIGILL);
    return OB_OK;
}

static ob_status do_abort(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    abort();
}

static ob_status do_exit(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    exit(EXIT_CODE);
}

static ob_status do_hang(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    while (pause() != 0) /* it only ever returns -1 */
        continue;
    return OB_OK;
}

/* What the kernel does to a process when memory is out; truly filling it would hurt the others. */
static ob_status do_kill(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    raise(SIGKILL);
    return OB_OK;
}

static ob_status do_garbage(ob_backend *backend, const char *phase, ob_err *err)
{
    static const char bytes[] = "{\"status\": \"ok\"}\n\0\xff\xfe garbage without a newline";
    (void)backend, (void)phase, (void)err;
    fwrite(bytes, 1, sizeof bytes - 1, stdout);
    fflush(stdout);
    return OB_OK;
}

/* More than anybody wants to keep. */
static ob_status do_flood(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    for (int i = 0; i < FLOOD_LINES; i++)
        printf("line %06d of a library that says too much\n", i);
    fflush(stdout);
    return OB_OK;
}

/* Bytes on a descriptor of the process that is not the backend's: the first behind the standard
 * ones, where a worker has its socket. */
static ob_status do_scribble(ob_backend *backend, const char *phase, ob_err *err)
{
    static const char bytes[] = "these bytes are not a message\n";
    (void)phase;
    if (write(FOREIGN_DESCRIPTOR, bytes, sizeof bytes - 1) < 0)
        return backend->host->err_set(err, OB_ERR_BACKEND, "descriptor %d cannot be written",
                                      FOREIGN_DESCRIPTOR);
    return OB_OK;
}

static ob_status do_hangup(ob_backend *backend, const char *phase, ob_err *err)
{
    close(FOREIGN_DESCRIPTOR);
    return do_hang(backend, phase, err);
}

/* Takes memory in steps that a watchdog can follow, and holds it. */
static ob_status do_grow(ob_backend *backend, const char *phase, ob_err *err)
{
    const struct timespec pause_between = {.tv_nsec = 5000000};
    for (int i = 0; i < GROW_STEPS; i++) {
        void *piece =
            mmap(NULL, GROW_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            return fail_memory(backend, phase, err);
        memset(piece, 1, GROW_STEP);
        nanosleep(&pause_between, NULL);
    }
    return do_hang(backend, phase, err);
}

/* The same in a process of another session, which the group of this one does not show. */
static ob_status do_grow_apart(ob_backend *backend, const char *phase, ob_err *err)
{
    if (fork() == 0) {
        setsid();
        do_grow(backend, phase, err);
    }
    return do_hang(backend, phase, err);
}

/* The same in a file that nobody maps: no process holds that memory. */
static ob_status do_grow_file(ob_backend *backend, const char *phase, ob_err *err)
{
    const struct timespec pause_between = {.tv_nsec = 5000000};
    const int file = memfd_create("null-fault", MFD_CLOEXEC);
    for (int i = 0; i < GROW_STEPS; i++) {
        if (fallocate(file, 0, (off_t)i * GROW_STEP, GROW_STEP) != 0)
            return fail_memory(backend, phase, err);
        nanosleep(&pause_between, NULL);
    }
    return do_hang(backend, phase, err);
}

static ob_status do_stop(ob_backend *backend, const char *phase, ob_err *err)
{
    (void)backend, (void)phase, (void)err;
    raise(SIGSTOP);
    return OB_OK;
}

/* Dies, and leaves a process behind that has all its descriptors. */
static ob_status do_orphan(ob_backend *backend, const char *phase, ob_err *err)
{
    if (fork() == 0)
        do_hang(backend, phase, err);
    abort();
}

/* The same, but that one left the group. */
static ob_status do_runaway(ob_backend *backend, const char *phase, ob_err *err)
{
    if (fork() == 0) {
        setsid();
        do_hang(backend, phase, err);
    }
    abort();
}

static const struct {
    const char *name;
    ob_status (*strike)(ob_backend *backend, const char *phase, ob_err *err);
} FAULTS[] = {
#define FAULT_ROW(word, function) {word, function},
    NULL_FAULT_MAP(FAULT_ROW)
#undef FAULT_ROW
};

bool null_fault_is_for(const ob_backend *backend, const char *phase)
{
    return strcmp(backend->options.fault, "none") != 0 &&
           strcmp(backend->options.fault_phase, phase) == 0;
}

ob_status null_fault_strike(ob_backend *backend, const char *phase, ob_err *err)
{
    char where[64];
    snprintf(where, sizeof where, "%s iteration %lld", phase, (long long)backend->options.fault_at);
    const bool has_iteration = strcmp(phase, "forward") == 0 || strcmp(phase, "backward") == 0;
    for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
        if (strcmp(FAULTS[i].name, backend->options.fault) == 0)
            return FAULTS[i].strike(backend, has_iteration ? where : phase, err);
    }
    return backend->host->err_set(err, OB_ERR_INVALID, "the null backend has no fault '%s'",
                                  backend->options.fault);
}
