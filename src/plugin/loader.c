/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading one plug-in file: trust, dlopen, entry symbol, registration. A refusal at any step is
 * kept with its reason for listings. Libraries are never closed: threads, exit handlers and
 * thread-local storage of what a plug-in pulls in (libtorch, OpenMP) do not survive it. A file that is not opbench's own
 * is loaded in a copy of this process first, which may die of it, or in no other way.
 */
#include "plugin/plugin_report.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

/* What the dynamic linker's complaint calls for; the first row whose part occurs in it. */
static const struct {
    const char *part;
    const char *cure;
} CURES[] = {
    {"undefined symbol", "a plug-in calls opbench through the host's table and must link "
                         "everything else itself; add the missing library to its link line"},
    {"cannot open shared object file",
     "install the package that has this library, or name its directory in LD_LIBRARY_PATH"},
    {"wrong ELF class", "it was built for another kind of machine; rebuild it here"},
    {"invalid ELF header", "it is not a shared object; rebuild it, or remove the file"},
    {"file too short", "the file is cut off or empty; rebuild it, or remove the file"},
    {"failed to map segment", "its file system may not allow running code (mount option noexec)"},
};

/* dlerror's text without the path in front of it, which the message has already. */
static ob_status open_failed(const char *path, ob_err *err)
{
    const char *text = dlerror();
    if (text == NULL)
        text = "the dynamic linker gives no reason";
    const size_t length = strlen(path);
    if (strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0)
        text += length + 2;
    const char *cure = "see what ldd says about it";
    for (size_t i = 0; i < sizeof CURES / sizeof CURES[0]; i++) {
        if (strstr(text, CURES[i].part) != NULL) {
            cure = CURES[i].cure;
            break;
        }
    }
    return ob_err_set(err, OB_ERR_PLUGIN, "it cannot be opened: %.240s; %s", text, cure);
}

static ob_status open_and_enter(const char *path, const ob_plugin **plugin, ob_err *err)
{
    if (ob__elf_is_cut(path))
        return ob_err_set(
            err, OB_ERR_PLUGIN,
            "it cannot be opened: the file is cut off; rebuild it, or remove the file");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return open_failed(path, err);
    void *symbol = dlsym(handle, OB_PLUGIN_ENTRY);
    if (symbol == NULL)
        return ob_err_set(err, OB_ERR_PLUGIN,
                          "it does not export '%s', so it is not an opbench plug-in; mark that "
                          "function with OB_PLUGIN_EXPORT, or move the file elsewhere",
                          OB_PLUGIN_ENTRY);
    ob_plugin_entry_fn entry;
    memcpy(&entry, &symbol,
           sizeof entry); /* C has no cast from an object's to a function's address */

    ob_reason why_not = {.text = ""};
    *plugin = entry(ob_host_get(), &why_not);
    why_not.text[sizeof why_not.text - 1] = '\0';
    if (*plugin == NULL)
        return ob_err_set(err, OB_ERR_UNSUPPORTED, "it does not work here: %s",
                          why_not.text[0] != '\0' ? why_not.text : "it does not say why");
    return OB_OK;
}

ob_status ob__plugin_load_file(ob_context *context, const char *path, ob_err *err)
{
    OB_TRY(ob__check_trusted_in(context->trusted_folder, path, err));

    /* A library built with -ffast-math switches denormal numbers off for the whole thread when it
     * is opened; results of other backends would change with the plug-ins that happen to be
     * there. */
    fenv_t environment;
    const bool has_environment = fegetenv(&environment) == 0;
    const ob_plugin *plugin = NULL;
    ob_status status = open_and_enter(path, &plugin, err);
    if (has_environment)
        fesetenv(&environment);
    if (status == OB_OK)
        status = ob__registry_add_plugin(context, plugin, path, false, err);
    return status;
}

ob_status ob_plugin_load(ob_context *context, const char *path, ob_err *err)
{
    return ob__plugin_load(context, path, OB__PLUGIN_FOREIGN, err);
}

/* From what another process told. */
static ob_status know(ob_context *context, const char *path, ob_err *err)
{
    ob_text report = {0};
    ob_status status = ob__plugin_try(context, path, &report, err);
    if (status == OB_OK)
        status = ob__plugin_report_read(context, path, report.data, report.size, err);
    ob_text_fini(&report);
    return status;
}

static ob_status take(ob_context *context, const char *path, ob__plugin_trust trust, ob_err *err)
{
    if (trust == OB__PLUGIN_APART)
        return know(context, path, err);
    if (trust == OB__PLUGIN_FOREIGN)
        OB_TRY(ob__plugin_try(context, path, NULL, err));
    return ob__plugin_load_file(context, path, err);
}

ob_status ob__plugin_load_real(ob_context *context, const char *real_path, ob__plugin_trust trust,
                               ob_err *err)
{
    ob_err why;
    ob_err_clear(&why);
    const ob__plugin_record *known = ob__plugin_find_path(context, real_path);
    ob_status status = OB_OK;
    if (known == NULL || !known->available) {
        status = take(context, real_path, trust, &why);
        if (status == OB_OK)
            ob__warn_of_stranger(&context->log, real_path);
    }
    if (status != OB_OK && status != OB_ERR_NOMEM) {
        const ob_status refusal = status == OB_ERR_UNSUPPORTED ? status : OB_ERR_PLUGIN;
        status = ob__plugin_remember_refusal(context, real_path, why.message, &why);
        if (status == OB_OK)
            status = refusal;
    }
    if (status != OB_OK)
        ob_err_set_at(err, status, real_path, 0, 0, NULL, "%s", why.message);
    return status;
}

ob_status ob__plugin_load(ob_context *context, const char *path, ob__plugin_trust trust,
                          ob_err *err)
{
    char *real_path = realpath(path, NULL);
    if (real_path == NULL)
        return ob_err_set_at(err, errno == ENOMEM ? OB_ERR_NOMEM : OB_ERR_PLUGIN, path, 0, 0, NULL,
                             "the plug-in cannot be found: %s; check the path", strerror(errno));
    const ob_status status = ob__plugin_load_real(context, real_path, trust, err);
    free(real_path);
    return status;
}
