// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The best classes of an output.
#pragma once

#include <string>
#include <vector>

#include "fuseq/tensor.hpp"

namespace fuseq::samples {

struct NamedTensor {
    std::string name;
    Tensor value;
};

// Lines of a text file; empty ones at the end do not count. Throws Error naming the file.
std::vector<std::string> read_labels(const std::string& path);

// For each output with one value a class ([1,C], [C], [1,C,1,1]) its name and up to `top` lines of
// class, value and label, the greatest value first; of equal ones the first class, what is no number
// last. Throws Error when there is no such output, or when labels are given and no output has so
// many classes.
std::string best_classes(const std::vector<NamedTensor>& outputs,
                         std::size_t top,
                         const std::vector<std::string>& labels);

}  // namespace fuseq::samples
