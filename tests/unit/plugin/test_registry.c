/* SPDX-License-Identifier: Apache-2.0
 *
 * The registry through the embedder's calls: what is taken, what is refused and with which words,
 * that a refusal leaves nothing behind, and what listings show.
 */
#include "../../plugin/fixture.h"
#include "plugin_test.h"

static const ob_backend_desc BACKEND = {.name = "b", FIXTURE_BACKEND, .run = fixture_run};
static const ob_generator_desc GENERATOR = {
    .name = "Mine:Generator", .help = "makes nothing", .generate = fixture_generate};
static const ob_iterator_desc ITERATOR = {.name = "MineIterator",
                                          .help = "walks nothing",
                                          .open = fixture_iterator_open,
                                          .count = fixture_count,
                                          .at = fixture_at,
                                          .close = fixture_iterator_close};
static const ob_op_row OPERATOR = {
    .schema = "mine::op(Tensor self, int n=1) -> Tensor", .category = "test", .names = "mine.op"};

static void test_embedder(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK(ob_context_log(context) != NULL);
    const size_t core = ob_context_count(context, OB_ENTRY_OPERATOR);
    CHECK_INT(core, ob_op_table_count(ob_context_operators(context)));
    CHECK_INT(ob_register_backend(context, &BACKEND, &err), OB_OK);
    CHECK_INT(ob_register_generator(context, &GENERATOR, &err), OB_OK);
    CHECK_INT(ob_register_iterator(context, &ITERATOR, &err), OB_OK);
    CHECK_INT(ob_register_operator(context, &OPERATOR, &err), OB_OK);
    CHECK(ob_context_find_backend(context, "b") == &BACKEND);
    CHECK(ob_context_find_generator(context, "Mine:Generator") == &GENERATOR);
    CHECK(ob_context_find_iterator(context, "MineIterator") == &ITERATOR);
    CHECK(ob_context_find_iterator(context, "Mine") == NULL);
    CHECK(ob_context_find_iterator(context, NULL) == NULL);
    const ob_op *op = ob_op_table_find(ob_context_operators(context), "mine::op");
    CHECK(op != NULL && op->row == &OPERATOR);

    CHECK_INT(ob_context_count(context, OB_ENTRY_OPERATOR), core + 1);
    const ob_entry_info info = ob_context_entry(context, OB_ENTRY_OPERATOR, core);
    CHECK_STR(info.name, "mine::op");
    CHECK_STR(info.origin, "embedder");
    CHECK_STR(info.category, "test");
    CHECK_STR(info.help, "mine::op(Tensor self, int n=1) -> Tensor");
    CHECK_STR(info.names, "mine.op");
    CHECK_STR(info.version, "");
    CHECK(info.available);
    CHECK_STR(test_entry(context, OB_ENTRY_GENERATOR, "Mine:Generator").help, "makes nothing");
    CHECK(test_entry(context, OB_ENTRY_GENERATOR, "Mine:Generator").available);
    CHECK_STR(test_entry(context, OB_ENTRY_ITERATOR, "MineIterator").origin, "embedder");
    CHECK(test_entry(context, OB_ENTRY_ITERATOR, "MineIterator").available);
    CHECK(test_entry(context, OB_ENTRY_BACKEND, "b").available);
    CHECK_STR(test_entry(context, OB_ENTRY_BACKEND, "b").reason, "");
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 0);
    CHECK_STR(ob_context_entry(context, OB_ENTRY_PLUGIN, 0).name, "");
    ob_context_destroy(context);
    ob_context_destroy(NULL);
}

static void test_duplicates(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_register_backend(context, &BACKEND, &err), OB_OK);
    CHECK_INT(ob_register_backend(context, &BACKEND, &err), OB_ERR_DUPLICATE);
    CHECK_STR(err.message, "the backend 'b' already exists (embedder); rename one of the two");
    CHECK_INT(ob_register_backend(context, &BACKEND, NULL), OB_ERR_DUPLICATE);
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), 1);
    CHECK_INT(ob_register_operator(context, &OPERATOR, &err), OB_OK);
    CHECK_INT(ob_register_operator(context, &OPERATOR, &err), OB_ERR_DUPLICATE);
    CHECK_HAS(err.message, "mine::op");
    CHECK_HAS(err.message, "embedder");
    ob_context_destroy(context);
}

