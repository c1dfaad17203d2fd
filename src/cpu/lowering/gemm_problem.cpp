// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/gemm_problem.hpp"

#include <algorithm>
#include <variant>

#include "cpu/lowering/group.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/steps/gemm.hpp"
#include "fuseq/error.hpp"
#include "ops/deconvolution.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

bool takes_types(const Node& node) {
    const ElementType src = node.input(0).type();
    return (src == ElementType::u8 || src == ElementType::i8) &&
           node.input(1).type() == ElementType::i8 && node.input_node(1)->is_constant() &&
           !node.port(0).shape.is_dynamic();
}

// One or two spatial dimensions, one zero point.
bool takes_image(const Shape& src, std::optional<std::int32_t> zero_point, std::string& why) {
    if (src.size() != 3 && src.size() != 4) {
        why = detail::cat(src.size() - 2, " spatial dimensions, at most 2");
        return false;
    }
    if (!zero_point) {
        why = "several zero points of source";
        return false;
    }
    return true;
}

std::optional<GemmProblem> convolution(const Node& node, std::string& why) {
    const Shape src = node.input(0).shape();
    const Shape wei = node.input(1).shape();
    const Shape dst = node.port(0).shape.to_shape();
    const auto src_zero_point = single_zero_point(node, 2);
    if (!takes_image(src, src_zero_point, why) || shape_size(dst) == 0) {
        return std::nullopt;
    }
    GemmProblem problem;
    problem.src_zero_point = *src_zero_point;
    problem.src_signed = node.input(0).type() == ElementType::i8;
    problem.wei_zero_point = wei_zero_points(node);
    problem.shape = conv_geometry(node);
    const kernels::GemmShape& s = problem.shape;
    problem.weights = {.values = node.input_node(1)->constant().values<std::int8_t>(),
                       .dst_channel = wei[1] * s.kernel_height * s.kernel_width,
                       .src_channel = s.kernel_height * s.kernel_width,
                       .row = s.kernel_width,
                       .column = 1};
    return problem;
}

// Where the kernel has subpixels of one size, each with taps; see kernels::GemmParams::transposed.
bool takes_windows(const std::vector<DeconvolutionWindow>& windows) {
    return std::all_of(windows.begin(), windows.end(), [](const DeconvolutionWindow& d) {
        const Window& w = d.window;
        return w.dilation == 1 && w.size >= w.stride && d.dst % w.stride == 0;
    });
}

