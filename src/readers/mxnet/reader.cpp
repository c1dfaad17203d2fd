// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The shared library's entry point.
#include "fuseq/reader.hpp"

#include "readers/mxnet/importer.hpp"
#include "readers/mxnet/symbol_file.hpp"

namespace fuseq::mxnet_reader {
namespace {

class MxnetReader final : public IReader {
public:
    std::string format_name() const override { return "MXNet"; }
    bool recognizes(std::string_view bytes) const override { return may_be_symbol(bytes); }
    bool has_weights_file() const override { return true; }

    std::shared_ptr<Model> read_file(const std::string& path,
                                     const WarningHandler& on_warning) const override {
        return read_files(path, params_of(path), on_warning);
    }

    std::shared_ptr<Model> read_memory(std::string_view /*bytes*/,
                                       const WarningHandler& /*on_warning*/) const override {
        Place{}.fail("an MXNet symbol in memory needs the bytes of its .params file as weights");
    }

    std::shared_ptr<Model> read_files(const std::string& path,
                                      const std::string& weights_path,
                                      const WarningHandler& on_warning) const override {
        return import_model(
            read_whole_file(path), read_whole_file(weights_path),
            {.symbol_file = path, .params_file = weights_path, .on_warning = on_warning});
    }

    std::shared_ptr<Model> read_memory_with_weights(
        std::string_view bytes,
        std::string_view weights,
        const WarningHandler& on_warning) const override {
        return import_model(bytes, weights,
                            {.symbol_file = "", .params_file = "", .on_warning = on_warning});
    }
};

}  // namespace
}  // namespace fuseq::mxnet_reader

FUSEQ_DEFINE_READER(fuseq::mxnet_reader::MxnetReader)