static void test_operators_all_or_nothing(void)
{
    static const ob_op_row other = {.schema = "mine::other(Tensor self) -> Tensor"};
    static const ob_op_row broken = {.schema = "mine::broken(Tensor self"};
    static const ob_op_row no_schema = {.category = "?"};
    static const ob_op_row no_namespace = {.schema = "lonely(Tensor self) -> Tensor"};
    static const ob_op_row same_name = {.schema = "mine::third(Tensor self) -> Tensor",
                                        .names = "mine.op"};
    ob_context *context = test_context(NULL);
    ob_err err;
    const size_t core = ob_context_count(context, OB_ENTRY_OPERATOR);
    static const ob_op_row bad_return = {.schema =
                                             "mine::fifth(Any x) -> (Tensor, Dict(str, Foo))"};
    const ob_op_row *bad[] = {&broken,     &no_schema, &no_namespace,
                              &bad_return, &same_name, &OPERATOR};
    static const char *const words[] = {
        "'mine::broken(Tensor self' cannot be read (column ", "schema",  "namespace",
        "has the unknown type 'Foo'; use Tensor, int, ",      "mine.op", "mine::op"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const ob_op_row *const rows[] = {&OPERATOR, &other, bad[i], NULL};
        CHECK_INT(ob_register_operators(context, rows, &err),
                  i < 4 ? OB_ERR_INVALID : OB_ERR_DUPLICATE);
        CHECK_HAS(err.message, words[i]);
        CHECK_INT(ob_context_count(context, OB_ENTRY_OPERATOR), core);
    }
    /* A dotted name is a class, and some names mean something to libtorch. */
    static const ob_op_row classes = {
        .schema = "mine::classes(__torch__.mine.Thing a, Storage? b, Stream c, t[] d) -> Any"};
    const ob_op_row *const good[] = {&OPERATOR, &other, &classes, NULL};
    CHECK_INT(ob_register_operators(context, good, &err), OB_OK);
    CHECK_INT(ob_context_count(context, OB_ENTRY_OPERATOR), core + 3);
    /* The same against what was registered before. */
    static const ob_op_row fourth = {.schema = "mine::fourth(Tensor self) -> Tensor"};
    const ob_op_row *const clash[] = {&fourth, &same_name, NULL};
    CHECK_INT(ob_register_operators(context, clash, &err), OB_ERR_DUPLICATE);
    CHECK_HAS(err.message, "mine.op");
    CHECK_INT(ob_context_count(context, OB_ENTRY_OPERATOR), core + 3);
    CHECK_INT(ob_register_operators(context, NULL, &err), OB_OK);
    CHECK_INT(ob_register_operator(context, NULL, &err), OB_ERR_INVALID);
    ob_context_destroy(context);
}

/* Refused, for the reason that has this part. */
static void refuse_backend(const ob_backend_desc *desc, const char *part)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_register_backend(context, desc, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, part);
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), 0);
    ob_context_destroy(context);
}

static ob_status event_create(ob_backend *backend, ob_event **out, ob_err *err)
{
    (void)backend, (void)out, (void)err;
    return OB_OK;
}

static ob_status alloc(ob_backend *backend, size_t size, ob_storage **out, ob_err *err)
{
    (void)backend, (void)size, (void)out, (void)err;
    return OB_OK;
}

static void test_bad_backends(void)
{
    ob_backend_desc desc = BACKEND;
    desc.name = NULL;
    refuse_backend(&desc, "a backend has no name");
    desc.name = "two words";
    refuse_backend(&desc, "the name of a backend has the byte 0x20 at position 3");
    char longest[200];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    desc.name = longest;
    refuse_backend(&desc, "longer than 127 bytes");

    desc = BACKEND;
    desc.help = NULL;
    refuse_backend(&desc, "backend 'b' lacks 'help'");
    desc = BACKEND;
    desc.release = NULL;
    refuse_backend(&desc, "backend 'b' lacks 'release'; give every field");
    desc = BACKEND;
    desc.asynchronous = true;
    refuse_backend(&desc, "backend 'b' is asynchronous but lacks 'sync'");
    desc = BACKEND;
    desc.event_create = event_create;
    refuse_backend(&desc, "only some of the event functions ('event_record' differs");
    desc = BACKEND;
    desc.alloc = alloc;
    refuse_backend(&desc, "only one of 'alloc' and 'copy'");
    static const char *const types[] = {"", "  ", "CPU", "cpu gpu;0", "cpu abcdefghijklmno"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        desc = BACKEND;
        desc.device_types = types[i];
        refuse_backend(&desc, "device_types of backend 'b' are '");
    }
}

