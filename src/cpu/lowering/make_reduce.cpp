// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions and normalisations of f32 along axes that lie side by side in memory. The product is
// left to the reference kernel: in f32 it would overflow where in double it does not.
#include <algorithm>

#include "cpu/kernels/reduce/normalize_integers.hpp"
#include "cpu/kernels/reduce/reduce.hpp"
#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/element_type.hpp"
#include "ops/mvn.hpp"
#include "ops/op_spec.hpp"
#include "ops/reduce.hpp"

namespace fuseq::cpu {
namespace {

using kernels::Range;
using kernels::Reduction;

std::optional<Reduction> kind_of(const Node& node) {
    constexpr std::pair<const char*, Reduction> kKinds[] = {
        {"ReduceSum", Reduction::kSum}, {"ReduceMean", Reduction::kMean},
        {"ReduceMax", Reduction::kMax}, {"ReduceMin", Reduction::kMin},
        {"ReduceL1", Reduction::kL1},   {"ReduceL2", Reduction::kL2}};
    for (const auto& [type, kind] : kKinds) {
        if (node.is(type)) {
            return kind;
        }
    }
    return std::nullopt;
}

bool is_float(const Node& node) {
    return node.input(0).type() == ElementType::f32 && node.port(0).type == ElementType::f32 &&
           shape_size(node.input(0).shape()) != 0;
}

struct Place {
    Layout layout;
    AxesInMemory axes;
};

// The layout to work in: one where the tensor is, else one that a reorder makes. `allowed` says
// which layouts do for the result.
template <class Allowed>
std::optional<Place> place_of(const StepBuilder& builder,
                              const Node& node,
                              const std::vector<bool>& along,
                              const Allowed& allowed) {
    const Shape dims = node.input(0).shape();
    const bool agree = dims.size() < 3 || layouts_agree(dims);
    std::optional<Place> reordered;
    for (const Layout layout : {Layout::kChannelsLast, Layout::kPlain}) {
        const auto axes = axes_in_memory(dims, layout, along);
        if (!axes || !allowed(layout) || (agree && layout == Layout::kChannelsLast)) {
            continue;
        }
        if (builder.available(node.input(0), layout)) {
            return Place{layout, *axes};
        }
        reordered = Place{layout, *axes};
    }
    return reordered;
}

// Splits the outer dimension over threads or, if that is short, the inner one.
template <class Kernel>
void run_split(const AxesInMemory& axes, const Kernel& kernel) {
    constexpr std::size_t kInnerAtOnce = 64;
    constexpr std::size_t kElementsAtOnce = 4096;
    if (axes.outer < static_cast<std::size_t>(omp_get_max_threads()) && axes.inner > 1) {
        parallel_for(axes.inner, kInnerAtOnce, [&](std::size_t begin, std::size_t end) {
            kernel(Range{0, axes.outer}, Range{begin, end});
        });
        return;
    }
    const std::size_t grain = 1 + kElementsAtOnce / (axes.length * axes.inner);
    parallel_for(axes.outer, grain, [&](std::size_t begin, std::size_t end) {
        kernel(Range{begin, end}, Range{0, axes.inner});
    });
}

struct NormSettings {
    std::vector<std::int64_t> axes;
    kernels::NormalizeParams params;
    bool keep_mean = false;
};

std::optional<NormSettings> mvn_settings(const Node& node) {
    NormSettings settings;
    if (node.spec().version == 1) {
        const auto& attrs = node.attrs<Mvn1Attrs>();
        settings.axes = attrs.reduction_axes;
        const auto rank = static_cast<std::int64_t>(node.port(0).shape.rank());
        for (std::int64_t d = attrs.across_channels ? 1 : 2;
             attrs.reduction_axes.empty() && d < rank; ++d) {
            settings.axes.push_back(d);
        }
        settings.params.epsilon = attrs.eps;
        settings.params.normalize_variance = attrs.normalize_variance;
        return settings;
    }
    if (!node.input_node(1)->is_constant()) {
        return std::nullopt;
    }
    const auto& attrs = node.attrs<MvnAttrs>();
    settings.axes = to_ints(node.input_node(1)->constant());
    settings.params.epsilon = attrs.eps;
    settings.params.epsilon_outside = attrs.eps_mode == EpsMode::kOutsideSqrt;
    settings.params.normalize_variance = attrs.normalize_variance;
    settings.keep_mean = attrs.keep_mean;
    return settings;
}

const void* image_of(const void* data, ElementType type, std::size_t elements) {
    return static_cast<const std::byte*>(data) + elements * size_of(type);
}
void* image_of(void* data, ElementType type, std::size_t elements) {
    return static_cast<std::byte*>(data) + elements * size_of(type);
}

// One image: all threads sum its rows, then all write them.
void normalize_image(const kernels::NormalizeParams& p, const void* from, void* to) {
    constexpr std::size_t kElementsAtOnce = 8192;
    const std::size_t grain = 1 + kElementsAtOnce / p.inner;
    kernels::ColumnSums total;
    std::fill(total.sums, total.sums + p.inner, 0);
    std::fill(total.squares, total.squares + p.inner, 0);
    parallel_for(p.length, grain, [&](std::size_t begin, std::size_t end) {
        kernels::ColumnSums found;
        kernels::sum_columns(p, from, {begin, end}, found);
        kernels::add_sums(p, found, total);
    });
    kernels::ColumnFactors factors;
    kernels::factors_of(p, total, factors);
    parallel_for(p.length, grain, [&](std::size_t begin, std::size_t end) {
        kernels::normalize_rows(p, factors, from, to, {begin, end});
    });
}

void normalize_integers(const kernels::NormalizeParams& p,
                        std::size_t images,
                        const void* from,
                        void* to) {
    const auto one = [&](std::size_t image) {
        const std::size_t first = image * p.length * p.inner;
        normalize_image(p, image_of(from, p.src_type, first), image_of(to, p.dst_type, first));
    };
    if (images < static_cast<std::size_t>(omp_get_max_threads())) {
        for (std::size_t image = 0; image < images; ++image) {
            one(image);
        }
        return;
    }
    // Within the team an image is one thread's.
    parallel_for(images, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t image = begin; image < end; ++image) {
            one(image);
        }
    });
}

