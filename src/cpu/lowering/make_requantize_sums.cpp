// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RequantizeSums, rows of pixels. The pass rounded_sums lets the product before it do the same on sums
// that are in the first cache; where it cannot, the step takes part in the tile group of the product.
#include "cpu/kernels/eltwise/requantize_sums.hpp"

#include "cpu/kernels/eltwise/dequantize_sums.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/requantize_sums.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::cpu {
namespace {

// One a channel.
template <class T>
std::vector<T> a_channel(const std::vector<T>& values, std::size_t channels) {
    return values.size() == 1 ? std::vector<T>(channels, values[0]) : values;
}

std::vector<kernels::FixedMultiplier> fixed_multipliers(const Requantizer& requantize) {
    std::vector<kernels::FixedMultiplier> list;
    for (const rules::QuantizedMultiplier& m : requantize.fixed()) {
        list.push_back(fixed_multiplier(m));
    }
    return list;
}

constexpr std::int64_t kMaxSum = 1 << 24;  // as RequantizeSums has it

// The channels whose multiplier, with their bias, is too large for the vectors: they are computed one
// value at a time.
std::vector<std::size_t> single_channels(const std::vector<kernels::FixedMultiplier>& fixed,
                                         const std::vector<std::int32_t>& bias) {
    std::vector<std::size_t> list;
    for (std::size_t c = 0; !fixed.empty() && c < bias.size(); ++c) {
        const std::int64_t largest = kMaxSum + std::abs(static_cast<std::int64_t>(bias[c]));
        if (!kernels::takes_multiplier(fixed[fixed.size() > 1 ? c : 0], largest)) {
            list.push_back(c);
        }
    }
    return list;
}

// What weight_shifts add to the sums, a row at a time.
class Shifts {
public:
    explicit Shifts(const std::vector<std::int64_t>& shifts)
        : shifts_(shifts.begin(), shifts.end()), none_(shifts.size(), 0) {
        params_.channels = shifts_.size();
        params_.weight_sums = none_.data();
        params_.weight_shifts = shifts_.data();
    }
    // Valid until the next call of this thread.
    const float* row(const float* src, std::size_t r) const {
        static constexpr float kOne = 1.0F;
        thread_local std::vector<float> sums;
        sums.resize(std::max(sums.size(), shifts_.size()));
        const float* from = src + r * (shifts_.size() + 1);
        kernels::dequantize_sums(params_, {0, &kOne}, {&from, 1}, sums.data(), {0, 1});
        return sums.data();
    }

private:
    std::vector<std::int32_t> shifts_;
    std::vector<std::int32_t> none_;
    kernels::DequantizeSumsParams params_;
};

class RowsOfSums {
public:
    RowsOfSums(const RequantizeSumsAttrs& attrs,
               kernels::ProductRounding rounding,
               Requantizer requantize,
               std::vector<std::int32_t> bias)
        : requantize_(std::move(requantize)),
          bias_(std::move(bias)),
          single_(single_channels(fixed_multipliers(requantize_), bias_)),
          grid_(byte_grid(attrs.output_zero_point, {attrs.lowest, attrs.highest})),
          vectors_(std::make_shared<const kernels::SumRounding>(
              columns(rounding),
              grid_,
              attrs.output_type,
              attrs.rule_name,
              kernels::SumBounds{attrs.sum_min, attrs.sum_max})) {
        if (!attrs.weight_shifts.empty()) {
            shifts_.emplace(attrs.weight_shifts);
        }
    }

    // All that is done, where vectors do it; else null.
    std::shared_ptr<const kernels::SumRounding> whole() const {
        return shifts_ || !single_.empty() ? nullptr : vectors_;
    }

    void run(const RowStep::Rows& r) const {
        const auto* sums = static_cast<const float*>(r.sources[0]);
        auto* dst = static_cast<std::uint8_t*>(r.dst);
        const std::size_t channels = bias_.size();
        if (!shifts_ && single_.empty()) {
            vectors_->run(sums, dst, {r.begin * channels, r.end * channels});
            return;
        }
        for (std::size_t row = r.begin; row < r.end; ++row) {
            run_row(shifts_ ? shifts_->row(sums, row) : sums + row * channels,
                    dst + row * channels);
        }
    }

private:
    kernels::SumColumns columns(kernels::ProductRounding rounding) const {
        std::vector<std::int32_t> bias = bias_;
        std::vector<kernels::FixedMultiplier> fixed =
            a_channel(fixed_multipliers(requantize_), bias.size());
        for (const std::size_t c : single_) {
            bias[c] = 0;
            fixed[c] = {};
        }
        return {rounding, bias, fixed, a_channel(requantize_.real(), bias.size())};
    }

    void run_row(const float* sums, std::uint8_t* dst) const {
        vectors_->run(sums, dst, {0, bias_.size()});
        for (const std::size_t c : single_) {
            const std::int64_t sum = static_cast<std::int64_t>(sums[c]) + bias_[c];
            const std::int64_t value =
                std::clamp<std::int64_t>(requantize_(sum, c), grid_.lowest, grid_.highest);
            dst[c] = static_cast<std::uint8_t>(value);  // of i8 the same bits
        }
    }

    Requantizer requantize_;
    std::vector<std::int32_t> bias_;
    std::vector<std::size_t> single_;
    kernels::ByteGrid grid_;
    std::shared_ptr<const kernels::SumRounding> vectors_;
    std::optional<Shifts> shifts_;
};

}  // namespace

Verdict make_requantize_sums(StepBuilder& builder, Node& node) {
    if (!node.is("RequantizeSums")) {
        return Verdict::other_kind();
    }
    const auto& attrs = node.attrs<RequantizeSumsAttrs>();
    const auto rounding = attrs.rule == RoundingRule::kD1
                              ? std::optional(kernels::ProductRounding::kOnce)
                              : product_rounding(attrs.rule);
    if (!rounding || !is_8_bit(attrs.output_type)) {
        return Verdict::no("for rules of 32 bits and results of 8");
    }
    if (node.has_input(1) && !node.input_node(1)->is_constant()) {
        return Verdict::no("a computed bias");
    }
    const std::size_t channels = node.port(0).shape.to_shape().back();
    std::vector<std::int32_t> bias = node.has_input(1) ? integers(node.input_node(1)->constant())
                                                       : std::vector<std::int32_t>(channels, 0);
    if (bias.size() != channels || (!attrs.sum_min.empty() && attrs.sum_min.size() != channels)) {
        return Verdict::no("a bias or bounds of another length");
    }
    const auto sums = std::make_shared<const RowsOfSums>(
        attrs, *rounding,
        Requantizer({attrs.rule, attrs.multiplier}, {.input = attrs.input_scale,
                                                     .weights = attrs.weight_scales,
                                                     .output = attrs.output_scale,
                                                     .output_zero_point = attrs.output_zero_point}),
        std::move(bias));
    const TensorId src = builder.tensor_of(node.input(0), Layout::kPlain);
    const TensorId dst = builder.new_tensor(attrs.output_type, node.port(0).shape, Layout::kPlain);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    auto kernel = [sums](const RowStep::Rows& r) { sums->run(r); };
    auto step = std::make_unique<RowStep>(
        std::move(kernel), RowStep::Tensors{.inputs = {src}, .output = dst}, rows.rows,
        rows.grain(),
        kernel_info("requantize", "requantize_sums", builder.tensor(src), builder.tensor(dst)));
    step->set_sum_rounding(sums->whole());
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
