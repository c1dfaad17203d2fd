// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <random>

#include "ops/convert.hpp"
#include "ops/fake_quantize.hpp"
#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Writes, reads again, and checks that nothing was lost.
std::shared_ptr<Model> round_trip(const Model& model, const TemporaryFolder& folder) {
    write_ir(model, folder.file("m.xml"));
    IrReadOptions options;
    options.strict = true;
    auto again = read_ir(folder.file("m.xml"), {}, options);
    EXPECT_EQ(compare_models(model, *again, {.layer_names = true}), "");
    EXPECT_EQ(again->to_text(), model.to_text());
    return again;
}

std::string refused_write(const Model& model) {
    const TemporaryFolder folder;
    try {
        write_ir(model, folder.file("m.xml"));
    } catch (const Error& error) {
        EXPECT_TRUE(std::filesystem::is_empty(folder.file(""))) << "a draft was left";
        return error.what();
    }
    return "";
}

TEST(WriteIr, GivesTheSameModel) {
    const auto model = Model::from_text(R"(model "net <&> \"1\""
        %x = Parameter : f32[?,3,8..16,8] "in,put" "a"
        %"w 0" = Const value=random(1) : i8[4,3,3,3]
        %c0 = Convert(%"w 0") destination_type=f32
        %conv = Convolution(%x, %c0) strides=[2,1] dilations=[1,1] pads_begin=[0,1] pads_end=[2,1] auto_pad=explicit : f32[?,4,4..8,8] "t"
        %lo = Const value={-0.1} : f32[]
        %hi = Const value={nan} : f32[1,1,1,1]
        %fq = FakeQuantize(%conv, %lo, %hi, %lo, %hi) levels=255
        %second = Parameter : i64[...]
        %r1 = Result(%fq)
        %r0 = Result(%second))");
    const TemporaryFolder folder;
    round_trip(*model, folder);
}

// ScatterNDUpdate-3 came with opset4, MVN-1 with opset2: other readers look it up there.
TEST(WriteIr, NamesAnOpsetThatHasTheOperation) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[4,2,3]
        %i = Const value={0} : i64[1,1]
        %u = Parameter : f32[1,2,3]
        %s = ScatterNDUpdate.3(%x, %i, %u)
        %m = MVN.1(%s) normalize_variance=true eps=0.5
        %r = Result(%m))");
    const TemporaryFolder folder;
    round_trip(*model, folder);
    std::ifstream in(folder.file("m.xml"));
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_THAT(text, HasSubstr(R"(type="ScatterNDUpdate" version="opset4")"));
    EXPECT_THAT(text, HasSubstr(R"(type="MVN" version="opset2")"));
    EXPECT_THAT(text, HasSubstr(R"(type="Const" version="opset1")"));
}

TEST(WriteIr, KeepsRtInfo) {
    const auto model = Model::from_text("%x = Parameter : f32[2] %r = Result(%x)");
    model->find("x")->rt_info = {{"layout.version", "0"}, {"layout.layout", "[N]"},
                                 {"plain", "a<b"},        {"odd.name x", "1"},
                                 {"n.value", "2"},        {"empty", ""}};
    const TemporaryFolder folder;
    EXPECT_EQ(round_trip(*model, folder)->find("x")->rt_info, model->find("x")->rt_info);
}

TEST(WriteIr, StoresEqualConstantsOnce) {
    const auto model = Model::from_text(R"(
        %a = Const value=iota : f32[100]
        %b = Const value=iota : f32[10,10]
        %c = Const value=iota(1) : f32[100]
        %d = Const value={1,2,3} : u8[3]
        %ra = Result(%a) %rb = Result(%b) %rc = Result(%c) %rd = Result(%d))");
    const TemporaryFolder folder;
    const auto again = round_trip(*model, folder);
    EXPECT_EQ(again->find("a")->constant().data(), again->find("b")->constant().data());
    EXPECT_NE(again->find("a")->constant().data(), again->find("c")->constant().data());
    for (const char* name : {"a", "c", "d"}) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(again->find(name)->constant().data()) % 64, 0u);
    }
    // 400 bytes, the next multiple of 64 is 448; 448 + 400, the next one is 896.
    EXPECT_EQ(std::filesystem::file_size(folder.file("m.bin")), 899u);
}

