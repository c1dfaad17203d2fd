// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged TFLite files until the time is over: fuseq_tflite_fuzz SECONDS SEED FILES
#include "readers/tflite/importer.hpp"
#include "readers/tflite/model_file.hpp"
#include "support/damaged_bytes.hpp"
#include "support/fuzz_loop.hpp"

int main(int argc, char** argv) {
    constexpr std::size_t kHeader = 8;
    return fuseq::test::fuzz_loop(
        argc, argv,
        [](const std::string& bytes, std::uint64_t seed) {
            return fuseq::test::damaged(bytes, kHeader, seed);
        },
        [](const std::string& bytes) {
            return fuseq::tflite_reader::import_model(fuseq::tflite_reader::copy_bytes(bytes),
                                                      {.file = "fuzz", .on_warning = {}});
        });
}
