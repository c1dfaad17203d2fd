// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged ONNX files until the time is over: fuseq_onnx_fuzz SECONDS SEED FILES
#include "readers/onnx/importer.hpp"
#include "readers/onnx/model_file.hpp"
#include "support/fuzz_loop.hpp"
#include "unit/readers_onnx/damaged_model.hpp"

int main(int argc, char** argv) {
    return fuseq::test::fuzz_loop(
        argc, argv, fuseq::test::damaged_model, [](const std::string& bytes) {
            const auto proto = fuseq::onnx_reader::parse_model(bytes, {.file = "fuzz"});
            return fuseq::onnx_reader::import_model(
                *proto, {.file = "fuzz", .folder = {}, .on_warning = {}});
        });
}
