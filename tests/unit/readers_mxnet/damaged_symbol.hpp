// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged MXNet models, by a seed. Symbol and parameters of a model are one string.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::test {

// Small models with the operators of all families.
std::vector<std::string> mxnet_files();
// Some mistakes in the nodes of the symbol, or in the bytes of one of the files.
std::string damaged_files(const std::string& files, std::uint64_t seed);
std::shared_ptr<Model> read_mxnet_files(const std::string& files);

}  // namespace fuseq::test
