// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged nets are read or refused with an Error; nothing else happens. A failing seed is printed.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "support/damaged_bytes.hpp"
#include "unit/readers_caffe2/caffe2_model.hpp"

namespace fuseq::test {
namespace {

Caffe2Model every_family() {
    Caffe2Model m;
    m.input("x", {1, 4, 4, 2});
    m.op("Int8Quantize", {"x"}, {"q"}).grid(0.5F, 128);
    m.bytes("w", {2, 1, 1, 2}, {1, 2, 3, 4}, 0.5F, 128);
    m.bias("b", {1, 2}, 0.25F);
    m.op("Int8ConvRelu", {"q", "w", "b"}, {"c"}).nhwc().integer("kernel", 1).grid(0.5F, 0);
    m.op("Int8Add", {"c", "q"}, {"s"}).grid(0.5F, 7);
    m.op("Int8AveragePool", {"s"}, {"p"}).nhwc().integer("kernel", 2).grid(0.5F, 7);
    m.op("Int8Concat", {"p", "p"}, {"k"}).nhwc().grid(0.5F, 7);
    m.op("Int8Dequantize", {"k"}, {"r"});
    m.op("Slice", {"r"}, {"l"}).integers("starts", {0, 1}).integers("ends", {-1, -1});
    m.op("Reshape", {"l"}, {"f", "old"}).integers("shape", {0, -1});
    m.op("Softmax", {"f"}, {"y"});
    m.output("y");
    return m;
}

TEST(Caffe2Fuzz, DamagedNetsAreReadOrRefused) {
    constexpr std::uint64_t kSeeds = 400;
    constexpr std::size_t kHeader = 2;
    const std::uint64_t first = std::random_device{}();
    std::cout << "first seed " << first << '\n';
    const Caffe2Model m = every_family();
    const std::string predict = m.predict.SerializeAsString();
    const std::string init = m.init.SerializeAsString();
    std::size_t refused = 0;
    std::size_t read = 0;
    for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const bool of_init = seed % 2 == 0;
        try {
            caffe2_reader::import_model(
                of_init ? predict : damaged(predict, kHeader, seed),
                of_init ? damaged(init, kHeader, seed) : init,
                {.predict_file = "predict.pb", .init_file = "init.pb", .inputs = m.input_infos});
            ++read;
        } catch (const Error& error) {
            ++refused;
            EXPECT_FALSE(error.info().file.empty()) << error.what();
        }
    }
    EXPECT_GT(refused, 0U);
    EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace fuseq::test