// The chain after a normalisation of columns, in the form that its kernel holds.
struct ColumnEpilogue {
    post_ops::PiecewiseLinearHead head;
    ElementType dst_type = ElementType::f32;
};

KernelStep::Kernel column_kernel(kernels::NormalizeParams params,
                                 const AxesInMemory& axes,
                                 ElementType src_type,
                                 const ColumnEpilogue& epilogue) {
    const post_ops::PiecewiseLinearHead& head = epilogue.head;
    params.length = axes.length;
    params.inner = axes.inner;
    params.src_type = src_type;
    params.dst_type = epilogue.dst_type;
    params.shift = head.shift;
    params.low = head.low;
    params.high = head.high;
    kernels::check_normalize(params);
    const auto values = [](const std::vector<float>& list, float none) {
        const bool all = std::all_of(list.begin(), list.end(), [&](float v) { return v == none; });
        return all ? std::vector<float>{} : list;
    };
    return [params, axes, gamma = values(head.scale, 1.0f), beta = values(head.bias, 0.0f),
            slope = values(head.slope, 1.0f)](const void* from, void* to) {
        kernels::NormalizeParams p = params;
        p.gamma = gamma;
        p.beta = beta;
        p.slope = slope;
        if (kernels::takes_integers(p)) {
            normalize_integers(p, axes.outer, from, to);
            return;
        }
        run_split(axes,
                  [&](Range outer, Range inner) { kernels::normalize(p, from, to, outer, inner); });
    };
}

// Whether the values of channels lie along the rows, or the columns, that the kernel works on: the
// dimension that is last in memory.
bool channels_are_last(const Group& group, const PlanTensor& src, const AxesInMemory& axes) {
    const Shape dims = src.dims();
    const std::size_t last = src.layout == Layout::kPlain ? dims.size() - 1 : 1;
    const std::size_t size = axes.inner == 1 ? axes.length : axes.inner;
    return group.channel_axis == last && dims[last] == size;
}

std::optional<ColumnEpilogue> column_epilogue_of(const Group* group,
                                                 const PlanTensor& src,
                                                 const AxesInMemory& axes) {
    if (group == nullptr) {
        return std::nullopt;
    }
    const post_ops::Chain& chain = composer_of(*group).chain();
    ColumnEpilogue epilogue{.head = post_ops::piecewise_linear_head(chain),
                            .dst_type = chain.dst_type};
    const post_ops::PiecewiseLinearHead& head = epilogue.head;
    const bool per_tensor =
        head.scale.size() <= 1 && head.bias.size() <= 1 && head.slope.size() <= 1;
    const bool fits = per_tensor || channels_are_last(*group, src, axes);
    return head.consumed == chain.ops.size() && fits ? std::optional(std::move(epilogue))
                                                     : std::nullopt;
}

// Gammas and betas, or a quantization, of the chain after a normalisation of rows.
std::optional<LinearEpilogue> row_epilogue_of(const Group* group,
                                              const PlanTensor& src,
                                              const AxesInMemory& axes) {
    if (group == nullptr) {
        return std::nullopt;
    }
    auto epilogue = match_linear_epilogue(*group);
    const bool per_tensor =
        epilogue && epilogue->scale.per_tensor() && epilogue->shift.per_tensor();
    return per_tensor || channels_are_last(*group, src, axes) ? epilogue : std::nullopt;
}

