// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The facts of capabilities.cpp asked of oneDNN again: for every kind of anchor, in the shapes in
// which networks use it, whatever emit() maps must be created without falling to a reference
// implementation.
#include "cpu/post_ops/capabilities.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "cpu/machine/isa_limit.hpp"
#include "cpu/post_ops/dnnl_post_ops_composer.hpp"

namespace fuseq::post_ops {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
constexpr ElementType f32 = ElementType::f32;
constexpr ElementType u8 = ElementType::u8;
constexpr ElementType i8 = ElementType::i8;

const dnnl::engine& engine() {
    static const dnnl::engine kEngine = [] {
        cpu::fix_isa_level();
        return dnnl::engine(dnnl::engine::kind::cpu, 0);
    }();
    return kEngine;
}

memory::data_type type_of(ElementType type) {
    return type == u8 ? memory::data_type::u8
                      : (type == i8 ? memory::data_type::s8 : memory::data_type::f32);
}

struct Form {
    const char* name;
    AnchorKind kind;
    memory::dims dst;
    int channel_axis;
    // The implementation's name for a source type, a dst descriptor and attributes.
    std::function<std::string(ElementType, const memory::desc&, const dnnl::primitive_attr&)> make;
};

Tag tag_of(std::size_t rank) {
    return rank == 4 ? Tag::nhwc : (rank == 3 ? Tag::abc : Tag::ab);
}

memory::desc weights(const memory::dims& dims, ElementType src) {
    return {dims, src == f32 ? memory::data_type::f32 : memory::data_type::s8, Tag::any};
}

memory::desc bias(dnnl_dim_t oc) {
    return {{oc}, memory::data_type::f32, Tag::x};
}

Form convolution(
    const char* name, memory::dims src, memory::dims wei, memory::dims dst, dnnl_dim_t pad) {
    return {
        name, AnchorKind::kConvolution, dst, 1,
        [=](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
            const dnnl::convolution_forward::desc desc(
                dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                memory::desc(src, type_of(type), Tag::nhwc), weights(wei, type), bias(dst[1]), out,
                {1, 1}, {pad, pad}, {pad, pad});
            return std::string(
                dnnl::convolution_forward::primitive_desc(desc, attr, engine()).impl_info_str());
        }};
}

Form deconvolution() {
    return {
        "deconvolution 4x4 stride 2",
        AnchorKind::kDeconvolution,
        {1, 32, 28, 28},
        1,
        [](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
            const dnnl::deconvolution_forward::desc desc(
                dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
                memory::desc({1, 64, 14, 14}, type_of(type), Tag::nhwc),
                weights({32, 64, 4, 4}, type), bias(32), out, {2, 2}, {1, 1}, {1, 1});
            return std::string(
                dnnl::deconvolution_forward::primitive_desc(desc, attr, engine()).impl_info_str());
        }};
}

Form matmul(const char* name, memory::dims src, memory::dims wei, memory::dims dst) {
    const int axis = static_cast<int>(dst.size()) - 1;
    return {
        name, AnchorKind::kMatMul, dst, axis,
        [=](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
            memory::dims bias_dims(dst.size(), 1);
            bias_dims.back() = dst.back();
            const dnnl::matmul::desc desc(
                memory::desc(src, type_of(type), tag_of(src.size())), weights(wei, type),
                memory::desc(bias_dims, memory::data_type::f32, tag_of(dst.size())), out);
            return std::string(dnnl::matmul::primitive_desc(desc, attr, engine()).impl_info_str());
        }};
}

Form inner_product() {
    return {
        "inner product",
        AnchorKind::kInnerProduct,
        {16, 256},
        1,
        [](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
            const dnnl::inner_product_forward::desc desc(
                dnnl::prop_kind::forward_inference, memory::desc({16, 128}, type_of(type), Tag::ab),
                weights({256, 128}, type), bias(256), out);
            return std::string(
                dnnl::inner_product_forward::primitive_desc(desc, attr, engine()).impl_info_str());
        }};
}

Form pooling(const char* name, AnchorKind kind, memory::dims dst, dnnl_dim_t kernel) {
    const dnnl_dim_t stride = dst[2] == 1 ? 1 : kernel;
    return {name, kind, dst, 1,
            [=](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
                const auto algorithm = kind == AnchorKind::kMaxPool ? dnnl::algorithm::pooling_max
                                                                    : dnnl::algorithm::pooling_avg;
                const dnnl::pooling_v2_forward::desc desc(
                    dnnl::prop_kind::forward_inference, algorithm,
                    memory::desc({1, dst[1], 14, 14}, type_of(type), Tag::nhwc), out,
                    {stride, stride}, {kernel, kernel}, {0, 0}, {0, 0}, {0, 0});
                return std::string(
                    dnnl::pooling_v2_forward::primitive_desc(desc, attr, engine()).impl_info_str());
            }};
}

Form binary() {
    return {
        "binary",
        AnchorKind::kBinary,
        {1, 64, 14, 14},
        1,
        [](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
            const memory::desc src({1, 64, 14, 14}, type_of(type), Tag::nhwc);
            const dnnl::binary::desc desc(dnnl::algorithm::binary_add, src, src, out);
            return std::string(dnnl::binary::primitive_desc(desc, attr, engine()).impl_info_str());
        }};
}

Form reorder() {
    return {
        "reorder",
        AnchorKind::kReorder,
        {1, 64, 14, 14},
        1,
        [](ElementType type, const memory::desc& out, const dnnl::primitive_attr& attr) {
            const memory::desc src({1, 64, 14, 14}, type_of(type), Tag::nchw);
            return std::string(
                dnnl::reorder::primitive_desc(engine(), src, engine(), out, attr).impl_info_str());
        }};
}

std::vector<Form> all_forms() {
    return {convolution("convolution 3x3", {1, 64, 14, 14}, {64, 64, 3, 3}, {1, 64, 14, 14}, 1),
            convolution("convolution 1x1", {1, 64, 14, 14}, {64, 64, 1, 1}, {1, 64, 14, 14}, 0),
            convolution("37 channels", {1, 24, 14, 14}, {37, 24, 3, 3}, {1, 37, 14, 14}, 1),
            convolution("depthwise", {1, 64, 14, 14}, {64, 1, 1, 3, 3}, {1, 64, 14, 14}, 1),
            convolution("two groups", {1, 64, 14, 14}, {2, 32, 32, 3, 3}, {1, 64, 14, 14}, 1),
            convolution("one pixel", {1, 64, 1, 1}, {64, 64, 1, 1}, {1, 64, 1, 1}, 0),
            deconvolution(),
            matmul("matmul", {64, 128}, {128, 256}, {64, 256}),
            matmul("matmul of one row", {1, 128}, {128, 256}, {1, 256}),
            matmul("batched matmul", {4, 64, 128}, {4, 128, 64}, {4, 64, 64}),
            inner_product(),
            pooling("max pooling", AnchorKind::kMaxPool, {1, 64, 7, 7}, 2),
            pooling("average pooling", AnchorKind::kAvgPool, {1, 64, 7, 7}, 2),
            pooling("global average pooling", AnchorKind::kAvgPool, {1, 64, 1, 1}, 14),
            binary(),
            reorder()};
}

std::vector<BasicOp> every_kind_of_op(std::size_t channels) {
    std::vector<float> each(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        each[c] = 1.0f + static_cast<float>(c);
    }
    std::vector<BasicOp> ops{Scale{2.0f},
                             Scale{Values(each)},
                             Shift{3.0f},
                             Shift{Values(each)},
                             Round{},
                             Clip{0.0f, 6.0f},
                             Clip{Values(each), Values(std::vector<float>(channels, 99.0f))},
                             Prelu{Values(each)}};
    for (int kind = 0; kind <= static_cast<int>(EltwiseKind::kPower); ++kind) {
        ops.emplace_back(Eltwise{static_cast<EltwiseKind>(kind), 0.5f, 0.5f, 2.0f});
    }
    for (const BinaryKind kind :
         {BinaryKind::kAdd, BinaryKind::kMul, BinaryKind::kMax, BinaryKind::kMin}) {
        for (const ElementType type : {u8, i8, ElementType::i32, f32}) {
            ops.emplace_back(Binary{kind, 0, type, 0.5f});
        }
    }
    return ops;
}

struct Count {
    std::size_t mapped = 0;
    std::size_t refused = 0;
};

void try_chain(const Form& form, const Chain& chain, const Anchor& anchor, Count& count) {
    const Emission emission = emit(chain, anchor);
    if (!emission.possible) {
        ++count.refused;
        return;
    }
    ++(emission.complete ? count.mapped : count.refused);
    const memory::desc dst(form.dst, type_of(emission.dst_type), tag_of(form.dst.size()));
    const ComposedAttributes made = compose_attributes(emission, dst, form.channel_axis, engine());
    std::string implementation;
    try {
        implementation = form.make(anchor.src_type, dst, made.attr);
    } catch (const dnnl::error& error) {
        implementation = std::string("refused: ") + error.what();
    }
    EXPECT_FALSE(implementation.starts_with("refused")) << implementation;
    EXPECT_EQ(fault_of(implementation, anchor, emission), "");
    if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << form.name << " of " << to_string(anchor.src_type) << ": " << to_text(chain)
                      << " as " << to_text(emission);
    }
}

