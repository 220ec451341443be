/* SPDX-License-Identifier: Apache-2.0
 *
 * What a batch hands over, both ways, and the shared memory it goes through.
 */
#include "run_test.h"

#include "run/profiler_batch.h"
#include "run/profiler_batch_text.h"
#include "run/segment.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char CONFIG[] =
    "{\"torch.add\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": "
    "[{\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2]}, "
    "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2]}]}]}]}}";

static ob_text text_of(const char *str)
{
    return (ob_text){.data = (char *)(uintptr_t)str, .size = strlen(str)};
}

static void options_go_there_and_back(void)
{
    const ob_text build = text_of("null");
    const ob_text inputs = text_of("{\"args\": [], \"id\": \"0_3\"}, {\"args\": []}");
    const ob_batch_queue queue = {
        .op_name = "torch.add", .config_build_id = "2|1", .build = &build, .inputs = &inputs};
    ob_run_options o;
    ob_text text = {0};
    ob_json_doc *doc;
    ob_batch_contents plan;
    ob_err err;
    ob_run_options_init(&o);
    o.backend = "null";
    o.backend_options = "forward_ns=7,queue=off";
    o.device = "cuda:1";
    o.backward = true;
    o.exec_mode = "continuous_events";
    o.warmup = -3;
    o.iteration = 17;
    o.seed = 99;
    o.threads = 2;
    o.profile = true;
    CHECK_INT(ob__batch_print(&queue, &o, &text, &err), OB_OK);
    CHECK_INT(ob_json_parse("t", text.data, text.size, NULL, &doc, &err), OB_OK);
    CHECK_INT(ob__batch_read(doc, &plan, &err), OB_OK);
    CHECK_STR(plan.config_build_id, "2|1");
    CHECK_STR(plan.options.backend, "null");
    CHECK_STR(plan.options.backend_options, "forward_ns=7,queue=off");
    CHECK_STR(plan.options.device, "cuda:1");
    CHECK(plan.options.backward);
    CHECK_STR(plan.options.exec_mode, "continuous_events");
    CHECK_INT(plan.options.warmup, -3);
    CHECK_INT(plan.options.iteration, 17);
    CHECK_INT(plan.options.seed, 99);
    CHECK_INT(plan.options.threads, 2);
    CHECK(!plan.options.profile);
    CHECK_INT(ob_json_count(plan.inputs), 2);
    const ob_json *op = ob_json_get(ob_json_doc_root(plan.config), "torch.add");
    const ob_json *spec = ob_json_item(ob_json_get(op, "config"), 0);
    const ob_json *first = ob_json_item(ob_json_get(spec, "input"), 0);
    CHECK(ob_json_get(first, "args") != NULL);
    CHECK(ob_json_get(first, "id") == NULL);
    CHECK(ob_json_get(spec, "build") == NULL);
    CHECK(ob_json_get(op, "input_iterator") == NULL);
    ob__batch_contents_fini(&plan);
    ob_text_fini(&text);
}

static void a_cold_cache_goes_as_params_word(void)
{
    const char *text = "{\"op_name\": \"x\", \"config_build_id\": \"0|0\", \"op_info\": "
                       "{\"config\": [{\"build\": {\"args\": [1]}, \"input\": []}]}, "
                       "\"run_options\": {\"cuda_l2_cache\": false}}";
    ob_json_doc *doc;
    ob_batch_contents plan;
    ob_err err;
    CHECK_INT(ob_json_parse("t", text, strlen(text), NULL, &doc, &err), OB_OK);
    CHECK_INT(ob__batch_read(doc, &plan, &err), OB_OK);
    CHECK_STR(plan.options.cache, "cold");
    CHECK_INT(plan.options.iteration, 1);
    const ob_json *op = ob_json_get(ob_json_doc_root(plan.config), "x");
    const ob_json *build = ob_json_get(ob_json_item(ob_json_get(op, "config"), 0), "build");
    CHECK_INT(ob_json_get_kind(build), OB_JSON_ARRAY);
    CHECK_INT(ob_json_count(build), 1);
    ob__batch_contents_fini(&plan);
}

