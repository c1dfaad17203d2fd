// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/gemm.hpp"

#include <algorithm>

#include "cpu/post_ops/chain_head.hpp"
#include "cpu/post_ops/epilogue_program.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "model/mapped_memory.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::int64_t kMacsForAThread = 200000;  // about a microsecond

constexpr std::size_t kMaxTiledSources = 32;
constexpr std::size_t kMaxResults = 4;

class GemmRunner final : public Runner {
public:
    GemmRunner(const GemmStep& step, RequestMemory& memory)
        : step_(step),
          memory_(memory),
          binary_sources_(step.binary_sources().size(), nullptr),
          next_(step.shares()) {
        for (const DedupRows& few : step.dedup_rows()) {
            rows_.push_back(few.offsets.empty()
                                ? kernels::GemmRows{}
                                : kernels::GemmRows{few.bytes.data(), few.offsets.data()});
        }
    }

    void run() override {
        for (std::size_t i = 0; i < binary_sources_.size(); ++i) {
            if (step_.binary_sources()[i] != kNoTensor) {
                binary_sources_[i] = memory_.data(step_.binary_sources()[i]);
            }
        }
        kernels::GemmArgs args;
        args.src = memory_.data(step_.inputs()[0]);
        args.dst = static_cast<char*>(memory_.data(step_.outputs()[0])) + step_.dst_offset();
        args.dst_pitch = step_.dst_pitch();
        args.binary_sources = binary_sources_;
        args.rows = rows_;
        args.rounding = step_.rounding();
        void* results[kMaxResults];
        for (std::size_t i = 0; i < step_.results().size(); ++i) {
            results[i] = memory_.data(step_.outputs()[i]);
        }
        args.results = {results, step_.results().size()};
        args.scratch = step_.scratch().empty() ? nullptr : memory_.data(step_.scratch()[0]);
        const auto useful = static_cast<std::size_t>(1 + step_.info().macs / kMacsForAThread);
        const std::size_t parts = std::min({step_.shares(), work_shares(), useful});
        if (parts != parts_) {
            parts_ = parts;
            split_ = step_.kernel().split(parts);
            expect_next();
        }
        parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t part = begin; part < end; ++part) {
                kernels::GemmArgs mine = args;
                const bool planned =
                    parts == 1 && (step_.ahead_has_own() || !step_.ahead().empty());
                mine.next = planned ? std::span<const kernels::WeightSpan>(step_.ahead())
                                    : std::span<const kernels::WeightSpan>(&next_[part], 1);
                mine.next_has_own = planned && step_.ahead_has_own();
                step_.kernel().run(mine, part, split_);
            }
        });
    }

    void run_rows(const RowPart& part) override {
        const void* binary_sources[kMaxTiledSources];
        for (std::size_t i = 0; i < step_.binary_sources().size(); ++i) {
            const TensorId id = step_.binary_sources()[i];
            binary_sources[i] = id == kNoTensor ? nullptr : memory_.rows(id, part);
        }
        kernels::GemmArgs args;
        args.src = memory_.rows(step_.inputs()[0], part);
        args.dst = static_cast<char*>(memory_.rows(step_.outputs()[0], part)) + step_.dst_offset();
        args.dst_pitch = step_.dst_pitch();
        args.binary_sources = {binary_sources, step_.binary_sources().size()};
        args.rows = rows_;
        args.rounding = step_.rounding();
        void* results[kMaxResults];
        for (std::size_t i = 0; i < step_.results().size(); ++i) {
            results[i] = memory_.rows(step_.outputs()[i], part);
        }
        args.results = {results, step_.results().size()};
        args.scratch = step_.scratch().empty() ? nullptr : memory_.data(step_.scratch()[0]);
        step_.kernel().run_pixels(args, part.begin, part.end, part.thread);
    }

private:
    // The weights with which each part of the step after this one begins.
    void expect_next() {
        if (const WeightPrefetch* next = step_.next()) {
            for (std::size_t part = 0; part < parts_; ++part) {
                next_[part] = next->first_weights(part, parts_);
            }
        }
    }

    const GemmStep& step_;
    RequestMemory& memory_;
    std::vector<const void*> binary_sources_;
    std::vector<kernels::GemmRows> rows_;
    std::vector<std::span<const std::int8_t>> next_;  // by part
    std::size_t parts_ = 0;
    kernels::GemmSplit split_;
};

}  // namespace

