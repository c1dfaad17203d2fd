// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/concat.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/common/channel_copy.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

// Sizes of the dimensions in memory order, and where `axis` is among them.
std::vector<std::size_t> memory_order(const PlanTensor& tensor,
                                      std::size_t axis,
                                      std::size_t& axis_in_memory) {
    const Shape dims = tensor.dims();
    std::vector<std::size_t> sizes(dims.begin(), dims.end());
    axis_in_memory = axis;
    if (tensor.layout == Layout::kChannelsLast) {
        sizes.erase(sizes.begin() + 1);
        sizes.push_back(dims[1]);
        axis_in_memory = axis == 1 ? dims.size() - 1 : axis > 1 ? axis - 1 : axis;
    }
    return sizes;
}

}  // namespace

class ConcatRunner final : public Runner {
public:
    ConcatRunner(const ConcatStep& step, RequestMemory& memory)
        : rows_(step.rows_), dst_row_bytes_(step.dst_row_bytes_), step_(step), memory_(memory) {
        for (const ConcatStep::Slice& slice : step.slices_) {
            copies_.push_back({.src_stride = slice.bytes,
                               .dst_stride = step.dst_row_bytes_,
                               .bytes = slice.bytes});
        }
    }

    void run() override {
        auto* dst = static_cast<char*>(memory_.data(step_.outputs()[0]));
        for (std::size_t i = 0; i < copies_.size(); ++i) {
            copies_[i].src = memory_.data(step_.inputs()[i]);
            copies_[i].dst = dst + step_.slices_[i].offset;
        }
        constexpr std::size_t kBytesPerPiece = 1 << 15;
        if (rows_ < kDedupRows) {
            copy_dedup_rows();
            return;
        }
        const std::size_t grain = 1 + kBytesPerPiece / (dst_row_bytes_ + 1);
        parallel_for(rows_, grain, [&](std::size_t begin, std::size_t end) {
            kernels::copy_channels(copies_, {begin, end});
        });
    }

    void run_rows(const RowPart& part) override {
        constexpr std::size_t kAtOnce = 2;  // the kernel takes two in turn
        kernels::ChannelCopy some[kAtOnce];
        auto* dst = static_cast<char*>(memory_.rows(step_.outputs()[0], part));
        for (std::size_t first = 0; first < copies_.size(); first += kAtOnce) {
            const std::size_t count = std::min(kAtOnce, copies_.size() - first);
            for (std::size_t i = 0; i < count; ++i) {
                some[i] = copies_[first + i];
                some[i].src = memory_.rows(step_.inputs()[first + i], part);
                some[i].dst = dst + step_.slices_[first + i].offset;
            }
            kernels::copy_channels({some, count}, {part.begin, part.end});
        }
    }

private:
    // Long rows are cut, so that every thread has its part.
    void copy_dedup_rows() const {
        constexpr std::size_t kGrain = 1 << 15;
        for (const kernels::ChannelCopy& copy : copies_) {
            for (std::size_t row = 0; row < rows_; ++row) {
                const char* src = static_cast<const char*>(copy.src) + row * copy.src_stride;
                char* to = static_cast<char*>(copy.dst) + row * copy.dst_stride;
                parallel_for(copy.bytes, kGrain, [&](std::size_t begin, std::size_t end) {
                    std::memcpy(to + begin, src + begin, end - begin);
                });
            }
        }
    }

    static constexpr std::size_t kDedupRows = 32;
    std::vector<kernels::ChannelCopy> copies_;
    std::size_t rows_;
    std::size_t dst_row_bytes_;
    const ConcatStep& step_;
    RequestMemory& memory_;
};

ConcatStep::ConcatStep(const std::vector<PlanTensor>& srcs,
                       std::vector<TensorId> src_ids,
                       const PlanTensor& dst,
                       TensorId dst_id,
                       std::size_t axis) {
    inputs_ = std::move(src_ids);
    outputs_ = {dst_id};
    std::size_t at = 0;
    const auto sizes = memory_order(dst, axis, at);
    for (std::size_t d = 0; d < at; ++d) {
        rows_ *= sizes[d];
    }
    for (const PlanTensor& src : srcs) {
        const std::size_t bytes = rows_ == 0 ? 0 : src.bytes() / rows_;
        slices_.push_back({.offset = dst_row_bytes_, .bytes = bytes});
        dst_row_bytes_ += bytes;
    }
    info_.kind = "concat";
    info_.implementation = "fuseq:copy";
    info_.src_type = to_string(dst.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(dst.layout);
    info_.bytes = static_cast<std::int64_t>(2 * dst.bytes());
}

std::unique_ptr<Runner> ConcatStep::bind(RequestMemory& memory) const {
    return std::make_unique<ConcatRunner>(*this, memory);
}

void ConcatStep::leave_out(std::size_t input) {
    info_.bytes -= 2 * static_cast<std::int64_t>(rows_ * slices_[input].bytes);
    const auto at = static_cast<std::ptrdiff_t>(input);
    slices_.erase(slices_.begin() + at);
    inputs_.erase(inputs_.begin() + at);
}

}  // namespace fuseq::cpu
