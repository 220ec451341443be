/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cases have a result already. A million names are kept as hashes of 128 bits, which makes an
 * accidental match impossible in practice and takes 16 bytes each in a table that is a quarter to three
 * quarters full.
 */
#include "base/sized.h"
#include "opbench/record.h"
#include "result/lock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct ob_done {
    XXH128_hash_t *slots; /* zero = free */
    size_t capacity;      /* a power of two */
    size_t count;
};

enum { FIRST_CAPACITY = 64 };

ob_status ob_done_create(ob_done **out, ob_err *err)
{
    ob_done *done = calloc(1, sizeof *done);
    *out = NULL;
    if (done != NULL)
        done->slots = calloc(FIRST_CAPACITY, sizeof *done->slots);
    if (done == NULL || done->slots == NULL) {
        free(done);
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the list of cases that are done");
    }
    done->capacity = FIRST_CAPACITY;
    *out = done;
    return OB_OK;
}

void ob_done_destroy(ob_done *done)
{
    if (done == NULL)
        return;
    free(done->slots);
    free(done);
}

static bool is_free(const XXH128_hash_t *slot)
{
    return slot->low64 == 0 && slot->high64 == 0;
}

/* A hash of the parts' hashes, so that ("ab", "c") differs from ("a", "bc"). */
static XXH128_hash_t hash_name(const ob_done_name *name)
{
    const char *const parts[] = {name->key, name->id, name->backend, name->side};
    struct {
        XXH128_hash_t parts[4];
        int64_t process, threads;
    } all = {.process = name->process == OB_NO_INT ? 0 : name->process,
             .threads = name->threads == OB_NO_INT ? 0 : name->threads};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *part = parts[i] != NULL ? parts[i] : "";
        all.parts[i] = XXH3_128bits(part, strlen(part));
    }
    XXH128_hash_t hash = XXH3_128bits(&all, sizeof all);
    if (is_free(&hash))
        hash.low64 = 1;
    return hash;
}

static size_t find_slot(const ob_done *done, const XXH128_hash_t *hash)
{
    size_t slot = (size_t)hash->low64 & (done->capacity - 1);
    while (!is_free(&done->slots[slot]) && !XXH128_isEqual(done->slots[slot], *hash))
        slot = (slot + 1) & (done->capacity - 1);
    return slot;
}

static bool grow(ob_done *done)
{
    ob_done bigger = {.capacity = done->capacity * 2, .count = done->count};
    if (done->capacity > SIZE_MAX / 2)
        return false;
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < done->capacity; i++)
        if (!is_free(&done->slots[i]))
            bigger.slots[find_slot(&bigger, &done->slots[i])] = done->slots[i];
    free(done->slots);
    *done = bigger;
    return true;
}

ob_status ob_done_add(ob_done *done, const ob_done_name *name, ob_err *err)
{
    const XXH128_hash_t hash = hash_name(name);
    if (done->count >= done->capacity / 4 * 3 && !grow(done))
        return ob_err_set(err, OB_ERR_NOMEM,
                          "out of memory for the list of %zu cases that are done", done->count);
    const size_t slot = find_slot(done, &hash);
    done->count += is_free(&done->slots[slot]);
    done->slots[slot] = hash;
    return OB_OK;
}

bool ob_done_has(const ob_done *done, const ob_done_name *name)
{
    const XXH128_hash_t hash = hash_name(name);
    return !is_free(&done->slots[find_slot(done, &hash)]);
}

uint64_t ob_done_count(const ob_done *done)
{
    return done->count;
}

static ob_status take_record(ob_done *done, const ob_record *record, ob_done_file *info,
                             ob_err *err)
{
    const ob_record_result *result = &record->result;
    /* A trace line follows the finish line of the same run. */
    if (record->kind != OB_RECORD_TRACE_LINE)
        info->finished = record->kind == OB_RECORD_FINISH_LINE;
    if (record->kind == OB_RECORD_HEADER_LINE)
        snprintf(info->config_hash, sizeof info->config_hash, "%s",
                 record->header.config_hash != NULL ? record->header.config_hash : "");
    if (record->kind != OB_RECORD_RESULT_LINE || result->part_of != NULL)
        return OB_OK; /* a part is done when its case is, whose line comes behind */
    info->results++;
    if (!ob_record_status_get_info(result->status)->settled)
        return OB_OK;
    const ob_done_name name = {.key = result->key,
                               .id = result->id,
                               .backend = result->backend,
                               .side = result->side,
                               .process = result->process,
                               .threads = result->threads_asked != OB_NO_INT ? result->threads_asked
                                                                             : result->threads};
    return ob_done_add(done, &name, err);
}

/* Closes the reader. */
static ob_status read_all(ob_done *done, ob_record_reader *reader, ob_done_file *info, ob_err *err)
{
    ob_done_file own = {.size = sizeof own}, *to = &own;
    ob_status status = OB_OK;
    while (status == OB_OK) {
        const ob_record *record = NULL;
        status = ob_record_reader_next(reader, &record, err);
        if (status == OB_OK)
            status = take_record(done, record, to, err);
    }
    if (status == OB_END) {
        to->torn = ob_record_reader_is_torn(reader, &to->cut_at);
        to->read_bytes = ob__record_reader_size(reader);
        to->finished = to->finished && !to->torn;
        status = info != NULL ? OB__GIVE(ob_done_file, info, &own, err) : OB_OK;
    }
    ob_record_reader_close(reader);
    return status;
}

static const ob_record_reader_params WHOLE = {.size = sizeof WHOLE, .whole_lines_only = true};

ob_status ob_done_read_file(ob_done *done, const char *path, ob_done_file *info, ob_err *err)
{
    ob_record_reader *reader = NULL;
    OB_TRY(ob_record_reader_open(path, &WHOLE, &reader, err));
    return read_all(done, reader, info, err);
}

ob_status ob_done_read_locked(ob_done *done, const ob_result_file *file, ob_done_file *info,
                              ob_err *err)
{
    ob_record_reader *reader = NULL;
    OB_TRY(ob_record_reader_open_locked(file, &WHOLE, &reader, err));
    return read_all(done, reader, info, err);
}
