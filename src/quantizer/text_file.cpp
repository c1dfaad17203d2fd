// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/text_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuseq/error.hpp"

namespace fuseq::quantizer {
namespace {

[[noreturn]] void fail(const std::string& path, std::string rule) {
    throw Error(Error::Info{.stage = "quantize",
                            .file = path,
                            .layer_id = {},
                            .layer = {},
                            .op = {},
                            .rule = std::move(rule)});
}

}  // namespace

std::string read_text_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
        fail(path, "cannot be read");
    }
    return text.str();
}

void write_text_file(const std::string& path, const std::string& text) {
    const std::string draft = path + ".new" + std::to_string(::getpid());
    std::ofstream out(draft, std::ios::binary);
    out << text;
    out.close();
    std::error_code error;
    if (out) {
        std::filesystem::rename(draft, path, error);
    }
    if (!out || error) {
        std::error_code ignored;
        std::filesystem::remove(draft, ignored);
        fail(path, "cannot be written");
    }
}

}  // namespace fuseq::quantizer
