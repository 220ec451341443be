/* SPDX-License-Identifier: Apache-2.0
 *
 * The fuzzer through its C structs: distributions, aliases, strict parameters, constraints, layouts,
 * sparse tensors, elements, and that draws repeat exactly and do not depend on each other.
 */
#include "check.h"
#include "opbench/fuzz.h"

#include <stdlib.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static ob_err err;

static ob_fuzzer *make(const ob_fuzz_parameter *parameters, size_t parameter_count,
                       const ob_fuzz_tensor *tensors, size_t tensor_count, const char *constraint)
{
    ob_fuzzer *fuzzer;
    const ob_fuzz_spec spec = {.size = sizeof spec,
                               .parameters = parameters,
                               .parameter_size = sizeof(ob_fuzz_parameter),
                               .parameter_count = parameter_count,
                               .tensors = tensors,
                               .tensor_size = sizeof(ob_fuzz_tensor),
                               .tensor_count = tensor_count,
                               .constraints = &constraint,
                               .constraint_count = constraint != NULL};
    ob_err_clear(&err);
    ob_fuzzer_create(&spec, 42, &fuzzer, &err);
    return fuzzer;
}

static const ob_fuzz_draw *draw(ob_fuzzer *fuzzer, uint64_t index)
{
    static const ob_fuzz_draw NOTHING;
    const ob_fuzz_draw *out;
    ob_err_clear(&err);
    CHECK_INT(ob_fuzzer_draw(fuzzer, index, &out, &err), OB_OK);
    CHECK_STR(err.message, "");
    return out != NULL ? out : &NOTHING;
}

/* The same numbers wherever this runs: a change here changes everybody's draws. */
static void exact_values(void)
{
    const ob_fuzz_parameter parameters[] = {
        {.name = "u", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 1000000)},
        {.name = "l", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(1, 1 << 30)},
        {.name = "r",
         .distribution = OB_FUZZ_UNIFORM,
         .min = OB_FUZZ_INT(0),
         .max = OB_FUZZ_REAL(0.5)}};
    const ob_fuzz_tensor tensors[] = {{.name = "x", .size = {"l", "3", "2"}, .steps = {"1", "2"}}};
    ob_fuzzer *fuzzer = make(parameters, 3, tensors, 1, NULL);
    ob_text text = {0};
    for (uint64_t i = 0; i < 2; i++) {
        CHECK_INT(ob_fuzz_draw_print(fuzzer, draw(fuzzer, i), &text, &err), OB_OK);
        text.data[text.size - 1] = '\n';
    }
    text.data[text.size - 1] = '\0';
    CHECK_STR(
        text.data,
        "{\"index\": 0, \"params\": {\"u\": 612960, \"l\": 4, \"r\": 0.4938593254588616}, "
        "\"tensors\": {\"x\": {\"size\": [4, 3, 2], \"strides\": [12, 2, 6], \"steps\": [1, 2, 1], "
        "\"order\": [0, 2, 1], \"numel\": 24, \"is_contiguous\": false, "
        "\"allocation_bytes\": 192, \"dtype\": \"torch.float32\"}}, \"attempts\": 1, "
        "\"rejection_rate\": 0.0\n"
        "{\"index\": 1, \"params\": {\"u\": 10059, \"l\": 124, \"r\": 0.06444982366073093}, "
        "\"tensors\": {\"x\": {\"size\": [124, 3, 2], \"strides\": [12, 4, 1], "
        "\"steps\": [1, 2, 1], \"order\": [0, 1, 2], \"numel\": 744, \"is_contiguous\": false, "
        "\"allocation_bytes\": 5952, \"dtype\": \"torch.float32\"}}, \"attempts\": 1, "
        "\"rejection_rate\": 0.0");
    ob_text_fini(&text);
    ob_fuzzer_destroy(fuzzer);
}

