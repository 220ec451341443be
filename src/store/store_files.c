/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a database lies. With SQLite's write-ahead log, processes share memory, which those on two machines cannot: on a
 * network file system the file gets a rollback journal instead. That one needs locks; where there are none, two writers
 * would destroy the file, and it is refused.
 */
#include "store/store_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As statfs(2) lists them. */
static const struct {
    int64_t type;
    const char *name;
} NETWORKS[] = {
    {0x6969, "NFS"},        {0xFF534D42, "CIFS"},  {0xFE534D42, "SMB"},    {0x517B, "SMB"},
    {0x01021997, "9p"},     {0x65735546, "FUSE"},  {0x00C36400, "Ceph"},   {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},   {0x01161970, "GFS2"},  {0x7461636F, "OCFS2"},  {0x5346414F, "AFS"},
    {0x6B414653, "AFS"},    {0x73757245, "Coda"},  {0x564C, "NCP"},        {0x20030528, "OrangeFS"},
    {0x19830326, "BeeGFS"}, {0xAAD7AAEA, "PanFS"}, {0xBEEFDEAD, "SnapFS"},
};

static int64_t ask_system(const char *path)
{
    struct statfs info;
    return statfs(path, &info) == 0 ? (int64_t)(uint32_t)info.f_type : -1;
}

/* The folder that the file is in, or will be in. */
static void cut_name(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (length == 0 || length >= size) {
        strcpy(out, ".");
        return;
    }
    memcpy(out, path, length);
    out[length] = '\0';
}

/* Only a system that says so has none: a file that another process has locked has locks. */
static bool has_locks(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return true; /* what is wrong is found when it is opened */
    const bool none = fcntl(fd, F_GETLK, &lock) != 0 &&
                      (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP);
    close(fd);
    return !none;
}

ob_file_place ob__file_place(const ob_store_params *params, const char *path, const char **name)
{
    char folder[4096];
    cut_name(path, folder, sizeof folder);
    const int64_t type =
        params->file_system != NULL ? params->file_system(params->ctx, folder) : ask_system(folder);
    *name = "";
    for (size_t i = 0; i < sizeof NETWORKS / sizeof *NETWORKS; i++)
        if (NETWORKS[i].type == type) {
            *name = NETWORKS[i].name;
            return has_locks(path) ? OB_PLACE_NETWORK : OB_PLACE_NO_LOCKS;
        }
    return OB_PLACE_LOCAL;
}
