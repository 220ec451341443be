/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shard a missing result is of, and the command that measures it there. Every n-th case is a shard's, or, where the run was
 * divided by cost, what the shard's header lists; cases that no header lists are those of shards that have no file.
 */
#include "job/merge_files.h"

#include "job/shard_plan.h"
#include "opbench/vec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ob__merge_notice(const ob_merger *m, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (m->params.notice != NULL)
        m->params.notice(m->params.ctx, text);
}

/* ---- headers ---- */

static void read_shard(ob_merge_input *in, const char *text)
{
    ob_shard shard = {.number = 0, .of = 0};
    if (text != NULL && ob_shard_parse(text, &shard, NULL) != OB_OK)
        shard.of = 0;
    in->shard = shard.of > 0 ? shard.number : 0;
    in->of = shard.of;
}

static ob_status take_owner(ob_merge_owners *o, uint16_t shard, uint64_t position, ob_err *err)
{
    if (position >= OB_MOST_COSTED_CASES)
        return OB_OK; /* none of a division that there can be */
    if (position >= o->count) {
        if (!OB_RESERVE(o->list, o->capacity, (size_t)position + 1))
            return ob__merge_no_memory(err);
        memset(o->list + o->count, 0, ((size_t)position + 1 - o->count) * sizeof *o->list);
        o->count = (size_t)position + 1;
    }
    o->list[position] = shard;
    return OB_OK;
}

/* What the shard has, once. */
static ob_status take_owned(ob_merge_owners *o, const ob_merge_input *in, const char *text,
                            ob_err *err)
{
    ob_case_range range;
    uint64_t left = OB_MOST_COSTED_CASES; /* a list has none twice; one that goes on is nonsense */
    if (o->has == NULL)
        o->has = calloc((size_t)in->of, sizeof *o->has);
    if (o->has == NULL)
        return ob__merge_no_memory(err);
    if (o->has[in->shard - 1])
        return OB_OK;
    o->has[in->shard - 1] = 1;
    while (text != NULL && ob__positions_next(&text, &range))
        for (uint64_t k = 0; k < range.count && left > 0; k++, left--) {
            const uint64_t position = range.first + k * range.step;
            if (position >= OB_MOST_COSTED_CASES)
                break;
            OB_TRY(take_owner(o, (uint16_t)in->shard, position, err));
        }
    return OB_OK;
}

ob_status ob__merge_take_shard(ob_merger *m, ob_merge_input *in, const ob_record_header *header,
                               bool is_first, ob_err *err)
{
    const char *hash =
        header->shard_by != NULL && header->shard_hash != NULL ? header->shard_hash : "";
    read_shard(in, header->shard);
    if (is_first) {
        m->of = in->of;
        snprintf(m->owners.hash, sizeof m->owners.hash, "%s", hash);
    }
    if (m->of == 0 || in->of == 0)
        m->of = 0;
    else if (in->of != m->of || strcmp(m->owners.hash, hash) != 0) {
        ob__merge_notice(
            m,
            "%s is divided differently than %s; reporting what is missing for all files together",
            in->path, m->inputs[0].path);
        m->of = 0;
    }
    return m->of > 0 && m->of <= UINT16_MAX && m->owners.hash[0] != '\0'
               ? take_owned(&m->owners, in, header->shard_cases, err)
               : OB_OK;
}

/* ---- where what is missing is to go ---- */

/* "shard-3-of-8_": what its files in a folder begin with; a run with --resume finds them there. */
static bool is_of_folder(const char *path, const ob_merge_gap *gap)
{
    char begin[64];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    snprintf(begin, sizeof begin, "shard-%" PRIu64 "-of-%" PRIu64 "_", gap->shard, gap->of);
    return strncmp(name, begin, strlen(begin)) == 0;
}

static bool print_folder(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? snprintf(out, size, "%.*s/", (int)(slash - path), path)
                                     : snprintf(out, size, "./");
    return length > 0 && length < (int)size;
}

/* The files of a shard: the last one, how many there are, and whether all are a folder's. */
typedef struct shard_files {
    const char *last;
    size_t count;
    bool are_of_folder;
} shard_files;

