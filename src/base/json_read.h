/* SPDX-License-Identifier: Apache-2.0
 *
 * Streaming JSON reader: one event per call, each with its line and column. Memory is one buffer that
 * holds the longest token, however long the text is. Strict (RFC 8259), with one leniency: a comma
 * before a closing bracket is read over and counted.
 */
#ifndef OB_BASE_JSON_READ_H
#define OB_BASE_JSON_READ_H

#include "opbench/json.h"
#include "opbench/text.h"

typedef enum ob_json_event_kind {
    OB_JSON_EVENT_NULL,
    OB_JSON_EVENT_BOOL,
    OB_JSON_EVENT_INT,
    OB_JSON_EVENT_REAL,
    OB_JSON_EVENT_STRING,
    OB_JSON_EVENT_KEY,
    OB_JSON_EVENT_BEGIN_ARRAY,
    OB_JSON_EVENT_END_ARRAY,
    OB_JSON_EVENT_BEGIN_OBJECT,
    OB_JSON_EVENT_END_OBJECT,
    OB_JSON_EVENT_END, /* of the text */
} ob_json_event_kind;

typedef struct ob_json_event {
    ob_json_event_kind kind;
    uint32_t line, column; /* of the token's first character; columns count code points */
    bool boolean;
    int64_t integer;
    /* REAL: the number's text; STRING, KEY: the decoded text. Not terminated; valid until the next call. */
    const char *text;
    size_t length;
} ob_json_event;

/* Fills buffer with up to size bytes; *got 0 = end of input. */
typedef ob_status (*ob_json_fill)(void *ctx, char *buffer, size_t size, size_t *got, ob_err *err);

typedef struct ob_json_reader ob_json_reader;

/* Either data (borrowed, whole text, fill NULL) or fill. limits may be NULL. name is borrowed. */
typedef struct ob_json_source {
    const char *name;
    const void *data;
    size_t size;
    ob_json_fill fill;
    void *ctx;
    bool many;   /* several values one behind the other, as in JSON lines; at least one */
    bool repair; /* U+FFFD for what is not UTF-8 in strings, and for half a surrogate pair */
} ob_json_source;

ob_status ob__json_reader_create(const ob_json_source *source, const ob_json_limits *limits,
                                 ob_json_reader **out, ob_err *err);
void ob__json_reader_destroy(ob_json_reader *reader);
ob_status ob__json_reader_next(ob_json_reader *reader, ob_json_event *event, ob_err *err);
size_t ob__json_reader_trailing_commas(const ob_json_reader *reader, uint32_t *line,
                                       uint32_t *column);
uint32_t ob__json_reader_depth(const ob_json_reader *reader);
/* After a syntax error: nothing but the rest of a last line is left, so the text may just be cut off. */
bool ob__json_reader_is_cut_off(const ob_json_reader *reader);

/* Reads over the value that begins with the event that was read last. */
ob_status ob__json_reader_skip(ob_json_reader *reader, const ob_json_event *begin, ob_err *err);
/* The same, and appends the value to text, in one line. */
ob_status ob__json_reader_copy(ob_json_reader *reader, const ob_json_event *begin, ob_text *text,
                               ob_err *err);
const char *ob__json_event_text(ob_json_event_kind kind); /* "a string", for messages */
/* A whole number, written as one or as 3.0; false = it is none. */
bool ob__json_event_whole(const ob_json_event *event, int64_t *out);

/* A file as a source; "-" is standard input. path is borrowed. */
typedef struct ob_json_file {
    int descriptor; /* -1 = closed */
    const char *name;
} ob_json_file;
ob_status ob__json_file_open(ob_json_file *file, const char *path, ob_err *err);
void ob__json_file_close(ob_json_file *file);
/* An ob_json_fill; ctx is the ob_json_file. */
ob_status ob__json_file_fill(void *ctx, char *buffer, size_t size, size_t *got, ob_err *err);

#endif
