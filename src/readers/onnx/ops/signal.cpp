// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms, the windows before them and the mel filters after them.
#include <cmath>
#include <numbers>

#include "readers/onnx/element_types.hpp"
#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::signal_operators {
namespace {

using Outputs = std::vector<Output>;

std::int64_t one_int(const Operator& op, std::size_t input, const char* what) {
    const std::vector<std::int64_t> values = op.ints(op.input(input), what);
    op.require(values.size() == 1, what, " has ", values.size(), " values, expected one");
    return values[0];
}

// Values [0, count) of an axis.
Output first_of_axis(Operator& op, const Output& x, std::int64_t axis, const Output& count) {
    return op.add("Slice", {x, op.int_list({0}), op.reshape(count, {1}), op.int_list({1}),
                            op.int_list({axis})});
}

// n / 2 + 1
Output half_spectrum(Operator& op, const Output& length) {
    const Output half = op.add("Divide", {length, op.int_scalar(2)});
    return op.add("Add", {half, op.int_scalar(1)});
}

// Pairs of real and imaginary part at the end.
Outputs transform(Operator& op, std::int64_t stated_axis) {
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x);
    op.require(rank >= 2 && x.partial_shape()[rank - 1].is_static(), "the input has shape ",
               to_string(x.partial_shape()), ", expected one or two numbers in the last dimension");
    const std::int64_t parts = x.partial_shape()[rank - 1].get_length();
    op.require(parts == 1 || parts == 2, "the last dimension is ", parts,
               ", expected 1 (real) or 2 (complex)");
    const auto axis = static_cast<std::int64_t>(op.axis(stated_axis, rank));
    op.require(axis + 1 < static_cast<std::int64_t>(rank), "axis ", axis,
               " is that of real and imaginary part");
    const bool inverse = op.attributes.integer("inverse", 0) != 0;
    const bool onesided = op.attributes.integer("onesided", 0) != 0;
    op.require(!(inverse && onesided), "inverse=1 with onesided=1 is not supported");
    const Output axes = op.int_list({axis});
    const bool sized = op.has_input(1);
    const Output length =
        sized ? op.convert(op.reshape(op.input(1), {}), ElementType::i64) : op.size_of(x, axis);
    std::vector<Output> inputs{x, axes};
    if (sized) {
        inputs.push_back(op.reshape(length, {1}));
    }
    if (parts == 1 && onesided) {
        inputs[0] = op.squeeze(x, {static_cast<std::int64_t>(rank) - 1});
        return {op.add("RDFT", inputs)};
    }
    if (parts == 1) {
        const Output zeros = op.add("Multiply", {x, op.scalar(0, x)});
        inputs[0] = op.add("Concat", {x, zeros}, {{"axis", static_cast<std::int64_t>(rank) - 1}});
    }
    const Output y = op.add(inverse ? "IDFT" : "DFT", inputs);
    return {onesided ? first_of_axis(op, y, axis, half_spectrum(op, length)) : y};
}

Outputs dft_by_attribute(Operator& op) {
    return transform(op, op.attributes.integer("axis", 1));
}

Outputs dft_by_input(Operator& op) {
    const std::int64_t axis = op.has_input(2) ? one_int(op, 2, "axis") : -2;
    return transform(op, axis);
}

// The other half of the spectrum of a real signal: bin n - k is the conjugate of bin k.
Output both_sides(Operator& op, const Output& half, std::int64_t length) {
    std::vector<std::int64_t> mirrored;
    for (std::int64_t k = length / 2 + 1; k < length; ++k) {
        mirrored.push_back(length - k);
    }
    if (mirrored.empty()) {
        return half;
    }
    const Output other = op.add("Gather", {half, op.int_list(mirrored), op.int_scalar(2)});
    const Output sign =
        op.convert(op.constant(Tensor::of<float>(Shape{2}, {1.0F, -1.0F})), half.type());
    return op.add("Concat", {half, op.add("Multiply", {other, sign})}, {{"axis", std::int64_t{2}}});
}

Outputs stft(Operator& op) {
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x, "the signal");
    op.require(rank == 2 || rank == 3, "the signal has rank ", rank, ", expected 2 or 3");
    op.require(rank == 2 || x.partial_shape()[2] == Dimension(1),
               "complex signals are not supported");
    const Output signal = rank == 3 ? op.squeeze(x, {2}) : x;
    op.require(op.has_input(2) || op.has_input(3), "neither window nor frame_length is given");
    std::int64_t length = 0;
    if (op.has_input(3)) {
        length = one_int(op, 3, "frame_length");
    } else {
        const PartialShape& shape = op.input(2).partial_shape();
        op.require(shape.is_static() && shape.rank() == 1, "window has shape ", to_string(shape),
                   ", expected one known dimension");
        length = shape[0].get_length();
    }
    constexpr std::int64_t kMaxLength = std::int64_t{1} << 24;
    op.require(length > 0 && length <= kMaxLength, "frame_length is ", length, ", expected 1 to ",
               kMaxLength);
    const Output window =
        op.has_input(2)
            ? op.input(2)
            : op.convert(op.constant(Tensor::of<float>(
                             Shape{static_cast<std::size_t>(length)},
                             std::vector<float>(static_cast<std::size_t>(length), 1.0F))),
                         x.type());
    const Output step = op.convert(op.reshape(op.input(1), {}), ElementType::i64);
    const Output half = op.add("STFT", {signal, window, op.int_scalar(length), step},
                               {{"transpose_frames", false}});
    return {op.attributes.integer("onesided", 1) != 0 ? half : both_sides(op, half, length)};
}

