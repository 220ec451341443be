/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs on configs: parts one after the other, what they resume, and what tells their cases apart. The test is its own
 * worker, which measures nothing.
 */
#include "result/temp_file.h"
#include "run/run_test.h"

#include "opbench/batch.h"
#include "run/worker_state.h"

#include <sys/mman.h>

#define ADD "{" TEST_OPERATOR("torch.add", TEST_PAIR "," TEST_PAIR "," TEST_PAIR) "}"
#define MUL "{" TEST_OPERATOR("torch.mul", TEST_PAIR) "}"

enum { SOCKET = 3, STATE = 4 };

/* ---- the worker ---- */

static const char *option_of(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, strlen(name)) == 0)
            return argv[i] + strlen(name);
    return NULL;
}

static int be_worker(int argc, char **argv)
{
    ob_state_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, STATE, 0);
    const char *threads = option_of(argc, argv, "--num-threads=");
    ob_text message = {0};
    ob_message type;
    if (page == MAP_FAILED)
        return 1;
    const ob_hello hello = ob__hello_own();
    ob__wire_send(SOCKET, OB_MESSAGE_HELLO, &hello, sizeof hello, NULL);
    ob__wire_send(SOCKET, OB_MESSAGE_READY, "{\"library\": \"test\"}", 19, NULL);
    while (ob__wire_receive(SOCKET, &type, &message, NULL) == OB_OK) {
        ob_lease lease;
        memcpy(&lease, message.data, sizeof lease);
        for (uint64_t i = 0; i < lease.count && atomic_load(&page->stop) == 0; i++) {
            char line[256];
            const ob_clock clock = ob_clock_monotonic();
            atomic_store(&page->started_ns, ob_clock_now_ns(&clock));
            atomic_store(&page->case_index, lease.first + i);
            const int length = snprintf(line, sizeof line,
                                        "{\"op_name\": \"x\", \"id\": \"%d\", \"status\": \"ok\", "
                                        "\"index\": %d, \"threads\": %s}\n",
                                        (int)(lease.first + i), (int)(lease.first + i),
                                        threads != NULL ? threads : "1");
            ob__wire_send(SOCKET, OB_MESSAGE_RECORD, line, (size_t)length, NULL);
        }
        ob__wire_send(SOCKET, OB_MESSAGE_IDLE, "", 0, NULL);
    }
    ob_text_fini(&message);
    return 0;
}

/* ---- jobs ---- */

static temp_dir dir;
static ob_context *context;

static ob_status on_record(void *ctx, const ob_job_event *event, ob_err *err)
{
    char *text = ctx, one[32];
    const ob_record_result *r = &event->record->result;
    (void)err;
    snprintf(one, sizeof one, "%s@%d ", r->id, (int)r->threads);
    strncat(text, one, 255 - strlen(text));
    return OB_OK;
}

static int on_stop(void *ctx)
{
    return strchr(ctx, ' ') != NULL; /* there is a result */
}

/* What the header of a file says. */
typedef struct said {
    int64_t cases;
    char hash[64], library[32];
} said;

static said run_parts(const char *path, const ob_job_part *parts, size_t count, char *results)
{
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = parts,
                                    .part_size = sizeof *parts,
                                    .part_count = count,
                                    .worker_program = "/proc/self/exe"};
    const ob_job_params params = {.size = sizeof params,
                                  .output = path,
                                  .mode = OB_JOB_REPLACE,
                                  .on_record = on_record,
                                  .ctx = results};
    said out = {.cases = -1};
    ob_job *job = NULL;
    ob_record_reader *reader;
    const ob_record *record;
    ob_err err = {.message = ""};
    results[0] = '\0';
    CHECK_INT(ob_job_open_configs(context, &configs, &params, &job, &err), OB_OK);
    CHECK_INT(ob_job_run(job, &err), OB_OK);
    CHECK_STR(err.message, "");
    CHECK_INT(ob_job_close(job, &err), OB_OK);
    CHECK_INT(ob_record_reader_open(path, NULL, &reader, &err), OB_OK);
    CHECK_INT(ob_record_reader_next(reader, &record, &err), OB_OK);
    const ob_record_header *h = &record->header;
    out.cases = h->cases;
    snprintf(out.hash, sizeof out.hash, "%s", h->config_hash != NULL ? h->config_hash : "");
    const char *library = ob_json_string(ob_json_get(h->backends, "library"), NULL);
    snprintf(out.library, sizeof out.library, "%s", library != NULL ? library : "");
    ob_record_reader_close(reader);
    return out;
}