TEST(WriteIr, MayReplaceItsOwnFiles) {
    const TemporaryFolder folder;
    const auto model =
        Model::from_text(R"(%a = Const value=random(3) : f32[5000] %r = Result(%a))");
    write_ir(*model, folder.file("m.xml"));
    const auto mapped = read_ir(folder.file("m.xml"));
    mapped->add_result("r2", mapped->add_constant("b", Tensor::scalar<float>(1))->output());
    write_ir(*mapped, folder.file("m.xml"));
    EXPECT_EQ(compare_models(*mapped, *read_ir(folder.file("m.xml"))), "");
    EXPECT_TRUE(same_bytes(mapped->find("a")->constant(), model->find("a")->constant()));
}

TEST(WriteIr, RefusesWhatOnlyTransformationsMake) {
    const auto fq = Model::from_text(R"(
        %x = Parameter : f32[2]
        %lo = Const value={0} : f32[]
        %hi = Const value={255} : f32[]
        %fq = FakeQuantize(%x, %lo, %hi, %lo, %hi) levels=256 output_type=u8
        %r = Result(%fq))");
    EXPECT_THAT(refused_write(*fq),
                HasSubstr("m.xml': layer 'fq' (FakeQuantize): attribute output_type is 'u8', which "
                          "only transformations set"));
    const auto conv = Model::from_text(R"(
        %x = Parameter : u8[1,1,4]
        %w = Const value={1} : i8[1,1,1]
        %z = Const value={128} : u8[]
        %conv = Convolution(%x, %w, %z) strides=[1] dilations=[1]
        %r = Result(%conv))");
    EXPECT_THAT(refused_write(*conv),
                HasSubstr("layer 'conv' (Convolution): has 3 inputs, an IR can say 2"));
    const auto nameless = Model::from_text(R"(%"" = Parameter : f32[2] %r = Result(%""))");
    EXPECT_THAT(refused_write(*nameless), HasSubstr("has no name"));
}

TEST(WriteIr, FixedRowsOfNonMaxSuppressionAreSaidByThePorts) {
    const std::string text = R"(
        %b = Parameter : f32[1,20,4]
        %s = Parameter : f32[1,CLASSES,20]
        %most = Const value={3} : i64[]
        %nms = NonMaxSuppression.5(%b, %s, %most) pad_rows=true
        %r = Result(%nms:0))";
    const auto with_classes = [&](const char* classes) {
        std::string filled = text;
        return Model::from_text(filled.replace(filled.find("CLASSES"), 7, classes));
    };
    const TemporaryFolder folder;
    const auto again = round_trip(*with_classes("2"), folder);
    EXPECT_EQ(again->output().partial_shape(), (PartialShape{6, 3}));
    EXPECT_THAT(refused_write(*with_classes("?")), HasSubstr("attribute pad_rows is 'true'"));
}

TEST(WriteIr, RefusesFoldersThatAreNotThere) {
    const auto model = Model::from_text("%x = Parameter : f32[2] %r = Result(%x)");
    const TemporaryFolder folder;
    try {
        write_ir(*model, folder.file("none/m.xml"));
        FAIL() << "was written";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("none/m.bin': cannot be created"));
    }
}

TEST(WriteIr, WhatWasWidenedIsRead) {
    AddModel ir;
    ir.version = 10;
    ir.x_data = R"(shape="1,2" element_type="f16")";
    ir.w_data = R"(element_type="f16" shape="2" offset="0" size="4")";
    const auto model = read_ir_from_memory(ir.text(), Weights().add_halves({0.5f, -2}).tensor());
    const TemporaryFolder folder;
    const auto again = round_trip(*model, folder);
    EXPECT_EQ(again->find("w/to_f32")->rt_info, model->find("w/to_f32")->rt_info);
}

}  // namespace
}  // namespace fuseq::test
