/* SPDX-License-Identifier: Apache-2.0
 *
 * Ids from content: the same run, series or result has the same id wherever and however often it is added. What goes into
 * them must never change, or what is stored would be added once more; fields that records get later stay out.
 */
#include "store/store_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    return XXH3_64bits_withSeed(size > 0 ? data : "", size, hash);
}

/* None is the same as "". */
static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text, text != NULL ? strlen(text) : 0);
}

static uint64_t mix_int(uint64_t hash, int64_t value)
{
    return mix(hash, &value, sizeof value);
}

static uint64_t mix_real(uint64_t hash, double value)
{
    const double real = isnan(value) ? 0 : value; /* there are many NaNs */
    return mix(hash, &real, sizeof real);
}

/* Never 0, which stands for none, and never below. */
static int64_t as_id(uint64_t hash)
{
    const int64_t id = (int64_t)(hash >> 1);
    return id != 0 ? id : 1;
}

int64_t ob__machine_id(const char *hardware_class)
{
    return as_id(mix_text(1, hardware_class));
}

/* The cost of a reading of the clock is measured each time, and tells containers apart in which all else is alike. */
int64_t ob__run_id(const ob_record_header *h)
{
    uint64_t hash = mix_text(2, h->start_time);
    hash = mix_text(hash, h->system.hostname);
    hash = mix_int(hash, h->pid);
    hash = mix_text(hash, h->cwd);
    hash = mix_text(hash, h->config_hash);
    hash = mix_text(hash, h->shard);
    hash = mix_int(hash, h->seed);
    hash = mix_real(hash, h->clock.overhead_ns);
    return as_id(mix_real(hash, h->clock.resolution_ns));
}

int64_t ob__series_id(const ob_store_series *s)
{
    uint64_t hash = mix_int(3, s->machine);
    hash = mix_text(hash, s->key);
    hash = mix_text(hash, s->backend);
    hash = mix_text(hash, s->side);
    hash = mix_text(hash, s->pass);
    return as_id(mix_text(hash, s->settings));
}

int64_t ob__result_id(const ob_record_result *r, const ob_record_pass *pass)
{
    uint64_t hash = mix_text(4, r->id);
    hash = mix_text(hash, r->start_time);
    hash = mix_int(hash, r->index);
    hash = mix_int(hash, r->process);
    hash = mix_int(hash, r->pid);
    hash = mix_real(hash, r->seconds);
    hash = mix_text(hash, ob_record_status_get_info(r->status)->word);
    const ob_reals *times = &pass->measure_time_ms;
    return as_id(mix(hash, times->items, times->items != NULL ? times->count * sizeof(double) : 0));
}

/* ---- how it was measured ---- */

static void append(char *out, size_t size, const char *name, const char *value)
{
    const size_t used = strlen(out);
    if (value != NULL && value[0] != '\0')
        snprintf(out + used, size - used, "%s%s=%s", used > 0 ? " " : "", name, value);
}

static void append_number(char *out, size_t size, const char *name, int64_t value)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, value);
    if (value != OB_NO_INT)
        append(out, size, name, number);
}

void ob__settings_text(const ob_record_result *r, char *out, size_t size)
{
    out[0] = '\0';
    append(out, size, "device", r->device);
    append_number(out, size, "threads",
                  r->threads_asked != OB_NO_INT ? r->threads_asked : r->threads);
    append(out, size, "mode", r->mode);
    append(out, size, "cache", r->cache_state);
    append(out, size, "membind", r->membind);
    append(out, size, "part_of", r->part_of);
    if (r->part_of != NULL)
        append_number(out, size, "part", r->part);
}
