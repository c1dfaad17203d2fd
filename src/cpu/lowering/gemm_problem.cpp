// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/gemm_problem.hpp"

#include <algorithm>
#include <variant>

#include <fmt/core.h>

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
        why = fmt::format("{} spatial dimensions, at most 2", src.size() - 2);
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

// One matrix, perhaps with dimensions of 1 before it.
bool is_matrix(const Shape& shape) {
    return shape.size() >= 2 &&
           std::all_of(shape.begin(), shape.end() - 2, [](std::size_t size) { return size == 1; });
}

std::optional<GemmProblem> matmul(const Node& node, std::string& why) {
    const auto& attrs = node.attrs<MatMulAttrs>();
    const Shape src = node.input(0).shape();
    const Shape all = node.input(1).shape();
    const auto src_zero_point = single_zero_point(node, 2);
    const auto wei_zero_point = weight_zero_points(node) != 0 ? 0 : single_zero_point(node, 3);
    if (attrs.transpose_a || src.empty() || !is_matrix(all) || !src_zero_point ||
        wei_zero_point != 0 || shape_size(src) == 0 || shape_size(all) == 0) {
        why =
            "for matrices of weights, nothing transposed, one zero point of source, none of "
            "weights";
        return std::nullopt;
    }
    const Shape wei(all.end() - 2, all.end());
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

// Times in parts of oneDNN's, of the layers for which each rule was made:
// docs/performance/log/matmul.md, Sapphire Rapids where nothing else is said. Those of a rule are
// one number; where the layers differ, one from the middle.
constexpr double kMatMulCost = 0.72;      // bert: 0.67 to 0.72; 4096 x 4096: 0.88
constexpr double kPoolCost = 0.88;        // yolo_tiny, with the pooling: 0.62 to 0.97
constexpr double kActivationCost = 0.55;  // crossroad-0078, elu: 544 of 997 us
constexpr double kPointwiseCost = 0.78;   // mobilenet_v2, resnet50: 0.72 to 0.97
constexpr double kResidualCost = 0.89;    // mobilenet_v2, 144 to 24: 58 of 65 us
constexpr double kNoUnsignedCost = 0.7;   // human-pose, i8: 866 of 1236 us; gaze: 30 of 55
constexpr double kFewPixelsCost = 0.5;  // age-gender, 192 to 256 @3x3: 13 of 26 us (Emerald Rapids)
constexpr double kFewProductsCost = 0.17;  // person-detection-asl, 32 to 1 @10x10: 2 of 12 us
constexpr double kFirstLayerCost = 0.67;   // resnet50: 428 of 640 us
constexpr double kShortImageCost = 0.84;   // resnet50 @7x7: 360 of 428 us; yolo_tiny: 0.72
constexpr double kFewChannelsCost = 0.94;  // face-detection-retail, 24 to 96: 95 of 101 us
constexpr double kWideTilesCost = 0.93;    // 256 to 256 @32x32: 1604 of 1727 us (Emerald Rapids)
constexpr double kDeconvolutionCost =
    0.87;  // unet_small, up2 with its concat: 428 of 494 us (same)
// Without a figure for a layer: the networks were a little faster.
constexpr double kSmallPointwiseCost = 0.95;
// Large images 0.97 to 1.17 times, 32 to 32 @256x256 1.12, 128 to 128 @5x5 with a residual
// input 1.33.
constexpr double kOtherCost = 1.05;

// Without VNNI, to products of floats; docs/performance/log/without_vnni.md: the geometric mean of
// 22 networks. A panel that is less than half full multiplies more than it saves.
constexpr double kNarrowCost = 0.72;
constexpr double kPartPanelCost = 1.14;  // 16 channels instead of 7, at half the time each

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
bool deconvolution_is_faster(const kernels::GemmShape& s) {
    return s.dst_channels >= kNarrow && s.src_width >= kShortRow;
}

bool small_1x1_is_faster(const kernels::GemmShape& s, const GemmChainTraits& chain) {
    const std::size_t products = s.dst_height * s.dst_width * s.src_channels * s.dst_channels;
    const bool wide = chain.stores_bytes && s.dst_channels >= kNarrowBytes;
    return !machine_traits().one_wide_load_a_cycle && !chain.reads_tensors &&
           (wide || products <= kTinyLayer);
}

double large_kernel_cost(const GemmProblem& problem) {
    const kernels::GemmShape& s = problem.shape;
    const std::size_t pixels = s.dst_height * s.dst_width;
    const bool wide = s.dst_channels >= kNarrow;
    if (problem.src_signed && wide) {  // where oneDNN corrects for the sign, or takes jit_int8
        return kNoUnsignedCost;
    }
    if (wide && kernels::GemmVnni::suits_few_pixels(s)) {
        return kFewPixelsCost;
    }
    if (s.dst_width < kShortRow || !wide) {
        const bool few = s.src_channels * s.dst_channels <= kFewProducts && pixels <= kManyPixels;
        return few ? kFewProductsCost : kOtherCost;
    }
    if (s.src_channels <= kFirstLayerChannels) {
        return kFirstLayerCost;
    }
    if (problem.src_zero_point != 0) {  // oneDNN takes jit_int8 instead of brgconv
        return kNoUnsignedCost;
    }
    if (pixels <= kManyPixels) {
        return kShortImageCost;
    }
    const bool few = s.src_channels <= kFewChannels && s.dst_channels >= kFewChannels;
    return few && pixels <= kManyPixelsOfFewChannels ? kFewChannelsCost : kOtherCost;
}

}  // namespace

bool gemm_has_vnni() {
    return machine_traits().avx512_vnni;
}

kernels::GemmForm gemm_form() {
    if (gemm_has_vnni()) {
        return kernels::GemmForm::kVnni512;
    }
    const MachineTraits machine = machine_traits();
    return machine.avx_vnni || machine.avx_vnni_in_evex ? kernels::GemmForm::kVnni256
                                                        : kernels::GemmForm::kBytes;
}

double narrow_cost(const GemmProblem& problem) {
    constexpr std::size_t kHalfPanel = 8;  // of 16 channels
    const bool fills =
        problem.kind == post_ops::AnchorKind::kMatMul || problem.shape.dst_channels >= kHalfPanel;
    return fills ? kNarrowCost : kPartPanelCost;
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

double gemm_cost(const GemmProblem& problem, const GemmChainTraits& chain) {
    const kernels::GemmShape& s = problem.shape;
    if (problem.kind == post_ops::AnchorKind::kMatMul) {
        return kMatMulCost;
    }
    if (problem.transposed()) {
        return deconvolution_is_faster(s) ? kDeconvolutionCost : kOtherCost;
    }
    if (chain.pools) {
        return kPoolCost;
    }
    if (s.kernel_height * s.kernel_width > 1) {
        const double cost = large_kernel_cost(problem);
        return wide_tiles_are_faster(problem, chain) ? std::min(cost, kWideTilesCost) : cost;
    }
    if (chain.activates) {
        return kActivationCost;
    }
    if (s.dst_channels >= (chain.reads_tensors ? kNarrowWithTensors : kNarrow)) {
        return chain.reads_tensors ? kResidualCost : kPointwiseCost;
    }
    return small_1x1_is_faster(s, chain) ? kSmallPointwiseCost : kOtherCost;
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
