// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged Caffe2 models, by a seed. Both nets of a model are one string.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::test {

// Small models with the operators of all families.
std::vector<std::string> caffe2_nets();
// Some mistakes in the messages, or in the bytes.
std::string damaged_nets(const std::string& nets, std::uint64_t seed);
std::shared_ptr<Model> read_caffe2_nets(const std::string& nets);

}  // namespace fuseq::test