KernelStep::Kernel row_kernel(const NormSettings& settings,
                              const AxesInMemory& axes,
                              const LinearEpilogue& epilogue) {
    const kernels::NormalizeParams& norm = settings.params;
    kernels::LayerNormParams params;
    params.keep_mean = settings.keep_mean;
    params.length = axes.length;
    params.epsilon = norm.epsilon;
    params.epsilon_outside = norm.epsilon_outside;
    params.normalize_variance = norm.normalize_variance;
    params.dst_type = epilogue.dst_type;
    return [params, axes, gamma = epilogue.scale.list(), beta = epilogue.shift.list()](
               const void* from, void* to) {
        kernels::LayerNormParams p = params;
        p.gamma = gamma;
        p.beta = beta;
        run_split(axes, [&](Range rows, Range) {
            kernels::layer_norm(p, static_cast<const float*>(from), to, rows);
        });
    };
}

// Whether what is left of a channels-last tensor is row-major without its reduced dimensions: only
// batch and channels are left, or all but the channels.
bool plain_without(const std::vector<bool>& along) {
    return along.size() >= 2 &&
           (along[1] || std::all_of(along.begin() + 2, along.end(), [](bool x) { return x; }));
}

}  // namespace

Verdict make_reduce(StepBuilder& builder, Node& node) {
    const auto kind = kind_of(node);
    if (!kind || !is_float(node) || !node.input_node(1)->is_constant()) {
        return kind ? Verdict::no("computed axes, or not f32") : Verdict::other_kind();
    }
    const bool keep = node.attrs<ReduceAttrs>().keep_dims;
    const std::vector<bool> along =
        marked_axes(to_ints(node.input_node(1)->constant()), node.input(0).shape().size());
    const auto place = place_of(builder, node, along, [&](Layout layout) {
        return keep || layout == Layout::kPlain || plain_without(along);
    });
    if (!place) {
        return Verdict::no("its axes lie in several pieces in memory");
    }
    const kernels::ReduceParams params{*kind, place->axes.length, place->axes.inner};
    kernels::check_reduce(params);
    const TensorId src = builder.tensor_of(node.input(0), place->layout);
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape,
                                            keep ? place->layout : Layout::kPlain);
    const auto run = [params, axes = place->axes](const void* from, void* to) {
        run_split(axes, [&](Range outer, Range inner) {
            kernels::reduce(params, static_cast<const float*>(from), static_cast<float*>(to), outer,
                            inner);
        });
    };
    add_node_step(builder, node,
                  std::make_unique<KernelStep>(
                      run, src, dst,
                      kernel_info("reduce", "reduce", builder.tensor(src), builder.tensor(dst))),
                  dst);
    return Verdict::yes();
}

Verdict make_mvn(StepBuilder& builder, Node& node) {
    if (!node.is("MVN") || !is_float(node)) {
        return node.is("MVN") ? Verdict::no("for f32 only") : Verdict::other_kind();
    }
    const auto settings = mvn_settings(node);
    if (!settings) {
        return Verdict::no("an epsilon or axes that are computed");
    }
    const std::vector<bool> along = marked_axes(settings->axes, node.input(0).shape().size());
    const auto place = place_of(builder, node, along, [](Layout) { return true; });
    if (!place) {
        return Verdict::no("its axes lie in several pieces in memory");
    }
    const bool rows = place->axes.inner == 1;
    if (settings->keep_mean && !rows) {
        return Verdict::no("a kept mean of columns");
    }
    // The kernel of columns reads integers as well as floats.
    const Output integers = rows ? Output{} : builder.integers_before_convert(node.input(0));
    const TensorId src = builder.tensor_of(integers ? integers : node.input(0), place->layout);
    const Group* group = builder.eltwise_after(node.output(0));
    const PlanTensor from = builder.tensor(src);
    const auto of_rows = rows ? row_epilogue_of(group, from, place->axes) : std::nullopt;
    const auto of_columns = rows ? std::nullopt : column_epilogue_of(group, from, place->axes);
    const bool fused = of_rows || of_columns;
    const ElementType dst_type = of_rows      ? of_rows->dst_type
                                 : of_columns ? of_columns->dst_type
                                              : ElementType::f32;
    const TensorId dst = builder.new_tensor(dst_type, node.port(0).shape, place->layout);
    const char* kernel_name = settings->keep_mean ? "rms_norm" : rows ? "layer_norm" : "normalize";
    StepInfo info = kernel_info("mvn", kernel_name, builder.tensor(src), builder.tensor(dst));
    if (integers) {
        info.layers = {node.input_node(0)->name()};
    }
    auto kernel = rows ? row_kernel(*settings, place->axes, of_rows.value_or(LinearEpilogue{}))
                       : column_kernel(settings->params, place->axes, from.type,
                                       of_columns.value_or(ColumnEpilogue{}));
    auto step = std::make_unique<KernelStep>(std::move(kernel), src, dst, std::move(info));
    add_step_with_epilogue(builder, node, std::move(step), fused ? group : nullptr, dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