/* Everything at its limit, all of it good. */
static void test_rich_structs(void)
{
    typedef struct rich_options {
        int64_t number;
        double real;
        const char *text, *choice;
        bool flag;
    } rich_options;
    static const ob_option options[] = {
        {.name = "number", .type = OB_OPTION_INT, .offset = offsetof(rich_options, number)},
        {.name = "real", .type = OB_OPTION_DOUBLE, .offset = offsetof(rich_options, real)},
        {.name = "text", .type = OB_OPTION_STRING, .offset = offsetof(rich_options, text)},
        {.name = "choice",
         .type = OB_OPTION_CHOICE,
         .offset = offsetof(rich_options, choice),
         .choices = "a|b"},
        {.name = "flag", .type = OB_OPTION_FLAG, .offset = offsetof(rich_options, flag)},
        {.name = NULL},
    };
    static const ob_arg_attr attrs[] = {{.name = "any", .kind = OB_ATTR_ANY},
                                        {.name = "args", .kind = OB_ATTR_ARGS},
                                        {.name = NULL}};
    static const ob_arg_type types[] = {
        {.name = "first", .attrs = attrs}, {.name = "second"}, {.name = "third"}, {.name = NULL}};
    ob_backend_desc backend = BACKEND;
    backend.options = options;
    backend.options_size = offsetof(rich_options, flag) + sizeof(bool); /* no byte to spare */
    backend.device_types = " abcdefghijklmn  cpu_0-x ";
    char longest[128];
    memset(longest, '~', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    backend.name = longest;
    ob_generator_desc generator = GENERATOR;
    generator.types = types;
    generator.own_types_only = true;
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_register_backend(context, &backend, &err), OB_OK);
    CHECK_INT(ob_register_generator(context, &generator, &err), OB_OK);
    ob_context_destroy(context);
}

static void test_bad_options(void)
{
    static const ob_option outside[] = {{.name = "late", .type = OB_OPTION_INT, .offset = 4},
                                        {.name = NULL}};
    static const ob_option huge[] = {{.name = "huge", .type = OB_OPTION_FLAG, .offset = SIZE_MAX},
                                     {.name = NULL}};
    static const ob_option strange[] = {{.name = "strange", .type = (ob_option_type)77},
                                        {.name = NULL}};
    static const ob_option twice[] = {{.name = "w", .type = OB_OPTION_FLAG},
                                      {.name = "x", .type = OB_OPTION_FLAG},
                                      {.name = "x", .type = OB_OPTION_FLAG},
                                      {.name = NULL}};
    static const ob_option no_choices[] = {{.name = "c", .type = OB_OPTION_CHOICE}, {.name = NULL}};
    static const ob_option no_default[] = {{.name = "n", .type = OB_OPTION_INT, .initial = "few"},
                                           {.name = NULL}};
    ob_backend_desc desc = BACKEND;
    desc.options_size = 8;
    desc.options = outside;
    refuse_backend(&desc, "option 'late' of backend 'b' is outside its options struct of 8 bytes");
    desc.options = huge;
    refuse_backend(&desc, "option 'huge' of backend 'b' is outside");
    desc.options = strange;
    refuse_backend(&desc, "option 'strange' of backend 'b' is outside");
    desc.options = twice;
    refuse_backend(&desc, "backend 'b' has two options called 'x'");
    desc.options = no_choices;
    refuse_backend(&desc, "option 'c' of backend 'b' is a choice without 'choices'");
    desc.options = no_default;
    refuse_backend(&desc, "the default of option 'n' of backend 'b' is not one of its values: n: "
                          "'few' is not a whole number");
}

