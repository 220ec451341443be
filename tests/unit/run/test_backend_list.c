/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of backends, and whose option is whose.
 */
#include "check.h"
#include "run/backend_list.h"

static ob_status make(const char *names, const char *options, ob_backend_list *list, ob_err *err)
{
    ob_run_options o;
    ob_run_options_init(&o);
    o.backend = names;
    o.backend_options = options;
    return ob__backend_list_make(&o, list, err);
}

static void names_and_options(void)
{
    ob_backend_list list;
    ob_err err;
    CHECK_INT(make("a,b,ab", "ab.x=1,a.y=2,ab.z=3", &list, &err), OB_OK);
    CHECK_INT(list.count, 3);
    CHECK_STR(list.names[0], "a");
    CHECK_STR(list.names[2], "ab");
    CHECK_STR(list.options[0], "y=2");
    CHECK(list.options[1] == NULL);
    CHECK_STR(list.options[2], "x=1,z=3");
    ob__backend_list_fini(&list);
    CHECK_INT(make("a,b", "a.x=1\\,b.y=2,b.z=3", &list, &err), OB_OK); /* a comma of a value */
    CHECK_STR(list.options[0], "x=1\\,b.y=2");
    CHECK_STR(list.options[1], "z=3");
    ob__backend_list_fini(&list);
}

/* A single backend's options have no name in front. */
static void alone(void)
{
    ob_backend_list list;
    ob_err err;
    CHECK_INT(make(NULL, "forward_ns=7,queue=off", &list, &err), OB_OK);
    CHECK_INT(list.count, 1);
    CHECK_STR(list.names[0], "native");
    CHECK_STR(list.options[0], "forward_ns=7,queue=off");
    ob__backend_list_fini(&list);
}

/* What is said of a backend is for all of its variants. */
static void variants(void)
{
    ob_backend_list list;
    ob_err err;
    CHECK_INT(make("a:v,a:w,a", "a.x=1,a:w.y=2", &list, &err), OB_OK);
    CHECK_STR(list.names[1], "a:w");
    CHECK_STR(list.options[0], "x=1");
    CHECK_STR(list.options[1], "x=1,y=2");
    CHECK_STR(list.options[2], "x=1");
    ob__backend_list_fini(&list);
    CHECK_INT(ob__backend_option_prefix("a.x=1", "a:v"), 2);
    CHECK_INT(ob__backend_option_prefix("a:v.x=1", "a:v"), 4);
    CHECK_INT(ob__backend_option_prefix("a:w.x=1", "a:v"), 0);
    CHECK_INT(ob__backend_option_prefix("a:v.x=1", "a"), 0);
    CHECK(ob_backend_is_meant("native,a:v", "a") && !ob_backend_is_among("native,a:v", "a"));
    CHECK(ob_backend_is_meant("a", "a") && !ob_backend_is_meant("ab:v", "a"));
    CHECK(ob_backend_is_meant(NULL, "a"));
}

static void refused(void)
{
    static const struct {
        const char *names, *options, *message;
    } rows[] = {
        {"a,", NULL, "--backend has an empty name; write NAME or NAME,NAME"},
        {",a", NULL, "--backend has an empty name; write NAME or NAME,NAME"},
        {"a,b,a", NULL, "--backend has a twice; name it once"},
        {"1,2,3,4,5,6,7,8,9", NULL, "--backend takes at most 8 names"},
        {"a,b", "x=1",
         "--backend-options: with several backends, prefix each option with its backend: a.x=1 or "
         "b.x=1"},
        {"a,b", "a.x=1,c.y=2",
         "--backend-options: c.y=2 is for the backend c, which --backend does not name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ob_backend_list list;
        ob_err err;
        CHECK_INT(make(rows[i].names, rows[i].options, &list, &err), OB_ERR_INVALID);
        CHECK_STR(err.message, rows[i].message);
    }
}

static void count(void)
{
    ob_run_options o;
    ob_run_options_init(&o);
    CHECK_INT(ob_run_options_backend_count(&o), 1);
    o.backend = "native,torch,null";
    CHECK_INT(ob_run_options_backend_count(&o), 3);
}

int main(void)
{
    RUN(names_and_options);
    RUN(alone);
    RUN(variants);
    RUN(refused);
    RUN(count);
    return ob_test_end();
}