static void draws_do_not_depend_on_each_other(void)
{
    ob_fuzzer *fuzzer;
    ob_text forward[20] = {{0}}, again = {0};
    const ob_fuzz_preset_params params = {.size = sizeof params, .name = "binary"};
    CHECK_INT(ob_fuzzer_open_preset(&params, 7, &fuzzer, &err), OB_OK);
    for (uint64_t i = 0; i < 20; i++) {
        const ob_fuzz_draw *d = draw(fuzzer, i);
        CHECK_INT(d->index, i);
        CHECK_INT(ob_fuzz_draw_print(fuzzer, d, &forward[i], &err), OB_OK);
    }
    for (uint64_t i = 20; i-- > 0;) {
        again.size = 0;
        CHECK_INT(ob_fuzz_draw_print(fuzzer, draw(fuzzer, i), &again, &err), OB_OK);
        /* all but the rate at the end, which is the fuzzer's, not the draw's */
        const size_t same = forward[i].size - 30;
        CHECK(again.size > same && memcmp(again.data, forward[i].data, same) == 0);
        ob_text_fini(&forward[i]);
    }
    ob_text_fini(&again);
    ob_fuzzer_destroy(fuzzer);
}

static ob_status add_index(void *ctx, const ob_fuzz_draw *d, ob_err *e)
{
    *(uint64_t *)ctx += d->index;
    return d->index == 7 ? ob_err_set(e, OB_ERR_STATE, "seven") : OB_OK;
}

static void take_ends_at_an_error(void)
{
    const ob_fuzz_parameter parameters[] = {
        {.name = "u", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 2)}};
    ob_fuzzer *fuzzer = make(parameters, 1, NULL, 0, NULL);
    uint64_t sum = 0;
    CHECK_REAL(ob_fuzzer_rejection_rate(fuzzer), 0);
    CHECK_INT(ob_fuzzer_take(fuzzer, 5, add_index, &sum, &err), OB_OK);
    CHECK_INT(sum, 10);
    sum = 0;
    CHECK_INT(ob_fuzzer_take(fuzzer, 20, add_index, &sum, &err), OB_ERR_STATE);
    CHECK_INT(sum, 28);
    CHECK_INT(ob_fuzzer_seed(fuzzer), 42);
    ob_fuzzer_destroy(fuzzer);
}

/* How often each of the values low.. comes up in 20000 draws. */
static void shares(ob_fuzzer *fuzzer, const char *name, int64_t low, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const int64_t value = ob_fuzz_draw_int(draw(fuzzer, i), name, -1) - low;
        CHECK(value >= 0 && value < (int64_t)count);
        if (value >= 0 && value < (int64_t)count)
            out[value] += 1.0 / 20000;
    }
}

static void loguniform_reaches_its_maximum(void)
{
    const ob_fuzz_parameter parameters[] = {
        {.name = "l", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(1, 2)},
        {.name = "m", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(3, 10)},
        {.name = "one", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(5, 5)},
        {.name = "top",
         .distribution = OB_FUZZ_LOGUNIFORM,
         OB_FUZZ_RANGE(INT64_MAX - 1, INT64_MAX)}};
    ob_fuzzer *fuzzer = make(parameters, COUNT(parameters), NULL, 0, NULL);
    double share[8];
    shares(fuzzer, "l", 1, share, 2);
    CHECK_NEAR(share[0], log(2) / log(3), 0.01);
    CHECK_NEAR(share[1], log(1.5) / log(3), 0.01);
    shares(fuzzer, "m", 3, share, 8);
    CHECK_NEAR(share[0], log(4.0 / 3) / log(11.0 / 3), 0.01);
    CHECK_NEAR(share[7], log(11.0 / 10) / log(11.0 / 3), 0.01);
    shares(fuzzer, "one", 5, share, 1);
    CHECK_NEAR(share[0], 1, 1e-9);
    CHECK(ob_fuzz_draw_int(draw(fuzzer, 0), "top", 0) >= INT64_MAX - 1);
    ob_fuzzer_destroy(fuzzer);
}

