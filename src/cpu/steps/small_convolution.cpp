// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/small_convolution.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/machine/instructions.hpp"
#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/machine/isa.hpp"
#include "cpu/threading/parallel.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/lowering/pool_after.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMostExtras = 16;
constexpr std::size_t kMostResults = 4;

}  // namespace

class ThinConvolutionStep::Run final : public Runner {
public:
    Run(const ThinConvolutionStep& step, RequestMemory& memory) : step_(step), memory_(memory) {}

    void run() override {
        const Places places = places_of([&](TensorId id) { return memory_.data(id); });
        constexpr std::size_t kRows = 16;  // share their source rows
        const std::size_t rows = step_.kernel_.rows();
        // Each thread takes neighbouring rows: of many, as many as any other.
        parallel_for(rows, rows >= 4 * kRows ? 1 : kRows, [&](std::size_t begin, std::size_t end) {
            run_range({begin, end}, places);
        });
    }

    void run_rows(const RowPart& part) override {
        run_range({part.begin / step_.width_, part.end / step_.width_},
                  places_of([&](TensorId id) { return memory_.rows(id, part); }));
    }

private:
    // Where the tensors begin, or would begin.
    struct Places {
        const void* src = nullptr;
        std::byte* dst = nullptr;
        void* results[kMostResults] = {};
        kernels::ThinExtra extras[kMostExtras] = {};
    };

    template <class Find>
    Places places_of(const Find& find) const {
        Places places;
        places.src = memory_.data(step_.inputs()[0]);
        places.dst = static_cast<std::byte*>(find(step_.outputs()[0]));
        for (std::size_t e = 0; e < step_.extras_.size(); ++e) {
            const FewRows& few = step_.few_rows_[e];
            if (few.offsets.empty()) {
                places.extras[e].data = find(step_.extras_[e]);
            } else {
                places.extras[e] = {few.bytes.data(), few.offsets.data()};
            }
        }
        for (std::size_t r = 0; r < step_.results_.size(); ++r) {
            places.results[r] = find(step_.outputs()[r]);
        }
        return places;
    }

    void run_range(kernels::Range rows, const Places& places) const {
        if (!step_.results_.empty()) {
            step_.kernel_.run(places.src, rows, places.results, places.extras);
            return;
        }
        if (step_.direct_) {
            step_.kernel_.run(places.src, rows, places.dst);
            return;
        }
        if (step_.in_planes_) {
            step_.kernel_.run_to_planes(places.src, rows, reinterpret_cast<float*>(places.dst));
            return;
        }
        step_.kernel_.run(places.src, rows,
                          [&](const kernels::ThinTile& tile) { store(tile, places); });
    }

    void store(const kernels::ThinTile& tile, const Places& places) const {
        const kernels::BorderParams& border = step_.border_;
        const std::size_t size = size_of(border.dst_type);
        const std::size_t pixels = step_.height_ * step_.width_;
        const std::size_t pixel = tile.y * step_.width_ + tile.x;
        if (step_.by_pixels_) {
            run_on_pixels(tile, pixel + tile.image * pixels, places);
            return;
        }
        if (!step_.channels_last_) {
            std::byte* to = places.dst + (tile.image * border.channels * pixels + pixel) * size;
            step_.chain_->run({.src = {tile.planes, kernels::kThinTile},
                               .dst = to,
                               .dst_stride = pixels,
                               .inner = tile.count},
                              0, border.channels);
            return;
        }
        if (step_.chain_) {
            step_.chain_->run({.src = {tile.planes, kernels::kThinTile},
                               .dst = tile.planes,
                               .dst_stride = kernels::kThinTile,
                               .inner = tile.count},
                              0, border.channels);
        }
        std::byte* to = places.dst + (tile.image * pixels + pixel) * border.channels * size;
        kernels::to_channels_last(border, tile.planes, to, {0, tile.count});
    }

