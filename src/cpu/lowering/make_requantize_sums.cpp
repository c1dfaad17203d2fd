// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RequantizeSums, rows of pixels, so that it takes part in the tile group of the product before it:
// its sums are in the cache then and are never in memory as a whole.
#include "cpu/kernels/eltwise/requantize_sums.hpp"

#include "cpu/kernels/eltwise/dequantize_sums.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
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

bool takes_all(const std::vector<kernels::FixedMultiplier>& fixed,
               const std::vector<std::int32_t>& bias) {
    constexpr std::int64_t kMaxSum = 1 << 24;  // as RequantizeSums has it
    std::int64_t largest = 0;
    for (const std::int32_t value : bias) {
        largest = std::max(largest, std::abs(static_cast<std::int64_t>(value)));
    }
    return std::all_of(fixed.begin(), fixed.end(), [&](const kernels::FixedMultiplier& m) {
        return kernels::takes_multiplier(m, kMaxSum + largest);
    });
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

}  // namespace

Verdict make_requantize_sums(StepBuilder& builder, Node& node) {
    if (!node.is("RequantizeSums")) {
        return Verdict::other_kind();
    }
    const auto& attrs = node.attrs<RequantizeSumsAttrs>();
    const auto rounding = product_rounding(attrs.rule);
    if (!rounding || !is_8_bit(attrs.output_type)) {
        return Verdict::no("for rules of 32 bits and results of 8");
    }
    if (node.has_input(1) && !node.input_node(1)->is_constant()) {
        return Verdict::no("a computed bias");
    }
    const Requantizer requantize({attrs.rule, attrs.multiplier},
                                 {.input = attrs.input_scale,
                                  .weights = attrs.weight_scales,
                                  .output = attrs.output_scale,
                                  .output_zero_point = attrs.output_zero_point});
    const std::vector<kernels::FixedMultiplier> fixed = fixed_multipliers(requantize);
    const std::size_t channels = node.port(0).shape.to_shape().back();
    const std::vector<std::int32_t> bias = node.has_input(1)
                                               ? integers(node.input_node(1)->constant())
                                               : std::vector<std::int32_t>(channels, 0);
    if (bias.size() != channels) {
        return Verdict::no("a bias of another length");
    }
    if (!takes_all(fixed, bias)) {
        return Verdict::no("a multiplier or a bias too large for 32 bits");
    }
    const kernels::SumColumns columns(*rounding, bias, a_channel(fixed, channels),
                                      a_channel(requantize.real(), channels));
    const kernels::ByteGrid grid =
        byte_grid(attrs.output_zero_point, {attrs.lowest, attrs.highest});
    const TensorId src = builder.tensor_of(node.input(0), Layout::kPlain);
    const TensorId dst = builder.new_tensor(attrs.output_type, node.port(0).shape, Layout::kPlain);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    const auto shifts =
        attrs.weight_shifts.empty() ? nullptr : std::make_shared<const Shifts>(attrs.weight_shifts);
    auto kernel = [columns, grid, channels, shifts,
                   type = attrs.output_type](const RowStep::Rows& r) {
        const auto* sums = static_cast<const float*>(r.sources[0]);
        if (shifts == nullptr) {
            kernels::requantize_sums(columns, grid, sums, type, r.dst,
                                     {r.begin * channels, r.end * channels});
            return;
        }
        for (std::size_t row = r.begin; row < r.end; ++row) {
            auto* to = static_cast<std::byte*>(r.dst) + row * channels;
            kernels::requantize_sums(columns, grid, shifts->row(sums, row), type, to,
                                     {0, channels});
        }
    };
    auto step = std::make_unique<RowStep>(
        std::move(kernel), RowStep::Tensors{.inputs = {src}, .output = dst}, rows.rows,
        rows.grain(),
        kernel_info("requantize", "requantize_sums", builder.tensor(src), builder.tensor(dst)));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
