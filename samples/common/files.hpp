// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are named after layers.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fuseq/node.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// Every character outside [A-Za-z0-9._-] becomes "_".
std::string file_name_of(std::string_view layer);
// Its first 80 characters. Tensors of ONNX and TFLite files have names that no file system takes.
std::string short_file_name_of(std::string_view name);

// Writes tensors as FOLDER/<name>.npy.
class TensorFolder {
public:
    // Makes the folder where there is none. Throws Error when it cannot.
    explicit TensorFolder(const std::string& folder);
    // Throws Error when another name has led to the same file. What NumPy does not have is
    // written as numpy_type() says: bf16 and nf4 as f32, u1, u2 and u4 as u8, i4 as i8.
    void write(const std::string& name, const Tensor& tensor);

private:
    std::string folder_;
    std::map<std::string, std::string> written_;  // file name -> name
};

// FOLDER/<name>.npy for an input: named after its layer, or after one of its tensor names, whole
// or cut as short_file_name_of() does. Throws Error naming the files that were looked for when
// there is none.
Tensor read_input(const std::string& folder, const Output& port);

}  // namespace fuseq::samples
