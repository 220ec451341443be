/* SPDX-License-Identifier: Apache-2.0
 *
 * The ceilings of a device with memory of its own, by the backend that has it: copies to, from and on the device by the
 * backend's interface, and two operators that do little but move bytes. In a process of its own, since drivers crash.
 */
#include "machine/roofline_list.h"
#include "opbench/builder.h"
#include "process/answer.h"
#include "run/backend_list.h"
#include "run/roof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct device_work {
    ob_context *context;
    ob_run_options options;
    double seconds;
    ob_session *session;
    ob_roofline *roofline;
    char device[32];
} device_work;

enum {
    COPY_ROWS = 3,
    STREAM_SIZES = 3,
    STREAM_ROWS = 2,
    ROWS = COPY_ROWS + STREAM_SIZES * STREAM_ROWS
};

static ob_status add_ceiling(const device_work *w, ob_ceiling_kind kind, double rate, size_t bytes,
                             ob_err *err)
{
    ob_ceiling one = {
        .size = sizeof one, .kind = kind, .threads = 1, .value = rate, .bytes = bytes};
    if (!isfinite(rate) || !(rate > 0))
        return OB_OK;
    snprintf(one.of, sizeof one.of, "%s", w->device);
    snprintf(one.set, sizeof one.set, "%.*s", (int)sizeof one.set - 1, w->session->desc->name);
    return ob_roofline_add(w->roofline, &one, err);
}

/* ---- copies ---- */

/* Two storages of the host, and two of the device. */
typedef struct copies {
    ob_storage *host[2], *device[2];
    size_t bytes;
} copies;

static uint64_t now_ns(const ob_session *s)
{
    const ob_clock clock = ob_clock_monotonic();
    return s->desc->clock_ns != NULL ? s->desc->clock_ns(s->backend) : ob_clock_now_ns(&clock);
}

static ob_status copy_once(const ob_session *s, ob_storage *to, const ob_storage *from,
                           size_t bytes, double *ns, ob_err *err)
{
    const uint64_t start = now_ns(s);
    OB_TRY(s->desc->copy(s->backend, to, from, bytes, err));
    if (s->desc->sync != NULL)
        OB_TRY(s->desc->sync(s->backend, err));
    *ns = (double)(now_ns(s) - start);
    return OB_OK;
}

/* The best of many, as all ceilings are. How long it goes on is the machine's time, whatever clock the backend has. */
static ob_status best_copy(const device_work *w, ob_storage *to, const ob_storage *from,
                           size_t bytes, double *ns, ob_err *err)
{
    enum { LEAST_TRIES = 3 };
    const ob_clock clock = ob_clock_monotonic();
    const uint64_t end = ob_clock_now_ns(&clock) + (uint64_t)(w->seconds / ROWS * 1e9);
    *ns = INFINITY;
    for (int i = 0; i < LEAST_TRIES || ob_clock_now_ns(&clock) < end; i++) {
        double one;
        OB_TRY(copy_once(w->session, to, from, bytes, &one, err));
        *ns = fmin(*ns, one);
    }
    return OB_OK;
}

static ob_status make_storages(const ob_session *s, copies *c, ob_err *err)
{
    for (int i = 0; i < 2; i++) {
        OB_TRY(ob_storage_create(c->bytes, &c->host[i], err));
        OB_TRY(s->desc->alloc(s->backend, c->bytes, &c->device[i], err));
    }
    uint32_t *words = ob_storage_data(c->host[0]);
    for (size_t i = 0; i < c->bytes / sizeof *words; i++)
        words[i] = (uint32_t)i * 2654435761u; /* no two neighbours alike */
    memset(ob_storage_data(c->host[1]), 0, c->bytes);
    return OB_OK;
}