    // The chain on the tile as it is, or transposed, with its part of the other tensors.
    void run_on_pixels(const kernels::ThinTile& tile,
                       std::size_t pixel,
                       const Places& places) const {
        const std::size_t channels = step_.border_.channels;
        alignas(64) float transposed[kernels::kThinChannels * kernels::kThinTile];
        const float* floats = tile.planes;
        if (!step_.kernel_.pixels()) {
            kernels::to_channels_last(step_.border_, tile.planes, transposed, {0, tile.count});
            floats = transposed;
        }
        kernels::ChainTensor extras[kMostExtras];
        for (std::size_t e = 0; e < step_.extras_.size(); ++e) {
            const kernels::ThinExtra& extra = places.extras[e];
            const std::size_t size = extra.rows != nullptr
                                         ? sizeof(float)
                                         : size_of(memory_.tensor(step_.extras_[e]).type);
            const std::size_t row = tile.image * step_.height_ + tile.y;
            extras[e] = {extra.pixel(row, step_.width_, tile.x, channels * size), channels};
        }
        const std::size_t size = size_of(memory_.tensor(step_.outputs()[0]).type);
        step_.chain_->run({.src = {floats, channels},
                           .dst = places.dst + pixel * channels * size,
                           .dst_stride = channels,
                           .extras = {extras, step_.extras_.size()}},
                          0, tile.count);
    }

    const ThinConvolutionStep& step_;
    RequestMemory& memory_;
};

ThinConvolutionStep::ThinConvolutionStep(kernels::ThinConv kernel,
                                         const post_ops::Chain& rest,
                                         TensorId src,
                                         const std::vector<TensorId>& extras,
                                         std::vector<FewRows> few_rows,
                                         const PlanTensor& dst,
                                         TensorId dst_id)
    : kernel_(std::move(kernel)), extras_(extras), few_rows_(std::move(few_rows)) {
    if (extras.size() > kMostExtras) {
        throw Error("compile", detail::cat("a convolution of few channels reads ", extras.size(),
                                           " extra inputs, expected ", kMostExtras, " at most"));
    }
    const Shape dims = dst.dims();
    // One channel is the same in both.
    channels_last_ = dst.layout == Layout::kChannelsLast && (dims[1] != 1 || rest.ops.empty());
    by_rows_ = dst.layout == Layout::kChannelsLast || dims[1] == 1;
    height_ = dims[2];
    width_ = dims[3];
    direct_ = kernel_.stores() && (rest.ops.empty() || !kernel_.pixels());
    by_pixels_ = !direct_ && (kernel_.pixels() || !extras.empty());
    in_planes_ = !direct_ && !by_pixels_ && !channels_last_ && rest.ops.empty() &&
                 dst.type == ElementType::f32 && !kernel_.stores();
    border_.channels = dims[1];
    border_.pixels = kernels::kThinTile;
    border_.src_type = ElementType::f32;
    border_.dst_type = by_pixels_ ? ElementType::f32 : dst.type;
    kernels::check_border(border_);
    if (kernel_.is_listed()) {
        results_ = {{{}, dst.type}};
    } else if (by_pixels_) {
        chain_.emplace(rest, ElementType::f32, dims[1], kernels::ChainLayout::kRows);
    } else if (!direct_ && (!channels_last_ || !rest.ops.empty())) {
        post_ops::Chain chain = rest;
        if (channels_last_) {
            chain.dst_type = ElementType::f32;  // rounded when it is transposed
        }
        chain_.emplace(chain, ElementType::f32, dims[1], kernels::ChainLayout::kPlanes);
    }
    inputs_ = {src};
    std::copy_if(extras.begin(), extras.end(), std::back_inserter(inputs_),
                 [](TensorId id) { return id != kNoTensor; });
    outputs_ = {dst_id};
}

