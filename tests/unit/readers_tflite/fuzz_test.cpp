// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged files are read or refused with an Error that names the file; nothing else happens. A
// failing seed is printed; fuseq_tflite_fuzz goes on for as long as one likes.
#include <gtest/gtest.h>

#include <random>

#include "support/damaged_bytes.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

TEST(TfliteFuzz, DamagedFilesAreReadOrRefused) {
    constexpr std::uint64_t kSeeds = 40;
    constexpr std::size_t kHeader = 8;
    const std::uint64_t first = std::random_device{}();
    std::cout << "first seed " << first << '\n';
    std::size_t refused = 0;
    std::size_t read = 0;
    for (const TfliteCase& one : tflite_cases()) {
        const std::string bytes = tflite_bytes(one.model);
        for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
            SCOPED_TRACE(one.name + ", seed " + std::to_string(seed));
            try {
                read_tflite(damaged(bytes, kHeader, seed), "fuzz.tflite");
                ++read;
            } catch (const Error& error) {
                ++refused;
                EXPECT_EQ(error.info().file, "fuzz.tflite") << error.what();
            }
        }
    }
    EXPECT_GT(refused, 0U);
    EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace fuseq::test
