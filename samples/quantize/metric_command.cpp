// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantize/metric_command.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>

#include "fuseq/quantizer.hpp"

namespace fuseq::samples {
namespace {

// Removed with all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "quantize_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw Error("quantize", fmt::format("cannot make the folder '{}'", name));
        }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

// What it prints; throws Error unless its status is 0.
std::string output_of(const std::string& command) {
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) {
        throw Error("quantize", fmt::format("-metric_command: cannot run '{}'", command));
    }
    std::string text;
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
        text += part.data();
    }
    if (::pclose(pipe) != 0) {
        throw Error("quantize", fmt::format("-metric_command: '{}' failed", command));
    }
    return text;
}

}  // namespace

double run_metric(const std::string& command, const Model& model) {
    const TemporaryFolder folder;
    const std::string xml = folder.file("model.xml");
    QuantizedModel written;
    written.model = model.clone();
    write_quantized(written, xml);
    std::string text = output_of(command + " '" + xml + "'");
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    const std::size_t line = text.rfind('\n');
    const std::string last = line == std::string::npos ? text : text.substr(line + 1);
    char* end = nullptr;
    const double value = std::strtod(last.c_str(), &end);
    if (last.empty() || *end != '\0' || !std::isfinite(value)) {
        throw Error(
            "quantize",
            fmt::format("-metric_command: '{}' printed '{}' on its last line, which is no number",
                        command, last));
    }
    return value;
}

}  // namespace fuseq::samples
