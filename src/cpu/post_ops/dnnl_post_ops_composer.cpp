// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/dnnl_post_ops_composer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "cpu/post_ops/chain_head.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

using Dims = dnnl::memory::dims;

dnnl::algorithm algorithm_of(EltwiseAlgorithm algorithm) {
    switch (algorithm) {
        case EltwiseAlgorithm::kLinear: return dnnl::algorithm::eltwise_linear;
        case EltwiseAlgorithm::kClip: return dnnl::algorithm::eltwise_clip;
        case EltwiseAlgorithm::kClipV2: return dnnl::algorithm::eltwise_clip_v2;
        case EltwiseAlgorithm::kRound: return dnnl::algorithm::eltwise_round;
        case EltwiseAlgorithm::kRelu: return dnnl::algorithm::eltwise_relu;
        case EltwiseAlgorithm::kTanh: return dnnl::algorithm::eltwise_tanh;
        case EltwiseAlgorithm::kElu: return dnnl::algorithm::eltwise_elu;
        case EltwiseAlgorithm::kLogistic: return dnnl::algorithm::eltwise_logistic;
        case EltwiseAlgorithm::kSwish: return dnnl::algorithm::eltwise_swish;
        case EltwiseAlgorithm::kHardswish: return dnnl::algorithm::eltwise_hardswish;
        case EltwiseAlgorithm::kMish: return dnnl::algorithm::eltwise_mish;
        case EltwiseAlgorithm::kSoftRelu: return dnnl::algorithm::eltwise_soft_relu;
        case EltwiseAlgorithm::kGeluErf: return dnnl::algorithm::eltwise_gelu_erf;
        case EltwiseAlgorithm::kGeluTanh: return dnnl::algorithm::eltwise_gelu_tanh;
        case EltwiseAlgorithm::kAbs: return dnnl::algorithm::eltwise_abs;
        case EltwiseAlgorithm::kSqrt: return dnnl::algorithm::eltwise_sqrt;
        case EltwiseAlgorithm::kSquare: return dnnl::algorithm::eltwise_square;
        case EltwiseAlgorithm::kExp: return dnnl::algorithm::eltwise_exp;
        case EltwiseAlgorithm::kLog: return dnnl::algorithm::eltwise_log;
        case EltwiseAlgorithm::kPow: return dnnl::algorithm::eltwise_pow;
    }
    return dnnl::algorithm::undef;
}

dnnl::algorithm algorithm_of(BinaryKind kind) {
    switch (kind) {
        case BinaryKind::kAdd: return dnnl::algorithm::binary_add;
        case BinaryKind::kMul: return dnnl::algorithm::binary_mul;
        case BinaryKind::kMax: return dnnl::algorithm::binary_max;
        case BinaryKind::kMin: return dnnl::algorithm::binary_min;
    }
    return dnnl::algorithm::undef;
}

dnnl::memory::data_type data_type_of(ElementType type) {
    switch (type) {
        case ElementType::u8: return dnnl::memory::data_type::u8;
        case ElementType::i8: return dnnl::memory::data_type::s8;
        case ElementType::i32: return dnnl::memory::data_type::s32;
        case ElementType::f32: return dnnl::memory::data_type::f32;
        default: throw Error("compile", "a post-op cannot read " + fuseq::to_string(type));
    }
}

// Appends post-ops in order and collects their arguments.
class Writer {
public:
    Writer(const Emission& emission,
           const dnnl::memory::desc& dst,
           int channel_axis,
           const dnnl::engine& engine)
        : emission_(emission), dst_(dst), axis_(channel_axis), engine_(engine) {
        const int rank = dst.data.ndims;
        if (axis_ < 0 || axis_ >= rank) {
            throw Error("compile", fmt::format("channel axis {} of a dst of rank {}", axis_, rank));
        }
        if (dst.data.format_kind != dnnl_blocked ||
            dst.data.format_desc.blocking.inner_nblks != 0) {
            throw Error("compile", "post-ops are composed for a dst without plain strides");
        }
    }

    ComposedAttributes write() {
        set_scales();
        dnnl::post_ops ops;
        for (const PostOp& op : emission_.post_ops) {
            std::visit([&](const auto& o) { append(ops, o); }, op);
        }
        out_.attr.set_post_ops(ops);
        if (emission_.dst_zero_point != 0) {
            out_.attr.set_zero_points(DNNL_ARG_DST, 0, {emission_.dst_zero_point});
        }
        return std::move(out_);
    }

private:
    dnnl_dim_t channels() const { return dst_.data.dims[axis_]; }

