/* SPDX-License-Identifier: Apache-2.0
 *
 * How busy others kept our CPUs. /proc/stat counts ticks of 10 ms, so a window has to be some ticks long
 * to say anything, and a case is mostly shorter: the sampler runs beside the cases, not for each of
 * them. Only CPUs that we may use are looked at: what happens on others disturbs much less. Foreign use
 * is what the CPUs did less what we did; ticks are rounded, so it is never reported below zero.
 */
#include "base/sized.h"
#include "measure/proc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MIN_WINDOW_NS UINT64_C(100000000)

typedef struct reading {
    uint64_t at_ns;
    uint64_t own_ns;
    ob_cpu_ticks ticks;
} reading;

struct ob_noise_sampler {
    char root[OB_PROC_PATH_BYTES];
    ob_cpu_set cpus;
    ob_clock clock;
    uint64_t (*own_cpu_ns)(void *ctx);
    void *own_ctx;
    uint64_t window_ns;
    double ns_per_tick;
    reading last;
    /* Sums over the windows, in ns of CPU time. */
    double total_ns, foreign_ns, steal_ns, own_ns, wall_ns;
    ob_noise noise;
};

static uint64_t process_cpu_ns(void *ctx)
{
    struct timespec own;
    struct rusage children;
    (void)ctx;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0)
        return 0;
    uint64_t ns = (uint64_t)own.tv_sec * 1000000000u + (uint64_t)own.tv_nsec;
    if (getrusage(RUSAGE_CHILDREN, &children) == 0)
        ns += ((uint64_t)children.ru_utime.tv_sec + (uint64_t)children.ru_stime.tv_sec) *
                  1000000000u +
              ((uint64_t)children.ru_utime.tv_usec + (uint64_t)children.ru_stime.tv_usec) * 1000u;
    return ns;
}

static ob_status take_reading(const ob_noise_sampler *sampler, reading *out, ob_err *err)
{
    FILE *file = ob__proc_open(sampler->root, "/proc/stat");
    if (file == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "%s/proc/stat cannot be read: foreign CPU use is not known here",
                          sampler->root);
    const ob_status status = ob__cpu_ticks_read(file, &sampler->cpus, &out->ticks, err);
    fclose(file);
    out->at_ns = ob_clock_now_ns(&sampler->clock);
    out->own_ns = sampler->own_cpu_ns(sampler->own_ctx);
    return status;
}

ob_status ob_noise_sampler_open(const ob_noise_params *params, ob_noise_sampler **out, ob_err *err)
{
    ob_noise_params own;
    const ob_noise_params *p = &own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_noise_params, &own, params, err));
    if (p->root != NULL && strlen(p->root) >= OB_PROC_PATH_BYTES)
        return ob_err_set(err, OB_ERR_INVALID, "the root path is longer than %d bytes",
                          OB_PROC_PATH_BYTES - 1);
    ob_noise_sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the noise sampler");
    strcpy(sampler->root, p->root != NULL ? p->root : "");
    sampler->clock = p->clock != NULL ? *p->clock : ob_clock_monotonic();
    sampler->own_cpu_ns = p->own_cpu_ns != NULL ? p->own_cpu_ns : process_cpu_ns;
    sampler->own_ctx = p->own_ctx;
    sampler->window_ns = p->window_ns > MIN_WINDOW_NS ? p->window_ns : MIN_WINDOW_NS;
    const long hz = sysconf(_SC_CLK_TCK);
    sampler->ns_per_tick = 1e9 / (double)(hz > 0 ? hz : 100);
    ob_status status = OB_OK;
    if (p->cpus != NULL)
        sampler->cpus = *p->cpus;
    else
        status = ob_cpu_set_usable(&sampler->cpus, err);
    if (status == OB_OK)
        status = take_reading(sampler, &sampler->last, err);
    if (status != OB_OK) {
        free(sampler);
        return status;
    }
    *out = sampler;
    return OB_OK;
}

void ob_noise_sampler_close(ob_noise_sampler *sampler)
{
    free(sampler);
}

/* Counters of a CPU start again when it is plugged in again; such a window says nothing. */
static bool went_back(const reading *from, const reading *to)
{
    return to->ticks.busy < from->ticks.busy || to->ticks.idle < from->ticks.idle ||
           to->ticks.steal < from->ticks.steal || to->ticks.cpus != from->ticks.cpus ||
           to->own_ns < from->own_ns;
}

static void add_window(ob_noise_sampler *sampler, const reading *from, const reading *to)
{
    ob_noise *noise = &sampler->noise;
    /* Time by the clock, not by the ticks: an idle CPU without ticks may count late. */
    const double wall_ns = (double)(to->at_ns - from->at_ns);
    const double total_ns = wall_ns * (double)to->ticks.cpus;
    const double busy_ns = (double)(to->ticks.busy - from->ticks.busy) * sampler->ns_per_tick;
    const double steal_ns = (double)(to->ticks.steal - from->ticks.steal) * sampler->ns_per_tick;
    const double own_ns = (double)(to->own_ns - from->own_ns);
    const double foreign_ns = fmin(fmax(busy_ns - own_ns, 0), total_ns);
    sampler->total_ns += total_ns;
    sampler->wall_ns += wall_ns;
    sampler->foreign_ns += foreign_ns;
    sampler->steal_ns += fmin(steal_ns, total_ns);
    sampler->own_ns += fmin(own_ns, total_ns);
    noise->windows++;
    noise->last_foreign = foreign_ns / total_ns;
    noise->last_steal = fmin(steal_ns / total_ns, 1);
    noise->max_foreign = fmax(noise->max_foreign, noise->last_foreign);
    noise->max_steal = fmax(noise->max_steal, noise->last_steal);
}

ob_status ob_noise_sampler_poll(ob_noise_sampler *sampler, bool *read, ob_err *err)
{
    reading now;
    if (read != NULL)
        *read = false;
    if (ob_clock_now_ns(&sampler->clock) - sampler->last.at_ns < sampler->window_ns)
        return OB_OK;
    OB_TRY(take_reading(sampler, &now, err));
    if (!went_back(&sampler->last, &now)) {
        add_window(sampler, &sampler->last, &now);
        if (read != NULL)
            *read = true;
    }
    sampler->last = now;
    return OB_OK;
}

void ob_noise_sampler_get(const ob_noise_sampler *sampler, ob_noise *out)
{
    if (sampler->noise.windows == 0) {
        *out = (ob_noise){.windows = 0,
                          .seconds = NAN,
                          .foreign = NAN,
                          .steal = NAN,
                          .own = NAN,
                          .max_foreign = NAN,
                          .max_steal = NAN,
                          .last_foreign = NAN,
                          .last_steal = NAN};
        return;
    }
    *out = sampler->noise;
    out->seconds = sampler->wall_ns / 1e9;
    out->foreign = sampler->foreign_ns / sampler->total_ns;
    out->steal = sampler->steal_ns / sampler->total_ns;
    out->own = sampler->own_ns / sampler->total_ns;
}
