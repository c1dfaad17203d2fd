// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/readers_tflite/tflite_case.hpp"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <filesystem>

#include "readers/tflite/importer.hpp"
#include "readers/tflite/model_file.hpp"
#include "support/recorded_runs.hpp"

namespace fuseq::test {
std::vector<TfliteCase> tflite_cases() {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(FUSEQ_TFLITE_CASES)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<TfliteCase> cases;
    for (const fs::path& path : files) {
        for (const auto& one : nlohmann::json::parse(whole_text(path))) {
            cases.push_back({.name = one.at("name"),
                             .model = one.at("model"),
                             .inputs = recorded_runs(one.at("inputs")),
                             .outputs = recorded_runs(one.at("outputs")),
                             .tolerance = one.value("tolerance", 0.0),
                             .steps = one.value("steps", std::size_t{0})});
        }
    }
    return cases;
}

std::string tflite_bytes(const nlohmann::json& model) {
    static flatbuffers::Parser parser;
    static const bool parsed = parser.Parse(whole_text(FUSEQ_TFLITE_SCHEMA).c_str());
    if (!parsed || !parser.ParseJson(model.dump().c_str())) {
        throw std::runtime_error("no TFLite model: " + parser.error_);
    }
    return {reinterpret_cast<const char*>(parser.builder_.GetBufferPointer()),
            parser.builder_.GetSize()};
}

std::shared_ptr<Model> read_tflite(const std::string& bytes, const std::string& file) {
    return tflite_reader::import_model(tflite_reader::copy_bytes(bytes),
                                       {.file = file, .on_warning = {}});
}

}  // namespace fuseq::test