static void choices_and_aliases(void)
{
    const ob_fuzz_choice y[] = {{.alias = "x", .probability = 0.5},
                                {.value = OB_FUZZ_INT(1), .probability = 0.5000001},
                                {.value = OB_FUZZ_INT(99), .probability = 0}};
    const ob_fuzz_choice z[] = {{.alias = "y", .probability = 1}};
    const ob_fuzz_choice w[] = {
        {.value = {.kind = OB_VALUE_STR, .as = {.str = {"a", 1}}}, .probability = 0.25},
        {.value = {.kind = OB_VALUE_NONE}, .probability = 0.75}};
    const ob_fuzz_parameter parameters[] = {
        {.name = "z", .distribution = OB_FUZZ_CHOICE, .choices = z, .choice_count = 1},
        {.name = "y", .distribution = OB_FUZZ_CHOICE, .choices = y, .choice_count = 3},
        {.name = "x", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(4, 1024)},
        {.name = "w", .distribution = OB_FUZZ_CHOICE, .choices = w, .choice_count = 2}};
    ob_fuzzer *fuzzer = make(parameters, COUNT(parameters), NULL, 0, NULL);
    double ones = 0, texts = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const ob_fuzz_draw *d = draw(fuzzer, i);
        const int64_t got = ob_fuzz_draw_int(d, "y", -1);
        CHECK(got == 1 || got == ob_fuzz_draw_int(d, "x", -2));
        CHECK_INT(ob_fuzz_draw_int(d, "z", -3), got);
        ones += got == 1;
        texts += ob_fuzz_draw_get(d, "w")->kind == OB_VALUE_STR;
    }
    CHECK_NEAR(ones / 20000, 0.5, 0.02);
    CHECK_NEAR(texts / 20000, 0.25, 0.02);
    CHECK(ob_fuzz_draw_get(draw(fuzzer, 0), "none") == NULL);
    ob_fuzzer_destroy(fuzzer);
}

static void alias_circle(void)
{
    const ob_fuzz_choice a[] = {{.alias = "b", .probability = 1}};
    const ob_fuzz_choice b[] = {{.alias = "a", .probability = 1}};
    const ob_fuzz_parameter parameters[] = {
        {.name = "a", .distribution = OB_FUZZ_CHOICE, .choices = a, .choice_count = 1},
        {.name = "b", .distribution = OB_FUZZ_CHOICE, .choices = b, .choice_count = 1}};
    ob_fuzzer *fuzzer = make(parameters, 2, NULL, 0, NULL);
    const ob_fuzz_draw *d;
    CHECK_INT(ob_fuzzer_draw(fuzzer, 0, &d, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "ParameterAlias cycle detected");
    CHECK(d == NULL);
    ob_fuzzer_destroy(fuzzer);
}

/* Without strict, a bound on the size prefers few dimensions. */
static double share_of_three(bool strict, double *rejection_rate)
{
    const ob_fuzz_choice dims[] = {{.value = OB_FUZZ_INT(1), .probability = 0.3},
                                   {.value = OB_FUZZ_INT(2), .probability = 0.4},
                                   {.value = OB_FUZZ_INT(3), .probability = 0.3}};
    const ob_fuzz_parameter parameters[] = {
        {.name = "dim",
         .distribution = OB_FUZZ_CHOICE,
         .choices = dims,
         .choice_count = 3,
         .strict = strict},
        {.name = "k0", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(4, 64)},
        {.name = "k1", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(4, 64)},
        {.name = "k2", .distribution = OB_FUZZ_LOGUNIFORM, OB_FUZZ_RANGE(4, 64)}};
    const ob_fuzz_tensor tensors[] = {
        {.name = "x", .size = {"k0", "k1", "k2"}, .dim_parameter = "dim", .max_elements = 1024}};
    ob_fuzzer *fuzzer = make(parameters, 4, tensors, 1, NULL);
    double share[3];
    shares(fuzzer, "dim", 1, share, 3);
    for (uint64_t i = 0; i < 100; i++)
        CHECK(ob_fuzz_draw_tensor(draw(fuzzer, i), "x")->numel <= 1024);
    *rejection_rate = ob_fuzzer_rejection_rate(fuzzer);
    ob_fuzzer_destroy(fuzzer);
    return share[2];
}

static void strict_keeps_the_distribution(void)
{
    double rate;
    CHECK_NEAR(share_of_three(true, &rate), 0.3, 0.02);
    CHECK_NEAR(rate, 0.5545, 0.02);
    CHECK_NEAR(share_of_three(false, &rate), 0.08, 0.02);
}

static bool is_small(void *ctx, const ob_fuzz_draw *d)
{
    ++*(int *)ctx;
    CHECK_INT(d->tensor_count, 0);
    return ob_fuzz_draw_int(d, "a", 100) <= 6;
}

static void constraints(void)
{
    const ob_fuzz_parameter parameters[] = {
        {.name = "a", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 10)}};
    const char *const texts[] = {"a % 2 == 0", "a != 4"};
    int asked = 0;
    const ob_fuzz_spec spec = {.size = sizeof spec,
                               .parameters = parameters,
                               .parameter_size = sizeof(ob_fuzz_parameter),
                               .parameter_count = 1,
                               .constraints = texts,
                               .constraint_count = 2,
                               .accept = is_small,
                               .accept_ctx = &asked};
    ob_fuzzer *fuzzer;
    uint64_t attempts = 0;
    CHECK_INT(ob_fuzzer_create(&spec, 0, &fuzzer, &err), OB_OK);
    for (uint64_t i = 0; i < 2000; i++) {
        const ob_fuzz_draw *d = draw(fuzzer, i);
        const int64_t a = ob_fuzz_draw_int(d, "a", 0);
        CHECK(a == 2 || a == 6);
        attempts += d->attempts;
    }
    CHECK(asked >= 2000);
    CHECK_NEAR(ob_fuzzer_rejection_rate(fuzzer), 0.8, 0.02);
    CHECK_REAL(ob_fuzzer_rejection_rate(fuzzer), (double)(attempts - 2000) / (double)attempts);
    ob_fuzzer_destroy(fuzzer);

    fuzzer = make(parameters, 1, NULL, 0, "a > 10");
    const ob_fuzz_draw *d;
    CHECK_INT(ob_fuzzer_draw(fuzzer, 3, &d, &err), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "Failed to generate a set of valid parameters: draw 3 was refused 1000");
    CHECK_REAL(ob_fuzzer_rejection_rate(fuzzer), 1);
    ob_fuzzer_destroy(fuzzer);
}