void ThinConvolutionStep::set_results(std::vector<post_ops::Chain> results,
                                      std::vector<TensorId> ids,
                                      bool rows) {
    kernel_.set_results(results, rows);
    results_ = std::move(results);
    rows_ = rows;
    outputs_ = std::move(ids);
}

std::optional<RowWalk> ThinConvolutionStep::row_walk() const {
    if (!by_rows_) {
        return std::nullopt;
    }
    return RowWalk{.rows = kernel_.rows() * width_, .grain = width_, .whole = {inputs_[0]}};
}

std::unique_ptr<Runner> ThinConvolutionStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

namespace {

bool takes_node(const Node& node) {
    const ElementType src_type = node.input(0).type();
    return node.is("Convolution") && node.port(0).shape.rank() == 4 &&
           node.input(1).type() == ElementType::i8 &&
           (src_type == ElementType::u8 || src_type == ElementType::i8);
}

// One zero point, in the range of the type; nothing when the kernel cannot take it.
std::optional<std::int32_t> zero_point_of(const Node& node) {
    const auto zero_point = single_zero_point(node, 2);
    const std::int32_t low = node.input(0).type() == ElementType::i8 ? -128 : 0;
    const bool in_range = zero_point && *zero_point >= low && *zero_point <= low + 255;
    return in_range ? zero_point : std::nullopt;
}

// How much of a chain the step does: all up to the first second tensor that has not the size of the
// result; up to the first one of any size where the result is plain.
struct Split {
    std::vector<float> scale{1.0f};
    std::vector<float> bias;
    post_ops::Chain inner;  // behind scale and bias
    post_ops::Chain fused;  // all of it, to be shown
    post_ops::Chain rest;
    bool complete = true;
};

Split split(const post_ops::Chain& chain, bool plain) {
    Split result;
    std::size_t at = 0;
    if (at < chain.ops.size()) {
        if (const auto* scale = std::get_if<post_ops::Scale>(&chain.ops[at])) {
            result.scale = scale->by.list();
            ++at;
        }
    }
    if (at < chain.ops.size()) {
        if (const auto* shift = std::get_if<post_ops::Shift>(&chain.ops[at])) {
            result.bias = shift->by.list();
            ++at;
        }
    }
    const auto from = chain.ops.begin() + static_cast<std::ptrdiff_t>(at);
    const auto to = std::find_if(from, chain.ops.end(), [&](const post_ops::BasicOp& op) {
        const auto* binary = std::get_if<post_ops::Binary>(&op);
        return binary != nullptr && (plain || binary->per_plane || binary->per_pixel);
    });
    result.complete = to == chain.ops.end();
    result.inner.ops.assign(from, to);
    result.fused.ops.assign(chain.ops.begin(), to);
    result.rest.ops.assign(to, chain.ops.end());
    result.rest.dst_type = chain.dst_type;
    result.inner.dst_type = result.complete ? chain.dst_type : ElementType::f32;
    result.fused.dst_type = result.inner.dst_type;
    return result;
}

bool reads_extras(const post_ops::Chain& chain) {
    return std::any_of(chain.ops.begin(), chain.ops.end(), [](const post_ops::BasicOp& op) {
        return std::holds_alternative<post_ops::Binary>(op);
    });
}

// Constants of which the different rows are kept are what is added: zero points and scales are
// applied here, as floats, as the kernel would.
void scale_rows(post_ops::Chain& chain, std::vector<FewRows>& rows) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
        std::vector<post_ops::Binary*> readers;
        for (post_ops::BasicOp& op : chain.ops) {
            auto* binary = std::get_if<post_ops::Binary>(&op);
            if (binary != nullptr && binary->input == e) {
                readers.push_back(binary);
            }
        }
        if (rows[e].offsets.empty() || readers.size() != 1) {
            continue;
        }
        post_ops::Binary& reader = *readers[0];
        for (std::size_t i = 0; i + sizeof(float) <= rows[e].bytes.size(); i += sizeof(float)) {
            float value = 0.0f;
            std::memcpy(&value, rows[e].bytes.data() + i, sizeof(value));
            value = (value - reader.zero_point) * reader.scale;
            std::memcpy(rows[e].bytes.data() + i, &value, sizeof(value));
        }
        reader.zero_point = 0.0f;
        reader.scale = 1.0f;
    }
}

