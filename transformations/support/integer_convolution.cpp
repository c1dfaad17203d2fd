// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/integer_convolution.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// A border that is wrong by less than this part of a step of the FQ that follows changes nothing
// but ties (check_layers.py counts 0.001 as a tie).
constexpr double kHarmlessBorderError = 1e-3;

std::size_t output_channels(const Node& conv) {
    const Shape wei = conv.input(1).shape();
    std::size_t count = 1;
    for (const std::size_t d : output_channel_dims(conv, wei)) {
        count *= wei[d];
    }
    return count;
}

template <class T>
bool same_everywhere(const std::vector<T>& values) {
    return std::all_of(values.begin(), values.end(), [&](auto v) { return v == values.front(); });
}

// [1, OC, 1, ...], or a scalar for equal values.
Tensor per_channel_tensor(std::vector<float> values, std::size_t rank) {
    return ChannelValues(std::move(values), 1).to_tensor(rank);
}

// Error at the border, in real numbers, if the correction is the same everywhere.
double border_error(const Node& conv, const IntegerConvolution& q) {
    const std::vector<double> sums = largest_missed_sums(conv, q.weights());
    double error = 0;
    for (std::size_t oc = 0; oc < q.channels(); ++oc) {
        error = std::max(error, std::abs(q.fraction[oc] * sums[oc] * q.scale[oc]));
    }
    return error;
}

Tensor uniform_correction(const Node& conv, const IntegerConvolution& q) {
    const std::vector<double> sums = weight_sums(conv, q.weights());
    std::vector<float> shift(q.channels());
    for (std::size_t oc = 0; oc < q.channels(); ++oc) {
        shift[oc] = static_cast<float>(-q.fraction[oc] * sums[oc] * q.scale[oc]);
    }
    return per_channel_tensor(std::move(shift), conv.port().shape.rank());
}

Tensor exact_correction(const Node& conv, const IntegerConvolution& q) {
    const std::vector<double> sums = met_sums(conv, q.weights());
    Shape shape{1, q.channels()};
    for (std::size_t d = 2; d < conv.port().shape.rank(); ++d) {
        shape.push_back(static_cast<std::size_t>(conv.port().shape[d].get_length()));
    }
    std::vector<float> values(sums.size());
    const std::size_t area = sums.size() / std::max<std::size_t>(q.channels(), 1);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t oc = i / area;
        values[i] = static_cast<float>(-q.fraction[oc] * sums[i] * q.scale[oc]);
    }
    return Tensor::of(shape, values);
}

// `step`: of the FQ that follows, 0 when there is none.
Tensor correction(const Node& conv,
                  const IntegerConvolution& q,
                  double step,
                  std::string_view pass,
                  PassContext& context) {
    if (!may_miss_source(conv) || !context.options().exact_borders) {
        return uniform_correction(conv, q);
    }
    if (!has_static_spatial_shape(conv)) {
        context.refused(pass, conv, "approximate_border",
                        "the zero point of the source is no whole number; its fraction is added "
                        "as a bias, which is too much where the window reaches into padding");
        return uniform_correction(conv, q);
    }
    if (step > 0 && border_error(conv, q) < kHarmlessBorderError * step) {
        return uniform_correction(conv, q);
    }
    return exact_correction(conv, q);
}

// After the inputs that the operation may have: a deconvolution's output_shape.
void add_zero_points(Node& conv, const IntegerConvolution& q) {
    const auto constant = [&](const char* name, const auto& values) {
        return make_constant(conv.model(), conv.name() + name,
                             same_everywhere(values) ? Tensor::scalar(values.front())
                                                     : Tensor::of(Shape{values.size()}, values));
    };
    const bool of_src = !same_everywhere(q.whole) || q.whole.front() != 0;
    if (!of_src && q.wei_zero.empty()) {
        return;
    }
    while (conv.input_count() < conv.spec().inputs.max) {
        conv.add_input({});
    }
    conv.add_input(of_src ? constant("/zero_point", q.whole) : Output{});
    if (!q.wei_zero.empty()) {
        conv.add_input(constant("/wei_zero_point", q.wei_zero));
    }
}

}  // namespace

bool sums_one_channel(const Node& conv) {
    const Shape wei = conv.input(1).shape();
    return (conv.is("GroupConvolution") && wei[2] == 1) ||
           (conv.is("GroupConvolutionBackpropData") && wei[1] == 1);
}

IntegerConvolution describe_integer_convolution(const Node& conv,
                                                const Dequantize& src,
                                                const std::vector<float>& wei_scale) {
    IntegerConvolution q;
    const std::size_t channels = output_channels(conv);
    const std::size_t per_src = sums_one_channel(conv) ? channels / conv.input(1).shape()[0]
                                                       : std::max<std::size_t>(channels, 1);
    for (const float zero_point : src.zero_point.list()) {
        q.whole.push_back(static_cast<std::int32_t>(whole_zero_point(zero_point, src.q.type())));
    }
    for (std::size_t oc = 0; oc < channels; ++oc) {
        const std::size_t c = oc / per_src;
        const double t = wei_scale.size() == 1 ? wei_scale[0] : wei_scale[oc];
        q.scale.push_back(static_cast<float>(src.scale[c] * t));
        q.fraction.push_back(static_cast<double>(src.zero_point[c]) -
                             q.whole[q.whole.size() == 1 ? 0 : c]);
    }
    return q;
}

Output make_integer(Node& conv,
                    const IntegerConvolution& q,
                    double step,
                    std::string_view pass,
                    PassContext& context) {
    Model& model = conv.model();
    const std::size_t rank = conv.port().shape.rank();
    const auto nonzero = [](double v) { return v != 0; };
    conv.set_input(0, q.src);
    conv.set_input(1, q.wei);
    add_zero_points(conv, q);
    conv.infer();
    const Output scale =
        make_constant(model, conv.name() + "/scale", per_channel_tensor(q.scale, rank));
    Node* end = model.add("Multiply", 1, conv.name() + "/dequantize", {conv.output(), scale},
                          BinaryAttrs{});
    end->origins = origins_of(conv);
    if (std::any_of(q.fraction.begin(), q.fraction.end(), nonzero)) {
        const Output shift =
            make_constant(model, conv.name() + "/shift", correction(conv, q, step, pass, context));
        end = model.add("Add", 1, conv.name() + "/correct", {end->output(), shift}, BinaryAttrs{});
        end->origins = origins_of(conv);
    }
    return end->output();
}

}  // namespace fuseq