std::optional<GemmProblem> deconvolution(const Node& node, std::string& why) {
    constexpr std::size_t kZeroPoint = 3;
    const Shape src = node.input(0).shape();
    const Shape wei = node.input(1).shape();
    const Shape dst = node.port(0).shape.to_shape();
    const auto src_zero_point = single_zero_point(node, kZeroPoint);
    if (!takes_image(src, src_zero_point, why) || shape_size(dst) == 0) {
        return std::nullopt;
    }
    if (weight_zero_points(node) != 0) {
        why = "zero points of a deconvolution's weights";
        return std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> sides;
    if (node.has_input(2)) {
        sides.emplace(dst.begin() + 2, dst.end());
    }
    const auto windows = deconvolution_windows(node.attrs<DeconvolutionAttrs>(), src, wei, sides);
    if (!takes_windows(windows)) {
        why = "windows without subpixels of one size, each with taps";
        return std::nullopt;
    }
    GemmProblem problem;
    problem.kind = post_ops::AnchorKind::kDeconvolution;
    problem.src_zero_point = *src_zero_point;
    problem.src_signed = node.input(0).type() == ElementType::i8;
    problem.shape = deconv_geometry(src, dst, windows);
    const kernels::GemmShape& s = problem.shape;
    const std::size_t taps = s.kernel_height * s.kernel_width;
    problem.weights = {.values = node.input_node(1)->constant().values<std::int8_t>(),
                       .dst_channel = taps,
                       .src_channel = wei[1] * taps,
                       .row = s.kernel_width,
                       .column = 1};
    return problem;
}

std::optional<GemmProblem> matmul(const Node& node, std::string& why) {
    const auto& attrs = node.attrs<MatMulAttrs>();
    const Shape src = node.input(0).shape();
    const Shape wei = node.input(1).shape();
    const auto src_zero_point = single_zero_point(node, 2);
    const auto wei_zero_point = weight_zero_points(node) != 0 ? 0 : single_zero_point(node, 3);
    if (attrs.transpose_a || src.empty() || wei.size() != 2 || !src_zero_point ||
        wei_zero_point != 0 || shape_size(src) == 0 || shape_size(wei) == 0) {
        why =
            "for matrices of weights, nothing transposed, one zero point of source, none of "
            "weights";
        return std::nullopt;
    }
    GemmProblem problem;
    problem.kind = post_ops::AnchorKind::kMatMul;
    problem.layout = Layout::kPlain;
    problem.src_zero_point = *src_zero_point;
    problem.wei_zero_point = wei_zero_points(node);
    const std::size_t depth = src.back();
    problem.shape.src_channels = depth;
    problem.shape.src_width = problem.shape.dst_width = shape_size(src) / depth;
    problem.shape.dst_channels = attrs.transpose_b ? wei[0] : wei[1];
    problem.weights.values = node.input_node(1)->constant().values<std::int8_t>();
    problem.weights.dst_channel = attrs.transpose_b ? depth : 1;
    problem.weights.src_channel = attrs.transpose_b ? 1 : wei[1];
    return problem;
}

// What is missing in a vector is lost.
constexpr std::size_t kNarrow = 16;
constexpr std::size_t kNarrowWithTensors = 24;
// Rows of source are copied for a kernel larger than 1x1, and tiles end with a row. A first layer
// of few channels gains more than that costs, as oneDNN pads it to 4 or 16.
constexpr std::size_t kFirstLayerChannels = 4;
constexpr std::size_t kManyPixels = 800;
constexpr std::size_t kManyPixelsOfFewChannels = 2000;
constexpr std::size_t kFewChannels = 32;
constexpr std::size_t kShortRow = 7;
// Products a pixel and tap up to which oneDNN's own preparations take longer than the layer.
constexpr std::size_t kFewProducts = 4096;
// Of a 1x1 layer of few channels, on machines that load two wide vectors a cycle.
constexpr std::size_t kTinyLayer = std::size_t{1} << 18;
constexpr std::size_t kNarrowBytes = 8;

// Wide tiles with two wide loads a cycle, which a few other layers gain by: those of few channels
// of src, whatever their size, deep ones whose weights take long to arrive, and those whose rows
// need not be copied.
bool wide_tiles_are_faster(const GemmProblem& problem, const GemmChainTraits& chain) {
    constexpr std::size_t kPanel = 64;
    constexpr std::size_t kHalfPanel = 32;
    constexpr std::size_t kLongRow = 12;
    constexpr std::size_t kManyPixelsOfPanels = 1100;
    const kernels::GemmShape& s = problem.shape;
    if (machine_traits().one_wide_load_a_cycle || !chain.stores_bytes) {
        return false;
    }
    if (s.dst_channels % kHalfPanel == 0 && kernels::GemmVnni::is_direct(s)) {
        return true;
    }
    if (s.dst_channels % kPanel != 0 || s.dst_width < kLongRow) {
        return false;
    }
    const bool few =
        s.src_channels <= kPanel && s.src_channels * s.dst_channels <= 2 * kFewProducts;
    return few || s.dst_height * s.dst_width <= kManyPixelsOfPanels;
}

// What is missing in a vector is lost, and tiles end with a row of src.
bool deconvolution_is_faster(const kernels::GemmShape& s, const GemmChainTraits& chain) {
    return !chain.reads_tensors && s.dst_channels >= kNarrow && s.src_width >= kShortRow;
}

bool small_1x1_is_faster(const kernels::GemmShape& s, const GemmChainTraits& chain) {
    const std::size_t products = s.dst_height * s.dst_width * s.src_channels * s.dst_channels;
    const bool wide = chain.stores_bytes && s.dst_channels >= kNarrowBytes;
    return !machine_traits().one_wide_load_a_cycle && !chain.reads_tensors &&
           (wide || products <= kTinyLayer);
}

bool large_kernel_is_faster(const GemmProblem& problem) {
    const kernels::GemmShape& s = problem.shape;
    const std::size_t pixels = s.dst_height * s.dst_width;
    const bool wide = s.dst_channels >= kNarrow;
    if (problem.src_signed && wide) {  // where oneDNN corrects for the sign, or takes jit_int8
        return true;
    }
    if (wide && kernels::GemmVnni::suits_few_pixels(s)) {
        return true;
    }
    if (s.dst_width < kShortRow || !wide) {
        return s.src_channels * s.dst_channels <= kFewProducts && pixels <= kManyPixels;
    }
    const bool few = s.src_channels <= kFewChannels && s.dst_channels >= kFewChannels;
    // With a zero point oneDNN takes jit_int8 instead of brgconv.
    return s.src_channels <= kFirstLayerChannels || problem.src_zero_point != 0 ||
           pixels <= (few ? kManyPixelsOfFewChannels : kManyPixels);
}

}  // namespace

