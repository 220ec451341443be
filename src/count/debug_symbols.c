/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at the names of an ELF file's sections. The original asks PyTorch for its build type, which is a text; the
 * file itself cannot be wrong.
 */
#include "count/debug_symbols.h"

#include "opbench/manifest.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SECTIONS = 4096, MOST_NAMES = 1 << 20 };

/* ---- one file ---- */

static bool read_at(int fd, void *to, size_t size, uint64_t place)
{
    return place <= INT64_MAX && pread(fd, to, size, (off_t)place) == (ssize_t)size;
}

/* .gnu_debuglink: they were made, and put into a file of their own, as distributions do. */
static bool is_debug_section(const char *name)
{
    return strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0 ||
           strcmp(name, ".gnu_debuglink") == 0;
}

static bool any_debug_section(const Elf64_Shdr *sections, size_t count, const char *names,
                              size_t size)
{
    for (size_t i = 0; i < count; i++)
        if (sections[i].sh_name < size && is_debug_section(names + sections[i].sh_name))
            return true;
    return false;
}

/* True as well when the file is none that we can read. */
static bool look(int fd)
{
    Elf64_Ehdr head;
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr) ||
        head.e_shnum == 0 || head.e_shnum > MOST_SECTIONS || head.e_shstrndx >= head.e_shnum)
        return true;
    Elf64_Shdr *sections = calloc(head.e_shnum, sizeof *sections);
    char *names = NULL;
    bool found = true;
    if (sections != NULL && read_at(fd, sections, head.e_shnum * sizeof *sections, head.e_shoff)) {
        const Elf64_Shdr *texts = &sections[head.e_shstrndx];
        const size_t size = texts->sh_size < MOST_NAMES ? (size_t)texts->sh_size : 0;
        names = calloc(1, size + 1);
        if (names != NULL && size > 0 && read_at(fd, names, size, texts->sh_offset))
            found = any_debug_section(sections, head.e_shnum, names, size);
    }
    free(sections);
    free(names);
    return found;
}

bool ob__elf_has_debug_symbols(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    const bool found = look(fd);
    close(fd);
    return found;
}

/* ---- a table ---- */

/* "/libtorch_cpu.so.1" if the list has "torch" or "torch_cpu". */
static bool is_among(const char *base, const char *links)
{
    static const char LIB[] = "/lib";
    if (strncmp(base, LIB, sizeof LIB - 1) != 0)
        return false;
    for (base += sizeof LIB - 1; *links != '\0';
         links += strcspn(links, " "), links += *links == ' ')
        if (strncmp(base, links, strcspn(links, " ")) == 0)
            return true;
    return false;
}

/* Whether it is one that C++ can be compiled against. */
static bool is_library(const ob_manifests *manifests, const char *base)
{
    for (size_t i = 0; i < ob_manifests_count(manifests); i++) {
        const ob_manifest *m = ob_manifests_at(manifests, i);
        if (m->library != NULL && is_among(base, m->library->links))
            return true;
    }
    return false;
}

/* "file:function [/lib/libtorch_cpu.so.1]": the path into `path`, if it is such a library. */
static bool take_library(const ob_manifests *manifests, const char *function, char *path,
                         size_t size)
{
    const size_t length = strlen(function);
    const char *object = NULL;
    for (const char *at = strstr(function, " ["); at != NULL; at = strstr(at + 1, " ["))
        object = at + 2;
    if (object == NULL || function[length - 1] != ']')
        return false;
    const size_t bytes = (size_t)(function + length - 1 - object);
    if (bytes >= size)
        return false;
    memcpy(path, object, bytes);
    path[bytes] = '\0';
    const char *base = strrchr(path, '/');
    return base != NULL && is_library(manifests, base);
}

bool ob__built_with_debug_symbols(const ob_counts *exclusive)
{
    char path[4096];
    ob_manifests *manifests = NULL;
    bool with = true;
    if (ob_manifests_open(NULL, &manifests, NULL) != OB_OK || manifests == NULL)
        return true;
    for (size_t i = 0; i < ob_counts_size(exclusive); i++)
        if (take_library(manifests, ob_counts_row(exclusive, i).function, path, sizeof path)) {
            with = ob__elf_has_debug_symbols(path);
            break;
        }
    ob_manifests_destroy(manifests);
    return with;
}
