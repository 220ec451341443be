/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a file of records. One line is in memory at a time. A process that is killed while it
 * writes leaves a last line without its newline: that is found and its place is told, so that a resumed
 * run can cut it off.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "result/line.h"
#include "result/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 256 << 10 };
#define DEFAULT_MAX_LINE ((size_t)1 << 30)

struct ob_record_reader {
    char *name;
    int descriptor;     /* -1: text in memory */
    bool by_place;      /* the descriptor's own place is another's */
    uint64_t taken;     /* bytes read so far */
    const char *memory; /* what is left of it */
    size_t memory_size;
    size_t max_line;
    bool whole_lines_only;
    ob_line_parser *parser;
    ob_record record;
    ob_text buffer;  /* bytes read; those before `start` are done with */
    size_t start;    /* of the line under way */
    size_t searched; /* up to here there is no newline */
    uint64_t offset; /* of buffer's first byte in the file */
    uint64_t line;   /* of the record given last */
    bool at_end;     /* the source has no more */
    bool torn;
    uint64_t cut_at;
};

static ob_status create(const char *name, const ob_record_reader_params *params,
                        ob_record_reader **out, ob_err *err)
{
    ob_record_reader_params own;
    *out = NULL;
    OB_TRY(OB__TAKE_OPTIONAL(ob_record_reader_params, &own, params, err));
    ob_record_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the reader of %s", name);
    reader->descriptor = -1;
    reader->max_line = own.max_line_bytes != 0 ? own.max_line_bytes : DEFAULT_MAX_LINE;
    reader->whole_lines_only = own.whole_lines_only;
    reader->name = strdup(name);
    ob_status status = reader->name != NULL
                           ? ob__line_parser_create(&reader->parser, err)
                           : ob_err_set(err, OB_ERR_NOMEM, "out of memory for the reader");
    if (status != OB_OK) {
        ob_record_reader_close(reader);
        return status;
    }
    *out = reader;
    return OB_OK;
}

ob_status ob_record_reader_open(const char *path, const ob_record_reader_params *params,
                                ob_record_reader **out, ob_err *err)
{
    const bool standard_input = strcmp(path, "-") == 0;
    OB_TRY(create(standard_input ? "<stdin>" : path, params, out, err));
    const int descriptor = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        (*out)->descriptor = descriptor;
        return OB_OK;
    }
    const int why = errno;
    ob_record_reader_close(*out);
    *out = NULL;
    return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL, "cannot be opened: %s; check the path",
                         strerror(why));
}

/* By a descriptor of its own that reads at places, for both share theirs. */
ob_status ob_record_reader_open_locked(const ob_result_file *file,
                                       const ob_record_reader_params *params,
                                       ob_record_reader **out, ob_err *err)
{
    const char *path = ob_result_file_path(file);
    OB_TRY(create(path, params, out, err));
    (*out)->descriptor = fcntl(ob__result_file_descriptor(file), F_DUPFD_CLOEXEC, 3);
    (*out)->by_place = true;
    if ((*out)->descriptor >= 0)
        return OB_OK;
    const int why = errno;
    ob_record_reader_close(*out);
    *out = NULL;
    return ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL, "cannot be read: %s", strerror(why));
}

ob_status ob_record_reader_open_memory(const char *name, const void *data, size_t size,
                                       const ob_record_reader_params *params,
                                       ob_record_reader **out, ob_err *err)
{
    OB_TRY(create(name, params, out, err));
    (*out)->memory = data;
    (*out)->memory_size = size;
    return OB_OK;
}

void ob_record_reader_close(ob_record_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->descriptor > STDIN_FILENO)
        close(reader->descriptor);
    ob__line_parser_destroy(reader->parser);
    ob_text_fini(&reader->buffer);
    free(reader->name);
    free(reader);
}

