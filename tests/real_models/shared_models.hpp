// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real models beside the project: ../shared, or $FUSEQ_SHARED.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuseq/fuseq.hpp"

namespace fuseq::test {

inline constexpr const char* kNoModels = "none";

std::filesystem::path shared_folder();
// Names of the models, sorted; {kNoModels} without any.
std::vector<std::string> model_names();
// The name of a test of one of them, for INSTANTIATE_TEST_SUITE_P.
std::string test_name(const testing::TestParamInfo<std::string>& test);
// The int8 model of a folder, not its f16 and f32 companions.
std::filesystem::path model_file(const std::filesystem::path& folder);
// The golden inputs in the types and shapes of the model's ports.
std::vector<Tensor> golden_inputs(const Model& model, const std::filesystem::path& golden);

}  // namespace fuseq::test