// Of a convolution with output channels in lanes: than the matrix product, which copies windows,
// and oneDNN. Half vectors of channels are measured on Golden Cove, for one and a half.
bool lanes_are_faster(const Node& node, const kernels::ThinConvShape& shape) {
    constexpr std::size_t kLeastWidth = 32;
    constexpr std::size_t kVector = 16;
    if (shape.dst_channels % kVector != 0 &&
        (2 * shape.dst_channels != 3 * kVector || kernels::loads_one_wide_vector_a_cycle())) {
        return false;
    }
    if (shape.kernel_width < 3 || shape.dst_width < kLeastWidth) {
        return false;
    }
    if (shape.src_channels < 8) {
        return weight_zero_points(node) == 0 || shape.stride_width == 1 ||
               kernels::ThinConv::sums_in_triples(shape);
    }
    return shape.dst_channels <= 32;
}

// Pixels of more than 16 bytes: 1x1 layers whose floats are a result of the model, in planes, which
// oneDNN and the matrix product would compute with mostly empty vectors, and as pixels.
bool suits_planes(const kernels::ThinConvShape& shape, const Split& parts, bool plain) {
    constexpr std::size_t kFewBytes = 16;
    return shape.src_channels * shape.stride_width <= kFewBytes ||
           (plain && parts.complete && parts.inner.dst_type == ElementType::f32 &&
            shape.kernel_height == 1 && shape.kernel_width == 1);
}

bool lanes_take(const Split& parts, const Node& node, const kernels::ThinConvShape& shape) {
    const auto& ops = parts.inner.ops;
    return kernels::ThinConv::takes_result({{}, parts.inner.dst_type}) &&
           std::all_of(ops.begin(), ops.end(), kernels::ThinConv::takes_op) &&
           (weight_zero_points(node) == 0 || kernels::ThinConv::takes_zero_points(shape));
}

// Results of the model are plain.
bool is_result(const Group& group) {
    const auto& uses = group.result.node->port(group.result.index).uses;
    return !uses.empty() && std::all_of(uses.begin(), uses.end(),
                                        [](const Use& use) { return use.node->is("Result"); });
}

// All but the layers and what follows.
void describe(StepInfo& info,
              const Node& node,
              const kernels::ThinConvParams& params,
              const PlanTensor& src,
              const PlanTensor& dst) {
    const std::size_t weights = params.weights.size();
    const std::size_t sums = shape_size(node.port(0).shape.to_shape());
    info.kind = "convolution";
    info.implementation = params.pool ? "fuseq:thin_conv:pool" : "fuseq:thin_conv";
    info.src_type = to_string(params.src_type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(dst.type);
    info.layout = to_string(dst.layout);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(sums * (weights / params.shape.dst_channels));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights + sums * size_of(dst.type));
}

}  // namespace