bool gemm_has_vnni() {
    return machine_traits().avx512_vnni;
}

kernels::GemmForm gemm_form() {
    if (gemm_has_vnni()) {
        return kernels::GemmForm::kVnni512;
    }
    return machine_traits().avx_vnni ? kernels::GemmForm::kVnni256 : kernels::GemmForm::kBytes;
}

bool narrow_panels_are_faster(const GemmProblem& problem) {
    // A panel has 16 channels; with fewer than half of them the floats' smaller vectors win.
    constexpr std::size_t kHalfPanel = 8;
    return problem.kind == post_ops::AnchorKind::kMatMul ||
           problem.shape.dst_channels >= kHalfPanel;
}

bool gemm_takes_weight_zero_points(const Node& node) {
    if (!is_anchor(node)) {
        return false;
    }
    std::string why;
    const auto problem = gemm_problem(node, why);
    const int low = node.input(0).type() == ElementType::i8 ? -128 : 0;
    return problem && problem->src_zero_point >= low && problem->src_zero_point <= low + 255;
}

bool gemm_is_faster(const GemmProblem& problem, const GemmChainTraits& chain) {
    const kernels::GemmShape& s = problem.shape;
    if (problem.kind == post_ops::AnchorKind::kMatMul) {
        return true;
    }
    if (problem.transposed()) {
        return deconvolution_is_faster(s, chain);
    }
    if (chain.pools) {
        return true;
    }
    if (s.kernel_height * s.kernel_width > 1) {
        return large_kernel_is_faster(problem) || wide_tiles_are_faster(problem, chain);
    }
    if (chain.activates || small_1x1_is_faster(s, chain)) {
        return true;
    }
    return chain.reads_tensors ? s.dst_channels >= kNarrowWithTensors : s.dst_channels >= kNarrow;
}

GemmChainTraits traits_of(const post_ops::Chain& chain, std::size_t binary_sources) {
    GemmChainTraits traits;
    traits.reads_tensors = binary_sources != 0;
    traits.activates =
        chain.dst_type != ElementType::f32 &&
        std::any_of(chain.ops.begin(), chain.ops.end(), [](const post_ops::BasicOp& op) {
            const auto* eltwise = std::get_if<post_ops::Eltwise>(&op);
            return eltwise != nullptr && post_ops::activation(eltwise->kind).is_costly;
        });
    traits.stores_bytes =
        chain.dst_type != ElementType::f32 && !traits.reads_tensors && !traits.activates;
    return traits;
}

std::optional<GemmProblem> gemm_problem(const Node& node, std::string& why) {
    using Problem = std::optional<GemmProblem> (*)(const Node&, std::string&);
    const Problem problem = node.is("Convolution")               ? convolution
                            : node.is("ConvolutionBackpropData") ? deconvolution
                            : node.is("MatMul")                  ? matmul
                                                                 : nullptr;
    why = problem == nullptr ? "groups" : "for integers with constant weights";
    return problem != nullptr && takes_types(node) ? problem(node, why) : std::nullopt;
}

}  // namespace fuseq::cpu
