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

#include "gen/constrain.h"
#include "run/backend_ops.h"

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
    MOST_ELEMENTS = 1 << 17, /* of all edges of a graph that runs */
    MOST_WORK = 1 << 24,     /* floating-point operations of a graph that runs */
    CALLS_PER_CHILD = 50000, /* leaks are looked for when a child ends */
    LEAST_SHARE = 20,        /* one call in so many must run */
};

typedef enum outcome {
    RAN,
    IMPOSSIBLE,         /* a tensor that leaves its storage, refused by whoever makes tensors */
    REFUSED_BY_ROW,     /* no graph: the operator's row says why */
    REFUSED_BY_BACKEND, /* supports */
    REFUSED_IN_PREPARE,
    REFUSED_IN_RUN, /* an index in the data is out of range */
    TOO_LARGE,      /* right as far as anyone can tell, and not run */
    OUTCOMES
} outcome;

/* Of a backend with operators of its own: whether it and the rows agree. */
typedef enum opinion { AGREED, ROW_IS_STRICTER, ROW_IS_LOOSER, OPINIONS } opinion;

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

/* ---- one call ---- */

static double elements_of(const ob_value *value)
{
    double sum = 0;
    if (value->kind == OB_VALUE_TENSOR)
        return (double)ob_tensor_numel(value->as.tensor);
    for (size_t i = 0; value->kind == OB_VALUE_LIST && i < value->as.list.count; i++)
        sum += elements_of(&value->as.list.items[i]);
    return sum;
}

static bool is_large(const ob_graph *graph)
{
    ob_cost cost;
    double elements = 0;
    for (size_t i = 0; graph != NULL && i < graph->edge_count; i++)
        elements += elements_of(&graph->edges[i].meta);
    return graph != NULL && (elements > MOST_ELEMENTS ||
                             ob_graph_cost(graph, &cost, NULL) != OB_OK || cost.flops > MOST_WORK);
}

/* Every argument by its place, or its name where it has none. */
static ob_call as_call(const hostile_call *call, const char **names)
{
    const ob_schema *schema = call->op->schema;
    for (size_t a = schema->positional_count; a < schema->arg_count; a++)
        names[a - schema->positional_count] = schema->args[a].name;
    return (ob_call){.args = call->args,
                     .arg_count = schema->positional_count,
                     .kwarg_names = names,
                     .kwargs = call->args + schema->positional_count,
                     .kwarg_count = schema->arg_count - schema->positional_count};
}

static ob_status build(const hostile_call *call, const ob_call *given, const ob_op_table *table,
                       ob_setup *setup, ob_err *err)
{
    char name[256];
    const ob_schema *schema = call->op->schema;
    snprintf(name, sizeof name, "%s.%s", schema->name,
             schema->overload[0] != '\0' ? schema->overload : "default");
    OB_TRY(ob_graph_build(table, name, NULL, given, &setup->graph, err));
    if (!call->backward || setup->desc->has_autograd)
        return OB_OK;
    ob_graph *simple = NULL;
    if (ob_graph_decompose(setup->graph, NULL, NULL, &simple, NULL) != OB_OK)
        return OB_OK;
    if (ob_graph_derive_backward(simple, &setup->backward, NULL) == OB_OK &&
        setup->backward.target_count > 0) {
        ob_graph_destroy(setup->graph);
        setup->graph = simple;
        setup->has_backward = true;
        return OB_OK;
    }
    ob_backward_fini(&setup->backward);
    setup->backward = (ob_backward){.graph = NULL};
    ob_graph_destroy(simple);
    return OB_OK;
}

/* The values of tame calls obey the rows, those of others are checked, as a run does it. The native backend gets them
 * unchecked: its kernels look themselves, because values that other calls compute are checked by nobody else. */
static ob_status take_inputs(hostile_call *call, const ob_call *given, ob_setup *setup, ob_err *err)
{
    size_t count = setup->graph->edge_count;
    setup->inputs = calloc(count + 1, sizeof *setup->inputs);
    bool *are_given = calloc(count + 1, sizeof *are_given);
    ob_status status = setup->inputs != NULL && are_given != NULL
                           ? OB_OK
                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (status == OB_OK)
        status = ob_graph_flatten_inputs(given, setup->inputs, &count, err);
    if (status == OB_OK) {
        const bool fills = call->tame && !call->own;
        setup->input_count = count;
        for (size_t i = 0; i < count; i++)
            are_given[i] = !fills;
        if (fills || strcmp(setup->desc->name, "native") != 0)
            status = ob__constrain_marked(setup->graph, are_given, setup->inputs, count, &call->rng,
                                          err);
    }
    free(are_given);
    return status;
}

