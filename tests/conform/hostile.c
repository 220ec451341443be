/* SPDX-License-Identifier: Apache-2.0
 *
 * Hostile calls of every operator: those that its row lets pass must run on the backend without harm, the others must be
 * refused by a message.
 *
 * The calls run in a child, which may die: the parent says which call it was, and goes on after it in another. A run
 * that refuses nearly everything tests nothing, so the numbers of what ran and what was refused are printed, and a run
 * fails when too little ran.
 */
#include "hostile.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_OPERATORS = 4096,
    MOST_FAILURES = 100,     /* then it is not worth while to go on */
    MOST_SECONDS = 60,       /* of one call: it hangs */
    CALLS_PER_CHILD = 50000, /* leaks are looked for when a child ends */
    LEAST_SHARE = 20,        /* one call in so many must run */
};

/* What the child tells the parent. */
typedef struct board {
    _Atomic uint64_t number; /* the call under way */
    uint64_t outcomes[OUTCOMES];
    uint64_t opinions[OPINIONS];
    uint64_t unnamed; /* refusals by a row that do not name the operator */
    uint32_t ran[MOST_OPERATORS];
    uint32_t taken[MOST_OPERATORS]; /* by the row */
} board;

typedef struct campaign {
    const hostile_args *args;
    hostile_seeds seeds;
    board *board;
    FILE *report; /* the child's stderr */
} campaign;

/* ---- the child ---- */

static void note(const campaign *c, const hostile_call *call, hostile_outcome result,
                 hostile_opinion differs, const ob_err *err)
{
    static const char *const words[] = {"", "row is stricter: ", "row is looser: "};
    board *b = c->board;
    b->outcomes[result]++;
    b->opinions[differs]++;
    b->ran[call->op_index] += result == RAN;
    b->taken[call->op_index] += result > REFUSED_BY_ROW || result == RAN;
    b->unnamed += result == REFUSED_BY_ROW && !hostile_is_named(call, err);
    if (getenv("CONFORM_VERBOSE") != NULL && result != RAN) {
        char text[4000];
        hostile_call_print(call, text, sizeof text);
        printf("%s%" PRIu64 " %s: %s\n", words[differs], b->number, text, err->message);
    }
}

static int run_child(const campaign *c, uint64_t first, uint64_t end)
{
    subject s;
    ob_err err;
    ob_backend_ops *ops = NULL;
    const ob_status opened = subject_open(&s, c->args->plugin, c->args->isa, 1, &err);
    if (opened != OB_OK) {
        printf("%s\n", err.message);
        fflush(stdout);
        return opened == OB_ERR_UNSUPPORTED ? SKIPPED : 3;
    }
    for (uint64_t number = first; number < end; number++) {
        hostile_call call;
        c->board->number = number;
        err.message[0] = '\0';
        if (hostile_call_make(&c->seeds, c->args->seed, number, &call, &err) != OB_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 3;
        }
        const hostile_outcome result = hostile_try(&s, &call, &err);
        note(c, &call, result, hostile_ask_library(&s, &call, &ops, result), &err);
        hostile_call_fini(&call);
    }
    ob__backend_ops_destroy(ops);
    subject_close(&s);
    fflush(stdout);
    return 0;
}

/* ---- the parent ---- */

/* Waits for the child's end, and kills it when a call takes too long. */
static int wait_for(pid_t child, const board *b, bool *hung)
{
    int status = 0;
    uint64_t last = UINT64_MAX;
    time_t since = time(NULL);
    *hung = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        if (b->number != last) {
            last = b->number;
            since = time(NULL);
        } else if (time(NULL) - since > MOST_SECONDS && !*hung) {
            *hung = true;
            kill(child, SIGKILL);
        }
    }
    return status;
}

static void print_report(FILE *report)
{
    char line[1000];
    rewind(report);
    for (int i = 0; i < 30 && fgets(line, sizeof line, report) != NULL; i++)
        printf("    %s", line);
}

static void print_failure(const campaign *c, int status, bool hung)
{
    hostile_call call;
    ob_err err;
    char text[4000] = "it cannot be made again";
    if (hostile_call_make(&c->seeds, c->args->seed, c->board->number, &call, &err) == OB_OK)
        hostile_call_print(&call, text, sizeof text);
    hostile_call_fini(&call);
    if (hung)
        printf("call %" PRIu64 " takes more than %d s: %s\n", c->board->number, MOST_SECONDS, text);
    else if (WIFSIGNALED(status))
        printf("call %" PRIu64 " dies of signal %d: %s\n", c->board->number, WTERMSIG(status),
               text);
    else
        printf("call %" PRIu64 " ends the process with code %d: %s\n", c->board->number,
               WEXITSTATUS(status), text);
    print_report(c->report);
    fflush(stdout);
}