static ob_status time_copies(const device_work *w, const copies *c, ob_err *err)
{
    const struct {
        ob_ceiling_kind kind;
        ob_storage *to, *from;
        int moves; /* bytes that are read or written on the device, for each */
    } ALL[COPY_ROWS] = {{OB_CEILING_UPLOAD, c->device[0], c->host[0], 1},
                        {OB_CEILING_COPY, c->device[1], c->device[0], 2},
                        {OB_CEILING_DOWNLOAD, c->host[1], c->device[1], 1}};
    for (size_t i = 0; i < COPY_ROWS; i++) {
        double ns;
        OB_TRY(best_copy(w, ALL[i].to, ALL[i].from, c->bytes, &ns, err));
        const size_t moved = c->bytes * (size_t)ALL[i].moves;
        OB_TRY(add_ceiling(w, ALL[i].kind, (double)moved / ns * 1e9, moved, err));
    }
    if (memcmp(ob_storage_data(c->host[0]), ob_storage_data(c->host[1]), c->bytes) != 0)
        return ob_err_set(err, OB_ERR_BACKEND,
                          "data changed when copied to %s and back; its ceilings are not kept",
                          w->device);
    return OB_OK;
}

static ob_status measure_copies(const device_work *w, ob_err *err)
{
    copies c = {.bytes = (size_t)64 << 20};
    ob_status status = make_storages(w->session, &c, err);
    if (status == OB_OK)
        status = time_copies(w, &c, err);
    for (int i = 0; i < 2; i++) {
        ob_storage_release(c.host[i]);
        ob_storage_release(c.device[i]);
    }
    return status;
}

/* ---- operators ---- */

typedef struct stream_op {
    const char *name;
    ob_ceiling_kind kind;
    int arrays, inputs;
    const char *more; /* a further word; NULL = none */
} stream_op;

static const stream_op STREAMS[STREAM_ROWS] = {{"torch.sum", OB_CEILING_LOAD, 1, 1, NULL},
                                               {"torch.add", OB_CEILING_TRIAD, 3, 2, "alpha=3"}};

static ob_status run_first(ob_session *s, const ob_config *config, ob_record *record, ob_err *err)
{
    ob_cases *cases;
    const ob_case *c;
    OB_TRY(ob_cases_open(config, NULL, &cases, err));
    ob_status status = ob_cases_next(cases, &c, err);
    if (status == OB_OK)
        status = ob_session_run_case(s, c, record, err);
    ob_cases_close(cases);
    return status;
}

/* An operator that the backend does not have, or has no memory for, has no ceiling. */
static ob_status measure_stream(const device_work *w, const stream_op *op, size_t bytes,
                                ob_err *err)
{
    const ob_config_options options = {.size = sizeof options, .device = "cpu"};
    const size_t count = bytes / sizeof(float) / (size_t)op->arrays;
    char tensor[32];
    const char *words[] = {tensor, tensor, NULL};
    ob_config *config = NULL;
    ob_builder *builder;
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    snprintf(tensor, sizeof tensor, "f32[%zu]", count);
    words[op->inputs] = op->more;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_call(builder, op->name, words, (size_t)op->inputs + (op->more != NULL));
    ob_status status = ob_builder_open_config(builder, w->context, &options, &config, err);
    ob_builder_destroy(builder);
    if (status == OB_OK)
        status = run_first(w->session, config, &record, err);
    if (status == OB_OK && record.result.status == OB_RECORD_OK) {
        const size_t moved = count * sizeof(float) * (size_t)op->arrays;
        status = add_ceiling(w, op->kind, (double)moved / record.result.forward.time_ms.min * 1e3,
                             moved, err);
    }
    ob_config_destroy(config);
    return status;
}

static ob_status measure_streams(const device_work *w, ob_err *err)
{
    static const size_t SIZES[STREAM_SIZES] = {(size_t)1 << 20, (size_t)16 << 20,
                                               (size_t)256 << 20};
    for (size_t i = 0; i < STREAM_SIZES; i++)
        for (size_t k = 0; k < STREAM_ROWS; k++)
            OB_TRY(measure_stream(w, &STREAMS[k], SIZES[i], err));
    return OB_OK;
}

/* ---- in the other process ---- */

