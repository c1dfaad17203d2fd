// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/signal/spectrum.hpp"

#include <algorithm>

#include "ops/axis_groups.hpp"
#include "ops/indexing.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq {
namespace {

// Calls function(offset of the first value, distance between values) for every line along the axis.
template <class Function>
void each_line(const Shape& shape, std::size_t axis, Function&& function) {
    const std::size_t step = partial_size(shape, axis + 1, shape.size());
    const std::size_t outer = partial_size(shape, 0, axis);
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < step; ++i) {
            function(o * shape[axis] * step + i, step);
        }
    }
}

}  // namespace

Spectrum read_pairs(const EvalContext& context) {
    const Tensor& in = context.input(0);
    Spectrum spectrum{in.get_shape(), {}};
    context.require(spectrum.shape.size() >= 2 && spectrum.shape.back() == 2, "data has shape ",
                    to_string(in.get_shape()), ", expected pairs in the last dimension");
    spectrum.shape.pop_back();
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        const auto* values = in.data<typename decltype(tag)::type>();
        for (std::size_t i = 0; i < in.get_size(); i += 2) {
            spectrum.values.emplace_back(values[i], values[i + 1]);
        }
    });
    return spectrum;
}

Spectrum read_real(const EvalContext& context) {
    const Tensor& in = context.input(0);
    Spectrum spectrum{in.get_shape(), {}};
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        for (const auto value : in.values<typename decltype(tag)::type>()) {
            spectrum.values.emplace_back(value);
        }
    });
    return spectrum;
}

void write_pairs(EvalContext& context, const Spectrum& spectrum) {
    Shape shape = spectrum.shape;
    shape.push_back(2);
    Tensor& out = context.output(0, shape);
    dispatch_real(context, out.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* to = out.data<T>();
        for (const Complex& value : spectrum.values) {
            *to++ = static_cast<T>(value.real());
            *to++ = static_cast<T>(value.imag());
        }
    });
}

void write_real(EvalContext& context, const Spectrum& spectrum) {
    Tensor& out = context.output(0, spectrum.shape);
    dispatch_real(context, out.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::transform(spectrum.values.begin(), spectrum.values.end(), out.data<T>(),
                       [](const Complex& value) { return static_cast<T>(value.real()); });
    });
}

void resize_axis(const EvalContext& context,
                 Spectrum& spectrum,
                 std::size_t axis,
                 std::size_t size) {
    if (spectrum.shape[axis] == size) {
        return;
    }
    Spectrum resized{spectrum.shape, {}};
    resized.shape[axis] = size;
    if (size > spectrum.shape[axis]) {
        check_element_count(context, resized.shape, "the data resized to signal_size");
    }
    resized.values.resize(shape_size(resized.shape));
    const std::size_t step = partial_size(spectrum.shape, axis + 1, spectrum.shape.size());
    const std::size_t outer = partial_size(spectrum.shape, 0, axis);
    const std::size_t kept = std::min(size, spectrum.shape[axis]) * step;
    for (std::size_t o = 0; o < outer; ++o) {
        std::copy_n(spectrum.values.data() + o * spectrum.shape[axis] * step, kept,
                    resized.values.data() + o * size * step);
    }
    spectrum = std::move(resized);
}

void transform_axis(Spectrum& spectrum, std::size_t axis, FftDirection direction) {
    if (spectrum.values.empty()) {
        return;
    }
    std::vector<Complex> line(spectrum.shape[axis]);
    Fft fft(line.size());
    each_line(spectrum.shape, axis, [&](std::size_t first, std::size_t step) {
        Complex* values = spectrum.values.data() + first;
        for (std::size_t i = 0; i < line.size(); ++i) {
            line[i] = values[i * step];
        }
        fft.transform(line, direction);
        for (std::size_t i = 0; i < line.size(); ++i) {
            values[i * step] = line[i];
        }
    });
}

void mirror_axis(Spectrum& spectrum, std::size_t axis) {
    const std::size_t size = spectrum.shape[axis];
    each_line(spectrum.shape, axis, [&](std::size_t first, std::size_t step) {
        Complex* values = spectrum.values.data() + first;
        for (std::size_t k = size / 2 + 1; k < size; ++k) {
            values[k * step] = std::conj(values[(size - k) * step]);
        }
    });
}

}  // namespace fuseq
