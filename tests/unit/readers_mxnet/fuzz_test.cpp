// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files are read or refused with an Error; nothing else happens. A failing seed is printed.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "fuseq/error.hpp"
#include "unit/readers_mxnet/damaged_symbol.hpp"

namespace fuseq::test {
namespace {

TEST(MxnetFuzz, DamagedFilesAreReadOrRefused) {
    constexpr std::uint64_t kSeeds = 400;
    const std::uint64_t first = std::random_device{}();
    std::cout << "first seed " << first << '\n';
    const std::vector<std::string> files = mxnet_files();
    std::size_t refused = 0;
    std::size_t read = 0;
    for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        try {
            read_mxnet_files(damaged_files(files[seed % files.size()], seed));
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
