/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a shared object has all the bytes that its head speaks of. The dynamic linker maps what the head says
 * without asking how long the file is; touching what is not there ends the process.
 */
#include "plugin/registry.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if ULONG_MAX > 0xffffffffu
typedef Elf64_Ehdr file_head;
typedef Elf64_Phdr part_head;
enum { CLASS = ELFCLASS64 };
#else
typedef Elf32_Ehdr file_head;
typedef Elf32_Phdr part_head;
enum { CLASS = ELFCLASS32 };
#endif

static bool read_at(int file, void *to, size_t size, uint64_t at)
{
    return at <= INT64_MAX && pread(file, to, size, (off_t)at) == (ssize_t)size;
}

static bool parts_are_inside(int file, const file_head *head, uint64_t size)
{
    enum { AT_ONCE = 16 };
    part_head parts[AT_ONCE];
    for (unsigned i = 0; i < head->e_phnum; i++) {
        const unsigned left = head->e_phnum - i, count = left < AT_ONCE ? left : AT_ONCE;
        const part_head *part = &parts[i % AT_ONCE];
        if (i % AT_ONCE == 0 && !read_at(file, parts, count * sizeof *parts,
                                         (uint64_t)head->e_phoff + i * sizeof *parts))
            return false;
        if (part->p_offset > size || part->p_filesz > size - part->p_offset)
            return false;
    }
    return true;
}

bool ob__elf_is_cut(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    file_head head;
    if (file < 0)
        return false;
    /* What is no shared object of this machine at all the linker says better. */
    const bool is_ours = fstat(file, &facts) == 0 && read_at(file, &head, sizeof head, 0) &&
                         memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                         head.e_ident[EI_CLASS] == CLASS && head.e_phentsize == sizeof(part_head);
    const bool cut = is_ours && !parts_are_inside(file, &head, (uint64_t)facts.st_size);
    close(file);
    return cut;
}
