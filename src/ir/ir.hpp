// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reader and writer of OpenVINO IR files: an .xml that describes the layers and a .bin with the
// values of constants. Versions 10 and 11 are read and written.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

struct IrReadOptions {
    // Declared types that inference does not confirm, and sections that are not known, are errors;
    // otherwise they are told to on_warning.
    bool strict = false;
    // One call a finding, a sentence without a line break.
    std::function<void(const std::string&)> on_warning;
    // For read_ir: the bytes of the .bin, where somebody has them already.
    Tensor weights = {};
};

// Reads a model and infers all its types and shapes; where a port declares sizes they must fit.
// Constants are not copied: the .bin stays mapped as long as one of them lives, and must not be
// changed meanwhile. An empty `bin` stands for the name of the .xml with the extension .bin. It
// need not exist when there are no constants.
//   v10: an f16 model becomes f32 (Parameters, types in attributes, declared ports); an f16 Const
//   stays as it is and gets a Convert to f32 named "<const>/to_f32", as IR v11 spells it.
// Throws Error (stage "read", file, layer).
std::shared_ptr<Model> read_ir(const std::filesystem::path& xml,
                               const std::filesystem::path& bin = {},
                               const IrReadOptions& options = {});

// The same from memory. `weights`: the bytes of the .bin as a u8 tensor, whose memory the
// constants share; an empty handle when there are none.
std::shared_ptr<Model> read_ir_from_memory(std::string_view xml,
                                           const Tensor& weights = {},
                                           const IrReadOptions& options = {});

struct IrWriteOptions {
    int version = 11;  // 10 or 11; v10 says the same in the same words
};

// Writes an IR. Equal constants are stored once, each aligned to 64 bytes. Files are
// replaced only when everything was written, so a model may be written over the files that it was
// read from. Throws Error (stage "write"); operations, inputs and attributes that only
// transformations make have no place in an IR.
void write_ir(const Model& model,
              const std::filesystem::path& xml,
              const std::filesystem::path& bin = {},
              const IrWriteOptions& options = {});

}  // namespace fuseq