// a0 - a1 * cos(2 pi i / n) + a2 * cos(4 pi i / n), n the size, or one less if not periodic.
Outputs cosine_window(Operator& op, double a0, double a1, double a2) {
    const Output size = op.convert(op.reshape(op.input(0), {}), ElementType::f32);
    const Output one = op.scalar(1, size);
    const bool periodic = op.attributes.integer("periodic", 1) != 0;
    const Output period = periodic ? size : op.add("Subtract", {size, one});
    const Output place =
        op.add("Range", {op.scalar(0, size), size, one}, {{"output_type", ElementType::f32}});
    const Output turns = op.add("Divide", {place, period});
    const auto wave = [&](double times, double height) {
        const Output angle =
            op.add("Multiply", {turns, op.scalar(2 * std::numbers::pi * times, size)});
        return op.add("Multiply", {op.add("Cos", {angle}), op.scalar(height, size)});
    };
    Output y = op.add("Subtract", {op.scalar(a0, size), wave(1, a1)});
    if (a2 != 0) {
        y = op.add("Add", {y, wave(2, a2)});
    }
    const auto type = static_cast<int>(op.attributes.integer("output_datatype", 1));
    return {op.convert(y, element_type(type, op.place()))};
}

Outputs hann_window(Operator& op) {
    return cosine_window(op, 0.5, 0.5, 0);
}

Outputs hamming_window(Operator& op) {
    return cosine_window(op, 25.0 / 46, 21.0 / 46, 0);
}

Outputs blackman_window(Operator& op) {
    return cosine_window(op, 0.42, 0.5, 0.08);
}

struct MelFilters {
    std::int64_t filters = 0;
    std::int64_t length = 0;  // of the transform
    std::int64_t rate = 0;
    double lower = 0;  // Hz
    double upper = 0;

    std::int64_t bins() const { return length / 2 + 1; }
    // First bins of the triangles: equal steps on the mel scale.
    std::vector<std::int64_t> edges() const {
        const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
        const double step = (mel(upper) - mel(lower)) / static_cast<double>(filters + 2);
        std::vector<std::int64_t> result;
        for (std::int64_t i = 0; i < filters + 2; ++i) {
            const double place = static_cast<double>(i) * step + mel(lower);
            const double hertz = 700 * (std::pow(10, place / 2595) - 1);
            result.push_back(static_cast<std::int64_t>(
                std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
        }
        return result;
    }
};

// One triangle a filter, as the definition of MelWeightMatrix has them.
std::vector<double> triangles(const Operator& op, const MelFilters& mel) {
    std::vector<double> table(static_cast<std::size_t>(mel.bins() * mel.filters), 0);
    const std::vector<std::int64_t> edges = mel.edges();
    op.require(edges.front() >= 0 && edges.back() <= mel.bins(), "a filter reaches bin ",
               edges.back(), " of ", mel.bins());
    for (std::int64_t f = 0; f < mel.filters; ++f) {
        const auto i = static_cast<std::size_t>(f);
        const std::int64_t low = edges[i];
        const std::int64_t middle = edges[i + 1];
        const std::int64_t high = edges[i + 2];
        const auto at = [&](std::int64_t bin) -> double& {
            op.require(bin < mel.bins(), "a filter reaches bin ", bin, " of ", mel.bins());
            return table[static_cast<std::size_t>(bin * mel.filters + f)];
        };
        for (std::int64_t bin = low; bin <= middle; ++bin) {
            at(bin) = low == middle
                          ? 1
                          : static_cast<double>(bin - low) / static_cast<double>(middle - low);
        }
        for (std::int64_t bin = middle; bin < high; ++bin) {
            at(bin) = static_cast<double>(high - bin) / static_cast<double>(high - middle);
        }
    }
    return table;
}

Outputs mel_weight_matrix(Operator& op) {
    const auto whole = [&](std::size_t i, const char* what) { return one_int(op, i, what); };
    const MelFilters mel{.filters = whole(0, "num_mel_bins"),
                         .length = whole(1, "dft_length"),
                         .rate = whole(2, "sample_rate"),
                         .lower = op.real(op.input(3), "lower_edge_hertz"),
                         .upper = op.real(op.input(4), "upper_edge_hertz")};
    constexpr std::int64_t kMax = 1 << 20;
    op.require(mel.filters > 0 && mel.filters <= kMax && mel.length > 0 && mel.length <= kMax &&
                   mel.filters * mel.length <= (std::int64_t{1} << 28) && mel.rate > 0,
               "num_mel_bins, dft_length and sample_rate are ", mel.filters, ", ", mel.length,
               " and ", mel.rate, ", expected positive numbers of at most ", kMax);
    op.require(mel.lower >= 0 && mel.upper > mel.lower, "the edges are ", mel.lower, " and ",
               mel.upper, " Hz, expected 0 <= lower < upper");
    const Shape shape{static_cast<std::size_t>(mel.bins()), static_cast<std::size_t>(mel.filters)};
    const Tensor table = Tensor::of<double>(shape, triangles(op, mel));
    const auto type = static_cast<int>(op.attributes.integer("output_datatype", 1));
    return {op.constant(table.to(element_type(type, op.place())))};
}

const OperatorRow kRows[] = {
    {.type = "DFT",
     .since = 17,
     .translate = dft_by_attribute,
     .note = "inverse with onesided refused"},
    {.type = "DFT",
     .since = 20,
     .translate = dft_by_input,
     .note = "inverse with onesided refused"},
    {.type = "STFT", .since = 17, .translate = stft, .note = "complex signals refused"},
    {.type = "HannWindow", .since = 17, .translate = hann_window},
    {.type = "HammingWindow", .since = 17, .translate = hamming_window},
    {.type = "BlackmanWindow", .since = 17, .translate = blackman_window},
    {.type = "MelWeightMatrix",
     .since = 17,
     .translate = mel_weight_matrix,
     .note = "constant inputs"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::signal_operators
