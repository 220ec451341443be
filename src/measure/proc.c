/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's small text files. Their content is taken as input like any other: lines may be
 * missing, cut or too long.
 */
#include "measure/proc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_path(const char *root, const char *format, va_list args)
{
    char path[OB_PROC_PATH_BYTES];
    const int base = snprintf(path, sizeof path, "%s", root != NULL ? root : "");
    if (base < 0 || (size_t)base >= sizeof path)
        return NULL;
    const int rest = vsnprintf(path + base, sizeof path - (size_t)base, format, args);
    if (rest < 0 || (size_t)rest >= sizeof path - (size_t)base)
        return NULL;
    return fopen(path, "re");
}

FILE *ob__proc_open(const char *root, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    FILE *file = open_path(root, format, args);
    va_end(args);
    return file;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies text without blanks at its ends. */
static bool copy_trimmed(const char *text, char *out, size_t size)
{
    while (is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
    return length > 0;
}

static bool first_line(FILE *file, char *out, size_t size)
{
    char line[1024];
    out[0] = '\0';
    if (file == NULL)
        return false;
    const bool got = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return got && copy_trimmed(line, out, size);
}

bool ob__proc_line(const char *root, char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    FILE *file = open_path(root, format, args);
    va_end(args);
    return first_line(file, out, size);
}

bool ob__proc_parse_number(const char *text, uint64_t *out)
{
    static const char SUFFIXES[] = "KMG";
    uint64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
            return false;
    if (c == text)
        return false;
    if (*c != '\0') {
        const char *suffix = strchr(SUFFIXES, *c);
        if (suffix == NULL || c[1] != '\0' ||
            __builtin_mul_overflow(value, UINT64_C(1024) << (10 * (suffix - SUFFIXES)), &value))
            return false;
    }
    *out = value;
    return true;
}

bool ob__proc_number(const char *root, uint64_t *out, const char *format, ...)
{
    char line[64];
    va_list args;
    va_start(args, format);
    FILE *file = open_path(root, format, args);
    va_end(args);
    return first_line(file, line, sizeof line) && ob__proc_parse_number(line, out);
}

bool ob__proc_named(FILE *file, const char *name, char *out, size_t size)
{
    char line[1024];
    const size_t length = strlen(name);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) != 0)
            continue;
        const char *rest = line + length;
        while (is_blank(*rest))
            rest++;
        if (*rest == ':')
            return copy_trimmed(rest + 1, out, size);
    }
    return false;
}

/* The numbers of one line; false if it has fewer than `wanted` or one that does not fit. */
static bool read_ticks(const char *text, uint64_t *ticks, size_t wanted)
{
    for (size_t i = 0; i < wanted; i++) {
        while (*text == ' ')
            text++;
        if (*text < '0' || *text > '9')
            return false;
        ticks[i] = 0;
        for (; *text >= '0' && *text <= '9'; text++)
            if (__builtin_mul_overflow(ticks[i], (uint64_t)10, &ticks[i]) ||
                __builtin_add_overflow(ticks[i], (uint64_t)(*text - '0'), &ticks[i]))
                return false;
    }
    return true;
}

static bool add_line(const char *line, const ob_cpu_set *cpus, ob_cpu_ticks *out)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };
    uint64_t t[COLUMNS];
    char *rest = NULL;
    if (line[3] == ' ') /* the sum over all CPUs */
        return true;
    if (line[3] < '0' || line[3] > '9')
        return false;
    const unsigned long cpu = strtoul(line + 3, &rest, 10);
    if (!read_ticks(rest, t, COLUMNS))
        return false;
    if (!ob_cpu_set_has(cpus, cpu))
        return true;
    out->busy += t[USER] + t[NICE] + t[SYSTEM] + t[IRQ] + t[SOFTIRQ];
    out->idle += t[IDLE] + t[IOWAIT];
    out->steal += t[STEAL];
    out->cpus++;
    return true;
}

ob_status ob__cpu_ticks_read(FILE *file, const ob_cpu_set *cpus, ob_cpu_ticks *out, ob_err *err)
{
    char line[512];
    bool any = false;
    *out = (ob_cpu_ticks){.busy = 0};
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "cpu", 3) == 0) {
        any = true;
        if (!add_line(line, cpus, out))
            return ob_err_set(err, OB_ERR_SYNTAX, "/proc/stat has an unexpected line: \"%.60s\"",
                              line);
    }
    if (!any)
        return ob_err_set(err, OB_ERR_SYNTAX, "/proc/stat does not begin with lines of CPUs");
    if (out->cpus == 0)
        return ob_err_set(err, OB_ERR_NOT_FOUND,
                          "/proc/stat has no line for the CPUs that this process may use");
    return OB_OK;
}