static shard_files find_files(const ob_merger *m, const ob_merge_gap *gap)
{
    shard_files found = {.are_of_folder = true};
    for (size_t i = 0; i < m->params.input_count; i++) {
        if (m->inputs[i].shard != gap->shard || m->inputs[i].of != gap->of)
            continue;
        found.last = m->inputs[i].path;
        found.count++;
        found.are_of_folder = found.are_of_folder && is_of_folder(found.last, gap);
    }
    return found;
}

/* Whether the other shards have theirs in a folder. */
static bool has_folder(const ob_merger *m)
{
    const ob_merge_input *in = &m->inputs[m->params.input_count - 1];
    return in->of > 0 && is_of_folder(in->path, &(ob_merge_gap){.shard = in->shard, .of = in->of});
}

/* Just what is missing: files that hold some of a shard must all be looked at, and where no name leads to them, the joined file is
 * gone on with. */
static ob_merge_target choose_target(const ob_merger *m, ob_merge_gap *gap, char *room, size_t size)
{
    const shard_files files = find_files(m, gap);
    gap->file = files.last;
    if (gap->of == 0 || (files.count > 1 && !files.are_of_folder))
        return (ob_merge_target){.path = m->params.output, .resumes = true};
    const char *folder_of = files.count > 0 && files.are_of_folder ? files.last
                            : files.count == 0 && has_folder(m)
                                ? m->inputs[m->params.input_count - 1].path
                                : NULL;
    if (folder_of != NULL && print_folder(folder_of, room, size))
        return (ob_merge_target){.path = room, .resumes = true, .shard = true};
    if (files.count > 0)
        return (ob_merge_target){.path = files.last, .resumes = true, .shard = true};
    const char *beside = m->inputs[m->params.input_count - 1].path;
    const char *slash = beside != NULL ? strrchr(beside, '/') : NULL;
    snprintf(room, size, "%.*sshard-%" PRIu64 "-of-%" PRIu64 ".json",
             slash != NULL ? (int)(slash + 1 - beside) : 0, slash != NULL ? beside : "", gap->shard,
             gap->of);
    return (ob_merge_target){.path = room, .shard = true};
}

static ob_status tell(ob_merger *m, ob_merge_gap *gap, ob_err *err)
{
    char room[4096];
    const ob_merge_target target = choose_target(m, gap, room, sizeof room);
    m->buffer.size = 0;
    if (!ob__merge_append_command(&m->buffer, &m->first.header, gap, &target) ||
        !ob_text_append(&m->buffer, "", 1))
        return ob__merge_no_memory(err);
    gap->command = m->buffer.data;
    m->params.gap(m->params.ctx, gap);
    return OB_OK;
}

/* Shards by cost that have no file: what is missing of each nobody says, but of all of them together. */
static ob_status tell_unowned(ob_merger *m, ob_err *err)
{
    uint64_t absent = 0, left = m->plan.unowned;
    for (uint64_t i = 0; i < m->plan.of; i++)
        absent += !m->owners.has[i];
    for (uint64_t i = 0; m->plan.unowned > 0 && i < m->plan.of; i++) {
        if (m->owners.has[i])
            continue;
        ob_merge_gap gap = {.shard = i + 1,
                            .of = m->plan.of,
                            .results = left,
                            .first_index = m->plan.first_unowned,
                            .together = absent};
        left = 0;
        OB_TRY(tell(m, &gap, err));
    }
    return OB_OK;
}

ob_status ob__merge_tell_missing(ob_merger *m, ob_err *err)
{
    const uint64_t rows = m->plan.of > 0 ? m->plan.of : 1;
    if (m->params.gap == NULL)
        return OB_OK;
    for (uint64_t i = 0; i < rows; i++) {
        ob_merge_gap gap = {.shard = m->plan.of > 0 ? i + 1 : 0,
                            .of = m->plan.of,
                            .results = m->plan.missing[i],
                            .first_index = m->plan.first_missing[i],
                            .together = 1};
        if (gap.results > 0)
            OB_TRY(tell(m, &gap, err));
    }
    return m->plan.owners != NULL ? tell_unowned(m, err) : OB_OK;
}
