// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/chain_program.hpp"

#include <algorithm>
#include <utility>

#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::BasicOp;
using post_ops::Values;
using Kind = ProgramOp::Kind;

void check_type(const char* what, ElementType type) {
    switch (type) {
        case ElementType::u8:
        case ElementType::i8:
        case ElementType::i32:
        case ElementType::f32: return;
        default:
            throw Error("compile", detail::cat("chain kernel: ", what, " is ", to_string(type),
                                               ", expected u8, i8, i32 or f32"));
    }
}

class ProgramBuilder {
public:
    ProgramBuilder(ElementType src_type, std::size_t channels, ChainLayout layout) {
        program_.src_type = src_type;
        program_.layout = layout;
        program_.channels = channels;
        program_.repeated_row = std::max<std::size_t>(1, kChainTile / channels) * channels;
    }

    ChainProgram build(const post_ops::Chain& chain) {
        program_.dst_type = chain.dst_type;
        for (const BasicOp& op : chain.ops) {
            std::visit([&](const auto& o) { add(o); }, op);
        }
        return std::move(program_);
    }

private:
    ChainParameter parameter(const Values& values) {
        ChainParameter out;
        out.per_channel = !values.per_tensor();
        if (out.per_channel && values.size() != program_.channels) {
            throw Error("compile",
                        detail::cat("chain kernel: an operation has values for ", values.size(),
                                    " channels, the tensor has ", program_.channels));
        }
        program_.per_channel = program_.per_channel || out.per_channel;
        const std::size_t count = !out.per_channel                        ? 1
                                  : program_.layout == ChainLayout::kRows ? program_.repeated_row
                                                                          : program_.channels;
        out.values.resize(count + kChainPadding, 0.0f);
        for (std::size_t i = 0; i < count; ++i) {
            out.values[i] = values[i % program_.channels];
        }
        return out;
    }

    void push(Kind kind) { program_.ops.push_back({.kind = kind}); }
    void push(Kind kind, const Values& a) {
        program_.ops.push_back({.kind = kind, .a = parameter(a)});
    }
    bool last_is(Kind kind) const {
        return !program_.ops.empty() && program_.ops.back().kind == kind;
    }

    void add(const post_ops::Scale& op) { push(Kind::kScale, op.by); }
    void add(const post_ops::Shift& op) {
        if (last_is(Kind::kScale)) {
            program_.ops.back().kind = Kind::kAffine;
            program_.ops.back().b = parameter(op.by);
        } else {
            push(Kind::kShift, op.by);
        }
    }
    void add(const post_ops::Round&) { push(Kind::kRound); }
    void add(const post_ops::Clip& op) {
        if (last_is(Kind::kRound)) {
            program_.ops.back().kind = Kind::kRoundClip;
            program_.ops.back().a = parameter(op.low);
        } else {
            push(Kind::kClip, op.low);
        }
        program_.ops.back().b = parameter(op.high);
    }
    void add(const post_ops::Prelu& op) { push(Kind::kPrelu, op.slope); }
    void add(const post_ops::Eltwise& op) {
        if (op.kind == post_ops::EltwiseKind::kElu && size_of(program_.dst_type) == 1) {
            push(Kind::kElu, op.alpha);
            program_.ops.back().b = parameter(op.scale);
            return;
        }
        push(Kind::kEltwise);
        program_.ops.back().eltwise = op;
    }
    void add(const post_ops::Binary& op) {
        check_type("an extra input", op.type);
        push(Kind::kBinary);
        program_.ops.back().binary = op;
        program_.source_count = std::max(program_.source_count, op.input + 1);
        program_.per_plane = program_.per_plane || op.per_plane;
        program_.per_channel = program_.per_channel || op.per_plane || op.per_pixel;
    }

    ChainProgram program_;
};

}  // namespace

ChainProgram make_chain_program(const post_ops::Chain& chain,
                                ElementType src_type,
                                std::size_t channels,
                                ChainLayout layout) {
    check_type("src", src_type);
    check_type("dst", chain.dst_type);
    if (channels == 0) {
        throw Error("compile", "chain kernel: the tensor has 0 channels");
    }
    return ProgramBuilder(src_type, channels, layout).build(chain);
}

}  // namespace fuseq::kernels
