// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_constant.hpp"

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Text of the Error when the Const of the small model has this <data>.
std::string refused(const std::string& data, const Tensor& weights = add_weights()) {
    AddModel model;
    model.w_data = data;
    return refusal(model.text(), weights);
}

// A model with one Const, whose value is its output.
Tensor constant(const std::string& data, const Tensor& weights) {
    const auto model = read_ir_from_memory(
        net(layer({.id = 0, .name = "c", .type = "Const", .data = data, .outputs = port(0, "")}) +
                layer({.id = 1, .name = "r", .type = "Result", .inputs = port(0, "")}),
            edge(0, 0, 1, 0)),
        weights);
    return model->find("c")->constant();
}

TEST(IrConstant, RefusesWhatLiesBeyondTheWeights) {
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="4" size="8")"),
                HasSubstr("layer 1 'w' (Const): offset 4 and size 8 reach beyond the weights, "
                          "which has 8 bytes"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="9" size="8")"),
                HasSubstr("reach beyond"));
    // The sum of offset and size wraps around in 64 bits.
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="9223372036854775807" size="8")"),
                HasSubstr("reach beyond"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="18446744073709551612" size="8")"),
                HasSubstr("offset -4 and size 8, expected numbers from 0"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="-4" size="8")"),
                HasSubstr("offset -4 and size 8, expected numbers from 0"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="0" size="-8")"),
                HasSubstr("expected numbers from 0"));
}

TEST(IrConstant, RefusesASizeThatIsNotThatOfTheShape) {
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="0" size="4")"),
                HasSubstr("size 4 does not fit 2 elements of f32, shape [2]"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="0" size="7")"),
                HasSubstr("size 7 does not fit"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="4611686018427387904" offset="0" size="0")"),
                HasSubstr("size 0 does not fit 4611686018427387904 elements"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="4294967296,4294967296" offset="0" size="0")"),
                HasSubstr("has too many elements"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="?,2" offset="0" size="8")"),
                HasSubstr("shape [?,2] is not static"));
}

TEST(IrConstant, RefusesMissingAndUnsupported) {
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" size="8")"),
                HasSubstr("layer 1 'w' (Const): attribute offset is missing"));
    EXPECT_THAT(refused(R"(shape="2" offset="0" size="8")"),
                HasSubstr("attribute element_type is missing"));
    EXPECT_THAT(refused(R"(element_type="f7" shape="2" offset="0" size="8")"),
                HasSubstr("layer 1 'w' (Const): attribute element_type: 'f7' is not a supported "
                          "element type"));
    EXPECT_THAT(refused(R"(element_type="f32" shape="2" offset="0" size="8")", {}),
                HasSubstr("layer 1 'w' (Const): needs weights, but none were given"));
}

TEST(IrConstant, NeedsTheFileOnlyWhenThereAreConstants) {
    const TemporaryFolder folder;
    const auto xml = folder.write("m.xml", AddModel().text());
    const auto refused_file = [&] {
        try {
            read_ir(xml);
        } catch (const Error& error) {
            EXPECT_EQ(error.info().file, xml.string());
            return error.info().rule;
        }
        return std::string();
    };
    EXPECT_THAT(refused_file(), testing::AllOf(HasSubstr("m.bin': cannot open the weights"),
                                               HasSubstr("No such file")));
    folder.write("m.bin", std::vector<std::uint8_t>(7));
    EXPECT_THAT(refused_file(), HasSubstr("m.bin', which has 7 bytes"));
    folder.write("m.bin", std::vector<std::uint8_t>());
    EXPECT_THAT(refused_file(), HasSubstr("m.bin', which has 0 bytes"));
    const auto plain = folder.write(
        "plain.xml", net(layer({.id = 0,
                                .name = "x",
                                .type = "Parameter",
                                .data = R"(shape="1" element_type="f32")",
                                .outputs = port(0, "1")}) +
                             layer({.id = 1, .name = "r", .type = "Result", .inputs = port(0, "")}),
                         edge(0, 0, 1, 0)));
    EXPECT_EQ(read_ir(plain)->node_count(), 2u);
}

TEST(IrConstant, ReadsEveryType) {
    const Tensor bytes = Weights().add<std::uint8_t>({1, 0, 255, 255, 0, 0x3c, 0, 0xc0}).tensor();
    const auto ints = [&](const std::string& type, const std::string& shape, int size) {
        return to_ints(constant("element_type=\"" + type + "\" shape=\"" + shape +
                                    "\" offset=\"0\" size=\"" + std::to_string(size) + "\"",
                                bytes));
    };
    EXPECT_EQ(ints("u8", "4", 4), (std::vector<std::int64_t>{1, 0, 255, 255}));
    EXPECT_EQ(ints("i8", "4", 4), (std::vector<std::int64_t>{1, 0, -1, -1}));
    EXPECT_EQ(ints("i16", "2", 4), (std::vector<std::int64_t>{1, -1}));
    EXPECT_EQ(ints("u16", "2", 4), (std::vector<std::int64_t>{1, 65535}));
    EXPECT_EQ(ints("i32", "", 4), (std::vector<std::int64_t>{-65535}));
    EXPECT_EQ(ints("boolean", "4", 4), (std::vector<std::int64_t>{1, 0, 1, 1}));
    EXPECT_EQ(ints("i64", "1", 8)[0], static_cast<std::int64_t>(0xc0003c00ffff0001u));
    EXPECT_EQ(to_floats(constant(R"(element_type="f16" shape="2" offset="4" size="4")", bytes)),
              (std::vector<float>{1, -2}));
}

TEST(IrConstant, BooleansAreZeroOrOne) {
    const Tensor value = constant(R"(element_type="boolean" shape="3" offset="0" size="3")",
                                  Weights().add<std::uint8_t>({0, 2, 255}).tensor());
    const auto* bytes = static_cast<const std::uint8_t*>(value.data());
    EXPECT_EQ(std::vector<int>(bytes, bytes + 3), (std::vector<int>{0, 1, 1}));
}

TEST(IrConstant, SharesMemoryWhereItIsAligned) {
    const Tensor weights = Weights().add<float>({1, 2, 3}).tensor();
    const Tensor aligned = constant(R"(element_type="f32" shape="1" offset="4" size="4")", weights);
    EXPECT_EQ(aligned.data(), static_cast<const std::uint8_t*>(weights.data()) + 4);
    const Tensor shifted = constant(R"(element_type="f32" shape="2" offset="1" size="8")", weights);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(shifted.data()) % alignof(float), 0u);
    EXPECT_EQ(std::memcmp(std::as_const(shifted).data(),
                          static_cast<const std::uint8_t*>(weights.data()) + 1, 8),
              0);
}

TEST(IrConstant, MayHaveNoElements) {
    EXPECT_EQ(
        constant(R"(element_type="f32" shape="0" offset="0" size="1")", add_weights()).get_shape(),
        (Shape{0}));
}

}  // namespace
}  // namespace fuseq::test
