// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files are read or refused with an Error; nothing else happens. A failing seed is printed.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "support/damaged_bytes.hpp"
#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

MxnetModel every_family() {
    MxnetModel m;
    m.input("x", "(1, 2, 4, 4)");
    m.op("_contrib_quantize_v2", "q", {"x"}, {{"min_calib_range", "-1"}, {"max_calib_range", "1"}});
    m.bytes("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    m.floats("low", {1}, {-1});
    m.floats("high", {1}, {1});
    m.op("_contrib_quantized_conv", "c", {"q", "w", "q:1", "q:2", "low", "high"},
         {{"kernel", "(1, 1)"}, {"num_filter", "2"}, {"no_bias", "True"}});
    m.op("_contrib_requantize", "r", {"c", "c:1", "c:2"},
         {{"min_calib_range", "-2"}, {"max_calib_range", "2"}});
    m.op("_contrib_quantized_pooling", "p", {"r", "r:1", "r:2"},
         {{"pool_type", "avg"}, {"kernel", "(2, 2)"}});
    m.op("_contrib_quantized_concat", "k", {"p", "p", "p:1", "p:2", "p:1", "p:2"},
         {{"num_args", "2"}, {"dim", "1"}});
    m.op("_contrib_dequantize", "d", {"k", "k:1", "k:2"});
    m.op("Reshape", "f", {"d"}, {{"shape", "(0, -1)"}});
    m.op("softmax", "y", {"f"});
    m.output("y");
    return m;
}

TEST(MxnetFuzz, DamagedFilesAreReadOrRefused) {
    constexpr std::uint64_t kSeeds = 400;
    constexpr std::size_t kHeader = 8;
    const std::uint64_t first = std::random_device{}();
    std::cout << "first seed " << first << '\n';
    const MxnetModel m = every_family();
    const std::string symbol = m.symbol();
    const std::string params = m.params();
    std::size_t refused = 0;
    std::size_t read = 0;
    for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const bool of_params = seed % 2 == 0;
        try {
            mxnet_reader::import_model(of_params ? symbol : damaged(symbol, kHeader, seed),
                                       of_params ? damaged(params, kHeader, seed) : params,
                                       {.symbol_file = "s.json", .params_file = "p.params"});
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