static const ob_fuzz_parameter SIZES[] = {
    {.name = "k0", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(3, 9)},
    {.name = "k1", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(3, 9)},
    {.name = "four", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(4, 4)},
    {.name = "roll", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 1)}};

static void layouts(void)
{
    const double never = 0, always = 1;
    const ob_fuzz_tensor tensors[] = {
        {.name = "permuted", .size = {"k0", "k1"}, .probability_contiguous = &never},
        {.name = "stepped",
         .size = {"2", "3"},
         .steps = {"4", "2"},
         .probability_contiguous = &always},
        {.name = "both", .size = {"2", "3"}, .steps = {"4", "2"}, .probability_contiguous = &never},
        {.name = "thin", .size = {"1", "k1"}, .probability_contiguous = &never},
        {.name = "padded",
         .size = {"k0", "k1"},
         .dim_parameter = "four",
         .probability_contiguous = &always},
        {.name = "rolled",
         .size = {"k0", "2", "3"},
         .steps = {"1", "5"},
         .roll_parameter = "roll",
         .probability_contiguous = &always},
        {.name = "line", .size = {"k0"}, .probability_contiguous = &never},
        {.name = "scalar"}};
    ob_fuzzer *fuzzer = make(SIZES, COUNT(SIZES), tensors, COUNT(tensors), NULL);
    for (uint64_t i = 0; i < 50; i++) {
        const ob_fuzz_draw *d = draw(fuzzer, i);
        const int64_t k0 = ob_fuzz_draw_int(d, "k0", 0), k1 = ob_fuzz_draw_int(d, "k1", 0);
        const ob_fuzz_tensor_info *t = ob_fuzz_draw_tensor(d, "permuted");
        CHECK(t->size[0] == k0 && t->size[1] == k1 && t->strides[0] == 1 && t->strides[1] == k0);
        CHECK(t->order[0] == 1 && t->order[1] == 0 && !t->is_contiguous);
        CHECK_INT(t->numel, k0 * k1);
        t = ob_fuzz_draw_tensor(d, "stepped");
        CHECK(t->strides[0] == 24 && t->strides[1] == 2 && t->order[0] == 0 && !t->is_contiguous);
        CHECK_INT(t->allocation_bytes, 8 * 6 * 4);
        t = ob_fuzz_draw_tensor(d, "both");
        CHECK(t->strides[0] == 4 && t->strides[1] == 16 && t->order[0] == 1);
        t = ob_fuzz_draw_tensor(d, "thin"); /* nothing to bring into another order */
        CHECK(t->strides[0] == k1 && t->strides[1] == 1 && t->order[0] == 1 && t->is_contiguous);
        t = ob_fuzz_draw_tensor(d, "padded");
        CHECK(t->ndim == 4 && t->size[1] == k1 && t->size[2] == 1 && t->size[3] == 1);
        t = ob_fuzz_draw_tensor(d, "rolled");
        CHECK(t->size[0] == 3 && t->size[1] == k0 && t->size[2] == 2);
        CHECK(t->steps[0] == 1 && t->steps[1] == 1 && t->steps[2] == 5);
        t = ob_fuzz_draw_tensor(d, "line");
        CHECK(t->strides[0] == 1 && t->order[0] == 0 && t->is_contiguous);
        t = ob_fuzz_draw_tensor(d, "scalar");
        CHECK(t->ndim == 0 && t->numel == 1 && t->is_contiguous);
    }
    CHECK(ob_fuzz_draw_tensor(draw(fuzzer, 0), "k0") == NULL);
    ob_fuzzer_destroy(fuzzer);
}

