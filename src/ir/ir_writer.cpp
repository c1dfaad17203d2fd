// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <fstream>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ir/ir.hpp"
#include "ir/ir_graph_writer.hpp"

namespace fuseq {
namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path, std::string rule) {
    throw Error(Error::Info{.stage = "write",
                            .file = path.string(),
                            .layer_id = {},
                            .layer = {},
                            .op = {},
                            .rule = std::move(rule)});
}

// A file that takes its name only when it is complete. The model's own constants may be mapped
// from the file that it replaces; they keep the old one.
class NewFile {
public:
    explicit NewFile(std::filesystem::path path)
        : path_(std::move(path)),
          draft_(path_.string() + ".new" + std::to_string(::getpid())),
          out_(draft_, std::ios::binary) {
        if (!out_) {
            fail_to_write(path_, "cannot be created");
        }
    }
    ~NewFile() {
        std::error_code ignored;
        std::filesystem::remove(draft_, ignored);  // no longer there after commit()
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    std::ostream& stream() { return out_; }
    void finish() {
        out_.close();
        if (!out_) {
            fail_to_write(path_, "cannot be written");
        }
    }
    void commit() {
        std::error_code error;
        std::filesystem::rename(draft_, path_, error);
        if (error) {
            fail_to_write(path_, fmt::format("cannot be written: {}", error.message()));
        }
    }

private:
    std::filesystem::path path_;
    std::filesystem::path draft_;
    std::ofstream out_;
};

}  // namespace

void write_ir(const Model& model,
              const std::filesystem::path& xml,
              const std::filesystem::path& bin,
              const IrWriteOptions& options) {
    if (options.version != 10 && options.version != 11) {
        fail_to_write(
            xml, fmt::format("IR version {} cannot be written, only 10 and 11", options.version));
    }
    NewFile weights_file(bin.empty() ? std::filesystem::path(xml).replace_extension(".bin") : bin);
    NewFile xml_file(xml);
    WeightsWriter weights(weights_file.stream());
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version").set_value("1.0");
    pugi::xml_node net = document.append_child("net");
    net.append_attribute("name").set_value(model.name().c_str());
    net.append_attribute("version").set_value(options.version);
    try {
        IrGraphWriter(model, weights).write(net);
    } catch (const Error& error) {
        Error::Info info = error.info();
        info.file = xml.string();
        throw Error(std::move(info));
    }
    document.save(xml_file.stream(), "\t");
    weights_file.finish();
    xml_file.finish();
    weights_file.commit();
    xml_file.commit();
}

}  // namespace fuseq
