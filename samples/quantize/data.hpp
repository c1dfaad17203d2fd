// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibration data on disk.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/pictures/picture_input.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// Paths that hold an input each, sorted by name: folders DATA/<any name> with <input>.npy or pictures
// of such names, pictures of DATA or of its folders (an input each), or DATA itself. Throws Error when
// there are none.
std::vector<std::string> input_paths(const std::string& data, const std::vector<Output>& inputs);

// Reads what lies there, one tensor an input of the model. The first inputs, as many as fit into
// 64 MB, are kept: the quantizer asks for them again and again, and decoding pictures takes longer
// than running a small model. Several threads may read at once.
class InputReader {
public:
    InputReader(std::vector<std::string> paths, const Model& model, PictureOptions pictures);
    const std::vector<std::string>& paths() const { return paths_; }
    std::vector<Tensor> read(std::size_t index);

private:
    std::vector<std::string> paths_;
    std::vector<Output> inputs_;
    PictureOptions pictures_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<Tensor>> kept_;
    std::size_t bytes_ = 0;
};

}  // namespace fuseq::samples
