// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads damaged files until the time is over. Prints the seed before each thousand, so that a crash
// can be made again: fuseq_tflite_fuzz SECONDS SEED FILES
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "fuseq/error.hpp"
#include "readers/tflite/importer.hpp"
#include "readers/tflite/model_file.hpp"
#include "unit/readers_tflite/mutate.hpp"

namespace {

std::string whole_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: fuseq_tflite_fuzz SECONDS SEED FILES\n";
        return 2;
    }
    std::vector<std::string> files;
    for (int i = 3; i < argc; ++i) {
        files.push_back(whole_file(argv[i]));
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::stoll(argv[1]));
    std::uint64_t seed = std::stoull(argv[2]);
    std::size_t read = 0;
    std::size_t refused = 0;
    while (Clock::now() < end) {
        constexpr std::uint64_t kStep = 1000;
        std::cerr << "seed " << seed << '\n';
        for (std::uint64_t i = 0; i < kStep; ++i, ++seed) {
            const std::string bytes = fuseq::test::damaged(files[seed % files.size()], seed);
            try {
                fuseq::tflite_reader::import_model(fuseq::tflite_reader::copy_bytes(bytes),
                                                   {.file = "fuzz", .on_warning = {}});
                ++read;
            } catch (const fuseq::Error&) {
                ++refused;
            }
        }
    }
    std::cout << read << " read, " << refused << " refused, next seed " << seed << '\n';
    return 0;
}