// Each operation alone, after a relu, and in pairs with the residual add, with and without sum.
void try_all(const Form& form, ElementType src, ElementType dst, Count& count) {
    Anchor anchor{
        .kind = form.kind,
        .src_type = src,
        .wei_type = src == f32 ? f32 : i8,
        .oc = static_cast<std::size_t>(form.dst[static_cast<std::size_t>(form.channel_axis)]),
        .isa = cpu::isa_level()};
    for (const BasicOp& op : every_kind_of_op(anchor.oc)) {
        for (const bool sum : {false, true}) {
            anchor.sum_inputs = sum ? std::vector<std::size_t>{0} : std::vector<std::size_t>{};
            try_chain(form, {{op}, dst}, anchor, count);
            try_chain(form, {{Eltwise{}, op}, dst}, anchor, count);
            try_chain(form, {{op, Eltwise{}, Scale{3.0f}, Shift{1.0f}, Round{}}, dst}, anchor,
                      count);
            if (::testing::Test::HasFailure()) {
                return;
            }
        }
    }
}

TEST(CapabilitiesOfAnchors, NothingEmittedLandsOnAReference) {
    Count count;
    for (const Form& form : all_forms()) {
        for (const ElementType src : {u8, i8, f32}) {
            for (const ElementType dst : {u8, i8, f32}) {
                try_all(form, src, dst, count);
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
    EXPECT_GT(count.mapped, 10000u);
    EXPECT_GT(count.refused, 3000u);
}

TEST(CapabilitiesOf, KnowWhatEachAnchorStores) {
    const auto stores = [](AnchorKind kind, ElementType src, ElementType dst) {
        return capabilities_of({.kind = kind, .src_type = src}).stores(dst);
    };
    EXPECT_TRUE(stores(AnchorKind::kConvolution, u8, f32));
    EXPECT_TRUE(stores(AnchorKind::kConvolution, u8, i8));
    EXPECT_FALSE(stores(AnchorKind::kConvolution, f32, u8));
    EXPECT_FALSE(stores(AnchorKind::kMaxPool, u8, i8));
    EXPECT_FALSE(stores(AnchorKind::kAvgPool, u8, f32));
    EXPECT_FALSE(stores(AnchorKind::kBinary, u8, f32));
    EXPECT_TRUE(stores(AnchorKind::kReorder, f32, u8));
}

TEST(IsReferenceImplementation, KnowsTheirNames) {
    EXPECT_TRUE(is_reference_implementation("ref_int8:any"));
    EXPECT_TRUE(is_reference_implementation("ref:any"));
    EXPECT_TRUE(is_reference_implementation("simple_nhwc:any"));
    EXPECT_FALSE(is_reference_implementation("brgconv:avx512_core_vnni"));
    EXPECT_FALSE(is_reference_implementation("x64:gemm_s8u8s32:jit"));
}

}  // namespace
}  // namespace fuseq::post_ops