static void elements(void)
{
    const ob_fuzz_tensor tensors[] = {
        {.name = "f", .size = {"k0", "k1"}, .steps = {"3", "2"}},
        {.name = "i", .size = {"k0", "50"}, .dtype = "torch.int8"},
        {.name = "c", .size = {"k0"}, .dtype = "complex64", .max_allocation_bytes = 9 * 8},
        {.name = "b", .size = {"200"}, .dtype = "bool"}};
    ob_fuzzer *fuzzer = make(SIZES, COUNT(SIZES), tensors, COUNT(tensors), NULL);
    ob_tensor t, again;
    const ob_fuzz_draw *d = draw(fuzzer, 5);
    CHECK_INT(ob_fuzz_draw_make(fuzzer, d, 0, &t, &err), OB_OK);
    CHECK_INT(ob_storage_size(t.storage), d->tensors[0].allocation_bytes);
    CHECK_INT(t.strides[1], d->tensors[0].strides[1]);
    const float *reals = ob_tensor_data(&t);
    for (size_t i = 0; i < ob_storage_size(t.storage) / 4; i++)
        CHECK(reals[i] >= 0 && reals[i] < 1);
    CHECK_INT(ob_fuzz_draw_make(fuzzer, d, 0, &again, &err), OB_OK);
    CHECK(memcmp(reals, ob_tensor_data(&again), ob_storage_size(t.storage)) == 0);
    ob_tensor_fini(&again);
    ob_tensor_fini(&t);

    CHECK_INT(ob_fuzz_draw_make(fuzzer, d, 1, &t, &err), OB_OK);
    const int8_t *ints = ob_tensor_data(&t);
    int lowest = 127, highest = 0;
    for (size_t i = 0; i < ob_storage_size(t.storage); i++) {
        lowest = ints[i] < lowest ? ints[i] : lowest;
        highest = ints[i] > highest ? ints[i] : highest;
    }
    CHECK(lowest >= 1 && lowest < 40 && highest <= 126 && highest > 80);
    ob_tensor_fini(&t);

    CHECK_INT(d->tensors[2].allocation_bytes, d->tensors[2].numel * 8);
    CHECK_INT(ob_fuzz_draw_make(fuzzer, d, 3, &t, &err), OB_OK);
    const uint8_t *bools = ob_tensor_data(&t);
    int truths = 0;
    for (size_t i = 0; i < 200; i++)
        truths += bools[i];
    CHECK(truths > 50 && truths < 150);
    ob_tensor_fini(&t);
    CHECK_INT(ob_fuzz_draw_make(fuzzer, d, 4, &t, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "the draw has 4 tensors; there is no tensor 4");
    ob_fuzzer_destroy(fuzzer);
}

/* Indices lie inside and, if coalesced, rise; uncoalesced every place is there twice. */
static void check_indices(const ob_tensor *t, const ob_fuzz_tensor_info *info)
{
    const int64_t *index = ob_tensor_data(t->indices);
    const size_t nnz = (size_t)info->nnz, half = info->is_coalesced ? nnz : nnz / 2;
    int64_t before = -1;
    for (size_t i = 0; i < half; i++) {
        int64_t place = 0;
        for (size_t dim = 0; dim < (size_t)info->sparse_dim; dim++) {
            const int64_t at = index[dim * nnz + i];
            CHECK(at >= 0 && at < info->size[dim]);
            place = place * info->size[dim] + at;
            if (!info->is_coalesced)
                CHECK_INT(index[dim * nnz + i + half], at);
        }
        CHECK(place > before);
        before = place;
    }
}

static void sparse(void)
{
    const ob_fuzz_choice either[] = {
        {.value = {.kind = OB_VALUE_BOOL, .as = {.boolean = true}}, .probability = 0.5},
        {.value = {.kind = OB_VALUE_BOOL, .as = {.boolean = false}}, .probability = 0.5}};
    const ob_fuzz_parameter parameters[] = {
        {.name = "k", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(3, 40)},
        {.name = "d",
         .distribution = OB_FUZZ_UNIFORM,
         .min = OB_FUZZ_REAL(0),
         .max = OB_FUZZ_REAL(1)},
        {.name = "s", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 5)},
        {.name = "coalesced",
         .distribution = OB_FUZZ_CHOICE,
         .choices = either,
         .choice_count = 2}};
    const ob_fuzz_tensor tensors[] = {
        {.name = "x", .sparse = true, .size = {"k", "4", "3"}, .sparse_dim = "s", .density = "d"},
        {.name = "y", .sparse = true, .size = {"k", "4"}, .nnz = "2", .coalesced = "true"}};
    ob_fuzzer *fuzzer = make(parameters, COUNT(parameters), tensors, 2, NULL);
    for (uint64_t i = 0; i < 200; i++) {
        const ob_fuzz_draw *d = draw(fuzzer, i);
        const ob_fuzz_tensor_info *x = &d->tensors[0], *y = &d->tensors[1];
        const int64_t s = ob_fuzz_draw_int(d, "s", 0);
        CHECK_INT(x->sparse_dim, s < 3 ? s : 3);
        CHECK_INT(x->sparse_dim + x->dense_dim, 3);
        int64_t places = 1;
        for (int j = 0; j < x->sparse_dim; j++)
            places *= x->size[j];
        const double density = ob_fuzz_draw_get(d, "d")->as.real;
        CHECK_INT(x->nnz, (int64_t)ceil((double)places * density) * (x->is_coalesced ? 1 : 2));
        CHECK_INT(x->is_coalesced, ob_fuzz_draw_int(d, "coalesced", -1));
        CHECK_INT(y->nnz, 2);
        CHECK_REAL(y->density, 2.0 / (double)y->numel);
        ob_tensor t;
        CHECK_INT(ob_fuzz_draw_make(fuzzer, d, 0, &t, &err), OB_OK);
        CHECK_INT(t.layout, OB_LAYOUT_SPARSE_COO);
        CHECK_INT(t.indices->sizes[1], x->nnz);
        CHECK_INT(t.values->ndim, x->dense_dim + 1);
        check_indices(&t, x);
        ob_tensor_fini(&t);
    }
    ob_fuzzer_destroy(fuzzer);
}

