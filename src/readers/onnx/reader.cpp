// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The shared library's entry point.
#include "fuseq/reader.hpp"

#include <onnx/onnx_pb.h>

#include <filesystem>

#include "readers/onnx/importer.hpp"
#include "readers/onnx/model_file.hpp"

namespace fuseq::onnx_reader {
namespace {

class OnnxReader final : public IReader {
public:
    std::string format_name() const override { return "ONNX"; }
    bool recognizes(std::string_view bytes) const override { return may_be_model(bytes); }

    std::shared_ptr<Model> read_file(const std::string& path,
                                     const WarningHandler& on_warning) const override {
        const auto proto = [&] {
            const std::string bytes = read_whole_file(path);
            return parse_model(bytes, {.file = path});
        }();
        return import_model(*proto, {.file = path,
                                     .folder = std::filesystem::path(path).parent_path(),
                                     .on_warning = on_warning});
    }

    std::shared_ptr<Model> read_memory(std::string_view bytes,
                                       const WarningHandler& on_warning) const override {
        return import_model(*parse_model(bytes, {.file = ""}),
                            {.file = "", .folder = {}, .on_warning = on_warning});
    }
};

}  // namespace
}  // namespace fuseq::onnx_reader

FUSEQ_DEFINE_READER(fuseq::onnx_reader::OnnxReader)