static void a_queue_has_one_operator_and_build(void)
{
    ob_context *context = run_context();
    ob_config *config = run_config(context, CONFIG);
    ob_batch *batch;
    ob_json_doc *doc;
    ob_run_options options;
    ob_err err;
    CHECK_INT(ob_json_parse("t", "{}", 2, NULL, &doc, &err), OB_OK);
    ob_run_options_init(&options);
    const ob_batch_params params = {
        .config = config, .options = &options, .command = "true", .prefix = "x"};
    ob_record record;
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    ob_record_result *r = &record.result;
    CHECK_INT(ob__batch_create(&params, &batch, &err), OB_OK);
    const ob_profiler profiler = {.kind = OB_PROFILER_NCU, .program = "/bin/true"};
    CHECK_INT(ob__batch_run(batch, &profiler, &record, &err), OB_ERR_STATE);
    ob_record_init(&record, OB_RECORD_RESULT_LINE);
    r->op_name = "torch.add";
    r->id = "0|0|0";
    CHECK_INT(ob__batch_add(batch, r, &err), OB_ERR_INVALID); /* no input */
    r->input = ob_json_doc_root(doc);
    CHECK_INT(ob__batch_add(batch, r, &err), OB_OK);
    r->id = "0|0|1_2";
    CHECK_INT(ob__batch_add(batch, r, &err), OB_OK);
    r->id = "0|1|0";
    CHECK_INT(ob__batch_add(batch, r, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "torch.add|0|1|0 does not belong to the batch of torch.add|0|0");
    r->id = "0|0|3";
    r->op_name = "torch.mul";
    CHECK_INT(ob__batch_add(batch, r, &err), OB_ERR_INVALID);
    CHECK_INT(ob__batch_count(batch), 2);
    ob__batch_clear(batch);
    CHECK_INT(ob__batch_count(batch), 0);
    CHECK_INT(ob__batch_add(batch, r, &err), OB_OK);
    ob__batch_destroy(batch);
    ob_json_doc_destroy(doc);
    ob_config_destroy(config);
    ob_context_destroy(context);
}

static void a_segment_is_private_and_goes(void)
{
    ob_segment a, b, copy;
    ob_text text = {0};
    ob_err err;
    struct stat st;
    char path[80];
    CHECK_INT(ob__segment_make("hello", 5, &a, &err), OB_OK);
    CHECK_INT(ob__segment_make("", 0, &b, &err), OB_OK);
    CHECK(strcmp(a.name, b.name) != 0);
    snprintf(path, sizeof path, "/%s", a.name);
    const int fd = shm_open(path, O_RDONLY, 0);
    CHECK(fd >= 0);
    CHECK_INT(fstat(fd, &st), 0);
    CHECK_INT(st.st_mode & 0777, 0600);
    close(fd);
    CHECK_INT(ob__segment_read(a.name, &text, &err), OB_OK);
    CHECK_INT(text.size, 5);
    CHECK(memcmp(text.data, "hello", 5) == 0);
    CHECK_INT(ob__segment_read(b.name, &text, &err), OB_OK);
    CHECK_INT(text.size, 0);
    copy = a;
    ob__segment_remove(&a);
    ob__segment_remove(&a);
    ob__segment_remove(&b);
    CHECK_INT(ob__segment_read(copy.name, &text, &err), OB_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "there is no shared memory \"opbench_");
    ob_text_fini(&text);
}

/* ---- profilers ---- */

static void profilers_are_found(void)
{
    char *path = NULL;
    ob_err err;
    CHECK_INT(ob__profiler_find(OB_PROFILER_NCU, "/bin/sh", &path, &err), OB_OK);
    CHECK_STR(path, "/bin/sh");
    free(path);
    setenv("PATH", "/nowhere:/bin", 1);
    CHECK_INT(ob__profiler_find(OB_PROFILER_NSYS, "sh", &path, &err), OB_OK);
    CHECK_STR(path, "/bin/sh");
    free(path);
    CHECK_INT(ob__profiler_find(OB_PROFILER_NSYS, "/etc/passwd", &path, &err), OB_ERR_NOT_FOUND);
    CHECK_STR(err.message, "--nsys-bin: /etc/passwd is not a program that can be run");
    const ob_profiler open = {.kind = OB_PROFILER_NSYS, .args = "'x"};
    CHECK_INT(ob__profiler_check(&open, &err), OB_ERR_SYNTAX);
}

int main(void)
{
    RUN(options_go_there_and_back);
    RUN(a_cold_cache_goes_as_params_word);
    RUN(a_queue_has_one_operator_and_build);
    RUN(a_segment_is_private_and_goes);
    RUN(profilers_are_found);
    return ob_test_end();
}
