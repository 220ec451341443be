/* SPDX-License-Identifier: Apache-2.0
 *
 * Command line and files of valgrind. Instrumentation is off at the start, so that loading libraries and
 * preparing data cost a tenth of what they would; the process switches it on in front of what is counted.
 */
#include "count/valgrind.h"

#include "base/scratch.h"
#include "process/programs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DUMP_NAME "callgrind.out"

/* valgrind has no AVX-512; libraries that would ask the kernel or the user rather than the processor are told.
 * Without fast bins malloc has nothing to consolidate from time to time, which would be counted in some
 * repeats and not in others. */
const char *const ob__valgrind_variables[] = {"ATEN_CPU_CAPABILITY=avx2",
                                              "ONEDNN_MAX_CPU_ISA=AVX2",
                                              "DNNL_MAX_CPU_ISA=AVX2",
                                              "OPENBLAS_CORETYPE=Haswell",
                                              "MKL_ENABLE_INSTRUCTIONS=AVX2",
                                              "GLIBC_TUNABLES=glibc.malloc.mxfast=0",
                                              NULL};

/* ---- opening ---- */

ob_status ob__valgrind_open(ob_valgrind *v, const char *program, ob_err *err)
{
    const char *name = program != NULL ? program : "valgrind";
    *v = (ob_valgrind){.program = NULL};
    if (!ob__program_find(name, &v->program))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the path of valgrind");
    if (v->program == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED,
                          "Missing: %s; install valgrind, or add its folder to PATH", name);
    OB_TRY(ob__scratch_open(&v->scratch, NULL, "count", err));
    snprintf(v->out, sizeof v->out, "--callgrind-out-file=%s/" DUMP_NAME, v->scratch.dir);
    const char *const words[] = {v->program,
                                 "--tool=callgrind",
                                 "-q",
                                 "--vgdb=no", /* no pipes to leave behind */
                                 "--instr-atstart=no",
                                 "--collect-atstart=no",
                                 "--compress-strings=yes",
                                 v->out,
                                 NULL};
    _Static_assert(sizeof words <= sizeof v->words, "room for all words");
    memcpy(v->words, words, sizeof words);
    return OB_OK;
}

void ob__valgrind_clear(const ob_valgrind *v)
{
    DIR *dir = v->scratch.dir[0] == '\0' ? NULL : opendir(v->scratch.dir);
    if (dir == NULL)
        return;
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (strncmp(entry->d_name, DUMP_NAME, strlen(DUMP_NAME)) == 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}

void ob__valgrind_close(ob_valgrind *v)
{
    ob__scratch_close(&v->scratch);
    free(v->program);
    *v = (ob_valgrind){.program = NULL};
}

/* ---- files ---- */

static void dump_path(const ob_valgrind *v, int64_t number, char path[OB_MOST_DUMP_PATH])
{
    snprintf(path, OB_MOST_DUMP_PATH, "%s/" DUMP_NAME ".%" PRId64, v->scratch.dir, number);
}

int64_t ob__valgrind_dumps(const ob_valgrind *v, int64_t before)
{
    char path[OB_MOST_DUMP_PATH];
    int64_t count = 0;
    do
        dump_path(v, before + ++count, path);
    while (access(path, F_OK) == 0);
    return count - 1;
}

ob_status ob__valgrind_read(const ob_valgrind *v, int64_t number, ob_count_file **out, ob_err *err)
{
    char path[OB_MOST_DUMP_PATH];
    dump_path(v, number, path);
    const ob_status status = ob_count_file_read(path, out, err);
    if (status == OB_ERR_IO)
        return ob_err_set(err, OB_ERR_BACKEND,
                          "Failed to collect callgrind costs:\nvalgrind wrote no counts; opbench "
                          "must be built with valgrind's headers");
    return status;
}

/* ---- failures ---- */

bool ob__valgrind_cannot(const char *text)
{
    return strstr(text, "nrecognised instruction") != NULL || strstr(text, "SIGILL") != NULL ||
           strstr(text, "Illegal instruction") != NULL;
}

ob_status ob__valgrind_unable(ob_err *err)
{
    return ob_err_set(
        err, OB_ERR_UNSUPPORTED,
        "valgrind cannot run this code: it uses instructions that valgrind does not know, such as "
        "AVX-512; compile it for AVX2, or limit the library it uses to AVX2");
}
