/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking over structs of other sizes. A member that is not known here is refused if it is set: an option that is passed
 * over silently is a measurement of something else.
 */
#include "base/sized.h"

#include <string.h>

/* Nobody's newer struct is larger by so much: the size is what lay in memory by chance. */
enum { MOST_MORE_BYTES = 4096 };

static ob_status check_size(size_t given, size_t least, size_t size, const char *name, ob_err *err)
{
    if (given < least)
        return ob_err_set(err, OB_ERR_INVALID, "%s.size is not set; set it to sizeof(%s)", name,
                          name);
    if (given > size + MOST_MORE_BYTES)
        return ob_err_set(err, OB_ERR_INVALID,
                          "%s.size is %zu, which is impossible: this opbench has %zu; set it to "
                          "sizeof(%s), and initialise all other members",
                          name, given, size, name);
    return OB_OK;
}

ob_status ob__take_element(void *to, size_t size, const void *from, size_t given, const char *name,
                           ob_err *err)
{
    OB_TRY(check_size(given, 1, size, name, err));
    const char *bytes = from;
    for (size_t i = size; i < given; i++) {
        if (bytes[i] != 0)
            return ob_err_set(err, OB_ERR_INVALID,
                              "%s has members set beyond its first %zu bytes, which is all that "
                              "this opbench knows; leave them out, or use a newer opbench",
                              name, size);
    }
    memset(to, 0, size);
    memcpy(to, from, given < size ? given : size);
    return OB_OK;
}

static size_t size_of(const void *from)
{
    size_t given = 0;
    if (from != NULL)
        memcpy(&given, from, sizeof given);
    return given;
}

ob_status ob__take_sized(void *to, size_t size, const void *from, const char *name, ob_err *err)
{
    const size_t given = size_of(from);
    OB_TRY(check_size(given, sizeof given, size, name, err));
    OB_TRY(ob__take_element(to, size, from, given, name, err));
    memcpy(to, &size, sizeof size);
    return OB_OK;
}

ob_status ob__take_optional(void *to, size_t size, const void *from, const char *name, ob_err *err)
{
    if (from != NULL)
        return ob__take_sized(to, size, from, name, err);
    memset(to, 0, size);
    memcpy(to, &size, sizeof size);
    return OB_OK;
}

ob_status ob__check_same_size(size_t given, size_t size, const char *name, ob_err *err)
{
    return given == size ? OB_OK
                         : ob_err_set(err, OB_ERR_INVALID,
                                      "%s.size is %zu, but %zu in this opbench: the program was "
                                      "built with other headers, or the struct was not initialised",
                                      name, given, size);
}

ob_status ob__give_sized(void *to, const void *from, size_t size, const char *name, ob_err *err)
{
    const size_t given = size_of(to);
    OB_TRY(check_size(given, sizeof given, size, name, err));
    memset((char *)to + sizeof given, 0, given - sizeof given);
    memcpy((char *)to + sizeof given, (const char *)from + sizeof given,
           (given < size ? given : size) - sizeof given);
    return OB_OK;
}