GemmStep::GemmStep(kernels::GemmVnni kernel,
                   TensorId src,
                   std::vector<TensorId> binary_sources,
                   TensorId dst,
                   TensorId scratch,
                   std::size_t pixels,
                   StepInfo info)
    : kernel_(std::move(kernel)),
      results_({{{}, kernel_.dst_type()}}),
      binary_sources_(std::move(binary_sources)),
      pixels_(pixels),
      shares_(work_shares()) {
    inputs_ = {src};
    for (const TensorId source : binary_sources_) {
        if (source != kNoTensor) {
            inputs_.push_back(source);
        }
    }
    outputs_ = {dst};
    if (scratch != kNoTensor) {
        scratch_ = {scratch};
    }
    info_ = std::move(info);
}

std::optional<RowTiling> GemmStep::row_tiling() const {
    if (rows_ || binary_sources_.size() > kMaxTiledSources ||
        kernel_.packed_bytes() > GemmStep::kMaxTiledWeights) {
        return std::nullopt;
    }
    RowTiling tiling{.rows = pixels_, .grain = kernel_.pixel_grain()};
    if (!kernel_.is_by_pixel()) {
        tiling.whole = {inputs_[0]};
    }
    return tiling;
}

WeightSpan GemmStep::first_weights(std::size_t part, std::size_t parts) const {
    return kernel_.weights_ahead(part, parts == 1 ? kernels::GemmSplit{} : kernel_.split(parts));
}

SliceWriter* GemmStep::slice_writer() {
    return binary_sources_.empty() && dst_pitch_ == 0 && outputs_.size() == 1 && !rows_ ? this
                                                                                        : nullptr;
}

RequantizedResults* GemmStep::requantized_results() {
    return kernel_.takes_results() && results_.size() == 1 && dst_pitch_ == 0 && !rounded_
               ? this
               : nullptr;
}

RoundedSums* GemmStep::rounded_sums() {
    const bool alone = results_.size() == 1 && dst_pitch_ == 0 && binary_sources_.empty();
    return remake_ && alone && !rounded_ && kernel_.stores_sums() ? this : nullptr;
}

bool GemmStep::takes_rounding(const kernels::SumRounding& rounding) const {
    return rounding.channels() == kernel_.dst_channels() && (in_tiles_ || remade(rounding));
}

// Nothing where a channel has no scale and shift for the kernel, or that wants more scratch memory.
std::optional<kernels::GemmVnni> GemmStep::remade(const kernels::SumRounding& rounding) const {
    const auto bias_first = rounding.bias_first();
    const auto own = bias_first ? bias_first : rounding.by_rule();
    auto kernel = own ? remake_(*own) : std::nullopt;
    const bool fits = kernel && kernel->scratch_bytes() <= kernel_.scratch_bytes();
    return fits ? std::move(kernel) : std::nullopt;
}

void GemmStep::set_rounding(std::shared_ptr<const kernels::SumRounding> rounding, TensorId dst) {
    results_ = {{{}, rounding->dst_type()}};
    outputs_ = {dst};
    rounded_ = true;
    if (auto kernel = remade(*rounding)) {
        kernel_ = std::move(*kernel);
        info_.implementation = "fuseq:" + kernel_.implementation();
    } else {
        rounding_ = std::move(rounding);
    }
    remake_ = nullptr;
}

bool GemmStep::takes_result(const post_ops::Chain& chain) const {
    return post_ops::is_requantization(chain);
}

bool GemmStep::can_write_rows() const {
    constexpr std::size_t kRowChannels = 32;  // two rows of 16
    return kernel_.can_write_rows() && kernel_.dst_channels() == kRowChannels;
}

void GemmStep::set_results(std::vector<post_ops::Chain> results,
                           std::vector<TensorId> ids,
                           bool rows) {
    std::vector<post_ops::EpilogueProgram> programs;
    programs.reserve(results.size());
    for (const post_ops::Chain& result : results) {
        programs.push_back(post_ops::make_epilogue(result));
    }
    kernel_.set_results(programs, rows);
    results_ = std::move(results);
    outputs_ = std::move(ids);
    rows_ = rows;
}

void GemmStep::write_slice(TensorId dst, std::size_t offset, std::size_t dst_pixel_bytes) {
    outputs_ = {dst};
    dst_offset_ = offset;
    dst_pitch_ = dst_pixel_bytes / element_bytes();
}

std::unique_ptr<Runner> GemmStep::bind(RequestMemory& memory) const {
    return std::make_unique<GemmRunner>(*this, memory);
}

}  // namespace fuseq::cpu