/* Rows that were built with other headers are shorter or longer than ours. */
static void check_row_size(size_t size)
{
    static const ob_option LATE = {
        .name = "late", .type = OB_OPTION_FLAG, .offset = 4, .refused = "later"};
    static _Alignas(ob_option) char rows[3 * (sizeof(ob_option) + 16)];
    const size_t known = size < sizeof(ob_option) ? size : sizeof(ob_option);
    memset(rows, 0, sizeof rows);
    memcpy(rows, &(ob_option){.name = "early", .type = OB_OPTION_INT}, known);
    memcpy(rows + size, &LATE, known);
    ob_backend_desc desc = BACKEND;
    desc.options = (const ob_option *)(const void *)rows;
    desc.options_size = 8;
    const ob_backend_desc *const backends[] = {&desc, NULL};
    ob_plugin plugin = {OB_PLUGIN_HEAD, .name = "other", .backends = backends};
    plugin.option_size = (uint32_t)size;
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_OK);
    const ob_backend_desc *found = ob_context_find_backend(context, "b");
    CHECK(found != NULL);
    CHECK_INT(ob_options_count(found->options), 2);
    CHECK_STR(found->options[1].name, "late");
    CHECK_INT(found->options[1].offset, 4);
    CHECK_STR(found->options[1].refused, size < sizeof(ob_option) ? NULL : "later");
    ob_context_destroy(context);
}

static void test_row_sizes(void)
{
    check_row_size(offsetof(ob_option, refused));
    check_row_size(sizeof(ob_option));
    check_row_size(sizeof(ob_option) + 16);
}

static void test_bad_generators_and_iterators(void)
{
    static const ob_arg_type twice[] = {
        {.name = "s"}, {.name = "t"}, {.name = "t"}, {.name = NULL}};
    static const ob_arg_attr strange_attr[] = {{.name = "good", .kind = OB_ATTR_INT},
                                               {.name = "a", .kind = (ob_attr_kind)99},
                                               {.name = NULL}};
    static const ob_arg_type strange[] = {{.name = "t", .attrs = strange_attr}, {.name = NULL}};
    ob_context *context = test_context(NULL);
    ob_err err;
    ob_generator_desc generator = GENERATOR;
    generator.generate = NULL;
    CHECK_INT(ob_register_generator(context, &generator, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "generator 'Mine:Generator' lacks 'generate'");
    generator = GENERATOR;
    generator.own_types_only = true;
    CHECK_INT(ob_register_generator(context, &generator, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "takes its own argument types, but has none");
    generator.types = twice;
    CHECK_INT(ob_register_generator(context, &generator, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "has two argument types called 't'");
    generator.types = strange;
    CHECK_INT(ob_register_generator(context, &generator, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "attribute 'a' of the argument type 't' has the unknown kind 99");
    ob_iterator_desc iterator = ITERATOR;
    iterator.count = NULL;
    CHECK_INT(ob_register_iterator(context, &iterator, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "iterator 'MineIterator' lacks 'count'");
    CHECK_INT(ob_register_iterator(context, NULL, &err), OB_ERR_INVALID);
    CHECK_STR(err.message, "the iterator is missing (NULL)");
    CHECK_INT(ob_context_count(context, OB_ENTRY_GENERATOR), 0);
    CHECK_INT(ob_context_count(context, OB_ENTRY_ITERATOR), 0);
    ob_context_destroy(context);
}

static void test_linked_plugin(void)
{
    static const ob_backend_desc *const backends[] = {&BACKEND, NULL};
    static const ob_iterator_desc *const iterators[] = {&ITERATOR, NULL};
    static const ob_generator_desc *const twice[] = {&GENERATOR, &GENERATOR, NULL};
    ob_context *context = test_context(NULL);
    ob_err err;
    /* Linked in: sizes may be left out. */
    ob_plugin plugin = {.magic = OB_PLUGIN_MAGIC,
                        .abi = OB_PLUGIN_ABI,
                        .size = sizeof(ob_plugin),
                        .name = "linked",
                        .version = "3",
                        .backends = backends,
                        .iterators = iterators,
                        .generators = twice};
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_ERR_DUPLICATE);
    CHECK_STR(err.message, "the generator 'Mine:Generator' is given twice; remove one of the two");
    CHECK_INT(ob_context_count(context, OB_ENTRY_BACKEND), 0);
    CHECK_INT(ob_context_count(context, OB_ENTRY_ITERATOR), 0);
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 0);
    plugin.generators = NULL;
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_OK);
    CHECK_STR(test_entry(context, OB_ENTRY_BACKEND, "b").origin, "linked");
    const ob_entry_info info = test_entry(context, OB_ENTRY_PLUGIN, "linked");
    CHECK_STR(info.origin, "embedder");
    CHECK_STR(info.help, "version 3; backends b; iterators MineIterator");
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_ERR_DUPLICATE);
    CHECK_STR(
        err.message,
        "a plug-in called 'linked' already exists (embedder); remove or rename one of the two");
    plugin.magic = 0;
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "begins with 0x00000000 instead of 0x4f42504c");
    plugin.magic = OB_PLUGIN_MAGIC;
    plugin.size = 16;
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "says it has 16 bytes");
    plugin.size = sizeof plugin;
    plugin.name = "embedder";
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "rename the plug-in");
    ob_context_destroy(context);
}

