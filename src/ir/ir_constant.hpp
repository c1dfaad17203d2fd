// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of Const layers.
#pragma once

#include <filesystem>
#include <memory>

#include "fuseq/tensor.hpp"
#include "ir/ir_attributes.hpp"
#include "ir/ir_document.hpp"

namespace fuseq {

// The bytes that constants refer to. A file is opened when the first constant asks for it.
class IrWeights {
public:
    explicit IrWeights(std::filesystem::path file) : file_(std::move(file)) {}
    explicit IrWeights(const Tensor& bytes, std::filesystem::path file = {});

    // Checks offset, size, shape and type; the tensor shares the memory, except where it is not
    // aligned to the element type.
    Tensor constant(const IrLayer& layer, const IrSource& source);

private:
    struct Range {
        std::size_t offset = 0;
        std::size_t size = 0;
    };
    void open(const IrLayer& layer, const IrSource& source);
    const std::byte* bytes_at(const IrLayer& layer, const IrSource& source, Range range);
    std::string name() const;

    std::filesystem::path file_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::shared_ptr<const void> owner_;
};

}  // namespace fuseq
