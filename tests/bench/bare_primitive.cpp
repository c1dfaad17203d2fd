// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "bare_primitive.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/steps/dnnl_support.hpp"
#include "ops/convolution.hpp"
#include "ops/deconvolution.hpp"
#include "ops/matmul.hpp"

namespace fuseq::bench {
namespace {

using cpu::Layout;
using dnnl::memory;

memory::desc any_order(const memory::desc& desc) {
    return {desc.dims(), desc.data_type(), memory::format_tag::any};
}

memory::desc swapped(const memory::desc& desc, std::size_t first) {
    std::vector<int> order(desc.dims().size());
    for (std::size_t d = 0; d < order.size(); ++d) {
        order[d] = static_cast<int>(d);
    }
    std::swap(order[first], order[first + 1]);
    return desc.permute_axes(order);
}

struct Sides {
    memory::dims strides, dilations, begin, end;
    void add(const Window& window, std::int64_t pad_end) {
        strides.push_back(window.stride);
        dilations.push_back(window.dilation - 1);
        begin.push_back(window.pad_begin);
        end.push_back(pad_end);
    }
};

dnnl::primitive_desc convolution(const Node& node, const memory::desc& dst) {
    const Shape src = node.input(0).shape();
    const Shape wei = node.input(1).shape();
    const Shape out = node.port(0).shape.to_shape();
    Sides sides;
    std::size_t d = 2;
    for (const Window& w : convolution_windows(node.attrs<ConvolutionAttrs>(), src, wei)) {
        sides.add(w, static_cast<std::int64_t>(out[d] - 1) * w.stride + w.extent() -
                         static_cast<std::int64_t>(src[d]) - w.pad_begin);
        ++d;
    }
    const dnnl::convolution_forward::desc operation(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        cpu::dnnl_desc(node.input(0).type(), src, Layout::kChannelsLast),
        any_order(cpu::dnnl_desc(node.input(1).type(), wei, Layout::kPlain)), dst, sides.strides,
        sides.dilations, sides.begin, sides.end);
    return dnnl::convolution_forward::primitive_desc(operation, cpu::cpu_engine());
}

dnnl::primitive_desc deconvolution(const Node& node, const memory::desc& dst) {
    const Shape src = node.input(0).shape();
    const Shape wei = node.input(1).shape();
    std::optional<std::vector<std::int64_t>> output_shape;
    if (node.has_input(2)) {
        output_shape = to_ints(node.input_node(2)->constant());
    }
    Sides sides;
    for (const DeconvolutionWindow& w :
         deconvolution_windows(node.attrs<DeconvolutionAttrs>(), src, wei, output_shape)) {
        sides.add(w.window, w.window.pad_end);
    }
    const std::size_t groups = node.is("GroupConvolutionBackpropData") ? 1 : 0;
    const dnnl::deconvolution_forward::desc operation(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
        cpu::dnnl_desc(node.input(0).type(), src, Layout::kChannelsLast),
        any_order(swapped(cpu::dnnl_desc(node.input(1).type(), wei, Layout::kPlain), groups)), dst,
        sides.strides, sides.dilations, sides.begin, sides.end);
    return dnnl::deconvolution_forward::primitive_desc(operation, cpu::cpu_engine());
}

// [.., M, K] x [.., K, N]; a batch before two-dimensional weights joins the rows.
dnnl::primitive_desc matmul(const Node& node, ElementType dst_type) {
    const auto& attrs = node.attrs<MatMulAttrs>();
    Shape dst = node.port(0).shape.to_shape();
    Shape src = node.input(0).shape();
    Shape wei = node.input(1).shape();
    const bool constant = node.input_node(1)->is_constant();
    if (constant && wei.size() == 2 && !attrs.transpose_a) {
        src = {shape_size(src) / src.back(), src.back()};
        dst = {shape_size(dst) / dst.back(), dst.back()};
    }
    src.insert(src.begin(), dst.size() - src.size(), 1);
    wei.insert(wei.begin(), dst.size() - wei.size(), 1);
    memory::desc a = cpu::dnnl_desc(node.input(0).type(), src, Layout::kPlain);
    memory::desc b = cpu::dnnl_desc(node.input(1).type(), wei, Layout::kPlain);
    a = attrs.transpose_a ? swapped(a, dst.size() - 2) : a;
    b = attrs.transpose_b ? swapped(b, dst.size() - 2) : b;
    const dnnl::matmul::desc operation(a, constant ? any_order(b) : b,
                                       cpu::dnnl_desc(dst_type, dst, Layout::kPlain));
    return dnnl::matmul::primitive_desc(operation, cpu::cpu_engine());
}

// Bytes of all values; floats are zero, since any bytes might be no number.
memory filled(const memory::desc& desc) {
    constexpr std::size_t kPrime = 251;
    memory result = cpu::shared_memory(desc);
    auto* bytes = static_cast<std::uint8_t*>(result.get_data_handle());
    const bool integer =
        desc.data_type() == memory::data_type::u8 || desc.data_type() == memory::data_type::s8;
    for (std::size_t i = 0; i < desc.get_size(); ++i) {
        bytes[i] = integer ? static_cast<std::uint8_t>(i % kPrime) : std::uint8_t{0};
    }
    return result;
}

memory without_memory(const memory::desc& desc) {
    return {desc, cpu::cpu_engine(), DNNL_MEMORY_NONE};
}

}  // namespace

void Buffers::bind(BarePrimitive& bare, std::size_t i) {
    while (buffers_.size() < 2) {
        const memory::desc bytes({static_cast<memory::dim>(bytes_)}, memory::data_type::u8,
                                 memory::format_tag::a);
        buffers_.push_back(filled(bytes));
    }
    bare.arguments[DNNL_ARG_SRC].set_data_handle(buffers_[i % 2].get_data_handle());
    bare.arguments[DNNL_ARG_DST].set_data_handle(buffers_[(i + 1) % 2].get_data_handle());
}

std::optional<BarePrimitive> bare_primitive(const Node& node, ElementType dst) {
    const bool is_convolution = node.is("Convolution") || node.is("GroupConvolution");
    const bool is_deconvolution =
        node.is("ConvolutionBackpropData") || node.is("GroupConvolutionBackpropData");
    if (!is_convolution && !is_deconvolution && !node.is("MatMul")) {
        return std::nullopt;
    }
    try {
        const memory::desc channels_last =
            cpu::dnnl_desc(dst, node.port(0).shape.to_shape(), Layout::kChannelsLast);
        const dnnl::primitive_desc desc = is_convolution     ? convolution(node, channels_last)
                                          : is_deconvolution ? deconvolution(node, channels_last)
                                                             : matmul(node, dst);
        BarePrimitive bare{dnnl::primitive(desc), {}, cpu::implementation_name(desc)};
        bare.arguments[DNNL_ARG_SRC] = without_memory(desc.query_md(dnnl::query::src_md));
        bare.arguments[DNNL_ARG_DST] = without_memory(desc.query_md(dnnl::query::dst_md));
        bare.arguments[DNNL_ARG_WEIGHTS] = filled(desc.query_md(dnnl::query::weights_md));
        return bare;
    } catch (const dnnl::error&) {
        return std::nullopt;
    }
}

}  // namespace fuseq::bench