static ob_status run(const subject *s, ob_setup *setup, ob_err *err)
{
    static const ob_phase phases[] = {OB_PHASE_FORWARD, OB_PHASE_MAKE_GRAD, OB_PHASE_BACKWARD,
                                      OB_PHASE_RESTORE, OB_PHASE_FORWARD};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        const bool backward = phases[i] == OB_PHASE_MAKE_GRAD || phases[i] == OB_PHASE_BACKWARD;
        if (backward && !setup->has_backward)
            continue;
        OB_TRY(s->desc->run(setup->prepared, phases[i], 1, err));
        if (s->desc->sync != NULL)
            OB_TRY(s->desc->sync(s->backend, err));
    }
    return OB_OK;
}

static ob_status read_outputs(const subject *s, ob_setup *setup, ob_pass pass, ob_err *err)
{
    const size_t capacity = setup->graph->edge_count + setup->graph->output_count;
    size_t count = 0;
    ob_value *values = calloc(capacity + 1, sizeof *values);
    if (values == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    const ob_status status = s->desc->outputs(setup->prepared, pass, values, capacity, &count, err);
    values_free(values, count);
    return status;
}

static outcome prepare_and_run(const subject *s, ob_setup *setup, ob_err *err)
{
    ob_reason why_not = {.text = ""};
    const ob_pass pass = setup->has_backward ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
    if (s->desc->supports(s->backend, setup->graph, pass, &why_not) != OB_OK) {
        ob_err_set(err, OB_ERR_UNSUPPORTED, "%s", why_not.text);
        return REFUSED_BY_BACKEND;
    }
    if (is_large(setup->graph) || is_large(setup->backward.graph))
        return TOO_LARGE;
    const ob_prepare_args args = {.graph = setup->graph,
                                  .backward = setup->has_backward ? &setup->backward : NULL,
                                  .inputs = setup->inputs,
                                  .input_count = setup->input_count,
                                  .pass = pass};
    if (s->desc->prepare(s->backend, &args, &setup->prepared, err) != OB_OK)
        return REFUSED_IN_PREPARE;
    if (run(s, setup, err) != OB_OK)
        return REFUSED_IN_RUN;
    if (read_outputs(s, setup, OB_PASS_FORWARD, err) != OB_OK ||
        (setup->has_backward && read_outputs(s, setup, OB_PASS_BACKWARD, err) != OB_OK))
        return REFUSED_IN_RUN;
    return RAN;
}

/* The call again, without its row: the library says itself what it takes. */
static opinion ask_library(const subject *s, hostile_call *call, ob_backend_ops **ops,
                           outcome of_row)
{
    const char *names[64];
    const ob_op_table *table = NULL;
    ob_setup setup = {.desc = s->desc, .writes_inputs = true};
    ob_err err;
    if (s->desc->schemas == NULL || !call->tame || of_row == IMPOSSIBLE || of_row == TOO_LARGE)
        return AGREED;
    if (of_row != REFUSED_BY_ROW)
        return of_row == RAN ? AGREED : ROW_IS_LOOSER;
    outcome result = REFUSED_BY_ROW;
    const ob_call given = as_call(call, names);
    if (ob__backend_ops_table(ops, s->desc, s->backend, &table, &err) == OB_OK &&
        build(call, &given, table, &setup, &err) == OB_OK &&
        take_inputs(call, &given, &setup, &err) == OB_OK)
        result = prepare_and_run(s, &setup, &err);
    ob__setup_fini(&setup);
    return result == RAN ? ROW_IS_STRICTER : AGREED;
}

static outcome try_call(const subject *s, hostile_call *call, ob_err *err)
{
    const char *names[64];
    ob_setup setup = {.desc = s->desc, .writes_inputs = true};
    outcome result = REFUSED_BY_ROW;
    if (hostile_call_fill(call, err) != OB_OK)
        return IMPOSSIBLE;
    const ob_call given = as_call(call, names);
    if (build(call, &given, ob_context_operators(s->context), &setup, err) == OB_OK &&
        take_inputs(call, &given, &setup, err) == OB_OK)
        result = prepare_and_run(s, &setup, err);
    ob__setup_fini(&setup);
    return result;
}

/* ---- the child ---- */

static void note(const campaign *c, const hostile_call *call, outcome result, opinion differs,
                 const ob_err *err)
{
    static const char *const words[] = {"", "row is stricter: ", "row is looser: "};
    const char *colons = strstr(call->op->schema->name, "::");
    board *b = c->board;
    b->outcomes[result]++;
    b->opinions[differs]++;
    b->ran[call->op_index] += result == RAN;
    b->taken[call->op_index] += result > REFUSED_BY_ROW || result == RAN;
    if (result == REFUSED_BY_ROW && strstr(err->message, colons != NULL ? colons + 2 : "") == NULL)
        b->unnamed++;
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
        const outcome result = try_call(&s, &call, &err);
        note(c, &call, result, ask_library(&s, &call, &ops, result), &err);
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