static void parts_run_one_after_the_other(void)
{
    char path[128], results[256];
    ob_config *add = run_config(context, ADD), *mul = run_config(context, MUL);
    ob_case_selection *last = NULL;
    const ob_case_choice choice = {.size = sizeof choice, .first_case = "torch.add|0|0|2"};
    ob_run_options one, two;
    ob_err err;
    ob_run_options_init(&one);
    two = one;
    two.threads = 2;
    temp_path(&dir, "parts.json", path);
    CHECK_INT(ob_cases_select(context, add, &choice, &last, &err), OB_OK);
    const ob_job_part parts[] = {{.config = add, .options = &one},
                                 {.config = mul, .options = &one},
                                 {.config = add, .selection = last, .options = &two}};
    const said all = run_parts(path, parts, 3, results);
    CHECK_STR(results, "0@1 1@1 2@1 0@1 2@2 ");
    CHECK_INT(all.cases, 5);
    CHECK_STR(all.library, "test");

    /* One config is one, in however many ways it is measured; more of them are another. */
    const ob_job_part twice[] = {parts[0], parts[2]};
    const said once = run_parts(path, parts, 1, results);
    CHECK_STR(run_parts(path, twice, 2, results).hash, once.hash);
    CHECK_STR(results, "0@1 1@1 2@1 2@2 ");
    CHECK(strcmp(all.hash, once.hash) != 0);
    CHECK_INT(strlen(once.hash), 32);
    ob_case_selection_destroy(last);
    ob_config_destroy(add);
    ob_config_destroy(mul);
}

/* After the first part nothing is begun any more. */
static void an_interrupted_part_is_the_last(void)
{
    char results[256] = "";
    ob_config *mul = run_config(context, MUL);
    ob_run_options options;
    ob_run_options_init(&options);
    const ob_job_part parts[] = {{.config = mul, .options = &options},
                                 {.config = mul, .options = &options}};
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = parts,
                                    .part_size = sizeof *parts,
                                    .part_count = 2,
                                    .worker_program = "/proc/self/exe"};
    const ob_job_params params = {
        .size = sizeof params, .on_record = on_record, .stop = on_stop, .ctx = results};
    ob_job *job;
    ob_err err;
    CHECK_INT(ob_job_open_configs(context, &configs, &params, &job, &err), OB_OK);
    CHECK_INT(ob_job_run(job, &err), OB_OK);
    CHECK(ob_job_get_summary(job)->interrupted);
    CHECK_INT(ob_job_get_summary(job)->measured, 1);
    CHECK_INT(ob_job_get_summary(job)->workers, 1);
    CHECK_STR(results, "0@1 ");
    CHECK_INT(ob_job_close(job, &err), OB_OK);
    ob_config_destroy(mul);
}

static void refuse(const ob_job_configs *configs, ob_status want, const char *message)
{
    char path[128];
    const ob_job_params params = {.size = sizeof params,
                                  .output = temp_path(&dir, "refused.json", path)};
    ob_job *job;
    ob_err err;
    CHECK_INT(ob_job_open_configs(context, configs, &params, &job, &err), want);
    CHECK_STR(err.message, message);
    CHECK(job == NULL);
    CHECK(read_file(path) == NULL); /* nothing was begun */
}

static void what_cannot_be_run_leaves_no_file(void)
{
    ob_config *mul = run_config(context, MUL);
    ob_run_options options;
    ob_run_options_init(&options);
    const ob_job_part part = {.config = mul, .options = &options};
    ob_job_batches batches;
    ob_job_batches_init(&batches);
    batches.profilers[OB_PROFILER_NCU].wanted = true;
    batches.profilers[OB_PROFILER_NCU].program = "/nowhere/ncu";
    ob_job_configs configs = {.size = sizeof configs, .parts = &part, .part_size = sizeof part};
    refuse(&configs, OB_ERR_INVALID,
           "a job on configs needs at least one part, and ob_job_configs.part_size must be "
           "sizeof(ob_job_part)");
    configs.part_count = 1;
    configs.part_size = 0;
    refuse(&configs, OB_ERR_INVALID,
           "a job on configs needs at least one part, and ob_job_configs.part_size must be "
           "sizeof(ob_job_part)");
    configs.size = 0;
    refuse(&configs, OB_ERR_INVALID,
           "ob_job_configs.size is not set; set it to sizeof(ob_job_configs)");
    configs.size = sizeof configs;
    configs.part_size = sizeof part;
    configs.batches = &batches;
    refuse(&configs, OB_ERR_NOT_FOUND, "--ncu-bin: /nowhere/ncu is not a program that can be run");
    ob_config_destroy(mul);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return be_worker(argc, argv);
    dir = temp_dir_make();
    context = run_context();
    RUN(parts_run_one_after_the_other);
    RUN(an_interrupted_part_is_the_last);
    RUN(what_cannot_be_run_leaves_no_file);
    ob_context_destroy(context);
    temp_dir_remove(&dir);
    return ob_test_end();
}