static ob_status measure_device(device_work *w, ob_err *err)
{
    OB_TRY(ob_session_open(w->context, &w->options, &w->session, err));
    if (w->session->desc->alloc == NULL || w->session->desc->copy == NULL)
        return OB_OK;
    OB_TRY(measure_copies(w, err));
    return measure_streams(w, err);
}

static bool tell_ceilings(const ob_roofline *roofline, int socket)
{
    ob_json_doc *doc;
    char *text = NULL;
    size_t length;
    if (ob_json_doc_create(&doc, NULL) != OB_OK)
        return false;
    const ob_json *list = ob_roofline_json(roofline, doc);
    const bool ok = list != NULL && ob_json_print(list, &text, &length, NULL) == OB_OK &&
                    ob__wire_send(socket, OB_MESSAGE_OPENED, text, length, NULL) == OB_OK;
    free(text);
    ob_json_doc_destroy(doc);
    return ok;
}

static int measure_apart(void *ctx, int socket)
{
    device_work *w = ctx;
    const struct rlimit no_core = {0, 0};
    ob_err err;
    ob_err_clear(&err);
    setrlimit(RLIMIT_CORE, &no_core);
    if (measure_device(w, &err) != OB_OK || !tell_ceilings(w->roofline, socket))
        ob__wire_send(socket, OB_MESSAGE_FAILED, err.message, strlen(err.message), NULL);
    return EXIT_SUCCESS; /* without what libraries do at exit */
}

/* ---- here ---- */

static ob_status take_ceilings(const ob_wire_message *said, ob_roofline *roofline, ob_err *err)
{
    ob_json_doc *doc;
    ob_roofline *got = NULL;
    OB_TRY(ob_json_parse("a device's ceilings", said->data, said->size, NULL, &doc, err));
    ob_status status = ob_roofline_from_json(ob_json_doc_root(doc), &got, err);
    for (size_t i = 0; status == OB_OK && i < ob_roofline_count(got); i++)
        status = ob_roofline_add(roofline, ob_roofline_at(got, i), err);
    ob_roofline_destroy(got);
    ob_json_doc_destroy(doc);
    return status;
}

static ob_status ask(device_work *w, ob_roofline *roofline, ob_err *err)
{
    enum { MOST_BYTES = 64 << 10, MORE_SECONDS = 120 };
    ob_reply reply;
    OB_TRY(ob__process_ask(measure_apart, w, w->seconds + MORE_SECONDS, MOST_BYTES, &reply, err));
    ob_status status;
    if (reply.status == OB_OK && reply.said.type == OB_MESSAGE_OPENED)
        status = take_ceilings(&reply.said, roofline, err);
    else if (reply.status == OB_OK && reply.said.type == OB_MESSAGE_FAILED)
        status = ob_err_set(err, OB_ERR_BACKEND, "%.*s", (int)reply.said.size, reply.said.data);
    else
        status =
            ob_err_set(err, OB_ERR_BACKEND, "backend %s %s while %s was measured",
                       w->options.backend, reply.ended ? "crashed" : "did not answer", w->device);
    ob__reply_fini(&reply);
    return status;
}

ob_status ob_device_ceilings(ob_context *context, const ob_run_options *options, double seconds,
                             ob_roofline *roofline, ob_err *err)
{
    device_work w = {.context = context, .options = *options, .seconds = seconds};
    const ob_backend_desc *desc;
    ob_device_word word;
    ob_device device;
    OB_TRY(ob__find_backend(context, options->backend, &desc, err));
    OB_TRY(ob__device_choose_among(desc, options->device, &word, err));
    OB_TRY(ob_device_parse(word.text, strlen(word.text), &device, err));
    if (strcmp(device.type, "cpu") == 0)
        return OB_OK;
    ob__roof_device(&device, w.device);
    w.options.device = word.text;
    w.options.roofline = "off";
    w.options.exec_mode = "continuous";
    w.options.min_time_s = seconds / ROWS;
    w.options.warmup = 1;
    w.roofline = ob__roofline_create();
    if (w.roofline == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for ceilings");
    const ob_status status = ask(&w, roofline, err);
    ob_roofline_destroy(w.roofline);
    return status;
}
