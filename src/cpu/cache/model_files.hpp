// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// An IR in files that is not read yet. Where there is a compiled model of the same bytes, it need
// not be: reading the XML takes as long as loading a compiled model.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"
#include "model/binary_form.hpp"

namespace fuseq::cpu {

// The bytes of a file, mapped. Throws Error when it cannot be read.
Tensor mapped_file(const std::filesystem::path& path);

class ModelFiles {
public:
    // Works out the key by up to `threads` threads. Nothing when a file is not there or cannot be
    // read: reading the model says why.
    static std::optional<ModelFiles> open(const std::string& xml_path, std::size_t threads);

    // Of all bytes of both files. Unlike that of any Model.
    const ModelKey& key() const { return key_; }
    // The .bin, mapped; empty when there is none.
    const Tensor& weights() const { return weights_; }
    // Constants share the memory of weights(). Throws Error as read_ir does.
    std::shared_ptr<const Model> read() const;

private:
    std::string xml_path_;
    Tensor weights_;
    ModelKey key_;
};

}  // namespace fuseq::cpu
