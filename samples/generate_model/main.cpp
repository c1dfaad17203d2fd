// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// generate_model: makes the bundled model and an image for it.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "common/npy.hpp"
#include "common/tool.hpp"
#include "fuseq/error.hpp"
#include "generate_model/residual_cnn.hpp"
#include "ir/ir.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

void run(const std::string& folder, std::uint64_t seed) {
    const fs::path base = folder;
    std::error_code failed;
    fs::create_directories(base / "residual_cnn_input", failed);
    if (failed) {
        throw Error("write", folder + ": " + failed.message());
    }
    const std::shared_ptr<Model> model = residual_cnn(seed);
    write_ir(*model, base / "residual_cnn.xml");
    // u8 is a quarter of the size; the tools convert it to the type of the input.
    write_npy((base / "residual_cnn_input" / "image.npy").string(),
              synthetic_image(seed).to(ElementType::u8));
}

}  // namespace
}  // namespace fuseq::samples

int main(int argc, char** argv) {
    return fuseq::samples::run_tool([&] {
        std::string folder;
        std::uint64_t seed = fuseq::samples::kDefaultSeed;
        CLI::App app("Writes residual_cnn.xml, .bin and residual_cnn_input/image.npy.",
                     "generate_model");
        app.add_option("-o", folder, "Folder to write to")->required();
        app.add_option("--seed", seed, "Seed of weights and image")->capture_default_str();
        if (fuseq::samples::parse_arguments(app, argc, argv)) {
            fuseq::samples::run(folder, seed);
        }
    });
}
