/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops that time Python code: opbench._core.Loop runs a block of a callable, or of a compiled statement, and says how
 * long it took. A callable is called from a C loop, without a frame of ours (PyObject_CallNoArgs is a vectorcall in all
 * versions); a statement has its loop inside the compiled function, over an iterator of ours, as timeit has it. The GIL is
 * held and the collector is off meanwhile.
 *
 * Code that forks and comes back would go on measuring twice, and twice again with each further iteration: the child's loop
 * ends with an exception at once, and tells its parent's by a shared page.
 */
#include "py_core.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef struct py_loop {
    PyObject_HEAD PyObject
        *body;       /* a callable, or a function of an iterator and a timer that returns seconds */
    PyObject *setup; /* called before each block; NULL = none, or inside the body */
    PyObject *timer; /* returns seconds; NULL = the monotonic clock */
    bool is_statement;
} py_loop;

/* ---- forks ---- */

typedef struct fork_watch {
    unsigned depth;
    int64_t pid;
} fork_watch;

/* The iterator of a statement's loop. It looks around at every multiple of LOOK_EVERY, and a fork makes it one. */
enum { LOOK_EVERY = 256 };

typedef struct turns {
    PyObject_HEAD uint64_t left;
    fork_watch watch;
    struct turns *outer; /* the list of all that are under way */
} turns;

static turns *active_turns;

/* How many forks this process is away from the one that loaded the module. */
static volatile unsigned fork_depth;
/* The process whose measured code came back in a child; shared with all children. */
static _Atomic int64_t *stray_of;
static _Atomic int64_t no_page;

static void count_fork(void)
{
    fork_depth++;
    for (turns *each = active_turns; each != NULL; each = each->outer)
        each->left -= each->left % LOOK_EVERY;
}

