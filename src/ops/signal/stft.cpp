// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// STFT-15: the signal in frames, each multiplied by a window and transformed. The result is
// [batch, frames, size / 2 + 1, 2], or with frames and frequencies transposed.
#include "ops/signal/stft.hpp"

#include <algorithm>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"
#include "ops/signal/fft.hpp"
#include "ops/signal/frames.hpp"

namespace fuseq::stft_ops {
namespace {

template <class Context>
void check_fits(const Context& context, std::int64_t frame, std::int64_t signal) {
    context.require(frame <= signal, "frame_size is ", frame, ", the signal has ", signal,
                    " values");
}

Dimension frame_count(const Dimension& signal, std::int64_t size, std::int64_t step) {
    const auto count = [&](std::int64_t length) {
        return length < size ? 1 : (length - size) / step + 1;
    };
    return {count(signal.get_min_length()), signal.get_max_length() == Dimension::kUnbounded
                                                ? Dimension::kUnbounded
                                                : count(signal.get_max_length())};
}

void infer(InferContext& context) {
    const KnownFrames known = infer_frames(context);
    const PartialShape& signal = context.shape(0);
    if (!signal.rank_is_static()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    const std::size_t rank = signal.rank();
    context.require(rank == 1 || rank == 2, "signal has shape ", to_string(signal),
                    ", expected [size] or [batch, size]");
    const Dimension& length = signal[rank - 1];
    if (known.size && length.get_max_length() != Dimension::kUnbounded) {
        check_fits(context, *known.size, length.get_max_length());
    }
    Dimension frames;
    Dimension frequencies;
    if (known.size) {
        frequencies = *known.size / 2 + 1;
        if (known.step) {
            frames = frame_count(length, *known.size, *known.step);
        }
    }
    std::vector<Dimension> dims{frames, frequencies, 2};
    if (context.attrs<StftAttrs>().transpose_frames) {
        std::swap(dims[0], dims[1]);
    }
    if (rank == 2) {
        dims.insert(dims.begin(), signal[0]);
    }
    context.set_output(0, context.type(0), PartialShape(std::move(dims)));
}

// Sizes of the result, and how far apart its frames and frequencies are.
struct Layout {
    std::size_t batch, count, frequencies;
    std::size_t frame_step, frequency_step;
};

template <class T>
void transform(const Tensor& signal,
               const Frames& frames,
               const std::vector<double>& window,
               const Layout& layout,
               Tensor& out) {
    Fft fft(frames.size);
    std::vector<Complex> line(frames.size);
    const std::size_t length = signal.get_shape().back();
    for (std::size_t f = 0; f < layout.batch * layout.count; ++f) {
        const std::size_t b = f / layout.count;
        const std::size_t frame = f % layout.count;
        const T* src = signal.data<T>() + b * length + frame * frames.step;
        for (std::size_t i = 0; i < frames.size; ++i) {
            line[i] = static_cast<double>(src[i]) * window[i];
        }
        fft.transform(line, FftDirection::kForward);
        T* dst = out.data<T>() + b * layout.count * layout.frequencies * 2;
        for (std::size_t k = 0; k < layout.frequencies; ++k) {
            T* pair = dst + 2 * (frame * layout.frame_step + k * layout.frequency_step);
            pair[0] = static_cast<T>(line[k].real());
            pair[1] = static_cast<T>(line[k].imag());
        }
    }
}

void evaluate(EvalContext& context) {
    const Frames frames = read_frames(context);
    const Tensor& signal = context.input(0);
    const Shape& from = signal.get_shape();
    context.require(from.size() == 1 || from.size() == 2, "signal has shape ", to_string(from),
                    ", expected [size] or [batch, size]");
    check_fits(context, static_cast<std::int64_t>(frames.size),
               static_cast<std::int64_t>(from.back()));
    Layout layout{};
    layout.batch = from.size() == 2 ? from[0] : 1;
    layout.count = (from.back() - frames.size) / frames.step + 1;
    layout.frequencies = frames.size / 2 + 1;
    const bool transposed = context.attrs<StftAttrs>().transpose_frames;
    layout.frame_step = transposed ? 1 : layout.frequencies;
    layout.frequency_step = transposed ? layout.count : 1;
    Shape shape{layout.count, layout.frequencies, 2};
    if (transposed) {
        std::swap(shape[0], shape[1]);
    }
    if (from.size() == 2) {
        shape.insert(shape.begin(), layout.batch);
    }
    const std::vector<double> window = padded_window(context, frames.size);
    Tensor& out = context.output(0, shape);
    dispatch_real(context, signal.get_element_type(), [&](auto tag) {
        transform<typename decltype(tag)::type>(signal, frames, window, layout, out);
    });
}

const OpSpec kOps[] = {
    {.type = "STFT",
     .version = 15,
     .inputs = {4, 4},
     .make_attributes = make_attributes<StftAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Fourier transforms of windows that move along a signal",
     .refused = "frames longer than the signal, windows longer than a frame"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::stft_ops
