// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/eltwise_program.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::EpilogueOp;
using post_ops::Values;

void check_type(const char* what, ElementType type) {
    switch (type) {
        case ElementType::u8:
        case ElementType::i8:
        case ElementType::i32:
        case ElementType::f32: return;
        default:
            throw Error("compile",
                        fmt::format("fused eltwise: {} is {}, expected u8, i8, i32 or f32", what,
                                    to_string(type)));
    }
}

class ProgramBuilder {
public:
    ProgramBuilder(ElementType src_type, std::size_t channels, EltwiseLayout layout) {
        program_.src_type = src_type;
        program_.layout = layout;
        program_.channels = channels;
        program_.repeated_row = std::max<std::size_t>(1, kChainTile / channels) * channels;
    }

    EltwiseProgram build(const post_ops::EpilogueProgram& epilogue) {
        program_.dst_type = epilogue.dst_type;
        for (const EpilogueOp& op : epilogue.ops) {
            add(op);
        }
        return std::move(program_);
    }

private:
    EltwiseParameter parameter(const Values& values) {
        EltwiseParameter out;
        out.per_channel = !values.per_tensor();
        if (out.per_channel && values.size() != program_.channels) {
            throw Error(
                "compile",
                fmt::format(
                    "fused eltwise: an operation has values for {} channels, the tensor has {}",
                    values.size(), program_.channels));
        }
        program_.per_channel = program_.per_channel || out.per_channel;
        const std::size_t count = !out.per_channel                          ? 1
                                  : program_.layout == EltwiseLayout::kRows ? program_.repeated_row
                                                                            : program_.channels;
        out.values.resize(count + kChainPadding, 0.0f);
        for (std::size_t i = 0; i < count; ++i) {
            out.values[i] = values[i % program_.channels];
        }
        return out;
    }

    void add(const EpilogueOp& op) {
        ProgramOp packed{.kind = op.kind, .eltwise = op.eltwise, .binary = op.binary};
        if (!op.a.empty()) {
            packed.a = parameter(op.a);
        }
        if (!op.b.empty()) {
            packed.b = parameter(op.b);
        }
        if (op.kind == EpilogueOp::Kind::kBinary) {
            add_source(op.binary);
        }
        if (op.kind == EpilogueOp::Kind::kEltwise &&
            op.eltwise.kind == post_ops::EltwiseKind::kElu && size_of(program_.dst_type) == 1) {
            packed.is_coarse_elu = true;
            packed.a = parameter(op.eltwise.alpha);
            packed.b = parameter(op.eltwise.scale);
        }
        program_.ops.push_back(std::move(packed));
    }

    void add_source(const post_ops::Binary& op) {
        check_type("a binary source", op.type);
        program_.source_count = std::max(program_.source_count, op.input + 1);
        program_.per_plane = program_.per_plane || op.per_plane;
        program_.per_channel = program_.per_channel || op.per_plane || op.per_pixel;
    }

    EltwiseProgram program_;
};

}  // namespace

EltwiseProgram make_chain_program(const post_ops::Chain& chain,
                                  ElementType src_type,
                                  std::size_t channels,
                                  EltwiseLayout layout) {
    check_type("src", src_type);
    check_type("dst", chain.dst_type);
    if (channels == 0) {
        throw Error("compile", "fused eltwise: the tensor has 0 channels");
    }
    return ProgramBuilder(src_type, channels, layout).build(post_ops::make_epilogue(chain));
}

}  // namespace fuseq::kernels
