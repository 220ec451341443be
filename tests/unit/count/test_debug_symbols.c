/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a library has debug symbols, by the names of its sections: ELF files that are written here, right and wrong.
 */
#include "count/debug_symbols.h"

#include "count_test.h"

#include <elf.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/opbench_libtorch_XXXXXX";

typedef struct elf_file {
    Elf64_Ehdr head;
    Elf64_Shdr sections[3];
    char names[64];
} elf_file;

/* Three sections, of which the last has the names; the second is called so. */
static elf_file file_with(const char *section)
{
    elf_file f = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                           .e_shentsize = sizeof(Elf64_Shdr),
                           .e_shnum = 3,
                           .e_shstrndx = 2,
                           .e_shoff = offsetof(elf_file, sections)}};
    snprintf(f.names + 1, sizeof f.names - 1, "%s", section);
    f.sections[1].sh_name = 1;
    f.sections[2] = (Elf64_Shdr){.sh_offset = offsetof(elf_file, names), .sh_size = sizeof f.names};
    return f;
}

static bool found_in(const elf_file *f, size_t size)
{
    FILE *file = fopen(path, "w");
    CHECK_INT(fwrite(f, 1, size, file), size);
    fclose(file);
    return ob__elf_has_debug_symbols(path);
}

static void reads_sections(void)
{
    static const struct {
        const char *section;
        bool found;
    } ROWS[] = {{".debug_info", true},  {".zdebug_info", true}, {".gnu_debuglink", true},
                {".debug_line", false}, {".text", false},       {"", false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const elf_file f = file_with(ROWS[i].section);
        CHECK_INT(found_in(&f, sizeof f), ROWS[i].found);
    }
    /* A name beyond the names, and one that begins behind their end, are none. */
    elf_file f = file_with(".text");
    f.sections[1].sh_name = sizeof f.names;
    CHECK(!found_in(&f, sizeof f));
    f = file_with(".debug_info");
    f.sections[1].sh_name = 0;
    f.sections[0].sh_name = 1;
    CHECK(found_in(&f, sizeof f));
}

/* What cannot be read is not complained of. */
static void takes_others_for_right(void)
{
    elf_file f = file_with(".text");
    CHECK(!found_in(&f, sizeof f));
    CHECK(found_in(&f, sizeof f - 1)); /* cut off */
    CHECK(found_in(&f, sizeof f.head + 10));
    CHECK(found_in(&f, 10));
    CHECK(found_in(&f, 0));
    f.head.e_ident[0] = 'x';
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.head.e_ident[EI_CLASS] = ELFCLASS32;
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.head.e_shentsize++;
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.head.e_shnum = 0;
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.head.e_shstrndx = 3;
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.head.e_shoff = UINT64_MAX;
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.sections[2].sh_size = 0;
    CHECK(found_in(&f, sizeof f));
    f = file_with(".text");
    f.sections[2].sh_size = 1 << 20;
    CHECK(found_in(&f, sizeof f));
    CHECK(ob__elf_has_debug_symbols("/nonexistent/libtorch.so"));
}

static bool built(const char *const *functions, size_t count)
{
    ob_count rows[4];
    ob_counts *counts = NULL;
    for (size_t i = 0; i < count; i++)
        rows[i] = (ob_count){.count = (int64_t)(100 - i), .function = functions[i]};
    CHECK_INT(ob_counts_create(rows, count, false, &counts, NULL), OB_OK);
    const bool with = ob__built_with_debug_symbols(counts);
    ob_counts_destroy(counts);
    return with;
}

/* The first library of PyTorch in the table counts. */
static void finds_the_library(void)
{
    const elf_file f = file_with(".text");
    CHECK(!found_in(&f, sizeof f));
    char folder[64], library[96], c10[96], others[3][128];
    snprintf(folder, sizeof folder, "/tmp/opbench_so_%d", (int)getpid());
    CHECK_INT(mkdir(folder, 0700), 0);
    snprintf(library, sizeof library, "%s/libtorch_cpu.so.1", folder);
    snprintf(c10, sizeof c10, "%s/libc10.so", folder);
    CHECK_INT(link(path, library), 0);
    CHECK_INT(link(path, c10), 0);
    snprintf(others[0], sizeof others[0], "a.cpp:f() [%s]", library);
    snprintf(others[1], sizeof others[1], "a.cpp:f [x] [%s]", c10);
    snprintf(others[2], sizeof others[2], "a.cpp:f() [%s", library);
    CHECK(!built((const char *const[]){"main.c:main [/bin/x]", others[0]}, 2));
    CHECK(!built((const char *const[]){others[1]}, 1));
    CHECK(built((const char *const[]){others[2]}, 1));
    CHECK(built((const char *const[]){"main.c:main [/bin/x]", "???:f", "a:b [libtorch.so]"}, 3));
    CHECK(built((const char *const[]){"a:b [/nonexistent/libtorch.so]", others[0]}, 2));
    CHECK(built(NULL, 0));
    unlink(library);
    unlink(c10);
    rmdir(folder);
}

int main(void)
{
    const int fd = mkstemp(path);
    close(fd);
    RUN(reads_sections);
    RUN(takes_others_for_right);
    RUN(finds_the_library);
    unlink(path);
    return ob_test_end();
}
