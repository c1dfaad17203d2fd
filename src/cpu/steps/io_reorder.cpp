// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/io_reorder.hpp"

#include <cmath>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

class IoReorderRunner final : public Runner {
public:
    IoReorderRunner(const kernels::IoReorderParams& params,
                    bool to_channels_last,
                    const Step& step,
                    RequestMemory& memory)
        : params_(params), to_channels_last_(to_channels_last), step_(step), memory_(memory) {}

    void run() override {
        const void* src = memory_.data(step_.inputs()[0]);
        void* dst = memory_.data(step_.outputs()[0]);
        constexpr std::size_t kPixels = 1024;  // worth a task of their own
        parallel_for(params_.batch * params_.pixels, kPixels,
                     [&](std::size_t begin, std::size_t end) {
                         if (to_channels_last_) {
                             kernels::to_channels_last(params_, src, dst, {begin, end});
                         } else {
                             kernels::from_channels_last(params_, src, dst, {begin, end});
                         }
                     });
    }

private:
    const kernels::IoReorderParams& params_;
    bool to_channels_last_;
    const Step& step_;
    RequestMemory& memory_;
};

std::vector<float> expanded(const post_ops::Values& values, std::size_t channels) {
    std::vector<float> result(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        result[c] = values[c];
    }
    return result;
}

// A clip before a store that rounds: the same as a round before it.
bool clips_integers(const post_ops::Clip& clip, ElementType dst) {
    const auto whole = [](float bound) { return bound == std::nearbyint(bound); };
    return is_integral(dst) && whole(clip.low[0]) && whole(clip.high[0]);
}

// Takes one operation after the other where it is the expected one.
struct ChainReader {
    const std::vector<post_ops::BasicOp>& ops;
    std::size_t channels;
    std::size_t at;

    template <class Op>
    const Op* take() {
        const Op* op = at < ops.size() ? std::get_if<Op>(&ops[at]) : nullptr;
        at += op != nullptr ? 1 : 0;
        return op;
    }
    std::vector<float> scale() {
        const auto* op = take<post_ops::Scale>();
        return op == nullptr ? std::vector<float>() : expanded(op->by, channels);
    }
    std::vector<float> shift() {
        const auto* op = take<post_ops::Shift>();
        return op == nullptr ? std::vector<float>() : expanded(op->by, channels);
    }
    bool at_end() const { return at == ops.size(); }
};

}  // namespace

bool io_reorder_takes(ElementType type) {
    return type == ElementType::f32 || type == ElementType::u8 || type == ElementType::i8;
}

std::optional<IoReorderFunction> match_io_reorder(const post_ops::Chain& chain,
                                                  std::size_t channels) {
    ChainReader reader{chain.ops, channels, 0};
    IoReorderFunction function;
    function.scale = reader.scale();
    function.shift = reader.shift();
    const bool rounds = reader.take<post_ops::Round>() != nullptr;
    const auto* clip = reader.take<post_ops::Clip>();
    if (clip != nullptr) {
        if (!clip->low.per_tensor() || !clip->high.per_tensor()) {
            return std::nullopt;
        }
        function.levels = {clip->low[0], clip->high[0], {}, {}};
        if (rounds) {
            function.levels->scale = reader.scale();
            function.levels->shift = reader.shift();
        } else if (!clips_integers(*clip, chain.dst_type)) {
            return std::nullopt;
        }
    }
    const bool whole = reader.at_end() && rounds <= (clip != nullptr);
    return whole ? std::optional(std::move(function)) : std::nullopt;
}

IoReorderStep::IoReorderStep(const PlanTensor& src,
                             TensorId src_id,
                             const PlanTensor& dst,
                             TensorId dst_id,
                             IoReorderFunction function)
    : function_(std::move(function)), to_channels_last_(dst.layout == Layout::kChannelsLast) {
    const Shape dims = src.dims();
    params_.batch = dims[0];
    params_.channels = dims[1];
    params_.pixels = 1;
    for (std::size_t d = 2; d < dims.size(); ++d) {
        params_.pixels *= dims[d];
    }
    params_.src_type = src.type;
    params_.dst_type = dst.type;
    params_.scale = function_.scale;
    params_.shift = function_.shift;
    if (function_.levels) {
        params_.levels = {function_.levels->low, function_.levels->high, function_.levels->scale,
                          function_.levels->shift};
    }
    kernels::check_io_reorder(params_);
    inputs_ = {src_id};
    outputs_ = {dst_id};
    const bool same = function_.scale.empty() && function_.shift.empty() && !function_.levels &&
                      src.type == dst.type;
    info_.kind = same ? "reorder" : "io_reorder";
    info_.implementation = "fuseq:io_reorder";
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout) + " -> " + to_string(dst.layout);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

std::unique_ptr<Runner> IoReorderStep::bind(RequestMemory& memory) const {
    return std::make_unique<IoReorderRunner>(params_, to_channels_last_, *this, memory);
}

}  // namespace fuseq::cpu
