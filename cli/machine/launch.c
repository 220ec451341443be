/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest operator on one number, in a worker as all cases are. A backend that is not there has no ceiling.
 */
#include "machine/launch.h"

#include "own_path.h"

#include "opbench/builder.h"
#include "opbench/job.h"
#include "opbench/run.h"

#include <math.h>
#include <string.h>

typedef struct launches {
    ob_roofline *roofline;
} launches;

static ob_status on_record(void *ctx, const ob_job_event *event, ob_err *err)
{
    const launches *l = ctx;
    const ob_record_result *r = &event->record->result;
    const double ms = r->forward.time_ms.min;
    if (r->status != OB_RECORD_OK || !isfinite(ms) || !(ms > 0))
        return OB_OK;
    ob_ceiling one = {
        .size = sizeof one, .kind = OB_CEILING_LAUNCH, .threads = 1, .value = ms / 1e3};
    if ((size_t)snprintf(one.of, sizeof one.of, "%s", r->backend) >= sizeof one.of)
        return OB_OK;
    return ob_roofline_add(l->roofline, &one, err);
}

ob_status ob__cli_open_smallest(ob_context *context, ob_config **out, ob_err *err)
{
    static const char *const WORDS[] = {"f32[1]"};
    const ob_config_options options = {.size = sizeof options, .device = "cpu"};
    ob_builder *builder;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_call(builder, "torch.relu", WORDS, 1);
    const ob_status status = ob_builder_open_config(builder, context, &options, out, err);
    ob_builder_destroy(builder);
    return status;
}

static ob_status run_on(ob_cli *cli, const ob_config *config, const char *backend, double seconds,
                        launches *l, ob_err *err)
{
    ob_own_path own;
    ob_run_options run;
    ob_job *job;
    ob_run_options_init(&run);
    run.backend = backend;
    run.exec_mode = "continuous";
    run.block = 100;
    run.min_time_s = seconds;
    const ob_job_part part = {.config = config, .options = &run};
    const ob_job_configs configs = {.size = sizeof configs,
                                    .parts = &part,
                                    .part_size = sizeof part,
                                    .part_count = 1,
                                    .worker_program = ob__cli_own_path(&own) ? own.path : NULL};
    const ob_job_params params = {.size = sizeof params, .on_record = on_record, .ctx = l};
    OB_TRY(ob_job_open_configs(cli->context, &configs, &params, &job, err));
    const ob_status status = ob_job_run(job, err);
    ob_job_close(job, NULL);
    return status;
}

ob_status ob__cli_measure_launches(ob_cli *cli, const char *names, double seconds,
                                   ob_roofline *roofline, ob_err *err)
{
    const size_t count = ob_context_count(cli->context, OB_ENTRY_BACKEND);
    launches l = {.roofline = roofline};
    ob_config *config = NULL;
    OB_TRY(ob__cli_open_smallest(cli->context, &config, err));
    for (size_t i = 0; i < count; i++) {
        const ob_entry_info info = ob_context_entry(cli->context, OB_ENTRY_BACKEND, i);
        ob_err ignored;
        if (info.available && ob_backend_is_meant(names, info.name))
            run_on(cli, config, info.name, seconds, &l, &ignored);
    }
    ob_config_destroy(config);
    return OB_OK;
}

void ob__cli_measure_devices(ob_cli *cli, const char *names, const char *words, double seconds,
                             ob_roofline *roofline)
{
    const size_t count = ob_context_count(cli->context, OB_ENTRY_BACKEND);
    for (size_t i = 0; i < count; i++) {
        const ob_entry_info info = ob_context_entry(cli->context, OB_ENTRY_BACKEND, i);
        ob_run_options options;
        ob_err err;
        if (!info.available || !ob_backend_is_meant(names, info.name))
            continue;
        ob_run_options_init(&options);
        options.backend = info.name;
        options.device = words;
        if (ob_device_ceilings(cli->context, &options, seconds, roofline, &err) != OB_OK)
            ob__cli_warn(cli, "no ceilings for the device of %s: %s", info.name, err.message);
    }
}
