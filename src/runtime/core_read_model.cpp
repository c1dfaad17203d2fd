// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Core that reads models: IR here, other formats by their readers.
#include "ir/ir.hpp"
#include "runtime/core_impl.hpp"

namespace fuseq {
namespace {

// An IR is XML; no other format begins so.
bool looks_like_ir(std::string_view bytes) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (bytes.starts_with(kByteOrderMark)) {
        bytes.remove_prefix(kByteOrderMark.size());
    }
    const auto first = bytes.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos || bytes[first] == '<';
}

void refuse_weights(const std::string& file, const std::string& format) {
    throw Error(Error::Info{.stage = "read",
                            .file = file,
                            .layer_id = {},
                            .layer = {},
                            .op = {},
                            .rule = format + " has no weights beside the model"});
}

}  // namespace

std::shared_ptr<Model> Core::read_model(const std::string& path,
                                        const std::string& bin_path,
                                        const WarningHandler& on_warning) const {
    if (const IReader* reader = impl_->readers.for_path(path)) {
        if (!bin_path.empty() && !reader->has_weights_file()) {
            refuse_weights(path, reader->format_name());
        }
        return guarded("read", [&] {
            return bin_path.empty() ? reader->read_file(path, on_warning)
                                    : reader->read_files(path, bin_path, on_warning);
        });
    }
    return read_ir(path, bin_path, {.strict = false, .on_warning = on_warning});
}

std::shared_ptr<Model> Core::read_model(const std::string& model,
                                        const Tensor& weights,
                                        const WarningHandler& on_warning) const {
    if (looks_like_ir(model)) {
        return read_ir_from_memory(model, weights, {.strict = false, .on_warning = on_warning});
    }
    const IReader& reader = impl_->readers.for_bytes(model);
    if (weights && !reader.has_weights_file()) {
        refuse_weights("", reader.format_name());
    }
    return guarded("read", [&] {
        if (!weights) {
            return reader.read_memory(model, on_warning);
        }
        const std::string_view bytes(static_cast<const char*>(weights.data()),
                                     weights.get_byte_size());
        return reader.read_memory_with_weights(model, bytes, on_warning);
    });
}

CompiledModel Core::compile_model(const std::string& path,
                                  const std::string& device,
                                  const AnyMap& properties) {
    const bool ir = impl_->readers.for_path(path) == nullptr;
    return impl_->compile("compile", device, [&](IPlugin& plugin) {
        // A device knows the files of IRs only.
        std::shared_ptr<ICompiledModel> compiled =
            ir ? plugin.compile_file(path, properties) : nullptr;
        return compiled ? compiled : plugin.compile_model(read_model(path), properties);
    });
}

}  // namespace fuseq
