// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The shared library's entry point.
#include "fuseq/reader.hpp"

#include "readers/caffe2/importer.hpp"

namespace fuseq::caffe2_reader {
namespace {

class Caffe2Reader final : public IReader {
public:
    std::string format_name() const override { return "Caffe2"; }
    bool recognizes(std::string_view bytes) const override { return may_be_net(bytes); }
    bool has_weights_file() const override { return true; }

    std::shared_ptr<Model> read_file(const std::string& path,
                                     const WarningHandler& on_warning) const override {
        return read_files(path, init_net_of(path), on_warning);
    }

    std::shared_ptr<Model> read_memory(std::string_view /*bytes*/,
                                       const WarningHandler& /*on_warning*/) const override {
        Place{}.fail("a Caffe2 model in memory needs the bytes of its init_net as weights");
    }

    std::shared_ptr<Model> read_files(const std::string& path,
                                      const std::string& weights_path,
                                      const WarningHandler& on_warning) const override {
        return import_model(read_whole_file(path), read_whole_file(weights_path),
                            {.predict_file = path,
                             .init_file = weights_path,
                             .inputs = read_value_info(path),
                             .on_warning = on_warning});
    }

    std::shared_ptr<Model> read_memory_with_weights(
        std::string_view bytes,
        std::string_view weights,
        const WarningHandler& on_warning) const override {
        return import_model(bytes, weights,
                            {.predict_file = "", .init_file = "", .on_warning = on_warning});
    }
};

}  // namespace
}  // namespace fuseq::caffe2_reader

FUSEQ_DEFINE_READER(fuseq::caffe2_reader::Caffe2Reader)