/* Each size is needed from a file: without it an older struct could not be told from a new one. */
static void test_sizes(void)
{
    const ob_plugin whole = {OB_PLUGIN_HEAD, .name = "sized"};
    ob_err err;
    CHECK_INT(ob__check_plugin_head(&whole, false, &err), OB_OK);
    for (int i = 0; i < 5; i++) {
        ob_plugin plugin = whole;
        *(uint32_t *[]){&plugin.backend_size, &plugin.operator_size, &plugin.generator_size,
                        &plugin.iterator_size, &plugin.option_size}[i] = 0;
        CHECK_INT(ob__check_plugin_head(&plugin, false, &err), OB_ERR_INVALID);
        CHECK_STR(err.message, "it does not say how large its structs are; start the struct with "
                               "OB_PLUGIN_HEAD");
        CHECK_INT(ob__check_plugin_head(&plugin, true, &err), OB_OK);
    }
}

/* A plug-in of older headers, whose lists have shorter elements than ours. */
static void test_lists_of_older_elements(void)
{
    static const struct {
        const char *name;
        ob_attr_kind kind;
    } ATTRS[] = {{"first", OB_ATTR_INT}, {"second", OB_ATTR_REAL}, {NULL, OB_ATTR_ANY}};
    static const struct {
        const char *name;
        const void *attrs;
    } TYPES[] = {{"one", ATTRS}, {"two", NULL}, {NULL, NULL}};
    ob_generator_desc generator = GENERATOR;
    generator.types = (const ob_arg_type *)(const void *)TYPES;
    const ob_generator_desc *const generators[] = {&generator, NULL};
    ob_plugin plugin = {OB_PLUGIN_HEAD, .name = "older", .generators = generators};
    plugin.arg_type_size = sizeof *TYPES;
    plugin.arg_attr_size = sizeof *ATTRS;
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_OK);
    const ob_arg_type *types = ob_context_find_generator(context, "Mine:Generator")->types;
    CHECK_STR(types[0].name, "one");
    CHECK(types[0].one_of == NULL && types[0].check == NULL);
    CHECK_STR(types[0].attrs[1].name, "second");
    CHECK_INT(types[0].attrs[1].kind, OB_ATTR_REAL);
    CHECK(!types[0].attrs[1].required && types[0].attrs[1].choices == NULL);
    CHECK(types[0].attrs[2].name == NULL);
    CHECK_STR(types[1].name, "two");
    CHECK(types[1].attrs == NULL);
    CHECK(types[2].name == NULL);
    ob_context_destroy(context);
}

static void test_builtin(void)
{
    static const ob_iterator_desc *const iterators[] = {&ITERATOR, NULL};
    static const ob_plugin plugin = {OB_PLUGIN_HEAD, .name = "part", .iterators = iterators};
    ob_context *context = test_context(NULL);
    ob_err err;
    CHECK_INT(ob__registry_add_builtin(context, &plugin, &err), OB_OK);
    CHECK_STR(test_entry(context, OB_ENTRY_ITERATOR, "MineIterator").origin, "built in");
    CHECK_INT(ob_context_count(context, OB_ENTRY_PLUGIN), 0);
    ob_context_destroy(context);
}

static int probes;
static ob_status probe_no(const ob_host *host, ob_reason *why_not)
{
    probes += host == ob_host_get();
    strcpy(why_not->text, "no device; plug one in");
    return OB_ERR_UNSUPPORTED;
}
static ob_status probe_silent(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return OB_ERR_UNSUPPORTED;
}

