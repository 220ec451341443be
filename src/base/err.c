/* SPDX-License-Identifier: Apache-2.0
 *
 * Status texts and the error record. Nothing here allocates: it must work when memory is out.
 */
#include "opbench/status.h"

#include <stdio.h>
#include <string.h>

const char *ob_status_name(ob_status status)
{
    switch (status) {
#define OB_CASE(name, number, text)                                                                \
    case OB_##name:                                                                                \
        return "OB_" #name;
        OB_STATUS_MAP(OB_CASE)
#undef OB_CASE
    }
    return "OB_?";
}

const char *ob_status_text(ob_status status)
{
    switch (status) {
#define OB_CASE(name, number, text)                                                                \
    case OB_##name:                                                                                \
        return text;
        OB_STATUS_MAP(OB_CASE)
#undef OB_CASE
    }
    return "unknown status";
}

void ob_err_clear(ob_err *err)
{
    if (err == NULL)
        return;
    err->code = OB_OK;
    err->line = err->column = 0;
    err->file[0] = err->path[0] = err->message[0] = '\0';
}

/* Cuts at the size, never inside a UTF-8 sequence, and says so with three dots. */
static void mark_cut(char *buffer, size_t size)
{
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)buffer[end] & 0xC0) == 0x80)
        end--;
    memcpy(buffer + end, "...", 4);
}

static void copy_cut(char *to, size_t size, const char *from)
{
    const size_t length = from ? strlen(from) : 0;
    if (length < size) {
        memcpy(to, from ? from : "", length + 1);
        return;
    }
    memcpy(to, from, size - 1);
    to[size - 1] = '\0';
    mark_cut(to, size);
}

ob_status ob_err_setv(ob_err *err, ob_status code, const char *format, va_list args)
{
    if (err == NULL)
        return code;
    ob_err_clear(err);
    err->code = code;
    const int length = vsnprintf(err->message, sizeof err->message, format, args);
    if (length < 0)
        copy_cut(err->message, sizeof err->message, ob_status_text(code));
    else if ((size_t)length >= sizeof err->message)
        mark_cut(err->message, sizeof err->message);
    return code;
}

ob_status ob_err_set(ob_err *err, ob_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ob_err_setv(err, code, format, args);
    va_end(args);
    return code;
}

ob_status ob_err_set_at(ob_err *err, ob_status code, const char *file, uint32_t line,
                        uint32_t column, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ob_err_setv(err, code, format, args);
    va_end(args);
    if (err == NULL)
        return code;
    err->line = line;
    err->column = column;
    copy_cut(err->file, sizeof err->file, file);
    copy_cut(err->path, sizeof err->path, path);
    return code;
}

char *ob_err_format(const ob_err *err, const char *severity, char *out, size_t size)
{
    if (size == 0)
        return out;
    char place[32] = "";
    if (err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, ":%u:%u", err->line, err->column);
    else if (err->line > 0)
        snprintf(place, sizeof place, ":%u", err->line);
    snprintf(out, size, "%s%s%s%s: %s%s%s", err->file, err->file[0] ? place : "",
             err->file[0] ? ": " : "", severity, err->path, err->path[0] ? ": " : "",
             err->message[0] ? err->message : ob_status_text(err->code));
    return out;
}
