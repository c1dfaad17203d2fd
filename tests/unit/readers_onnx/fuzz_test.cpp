// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged ONNX files are read or refused with an Error that names the file; nothing else happens. A
// failing seed is printed; fuseq_onnx_fuzz goes on for as long as one likes.
#include <gtest/gtest.h>

#include <random>

#include "readers/onnx/model_file.hpp"
#include "support/small_model.hpp"
#include "unit/readers_onnx/damaged_model.hpp"
#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

// Quantizers, a convolution with its attributes, a reshape by a constant and a branch.
std::string whole_model() {
    OnnxModel m;
    m.input("x", {1, 2, 4, 4});
    m.floats("scale", {}, {0.5F});
    m.node("QuantizeLinear", {"x", "scale"}, {"q"}, "quantize");
    m.node("DequantizeLinear", {"q", "scale"}, {"d"}, "dequantize");
    m.floats("w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
    auto* conv = m.node("Conv", {"d", "w"}, {"c"}, "conv");
    auto* strides = attribute(conv, "strides", ::onnx::AttributeProto::INTS);
    strides->add_ints(2);
    strides->add_ints(2);
    m.node("Relu", {"c"}, {"r"});
    m.node("Flatten", {"r"}, {"y"});
    m.output("y");
    return m.bytes();
}

std::shared_ptr<Model> read(const std::string& bytes) {
    const auto proto = onnx_reader::parse_model(bytes, {.file = "fuzz.onnx"});
    return onnx_reader::import_model(*proto, {.file = "fuzz.onnx", .folder = {}, .on_warning = {}});
}

TEST(OnnxFuzz, DamagedFilesAreReadOrRefused) {
    constexpr std::uint64_t kSeeds = 3000;
    const std::uint64_t first = std::random_device{}();
    std::cout << "first seed " << first << '\n';
    const std::string bytes = whole_model();
    ASSERT_NO_THROW(read(bytes));
    std::size_t refused = 0;
    std::size_t accepted = 0;
    for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        try {
            read(damaged_model(bytes, seed));
            ++accepted;
        } catch (const Error& error) {
            ++refused;
            EXPECT_EQ(error.info().file, "fuzz.onnx") << error.what();
        }
    }
    EXPECT_GT(refused, 0U);
    EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace fuseq::test
