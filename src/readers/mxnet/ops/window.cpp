// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/ops/window.hpp"

namespace fuseq::mxnet_reader {
namespace {

constexpr std::int64_t kLargestWindow = 1 << 20;

std::vector<std::int64_t> list(const TextAttributes& attributes,
                               const char* name,
                               std::size_t count,
                               std::int64_t otherwise,
                               const Place& place) {
    std::vector<std::int64_t> values = attributes.integers(name);
    if (values.empty()) {
        values.assign(count, otherwise);
    }
    place.require(values.size() == count, "attribute ", name, " has ", values.size(),
                  " values, the kernel has ", count);
    const std::int64_t min = std::min<std::int64_t>(otherwise, 1);
    for (const std::int64_t value : values) {
        place.require(value >= min && value <= kLargestWindow, "attribute ", name,
                      " has the value ", value, ", expected ", min, " or more");
    }
    return values;
}

}  // namespace

ModelAttributes Window::attributes() const {
    return {{"strides", strides},
            {"dilations", dilations},
            {"pads_begin", pads},
            {"pads_end", pads},
            {"auto_pad", "explicit"}};
}

Window read_window(const TextAttributes& attributes, const Place& place) {
    Window window;
    window.kernel = attributes.integers("kernel");
    place.require(!window.kernel.empty() && window.kernel.size() <= 3, "attribute kernel has ",
                  window.kernel.size(), " values, expected 1 to 3");
    const std::size_t count = window.kernel.size();
    window.kernel = list(attributes, "kernel", count, 1, place);
    window.strides = list(attributes, "stride", count, 1, place);
    window.dilations = list(attributes, "dilate", count, 1, place);
    window.pads = list(attributes, "pad", count, 0, place);
    return window;
}

ConvolutionShape read_convolution(const TextAttributes& attributes,
                                  const Output& weights,
                                  const Place& place) {
    ConvolutionShape result{.window = read_window(attributes, place),
                            .group = attributes.integer("num_group", 1),
                            .filters = attributes.integer("num_filter", 0)};
    const std::string layout = attributes.text("layout", "NCHW");
    place.require(layout == "NCHW" || layout == "NCW" || layout == "NCDHW", "layout is ", layout,
                  ", channels must be second");
    const PartialShape& shape = weights.partial_shape();
    place.require(shape.is_static() && shape.rank() == result.window.kernel.size() + 2,
                  "the weights have shape ", to_string(shape), ", expected rank ",
                  result.window.kernel.size() + 2);
    const Shape known = weights.shape();
    for (std::size_t d = 0; d < result.window.kernel.size(); ++d) {
        place.require(static_cast<std::int64_t>(known[d + 2]) == result.window.kernel[d],
                      "the weights have shape ", to_string(known), ", attribute kernel says ",
                      result.window.kernel[d], " in dimension ", d + 2);
    }
    place.require(static_cast<std::int64_t>(known[0]) == result.filters, "the weights have shape ",
                  to_string(known), ", num_filter is ", result.filters);
    place.require(result.group >= 1 && result.filters % result.group == 0, "num_group is ",
                  result.group, ", num_filter ", result.filters);
    return result;
}

void check_bias(const Output& bias, std::int64_t filters, const Place& place) {
    place.require(bias.partial_shape().is_static() &&
                      static_cast<std::int64_t>(shape_size(bias.shape())) == filters,
                  "the bias has shape ", to_string(bias.partial_shape()), ", expected ", filters,
                  " values");
}

}  // namespace fuseq::mxnet_reader
