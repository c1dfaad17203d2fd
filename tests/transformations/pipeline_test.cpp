// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// All passes together: the graphs that they are made for, in the spelling of real models.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fuseq/error.hpp"
#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

// Preprocessing, FQ, convolution with quantized weights and bias, ReLU, FQ, max pool, depthwise
// convolution with per-channel activations, and a float end.
const char* const kNetwork = R"(model "m"
    %x = Parameter : f32[1,3,12,12]
    %mean = Const value={100,110,120} : f16[1,3,1,1]
    %mean32 = Convert(%mean) destination_type=f32
    %x0 = Subtract(%x, %mean32)
    %norm = Const value={0.0078125} : f32[1,1,1,1]
    %x1 = Multiply(%x0, %norm)
    %al = Const value=fill(-1.0078125) : f32[1,1,1,1]
    %ah = Const value=fill(1) : f32[1,1,1,1]
    %fq_a = FakeQuantize(%x1, %al, %ah, %al, %ah) levels=256
    %u = Const value=random(3,0,254) : u8[8,3,3,3]
    %uc = Convert(%u) destination_type=f32
    %il = Const value=fill(0) : f32[1,1,1,1]
    %ih = Const value=fill(254) : f32[1,1,1,1]
    %wl = Const value=fill(-0.254) : f32[8,1,1,1]
    %wh = Const value=fill(0.254) : f32[8,1,1,1]
    %w = FakeQuantize(%uc, %il, %ih, %wl, %wh) levels=255
    %conv = Convolution(%fq_a, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %b = Const value=random(9) : f32[1,8,1,1]
    %bias = Add(%b, %conv)
    %relu = ReLU(%bias)
    %bh = Const value={1,2,3,4,5,6,7,8} : f32[1,8,1,1]
    %fq_b = FakeQuantize(%relu, %il, %bh, %il, %bh) levels=256
    %pool = MaxPool.1(%fq_b) strides=[2,2] kernel=[2,2]
    %d = Const value=random(4,-127,127) : i8[8,1,3,3]
    %dc = Convert(%d) destination_type=f32
    %dz = Const value=fill(7.6e-6) : f32[8,1,1,1]
    %db = Subtract(%dc, %dz)
    %ds = Const value=fill(0.01) : f32[8,1,1,1]
    %dm = Multiply(%db, %ds)
    %dn = Const value={8,1,1,3,3} : i64[5]
    %dw = Reshape(%dm, %dn)
    %depthwise = GroupConvolution(%pool, %dw) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %fw = Const value=random(1) : f16[4,8,1,1]
    %fwc = Convert(%fw) destination_type=f32
    %last = Convolution(%depthwise, %fwc) strides=[1,1] dilations=[1,1]
    %k = Const value={2} : f32[]
    %scaled = Multiply(%last, %k)
    %r = Result(%scaled))";

TEST(Transform, QuantizesANetwork) {
    const PassTest test = run_transform(kNetwork);
    for (const char* layer : {"conv", "depthwise"}) {
        EXPECT_TRUE(is_integral(test.after->find(layer)->input(0).type())) << layer;
        EXPECT_EQ(test.after->find(layer)->input(1).type(), element::i8) << layer;
    }
    EXPECT_EQ(test.after->find("fq_a")->port().type, element::i8);
    EXPECT_EQ(test.after->find("fq_b")->port().type, element::u8);
    EXPECT_EQ(test.after->find("pool")->port().type, element::u8);
    EXPECT_EQ(test.after->find("last")->input(0).type(), element::f32);
    EXPECT_TRUE(test.after->find("last")->input_node(1)->is_constant());
    EXPECT_EQ(test.after->find("scaled"), nullptr);  // in the weights of `last`
    // Nothing is left between the convolution and the FQ but scale, bias and ReLU.
    const Node* relu = test.after->find("fq_b")->input_node(0);
    EXPECT_EQ(relu->name(), "relu");
    EXPECT_EQ(relu->input_node(0)->type(), "Add");
    EXPECT_EQ(relu->input_node(0)->input_node(0)->type(), "Multiply");
    EXPECT_EQ(relu->input_node(0)->input_node(0)->input_node(0)->name(), "conv");
    // A step of fq_b that falls to the other side is worth up to 8 / 255 * 1.27 * 2.
    EXPECT_LT(largest_difference(test, 3, 255.0f), 0.08);
}