/* Runs calls from `first` on; returns where to go on. */
static uint64_t run_some(campaign *c, uint64_t first, uint64_t end, int *failures)
{
    bool hung = false;
    fflush(stdout);
    c->report = tmpfile();
    if (c->report == NULL)
        exit(2);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fileno(c->report), STDERR_FILENO);
        exit(run_child(c, first, end));
    }
    const int status = child > 0 ? wait_for(child, c->board, &hung) : 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        exit(SKIPPED);
    if (child > 0 && status == 0) {
        fclose(c->report);
        return end;
    }
    print_failure(c, status, hung);
    fclose(c->report);
    ++*failures;
    return c->board->number + 1;
}

/* Operators of which no call ran, though the backend has them: the goldens do not reach them, or all is refused. */
static int print_missing(const campaign *c)
{
    int missing = 0;
    for (size_t i = 0; i < ob_op_table_count(c->seeds.table); i++) {
        const ob_schema *schema = ob_op_table_at(c->seeds.table, i)->schema;
        if (c->board->taken[i] == 0) {
            printf("no call passes the row of %s%s%s\n", schema->name,
                   schema->overload[0] != '\0' ? "." : "", schema->overload);
            missing++;
        }
    }
    return missing;
}

static int finish(const campaign *c, int failures)
{
    static const char *const names[OUTCOMES] = {
        "ran",        "could not be made", "were refused by their rows", "by the backend",
        "in prepare", "when they ran",     "are too large to run"};
    const board *b = c->board;
    uint64_t total = 0;
    const int missing = c->args->count >= 20000 ? print_missing(c) : 0;
    for (int i = 0; i < OUTCOMES; i++)
        total += b->outcomes[i];
    printf("%" PRIu64 " calls of %zu operators with seed %" PRIu64 ": ", total,
           ob_op_table_count(c->seeds.table), c->args->seed);
    for (int i = 0; i < OUTCOMES; i++)
        printf("%s%" PRIu64 " %s", i > 0 ? ", " : "", b->outcomes[i], names[i]);
    printf("; %d crashed or hung\n", failures);
    if (b->opinions[ROW_IS_STRICTER] + b->opinions[ROW_IS_LOOSER] > 0)
        printf("the rows refuse %" PRIu64 " that the library takes, and take %" PRIu64
               " that it refuses\n",
               b->opinions[ROW_IS_STRICTER], b->opinions[ROW_IS_LOOSER]);
    if (b->unnamed > 0)
        printf("%" PRIu64 " refusals do not name their operator\n", b->unnamed);
    if (b->outcomes[RAN] * LEAST_SHARE < total)
        printf("too few ran: the calls are not worth much\n");
    return failures > 0 || missing > 0 || b->unnamed > 0 || b->outcomes[RAN] * LEAST_SHARE < total;
}

static ob_status open_campaign(campaign *c, ob_context **context, ob_err *err)
{
    OB_TRY(ob_context_create(NULL, context, err));
    c->seeds.table = ob_context_operators(*context);
    for (char *const *path = c->args->goldens; *path != NULL; path++)
        OB_TRY(hostile_seeds_add(&c->seeds, *path, err));
    c->board =
        mmap(NULL, sizeof *c->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->board == MAP_FAILED || ob_op_table_count(c->seeds.table) > MOST_OPERATORS)
        return ob_err_set(err, OB_ERR_NOMEM, "no room for the counters");
    return OB_OK;
}

int run_hostile(const hostile_args *args)
{
    campaign c = {.args = args};
    ob_context *context = NULL;
    ob_err err;
    int failures = 0;
    if (open_campaign(&c, &context, &err) != OB_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    const uint64_t end = args->first + args->count;
    for (uint64_t first = args->first; first < end && failures < MOST_FAILURES;) {
        const uint64_t stop = end - first > CALLS_PER_CHILD ? first + CALLS_PER_CHILD : end;
        first = run_some(&c, first, stop, &failures);
    }
    const int code = finish(&c, failures);
    hostile_seeds_fini(&c.seeds);
    ob_context_destroy(context);
    return code;
}
