// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the real models that lie beside the project, where they do: folder shared/models beside
// the source tree, or below $FUSEQ_SHARED.
#include <algorithm>
#include <cstdlib>

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

std::vector<std::filesystem::path> real_models() {
    const char* shared = std::getenv("FUSEQ_SHARED");
    const auto folder = shared != nullptr
                            ? std::filesystem::path(shared) / "models"
                            : std::filesystem::path(FUSEQ_SOURCE_DIR) / "../shared/models";
    std::vector<std::filesystem::path> models;
    if (std::filesystem::is_directory(folder)) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.path().extension() == ".xml") {
                models.push_back(entry.path());
            }
        }
    }
    std::sort(models.begin(), models.end());
    return models;
}

// Null when it has operations that are not supported (yet).
std::shared_ptr<Model> read_if_supported(const std::filesystem::path& xml) {
    try {
        return read_ir(xml);
    } catch (const Error& error) {
        if (error.info().rule.find("not supported:") == std::string::npos) {
            ADD_FAILURE() << error.what();
        }
        return nullptr;
    }
}

bool has_f16_tensors(const Model& model) {
    for (const Node* node : model.ordered_nodes()) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            if (!node->is_constant() && node->port(i).type == ElementType::f16) {
                return true;
            }
        }
    }
    return false;
}

TEST(RealModels, AreReadAndSurviveWritingAndText) {
    const auto files = real_models();
    if (files.empty()) {
        GTEST_SKIP() << "there is no folder shared/models";
    }
    std::size_t read = 0;
    for (const auto& xml : files) {
        SCOPED_TRACE(xml.filename().string());
        const auto model = read_if_supported(xml);
        if (model == nullptr) {
            continue;
        }
        ++read;
        EXPECT_FALSE(has_f16_tensors(*model)) << "all of them compute in f32";
        const TemporaryFolder folder;
        write_ir(*model, folder.file("m.xml"));
        const auto again = read_ir(folder.file("m.xml"));
        EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
        EXPECT_EQ(model->to_text(), again->to_text());
        EXPECT_EQ(compare_models(*model, *model->clone(), {.layer_names = true}), "");
        // The text form with all values of small models.
        constexpr std::uintmax_t kSmall = 1u << 20;
        if (std::filesystem::file_size(folder.file("m.bin")) < kSmall) {
            const auto parsed = Model::from_text(model->to_text(kSmall));
            EXPECT_EQ(compare_models(*model, *parsed, {.layer_names = true}), "");
        }
    }
    RecordProperty("read", static_cast<int>(read));
    RecordProperty("files", static_cast<int>(files.size()));
    EXPECT_GT(read, 0u) << "none of " << files.size() << " models could be read";
}

}  // namespace
}  // namespace fuseq::test
