/* SPDX-License-Identifier: Apache-2.0
 *
 * Depthwise convolutions (one wide channel per group) for one element type; included by conv.c like conv_real.h.
 * As matrices they would have one line each. Instead a channel is laid into a frame of zeros, where an output
 * is the sum of what stands at fixed distances from it: one long loop for the whole plane. Columns that lie
 * between the outputs are computed too, and left out.
 */

static void NAME(lay_into_frame)(const native_window *w, const native_frame *f, const REAL *channel,
                                 REAL *frame)
{
    memset(frame, 0, (size_t)(f->rows * f->pitch + NATIVE_TAP_SLACK) * sizeof *frame);
    const int64_t room = f->pitch - w->padding[2];
    const int64_t columns = w->wide[2] < room ? w->wide[2] : room;
    for (int64_t r = 0; r < w->wide[1] && r + w->padding[1] < f->rows && columns > 0; r++)
        memcpy(frame + (r + w->padding[1]) * f->pitch + w->padding[2], channel + r * w->wide[2],
               (size_t)columns * sizeof *frame);
}

/* `rows` lines of outputs that stand in `sums`, f->pitch apart. */
static void NAME(take_outputs)(const native_window *w, const native_frame *f, const REAL *sums,
                               int64_t rows, REAL *out)
{
    const int64_t columns = w->narrow[2], stride = w->stride[2];
    for (int64_t r = 0; r < rows; r++, sums += f->pitch, out += columns) {
        if (stride == 1) {
            memcpy(out, sums, (size_t)columns * sizeof *out);
            continue;
        }
        for (int64_t i = 0; i < columns; i++)
            out[i] = sums[i * stride];
    }
}

static void NAME(depthwise_part)(const native_conv *conv, const native_conv_data *data,
                                 const NAME(part) * part, const REAL *bias)
{
    const native_window *w = &conv->window;
    const native_frame f = frame_of(w);
    REAL *frame = data->workspace, *sums = frame + f.rows * f.pitch + NATIVE_TAP_SLACK;
    int64_t offsets[NATIVE_MOST_TAPS];
    const int64_t reach = (w->narrow[2] - 1) * w->stride[2] + 1;
    for (int64_t k = 0; k < part->depth; k++)
        offsets[k] =
            k / w->kernel[2] * w->dilation[1] * f.pitch + k % w->kernel[2] * w->dilation[2];
    NAME(lay_into_frame)(w, &f, part->wide, frame);
    /* All rows in one go, or row by row where some are left out. */
    const int64_t together = w->stride[1] == 1 ? w->narrow[1] : 1;
    for (int64_t c = 0; c < conv->narrow_channels; c++) {
        native_taps taps = {.out = sums,
                            .weights = part->weight + c * part->depth,
                            .offsets = offsets,
                            .taps = part->depth,
                            .count = (together - 1) * f.pitch + reach,
                            .start = bias != NULL ? (double)bias[c] : 0};
        for (int64_t row = 0; row < w->narrow[1]; row += together) {
            taps.in = frame + row * w->stride[1] * f.pitch;
            data->rows->add_taps(&taps);
            NAME(take_outputs)
            (w, &f, sums, together, part->narrow + c * part->length + row * w->narrow[2]);
        }
    }
}