static int watch_forks(void)
{
    if (stray_of != NULL)
        return 0;
    void *page =
        mmap(NULL, sizeof *stray_of, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stray_of = page != MAP_FAILED ? page : &no_page;
    if (pthread_atfork(NULL, NULL, count_fork) == 0)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static fork_watch begin_watch(void)
{
    const fork_watch watch = {.depth = fork_depth, .pid = getpid()};
    if (atomic_load_explicit(stray_of, memory_order_relaxed) == watch.pid)
        atomic_store(stray_of, 0); /* of an earlier measurement */
    return watch;
}

static inline bool has_strayed(const fork_watch *watch)
{
    return watch->depth != fork_depth ||
           atomic_load_explicit(stray_of, memory_order_relaxed) == watch->pid;
}

static void raise_strayed(const ob__py_state *state, const fork_watch *watch)
{
    if (watch->depth != fork_depth)
        atomic_store(stray_of, watch->pid);
    PyErr_SetString(state->error,
                    watch->depth != fork_depth
                        ? "the measured code forked and returned in the child; end the child "
                          "inside the measured code with os._exit"
                        : "the measured code forked and a child returned from it; end the child "
                          "inside the measured code with os._exit");
}

/* ---- the iterator of a statement's loop ---- */

__attribute__((noinline, cold)) static PyObject *look_around(turns *object)
{
    if (has_strayed(&object->watch)) {
        raise_strayed(PyType_GetModuleState(Py_TYPE((PyObject *)object)), &object->watch);
        return NULL;
    }
    if (object->left == 0)
        return NULL;
    object->left--;
    return Py_NewRef(Py_None);
}

/* Called for every run of a statement: no more than itertools.repeat does, which timeit uses. */
static PyObject *next_turn(PyObject *self)
{
    turns *object = (turns *)self;
    if (object->left % LOOK_EVERY == 0)
        return look_around(object);
    object->left--;
    return Py_NewRef(Py_None);
}

static void free_turns(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (turns **at = &active_turns; *at != NULL; at = &(*at)->outer) {
        if (*at == (turns *)self) {
            *at = ((turns *)self)->outer;
            break;
        }
    }
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *make_turns(const ob__py_state *state, uint64_t number)
{
    turns *object = PyObject_New(turns, state->turns_type);
    if (object == NULL)
        return NULL;
    object->left = number;
    object->watch = begin_watch();
    object->outer = active_turns;
    active_turns = object;
    return (PyObject *)object;
}

/* ---- a block ---- */

static const char LEFT_LOOP[] = "the statement leaves the loop around it (break or return), so it "
                                "cannot be run many times; put "
                                "it into a function of the setup, or into a loop of its own";

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whether Python's own code looks for signals in each call: functions do, others may be C. */
static bool looks_for_signals(const ob__py_state *state, PyObject *callable)
{
    return (PyObject *)Py_TYPE(callable) == state->function_type;
}

static int call_often(const ob__py_state *state, PyObject *callable, uint64_t number)
{
    const bool must_look = !looks_for_signals(state, callable);
    const fork_watch watch = begin_watch();
    for (uint64_t i = 0; i < number; i++) {
        PyObject *result = PyObject_CallNoArgs(callable);
        if (result == NULL)
            return -1;
        Py_DECREF(result);
        if (has_strayed(&watch)) {
            raise_strayed(state, &watch);
            return -1;
        }
        if (must_look && PyErr_CheckSignals() < 0)
            return -1;
    }
    return 0;
}

/* By a clock of the caller's, whose readings may be anything that can be subtracted. */
static int time_by_timer(const ob__py_state *state, const py_loop *loop, uint64_t number,
                         double *seconds)
{
    PyObject *start = PyObject_CallNoArgs(loop->timer);
    if (start == NULL)
        return -1;
    PyObject *end = NULL, *difference = NULL;
    if (call_often(state, loop->body, number) == 0)
        end = PyObject_CallNoArgs(loop->timer);
    if (end != NULL)
        difference = PyNumber_Subtract(end, start);
    *seconds = difference != NULL ? PyFloat_AsDouble(difference) : -1;
    Py_XDECREF(difference);
    Py_XDECREF(end);
    Py_DECREF(start);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

static int time_callable(const ob__py_state *state, const py_loop *loop, uint64_t number,
                         double *seconds)
{
    if (loop->setup != NULL) {
        PyObject *result = PyObject_CallNoArgs(loop->setup);
        if (result == NULL)
            return -1;
        Py_DECREF(result);
    }
    if (loop->timer != NULL)
        return time_by_timer(state, loop, number, seconds);
    const int64_t start_ns = now_ns();
    if (call_often(state, loop->body, number) < 0)
        return -1;
    *seconds = (double)(now_ns() - start_ns) / 1e9;
    return 0;
}

/* The compiled function has setup, loop and readings of the timer inside, and returns their difference. */
static int time_statement(const ob__py_state *state, const py_loop *loop, uint64_t number,
                          double *seconds)
{
    PyObject *timer = loop->timer != NULL ? loop->timer : state->default_timer;
    PyObject *iterator = make_turns(state, number);
    if (iterator == NULL)
        return -1;
    PyObject *result = PyObject_CallFunctionObjArgs(loop->body, iterator, timer, NULL);
    const turns after = *(turns *)iterator;
    Py_DECREF(iterator);
    if (result == NULL)
        return -1;
    *seconds = result != Py_None ? PyFloat_AsDouble(result) : 0;
    const bool left_loop = result == Py_None || after.left > 0;
    Py_DECREF(result);
    if (PyErr_Occurred() != NULL)
        return -1;
    if (has_strayed(&after.watch))
        raise_strayed(state, &after.watch);
    else if (left_loop)
        PyErr_SetString(state->input_error, LEFT_LOOP);
    return PyErr_Occurred() == NULL ? 0 : -1;
}

static int time_loop(const ob__py_state *state, py_loop *loop, uint64_t number, double *seconds)
{
    if (loop->body == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "Loop.__init__ was not called");
        return -1;
    }
    /* The code may change the loop itself: a copy with references of its own is measured. */
    py_loop own = *loop;
    Py_INCREF(own.body);
    Py_XINCREF(own.setup);
    Py_XINCREF(own.timer);
    const int collected = PyGC_Disable();
    const int result = own.is_statement ? time_statement(state, &own, number, seconds)
                                        : time_callable(state, &own, number, seconds);
    if (collected)
        PyGC_Enable();
    Py_DECREF(own.body);
    Py_XDECREF(own.setup);
    Py_XDECREF(own.timer);
    return result;
}

/* ---- the type ---- */

static int parse_number(PyObject *object, uint64_t *number)
{
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred() != NULL)
        return -1;
    *number = value > 0 ? (uint64_t)value : 0; /* as timeit: no turn at all */
    return 0;
}

static PyObject *loop_timeit(PyObject *self, PyTypeObject *type, PyObject *const *args,
                             size_t count, PyObject *names)
{
    enum { DEFAULT_NUMBER = 1000000 };
    const size_t named = names != NULL ? (size_t)PyTuple_Size(names) : 0;
    uint64_t number = DEFAULT_NUMBER;
    double seconds = 0;
    if (count + named > 1 || (named == 1 && PyUnicode_CompareWithASCIIString(
                                                PyTuple_GetItem(names, 0), "number") != 0)) {
        PyErr_SetString(PyExc_TypeError, "timeit takes one argument, number");
        return NULL;
    }
    if (count + named == 1 && parse_number(args[0], &number) < 0)
        return NULL;
    if (time_loop(PyType_GetModuleState(type), (py_loop *)self, number, &seconds) < 0)
        return NULL;
    return PyFloat_FromDouble(seconds);
}

/* None is none. */
static void replace(PyObject **member, PyObject *value)
{
    PyObject *old = *member;
    *member = value != NULL && value != Py_None ? Py_NewRef(value) : NULL;
    Py_XDECREF(old);
}

static int init_loop(PyObject *self, PyObject *args, PyObject *named)
{
    static char *names[] = {"body", "setup", "timer", "is_statement", NULL};
    py_loop *loop = (py_loop *)self;
    PyObject *body, *setup = NULL, *timer = NULL;
    int is_statement = 0;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O|OOp:Loop", names, &body, &setup, &timer,
                                     &is_statement))
        return -1;
    if (!PyCallable_Check(body)) {
        PyErr_SetString(PyExc_TypeError, "Loop needs a callable");
        return -1;
    }
    replace(&loop->body, body);
    replace(&loop->setup, setup);
    replace(&loop->timer, timer);
    loop->is_statement = is_statement != 0;
    return 0;
}

