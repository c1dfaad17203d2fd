// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The shared library's entry point.
#include "fuseq/reader.hpp"

#include "readers/tflite/importer.hpp"
#include "readers/tflite/model_file.hpp"

namespace fuseq::tflite_reader {
namespace {

class TfliteReader final : public IReader {
public:
    std::string format_name() const override { return "TFLite"; }
    bool recognizes(std::string_view bytes) const override { return may_be_model(bytes); }

    std::shared_ptr<Model> read_file(const std::string& path,
                                     const WarningHandler& on_warning) const override {
        return import_model(read_whole_file(path), {.file = path, .on_warning = on_warning});
    }

    std::shared_ptr<Model> read_memory(std::string_view bytes,
                                       const WarningHandler& on_warning) const override {
        return import_model(copy_bytes(bytes), {.file = "", .on_warning = on_warning});
    }
};

}  // namespace
}  // namespace fuseq::tflite_reader

FUSEQ_DEFINE_READER(fuseq::tflite_reader::TfliteReader)