    void check_channels(const Values& values, const char* what) const {
        if (!values.per_tensor() && static_cast<dnnl_dim_t>(values.size()) != channels()) {
            throw Error("compile", fmt::format("{} has {} values, dst has {} channels", what,
                                               values.size(), channels()));
        }
    }

    void set_scales() {
        const Values& scales = emission_.output_scales;
        check_channels(scales, "the output scale");
        if (!scales.all_equal_to(1.0f)) {
            out_.attr.set_output_scales(scales.per_tensor() ? 0 : 1 << axis_, scales.list());
        }
    }

    void append(dnnl::post_ops& ops, const EltwisePostOp& op) {
        ops.append_eltwise(op.scale, algorithm_of(op.algorithm), op.alpha, op.beta);
    }

    void append(dnnl::post_ops& ops, const ConstantPostOp& op) {
        check_channels(op.values, "a binary post-op");
        // Channels last: with a single pixel this tensor is as large as dst, and oneDNN wants it in
        // the order of dst then.
        Dims dims(static_cast<std::size_t>(dst_.data.ndims), 1);
        Dims strides(dims.size(), 1);
        if (!op.values.per_tensor()) {
            std::fill(strides.begin(), strides.end(), channels());
            dims[static_cast<std::size_t>(axis_)] = channels();
            strides[static_cast<std::size_t>(axis_)] = 1;
        }
        const dnnl::memory::desc desc(dims, dnnl::memory::data_type::f32, strides);
        dnnl::memory memory(desc, engine_);
        auto* data = static_cast<float*>(memory.get_data_handle());
        std::copy(op.values.list().begin(), op.values.list().end(), data);
        out_.constants.push_back({argument(ops), std::move(memory)});
        ops.append_binary(algorithm_of(op.kind), desc);
    }

    void append(dnnl::post_ops& ops, const TensorPostOp& op) {
        const auto& blocking = dst_.data.format_desc.blocking;
        const Dims dims(dst_.data.dims, dst_.data.dims + dst_.data.ndims);
        const Dims strides(blocking.strides, blocking.strides + dst_.data.ndims);
        const dnnl::memory::desc desc(dims, data_type_of(op.type), strides);
        out_.tensors.push_back({argument(ops), op.input, desc});
        ops.append_binary(algorithm_of(op.kind), desc);
    }

    void append(dnnl::post_ops& ops, const SumPostOp& op) {
        // A data type is only named when it differs: most primitives refuse one.
        if (op.type == emission_.dst_type) {
            ops.append_sum(op.scale);
        } else {
            ops.append_sum(op.scale, 0, data_type_of(op.type));
        }
        out_.in_dst.push_back(op.input);
    }

    static int argument(const dnnl::post_ops& ops) {
        return DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops.len()) | DNNL_ARG_SRC_1;
    }

    const Emission& emission_;
    const dnnl::memory::desc& dst_;
    int axis_;
    const dnnl::engine& engine_;
    ComposedAttributes out_;
};

}  // namespace

ComposedAttributes compose_attributes(const Emission& emission,
                                      const dnnl::memory::desc& dst,
                                      int channel_axis,
                                      const dnnl::engine& engine) {
    return Writer(emission, dst, channel_axis, engine).write();
}

DnnlPostOpsComposer::DnnlPostOpsComposer(Chain lowered, const SimplifyOptions& laws)
    : lowered_(std::move(lowered)), laws_(laws), chain_(simplified(lowered_, laws_)) {}

Mapped DnnlPostOpsComposer::map(const Anchor& anchor, std::size_t count) const {
    const bool all = count == chain_.ops.size();
    Mapped out;
    out.emission =
        emit(chain_until(chain_, count, all ? chain_.dst_type : ElementType::f32), anchor);
    out.remainder = remainder_of(chain_, out.emission);
    out.complete = all && out.emission.complete;
    return out;
}

std::shared_ptr<const MappedEpilogue> DnnlPostOpsComposer::mapped_epilogue(
    const Anchor& anchor) const {
    {
        const std::lock_guard lock(mutex_);
        if (last_ != nullptr && last_->anchor == anchor) {
            return last_;
        }
    }
    Mapped mapped = map(anchor);
    auto made = std::make_shared<MappedEpilogue>();
    made->anchor = anchor;
    made->epilogue = epilogue(mapped);
    made->text = to_text(mapped.emission);
    if (!mapped.complete) {
        made->text += ", " + to_text(mapped.remainder);
    }
    made->emission = std::move(mapped.emission);
    const std::lock_guard lock(mutex_);
    last_ = made;
    return made;
}

}  // namespace fuseq::post_ops
