// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ISTFT-16: frames of spectra back to the signal. The frames are added where they overlap, then
// each value is divided by the sum of the windows over it (the frames are not windowed again; a
// value that no window covers is 0). This is what OpenVINO computes; other libraries divide by the
// sum of squares.
#include <algorithm>
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"
#include "ops/signal/fft.hpp"
#include "ops/signal/frames.hpp"
#include "ops/signal/spectrum.hpp"
#include "ops/signal/stft.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::istft_ops {
namespace {

constexpr std::size_t kLength = 4;  // the optional input

template <class Context>
void check_length(const Context& context, std::int64_t length) {
    context.require(length >= 1 && length <= kLongestSignal, "signal_length is ", length,
                    ", expected a value in [1, ", kLongestSignal, "]");
}

template <class Context>
void check_data(const Context& context, const PartialShape& data) {
    const bool ranked = data.rank() == 3 || data.rank() == 4;
    context.require(ranked && data[data.rank() - 1].compatible(2), "data has shape ",
                    to_string(data),
                    ", expected [frequencies, frames, 2], with or without a batch");
}

template <class Context>
void check_frequencies(const Context& context, const Dimension& frequencies, std::int64_t frame) {
    context.require(frequencies.compatible(frame / 2 + 1), "data has ", to_string(frequencies),
                    " frequencies, a frame of ", frame, " values has ", frame / 2 + 1);
}

// Values of all frames, the padding included.
template <class Context>
std::int64_t covered(const Context& context,
                     std::int64_t frames,
                     std::int64_t size,
                     std::int64_t step) {
    context.require(frames >= 1 && frames - 1 <= (kLongestSignal - size) / step, frames,
                    " frames of ", size, " values at steps of ", step,
                    ", expected a signal of 1 to ", kLongestSignal, " values");
    return (frames - 1) * step + size;
}

Dimension length_of(const InferContext& context,
                    const KnownFrames& known,
                    const Dimension& frames) {
    if (context.has_input(kLength)) {
        require_int_scalar(context, kLength, "signal_length");
        const auto length = known_int(context, kLength, 0);
        if (!length) {
            return {};
        }
        check_length(context, *length);
        return *length;
    }
    if (!known.size || !known.step || frames.is_dynamic()) {
        return {};
    }
    const std::int64_t all = covered(context, frames.get_length(), *known.size, *known.step);
    return context.attrs<IstftAttrs>().center ? all - *known.size : all;
}

void infer(InferContext& context) {
    const KnownFrames known = infer_frames(context);
    const PartialShape& data = context.shape(0);
    if (!data.rank_is_static()) {
        length_of(context, known, Dimension::dynamic());
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    check_data(context, data);
    const std::size_t rank = data.rank();
    if (known.size) {
        check_frequencies(context, data[rank - 3], *known.size);
    }
    std::vector<Dimension> dims{length_of(context, known, data[rank - 2])};
    if (rank == 4) {
        dims.insert(dims.begin(), data[0]);
    }
    context.set_output(0, context.type(0), PartialShape(std::move(dims)));
}

// The spectra of one signal, [frequencies, frames], to the sum of its frames.
std::vector<double> add_frames(
    const Complex* spectra, std::size_t count, const Frames& frames, std::size_t length, Fft& fft) {
    std::vector<double> sum(length, 0.0);
    Spectrum line{Shape{frames.size}, std::vector<Complex>(frames.size)};
    for (std::size_t f = 0; f < count; ++f) {
        for (std::size_t k = 0; k <= frames.size / 2; ++k) {
            line.values[k] = spectra[k * count + f];
        }
        mirror_axis(line, 0);
        fft.transform(line.values, FftDirection::kInverse);
        for (std::size_t i = 0; i < frames.size; ++i) {
            sum[f * frames.step + i] += line.values[i].real();
        }
    }
    return sum;
}

std::vector<double> add_windows(const std::vector<double>& window,
                                std::size_t count,
                                std::size_t step,
                                std::size_t length) {
    std::vector<double> sum(length, 0.0);
    for (std::size_t f = 0; f < count; ++f) {
        for (std::size_t i = 0; i < window.size(); ++i) {
            sum[f * step + i] += window[i];
        }
    }
    return sum;
}

void evaluate(EvalContext& context) {
    const Frames frames = read_frames(context);
    const auto& attrs = context.attrs<IstftAttrs>();
    const Shape& from = context.input(0).get_shape();
    check_data(context, PartialShape(from));
    check_frequencies(context, static_cast<std::int64_t>(from[from.size() - 3]),
                      static_cast<std::int64_t>(frames.size));
    const Spectrum spectra = read_pairs(context);
    const std::size_t count = from[from.size() - 2];
    const auto all = static_cast<std::size_t>(covered(context, static_cast<std::int64_t>(count),
                                                      static_cast<std::int64_t>(frames.size),
                                                      static_cast<std::int64_t>(frames.step)));
    const std::int64_t wanted =
        int_input(context, kLength, "signal_length", static_cast<std::int64_t>(all));
    check_length(context, wanted);
    const bool given = context.has_input(kLength);
    const std::size_t length =
        !given && attrs.center ? all - frames.size : static_cast<std::size_t>(wanted);
    const std::size_t margin = attrs.center ? frames.size / 2 : 0;
    const double scale = attrs.normalized ? std::sqrt(static_cast<double>(frames.size)) : 1.0;

    const std::size_t batch = from.size() == 4 ? from[0] : 1;
    const Shape shape = from.size() == 4 ? Shape{batch, length} : Shape{length};
    check_element_count(context, shape, "the signal");
    Tensor& out = context.output(0, shape);
    Fft fft(frames.size);
    const std::vector<double> weights =
        add_windows(padded_window(context, frames.size), count, frames.step, all);
    const std::size_t kept = std::min(length, all - margin);
    dispatch_real(context, out.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::fill_n(out.data<T>(), out.get_size(), T(0));
        for (std::size_t b = 0; b < batch; ++b) {
            const Complex* src = spectra.values.data() + b * (frames.size / 2 + 1) * count;
            const std::vector<double> sum = add_frames(src, count, frames, all, fft);
            for (std::size_t i = 0; i < kept; ++i) {
                const double weight = weights[margin + i];
                out.data<T>()[b * length + i] =
                    static_cast<T>(weight == 0 ? 0.0 : sum[margin + i] * scale / weight);
            }
        }
    });
}

const OpSpec kOps[] = {
    {.type = "ISTFT",
     .version = 16,
     .inputs = {4, 5},
     .make_attributes = make_attributes<IstftAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The signal of an STFT with transposed frames",
     .refused =
         "data whose frequencies do not suit frame_size, windows longer than a frame, results "
         "of more than 2^28 values"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::istft_ops
