// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Core that needs the IR reader.
#include "ir/ir.hpp"
#include "runtime/core_impl.hpp"

namespace fuseq {

std::shared_ptr<Model> Core::read_model(const std::string& xml_path,
                                        const std::string& bin_path,
                                        const WarningHandler& on_warning) const {
    return read_ir(xml_path, bin_path, {.strict = false, .on_warning = on_warning});
}

std::shared_ptr<Model> Core::read_model(const std::string& xml_text,
                                        const Tensor& weights,
                                        const WarningHandler& on_warning) const {
    return read_ir_from_memory(xml_text, weights, {.strict = false, .on_warning = on_warning});
}

CompiledModel Core::compile_model(const std::string& xml_path,
                                  const std::string& device,
                                  const AnyMap& properties) {
    return impl_->compile("compile", device, [&](IPlugin& plugin) {
        std::shared_ptr<ICompiledModel> compiled = plugin.compile_file(xml_path, properties);
        return compiled ? compiled : plugin.compile_model(read_model(xml_path), properties);
    });
}

}  // namespace fuseq