TEST(Transform, LeavesEveryActivationInFloatWithoutLowPrecision) {
    PassOptions options;
    options.low_precision = false;
    const PassTest test = run_transform(kNetwork, options);
    EXPECT_EQ(test.after->find_all("FakeQuantize").size(), 2u);
    for (const Node* node : test.after->ordered_nodes()) {
        EXPECT_NE(node->port().type, element::u8);
        EXPECT_NE(node->port().type, element::i8);
    }
    EXPECT_TRUE(test.after->find("conv")->input_node(1)->is_constant());
    EXPECT_LT(largest_difference(test, 3, 255.0f), 0.08);
}

TEST(Transform, KeepsTheLayersThatTheUserNames) {
    PassOptions options;
    options.keep_float = {"fq_a", "dm"};
    const PassTest test = run_transform(kNetwork, options);
    EXPECT_EQ(test.after->find("fq_a")->port().type, element::f32);
    EXPECT_EQ(test.after->find("conv")->input(0).type(), element::f32);
    EXPECT_EQ(test.after->find("depthwise")->input(0).type(), element::f32);
    EXPECT_TRUE(test.after->find("depthwise")->input_node(1)->is_constant());
    EXPECT_EQ(refusal_at(test.context, "fq_a"), "kept_float: the layer is on the keep-float list");
    EXPECT_EQ(refusal_at(test.context, "conv").substr(0, 17), "src_not_quantized");
    EXPECT_LT(largest_difference(test, 3, 255.0f), 0.08);
}

TEST(Transform, SkipsPassesByName) {
    PassOptions options;
    options.disabled = {"quantize_convolution"};
    const PassTest test = run_transform(kNetwork, options);
    EXPECT_EQ(test.after->find("conv")->input(0).type(), element::f32);
    EXPECT_LT(largest_difference(test, 3, 255.0f), 0.08);
}

TEST(Transform, RefusesToSkipWhatTheDeviceNeeds) {
    PassOptions options;
    options.disabled = {"cover_deconvolutions"};
    try {
        run_transform(kNetwork, options);
        FAIL() << "the pass was skipped";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().rule,
                  "pass 'cover_deconvolutions' cannot be disabled: oneDNN computes wrong numbers "
                  "where no tap of a deconvolution reaches a result");
    }
}

TEST(Transform, WritesTheModelAfterEveryPass) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "fuseq_pass_dumps";
    std::filesystem::remove_all(folder);
    PassOptions options;
    options.dump_dir = folder.string();
    run_transform(kNetwork, options);
    EXPECT_TRUE(std::filesystem::exists(folder / "007_fold_constants.txt"));
    EXPECT_TRUE(std::filesystem::exists(folder / "049_expand_constants.txt"));
    std::filesystem::remove_all(folder);
}

TEST(Transform, PassNamesAreUnique) {
    std::set<std::string_view> names;
    for (const auto* list : {&common_passes(), &low_precision_passes(), &cpu_passes()}) {
        for (const Pass& pass : *list) {
            EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
        }
    }
}

TEST(Transform, IsDoneOnce) {  // again: nothing to do, and nothing breaks
    const PassTest test = run_transform(kNetwork);
    const std::string before = test.after->to_text();
    PassContext context;
    transform(*test.after, context);
    EXPECT_EQ(test.after->to_text(), before);
}

}  // namespace
}  // namespace fuseq::testing