std::optional<TensorId> make_thin_convolution(PlanBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    // DNNL_MAX_CPU_ISA limits this kernel too.
    if (!takes_node(node) || !int8_accumulates_exactly()) {
        return std::nullopt;
    }
    const kernels::ThinConvShape shape = conv_geometry(node);
    if (!kernels::ThinConv::takes(shape)) {
        return std::nullopt;
    }
    const auto zero_point = zero_point_of(node);
    if (!zero_point) {
        return std::nullopt;
    }
    const bool plain = is_result(group);
    Split parts = split(post_ops::simplified(group.chain, group.laws), plain);
    const bool lanes = kernels::ThinConv::has_lanes(shape);
    if (lanes && (plain || !lanes_are_faster(node, shape) || !lanes_take(parts, node, shape))) {
        return std::nullopt;
    }
    if (!lanes && !suits_planes(shape, parts, plain)) {
        return std::nullopt;
    }
    const Tensor& weights = node.input_node(1)->constant();
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    kernels::ThinConvParams params;
    params.shape = shape;
    params.src_type = node.input(0).type();
    params.src_zero_point = *zero_point;
    params.weights = weights.values<std::int8_t>();
    params.scale = parts.scale;
    params.bias = parts.bias;
    const std::vector<float> wei_zero_point = wei_zero_points(node);
    params.wei_zero_point = wei_zero_point;
    const std::vector<post_ops::Chain> results = {{{}, parts.inner.dst_type}};
    if (lanes) {
        params.ops = parts.inner.ops;
        params.results = results;
    }
    Node* pool = lanes ? pool_behind(builder, group) : nullptr;
    // Where a wide load a cycle is all there is, not measured.
    params.pool = pool != nullptr && parts.complete && kernels::ThinConv::takes_pool(params) &&
                  !kernels::loads_one_wide_vector_a_cycle();
    if (pool != nullptr && !params.pool && !reads_extras(parts.inner)) {
        return std::nullopt;  // the matrix product may take it along
    }
    const Shape dims = (params.pool ? *pool : node).port(0).shape.to_shape();
    const Layout layout = parts.complete && plain ? Layout::kPlain : Layout::kChannelsLast;
    std::vector<TensorId> extras;
    std::vector<FewRows> few_rows;
    if (reads_extras(parts.inner)) {
        for (const Output& extra : group.extras) {
            const TensorId id = builder.tensor_of(extra, Layout::kChannelsLast);
            few_rows.push_back(FewRows::of_picture(builder.tensor(id), dims));
            extras.push_back(few_rows.back().offsets.empty() ? id : kNoTensor);
        }
        if (lanes) {
            scale_rows(parts.inner, few_rows);
        }
    }
    const TensorId dst = builder.new_tensor(parts.inner.dst_type, dims, layout);
    const bool listed =
        lanes || (kernels::ThinConv::has_lists(shape) && layout == Layout::kChannelsLast &&
                  lanes_take(parts, node, shape));
    if (listed) {
        params.ops = parts.inner.ops;
        params.results = results;
    }
    // Rounded and stored by the kernel where next to nothing is between.
    const bool is_short =
        parts.inner.ops.empty() ||
        (parts.inner.ops.size() == 1 && kernels::ThinConv::takes_before_bytes(parts.inner.ops[0]));
    const bool to_bytes =
        is_short && layout == Layout::kChannelsLast && size_of(parts.inner.dst_type) == 1;
    if (!listed && to_bytes && kernels::ThinConv::stores_bytes(params)) {
        params.dst_type = parts.inner.dst_type;
        params.ops = parts.inner.ops;
    } else if (!listed || lanes) {
        params.pixels = layout == Layout::kChannelsLast && kernels::ThinConv::stores_pixels(shape);
    }
    auto step =
        std::make_unique<ThinConvolutionStep>(kernels::ThinConv(params), parts.inner, src, extras,
                                              std::move(few_rows), builder.tensor(dst), dst);
    ComposedAnchor composed;
    composed.complete = parts.complete;
    composed.dst_type = parts.inner.dst_type;
    composed.rest = parts.rest;
    StepInfo& info = step->info();
    describe(info, node, params, builder.tensor(src), builder.tensor(dst));
    describe_anchor(info, group, composed);
    info.post_ops = text_of_zero_points(wei_zero_point) + post_ops::to_text(parts.fused);
    if (params.pool) {
        add_pool(info, *pool, builder.tensor(dst));
    }
    builder.add_step(std::move(step));
    if (params.pool) {
        builder.finish_node(*pool, dst);
        return kNoTensor;
    }
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