/* Reads a piece behind what the buffer holds; *got 0 = end. */
static ob_status read_piece(ob_record_reader *reader, size_t *got, ob_err *err)
{
    ob_text *buffer = &reader->buffer;
    *got = 0;
    if (!ob_text_reserve(buffer, PIECE))
        return ob_err_set_at(err, OB_ERR_NOMEM, reader->name, 0, 0, NULL,
                             "out of memory for a line of %zu bytes or more", buffer->size);
    if (reader->descriptor < 0) {
        *got = reader->memory_size < PIECE ? reader->memory_size : PIECE;
        if (*got > 0)
            memcpy(buffer->data + buffer->size, reader->memory, *got);
        reader->memory = *got > 0 ? reader->memory + *got : reader->memory;
        reader->memory_size -= *got;
    } else {
        ssize_t count;
        do
            count = reader->by_place ? pread(reader->descriptor, buffer->data + buffer->size, PIECE,
                                             (off_t)reader->taken)
                                     : read(reader->descriptor, buffer->data + buffer->size, PIECE);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            return ob_err_set_at(err, OB_ERR_IO, reader->name, 0, 0, NULL, "cannot be read: %s",
                                 strerror(errno));
        *got = (size_t)count;
    }
    buffer->size += *got;
    reader->taken += *got;
    return OB_OK;
}

uint64_t ob__record_reader_size(const ob_record_reader *reader)
{
    return reader->taken;
}

/* Forgets the bytes before the line under way. */
static void drop_done(ob_record_reader *reader)
{
    ob_text *buffer = &reader->buffer;
    if (reader->start == 0)
        return;
    memmove(buffer->data, buffer->data + reader->start, buffer->size - reader->start);
    buffer->size -= reader->start;
    reader->searched -= reader->start;
    reader->offset += reader->start;
    reader->start = 0;
}

/* Finds the end of the line that begins at `start`: *length without the newline, *ended if it has one.
 * OB_END when nothing is left. */
static ob_status find_line(ob_record_reader *reader, size_t *length, bool *ended, bool *too_long,
                           ob_err *err)
{
    ob_text *buffer = &reader->buffer;
    *too_long = false;
    for (;;) {
        const size_t unsearched = buffer->size - reader->searched;
        const char *newline =
            unsearched > 0 ? memchr(buffer->data + reader->searched, '\n', unsearched) : NULL;
        *ended = newline != NULL;
        *length =
            (newline != NULL ? (size_t)(newline - buffer->data) : buffer->size) - reader->start;
        if (*length > reader->max_line) {
            *too_long = true;
            /* Keep its place, not its bytes. */
            if (newline == NULL) {
                reader->offset += buffer->size - reader->start;
                buffer->size = reader->start;
            }
        }
        if (newline != NULL)
            return OB_OK;
        reader->searched = buffer->size;
        if (reader->at_end)
            return *length > 0 || *too_long ? OB_OK : OB_END;
        size_t got;
        drop_done(reader);
        OB_TRY(read_piece(reader, &got, err));
        reader->at_end = got == 0;
    }
}

static ob_status end(ob_record_reader *reader, uint64_t cut_at, bool torn)
{
    reader->cut_at = cut_at;
    reader->torn = torn;
    return OB_END;
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

ob_status ob_record_reader_next(ob_record_reader *reader, const ob_record **out, ob_err *err)
{
    size_t length = 0;
    bool ended = false, too_long = false;
    *out = NULL;
    for (;;) {
        const uint64_t line_offset = reader->offset + reader->start;
        if (reader->torn)
            return OB_END;
        const ob_status found = find_line(reader, &length, &ended, &too_long, err);
        if (found == OB_END)
            return end(reader, line_offset, false);
        if (found != OB_OK)
            return found;
        const char *line = reader->buffer.data + reader->start;
        reader->line++;
        reader->start += length + ended;
        reader->searched = reader->start;
        if (too_long && ended)
            return ob_err_set_at(err, OB_ERR_LIMIT, reader->name, (uint32_t)reader->line, 0, NULL,
                                 "skipped a line longer than %zu bytes", reader->max_line);
        if (!ended && (too_long || reader->whole_lines_only))
            return end(reader, line_offset, true);
        if (is_blank(line, length)) {
            if (!ended)
                return end(reader, line_offset, true);
            continue;
        }
        ob_err local;
        const ob_status status =
            ob__line_parse(reader->parser, reader->name, line, length, &reader->record, &local);
        if (!ended)
            end(reader, line_offset, true);
        if (status == OB_OK) {
            *out = &reader->record;
            return OB_OK;
        }
        if (!ended && status == OB_ERR_SYNTAX)
            return OB_END;
        local.line = (uint32_t)reader->line;
        if (err != NULL)
            *err = local;
        return status;
    }
}

uint64_t ob_record_reader_line(const ob_record_reader *reader)
{
    return reader->line;
}

bool ob_record_reader_is_torn(const ob_record_reader *reader, uint64_t *cut_at)
{
    if (cut_at != NULL)
        *cut_at = reader->cut_at;
    return reader->torn;
}