static int traverse_loop(PyObject *self, visitproc visit, void *arg)
{
    const py_loop *loop = (const py_loop *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(loop->body);
    Py_VISIT(loop->setup);
    Py_VISIT(loop->timer);
    return 0;
}

static int clear_loop(PyObject *self)
{
    py_loop *loop = (py_loop *)self;
    Py_CLEAR(loop->body);
    Py_CLEAR(loop->setup);
    Py_CLEAR(loop->timer);
    return 0;
}

static void free_loop(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_loop(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyTypeObject *make_type(PyObject *module, PyType_Spec *spec)
{
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
}

int ob__py_add_loop(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"timeit", (PyCFunction)(void (*)(void))loop_timeit,
         METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
         "timeit(number=1000000): seconds that so many turns took, the collector off."},
        {NULL, NULL, 0, NULL}};
    static PyType_Slot loop_slots[] = {
        {Py_tp_doc, "Times blocks of a callable, or of a function that has its loop inside."},
        {Py_tp_init, init_loop},
        {Py_tp_methods, methods},
        {Py_tp_traverse, traverse_loop},
        {Py_tp_clear, clear_loop},
        {Py_tp_dealloc, free_loop},
        {0, NULL}};
    static PyType_Spec loop_spec = {.name = "opbench._core.Loop",
                                    .basicsize = sizeof(py_loop),
                                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                             Py_TPFLAGS_HAVE_GC,
                                    .slots = loop_slots};
    static PyType_Slot turns_slots[] = {{Py_tp_iter, PyObject_SelfIter},
                                        {Py_tp_iternext, next_turn},
                                        {Py_tp_dealloc, free_turns},
                                        {0, NULL}};
    static PyType_Spec turns_spec = {.name = "opbench._core.Turns",
                                     .basicsize = sizeof(turns),
                                     .flags =
                                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     .slots = turns_slots};
    ob__py_state *state = ob__py_get_state(module);
    if (watch_forks() < 0)
        return -1;
    state->loop_type = make_type(module, &loop_spec);
    state->turns_type = make_type(module, &turns_spec);
    if (state->loop_type == NULL || state->turns_type == NULL)
        return -1;
    return PyModule_AddObjectRef(module, "Loop", (PyObject *)state->loop_type);
}
