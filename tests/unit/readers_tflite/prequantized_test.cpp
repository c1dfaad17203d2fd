// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The developers' set of quantized TFLite models beside the project: every tensor that TFLite 2.9
// computes, by its hash (../shared/prequantized/README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "readers/tflite/model_file.hpp"
#include "support/prequantized.hpp"
#include "support/saved_model.hpp"
#include "support/sha256.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

std::string whole_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// A row of mid_<runtime>/<k>.tsv.
struct Golden {
    std::int32_t index = 0;
    std::string sha256;
};

std::vector<Golden> read_goldens(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    std::vector<Golden> rows;
    while (std::getline(file, line)) {
        rows.push_back({std::stoi(line), line.substr(line.rfind('\t') + 1)});
    }
    return rows;
}

// The same file with these tensors as outputs: a vector is appended, one offset changed.
std::string with_outputs(std::string bytes, const std::vector<Golden>& goldens) {
    bytes.resize((bytes.size() + 3) / 4 * 4);
    const auto* graph = ::tflite::GetModel(bytes.data())->subgraphs()->Get(0);
    const auto* table = reinterpret_cast<const flatbuffers::Table*>(graph);
    const auto field = table->GetOptionalFieldOffset(::tflite::SubGraph::VT_OUTPUTS);
    const std::size_t at =
        static_cast<std::size_t>(reinterpret_cast<const char*>(table) + field - bytes.data());
    const auto put = [&](std::uint32_t value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const auto distance = static_cast<std::uint32_t>(bytes.size() - at);
    std::memcpy(bytes.data() + at, &distance, sizeof distance);
    put(static_cast<std::uint32_t>(goldens.size()));
    for (const Golden& golden : goldens) {
        put(static_cast<std::uint32_t>(golden.index));
    }
    return bytes;
}

struct Difference {
    std::size_t tensors = 0;
    std::size_t different = 0;
};

Difference run(const fs::path& folder, const std::string& device) {
    static Core core;
    const std::string bytes = whole_file(folder / "model.tflite");
    Difference sum;
    // One photograph is enough for the large ones.
    constexpr std::size_t kLarge = 1 << 20;
    const int runs = bytes.size() > kLarge ? 1 : 100;
    for (int k = 0; k < runs && fs::exists(folder / "in" / std::to_string(k)); ++k) {
        const auto goldens =
            read_goldens(folder / "mid_tflite_builtin" / (std::to_string(k) + ".tsv"));
        const auto model = read_tflite(with_outputs(bytes, goldens), folder.string());
        InferRequest request = core.compile_model(model, device).create_infer_request();
        const std::vector<Tensor> inputs = prequantized_inputs(folder, *model, k);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            request.set_input_tensor(i, inputs[i]);
        }
        request.infer();
        for (std::size_t i = 0; i < goldens.size(); ++i) {
            const Tensor value = request.get_output_tensor(i);
            const std::string hash = sha256(value.data(), value.get_byte_size());
            sum.tensors += 1;
            if (hash != goldens[i].sha256 && ++sum.different == 1) {
                std::cout << folder.filename().string() << ": run " << k
                          << ": the first tensor that differs is " << goldens[i].index << '\n';
            }
        }
    }
    return sum;
}

class PrequantizedTflite : public testing::TestWithParam<std::string> {};

TEST_P(PrequantizedTflite, EveryTensorIsThatOfTflite) {
    const std::vector<fs::path> folders = prequantized_models("model.tflite");
    if (folders.empty()) {
        GTEST_SKIP() << "no models in " << prequantized_folder();
    }
    for (const fs::path& folder : folders) {
        SCOPED_TRACE(folder.filename().string());
        try {
            const Difference difference = run(folder, GetParam());
            EXPECT_EQ(difference.different, 0U) << "of " << difference.tensors << " tensors";
            EXPECT_GT(difference.tensors, 0U);
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, PrequantizedTflite, testing::Values("REFERENCE", "CPU"));

TEST(PrequantizedTfliteFiles, AreTheSameWhenSaved) {
    const std::vector<fs::path> folders = prequantized_models("model.tflite");
    if (folders.empty()) {
        GTEST_SKIP() << "no models in " << prequantized_folder();
    }
    for (const fs::path& folder : folders) {
        SCOPED_TRACE(folder.filename().string());
        const auto model = read_tflite(whole_file(folder / "model.tflite"));
        expect_same_when_saved(model, {prequantized_inputs(folder, *model, 0)}, "CPU");
    }
}

}  // namespace
}  // namespace fuseq::test