static void test_probe(void)
{
    ob_context *context = test_context(NULL);
    ob_err err;
    ob_backend_desc no = BACKEND, silent = BACKEND;
    no.name = "no";
    no.probe = probe_no;
    silent.name = "silent";
    silent.probe = probe_silent;
    CHECK_INT(ob_register_backend(context, &no, &err), OB_OK);
    CHECK_INT(ob_register_backend(context, &silent, &err), OB_OK);
    CHECK_INT(probes, 0); /* nobody asked yet */
    const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, 0);
    CHECK(!info.available);
    CHECK_STR(info.reason, "no device; plug one in");
    ob_context_entry(context, OB_ENTRY_BACKEND, 0);
    CHECK_INT(probes, 1);
    CHECK(!test_entry(context, OB_ENTRY_BACKEND, "silent").available);
    CHECK_STR(test_entry(context, OB_ENTRY_BACKEND, "silent").reason,
              "it does not work here and does not say why");
    ob_context_destroy(context);
}

static void test_many(void)
{
    enum { COUNT = 100 };
    static char names[COUNT][16];
    static ob_iterator_desc descs[COUNT];
    ob_context *context = test_context(NULL);
    ob_err err;
    const char *first = NULL;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "Iterator%d", i);
        descs[i] = ITERATOR;
        descs[i].name = names[i];
        CHECK_INT(ob_register_iterator(context, &descs[i], &err), OB_OK);
        if (i == 0)
            first = ob_context_entry(context, OB_ENTRY_ITERATOR, 0).name;
    }
    CHECK_INT(ob_context_count(context, OB_ENTRY_ITERATOR), COUNT);
    CHECK(ob_context_find_iterator(context, "Iterator73") == &descs[73]);
    CHECK_STR(first, "Iterator0");
    ob_context_destroy(context);
}

/* One plug-in with several iterators, more than the list starts with. */
static void test_long_list(void)
{
    enum { COUNT = 30 };
    char names[COUNT][16];
    ob_iterator_desc descs[COUNT];
    const ob_iterator_desc *list[COUNT + 1] = {NULL};
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "Iterator%d", i);
        descs[i] = ITERATOR;
        descs[i].name = names[i];
        list[i] = &descs[i];
    }
    ob_plugin plugin = {OB_PLUGIN_HEAD, .name = "long", .iterators = list};
    ob_context *context = test_context(NULL);
    ob_err err;
    descs[COUNT - 1].name = names[COUNT - 2];
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_ERR_DUPLICATE);
    CHECK_STR(err.message, "the iterator 'Iterator28' is given twice; remove one of the two");
    CHECK_INT(ob_context_count(context, OB_ENTRY_ITERATOR), 0);
    descs[COUNT - 1].name = names[COUNT - 1];
    CHECK_INT(ob_register_plugin(context, &plugin, &err), OB_OK);
    CHECK_INT(ob_context_count(context, OB_ENTRY_ITERATOR), COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(ob_context_find_iterator(context, names[i]) == &descs[i]);
    CHECK_HAS(test_entry(context, OB_ENTRY_PLUGIN, "long").help,
              "iterators Iterator0, Iterator1, Iterator2,");
    ob_context_destroy(context);
}

static void test_host(void)
{
    const ob_host *host = ob_host_get();
    CHECK_INT(host->abi, OB_PLUGIN_ABI);
    CHECK_INT(host->size, sizeof(ob_host));
    /* Every function is there: the rows fill the struct without a gap. */
#define HOST_CHECK(field, type, function, parameters) CHECK(host->field == function);
    OB_HOST_MAP(HOST_CHECK)
#undef HOST_CHECK
}

int main(void)
{
    RUN(test_embedder);
    RUN(test_duplicates);
    RUN(test_operators_all_or_nothing);
    RUN(test_bad_backends);
    RUN(test_rich_structs);
    RUN(test_bad_options);
    RUN(test_bad_generators_and_iterators);
    RUN(test_linked_plugin);
    RUN(test_sizes);
    RUN(test_row_sizes);
    RUN(test_lists_of_older_elements);
    RUN(test_builtin);
    RUN(test_probe);
    RUN(test_many);
    RUN(test_long_list);
    RUN(test_host);
    return ob_test_end();
}
