// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/readers_tflite/tflite_case.hpp"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "readers/tflite/importer.hpp"
#include "readers/tflite/model_file.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

std::string whole_file(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Tensor read_value(const nlohmann::json& value) {
    const auto type = parse_element_type(value.at("type").get<std::string>());
    Shape shape;
    for (const auto& size : value.at("shape")) {
        shape.push_back(size.get<std::size_t>());
    }
    std::vector<double> values;
    for (const auto& one : value.at("values")) {
        // What JSON has no numbers for.
        values.push_back(one.is_string() ? std::stod(one.get<std::string>()) : one.get<double>());
    }
    return Tensor::of<double>(shape, values).to(*type);
}

std::vector<std::vector<Tensor>> read_runs(const nlohmann::json& runs) {
    std::vector<std::vector<Tensor>> all;
    for (const auto& run : runs) {
        std::vector<Tensor>& tensors = all.emplace_back();
        for (const auto& value : run) {
            tensors.push_back(read_value(value));
        }
    }
    return all;
}

}  // namespace

std::vector<TfliteCase> tflite_cases() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(FUSEQ_TFLITE_CASES)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<TfliteCase> cases;
    for (const fs::path& path : files) {
        for (const auto& one : nlohmann::json::parse(whole_file(path))) {
            cases.push_back({.name = one.at("name"),
                             .model = one.at("model"),
                             .inputs = read_runs(one.at("inputs")),
                             .outputs = read_runs(one.at("outputs")),
                             .tolerance = one.value("tolerance", 0.0),
                             .steps = one.value("steps", std::size_t{0})});
        }
    }
    return cases;
}

std::string tflite_bytes(const nlohmann::json& model) {
    static flatbuffers::Parser parser;
    static const bool parsed = parser.Parse(whole_file(FUSEQ_TFLITE_SCHEMA).c_str());
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