static void last_parameter_of_a_name_wins(void)
{
    const ob_fuzz_parameter parameters[] = {
        {.name = "a", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(1, 1)},
        {.name = "b", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(2, 2)},
        {.name = "a", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(3, 3)}};
    ob_fuzzer *fuzzer = make(parameters, 3, NULL, 0, NULL);
    const ob_fuzz_draw *d = draw(fuzzer, 0);
    CHECK_INT(d->parameter_count, 2);
    CHECK_INT(ob_fuzz_draw_int(d, "a", 0), 3);
    ob_fuzzer_destroy(fuzzer);
}

/* Sizes that no machine has are refused like any other bound, not computed with. */
static void huge_sizes(void)
{
    const ob_fuzz_parameter parameters[] = {
        {.name = "k", .distribution = OB_FUZZ_UNIFORM, OB_FUZZ_RANGE(0, INT64_MAX)}};
    const char *const size[][3] = {{"k", "k", "k"}, {"0", "k", "k"}, {"k", "1", "1"}};
    for (size_t i = 0; i < 3; i++) {
        const ob_fuzz_tensor tensors[] = {
            {.name = "x", .size = {size[i][0], size[i][1], size[i][2]}, .steps = {"k", "1", "k"}}};
        ob_fuzzer *fuzzer = make(parameters, 1, tensors, 1, NULL);
        const ob_fuzz_draw *d;
        CHECK_INT(ob_fuzzer_draw(fuzzer, 0, &d, &err), OB_ERR_LIMIT);
        ob_fuzzer_destroy(fuzzer);
    }
}

int main(void)
{
    RUN(exact_values);
    RUN(draws_do_not_depend_on_each_other);
    RUN(take_ends_at_an_error);
    RUN(loguniform_reaches_its_maximum);
    RUN(choices_and_aliases);
    RUN(alias_circle);
    RUN(strict_keeps_the_distribution);
    RUN(constraints);
    RUN(layouts);
    RUN(elements);
    RUN(sparse);
    RUN(last_parameter_of_a_name_wins);
    RUN(huge_sizes);
    return ob_test_end();
}
