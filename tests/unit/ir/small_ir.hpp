// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small IRs as text, and the weights they refer to.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuseq/error.hpp"
#include "ir/ir.hpp"

namespace fuseq::test {

// Bytes of a .bin.
class Weights {
public:
    template <class T>
    Weights& add(const std::vector<T>& values) {
        const auto* data = reinterpret_cast<const std::uint8_t*>(values.data());
        bytes_.insert(bytes_.end(), data, data + values.size() * sizeof(T));
        return *this;
    }
    Weights& add_halves(const std::vector<float>& values) {
        for (const float value : values) {
            add(std::vector<std::uint16_t>{Float16(value).bits});
        }
        return *this;
    }
    Tensor tensor() const { return Tensor::of<std::uint8_t>({bytes_.size()}, bytes_); }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    std::vector<std::uint8_t> bytes_;
};

// <port id=".." precision=".."><dim>..</dim>..</port>; dims as "1,3,8".
inline std::string port(int id, const std::string& dims, const std::string& attributes = "") {
    std::string text = "<port id=\"" + std::to_string(id) + "\" " + attributes + ">";
    std::string dim;
    for (const char c : dims + ",") {
        if (c != ',') {
            dim += c;
        } else if (!dim.empty()) {
            text += "<dim>" + dim + "</dim>";
            dim.clear();
        }
    }
    return text + "</port>";
}

struct LayerText {
    int id = 0;
    std::string name = {};
    std::string type = {};
    std::string data = {};     // attributes of <data>
    std::string inputs = {};   // ports
    std::string outputs = {};  // ports
    std::string opset = "opset1";
    std::string more = {};  // other elements
};

inline std::string layer(const LayerText& l) {
    return "<layer id=\"" + std::to_string(l.id) + "\" name=\"" + l.name + "\" type=\"" + l.type +
           "\" version=\"" + l.opset + "\"><data " + l.data + "/>" + l.more +
           (l.inputs.empty() ? "" : "<input>" + l.inputs + "</input>") +
           (l.outputs.empty() ? "" : "<output>" + l.outputs + "</output>") + "</layer>\n";
}

inline std::string edge(int from, int from_port, int to, int to_port) {
    return "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"" +
           std::to_string(from_port) + "\" to-layer=\"" + std::to_string(to) + "\" to-port=\"" +
           std::to_string(to_port) + "\"/>\n";
}

inline std::string net(const std::string& layers, const std::string& edges, int version = 11) {
    return "<?xml version=\"1.0\"?>\n<net name=\"small\" version=\"" + std::to_string(version) +
           "\">\n<layers>\n" + layers + "</layers>\n<edges>\n" + edges + "</edges>\n</net>\n";
}

// x [1,2] + w [2] -> Result. The pieces may be replaced.
struct AddModel {
    std::string x_data = R"(shape="1,2" element_type="f32")";
    std::string w_data = R"(element_type="f32" shape="2" offset="0" size="8")";
    std::string w_port = port(0, "2", R"(precision="FP32")");
    std::string add_data = R"(auto_broadcast="numpy")";
    std::string add_type = "Add";
    std::string add_opset = "opset1";
    std::string x_port = port(0, "1,2", R"(precision="FP32" names="in,also\,in")");
    std::string add_port = port(2, "1,2", R"(precision="FP32" names="sum")");
    std::string more_layers;
    std::string more_edges;
    int version = 11;

    std::string text() const {
        const std::string layers =
            layer({.id = 0, .name = "x", .type = "Parameter", .data = x_data, .outputs = x_port}) +
            layer({.id = 1, .name = "w", .type = "Const", .data = w_data, .outputs = w_port}) +
            layer({.id = 2,
                   .name = "add",
                   .type = add_type,
                   .data = add_data,
                   .inputs = port(0, "1,2") + port(1, "2"),
                   .outputs = add_port,
                   .opset = add_opset}) +
            more_layers + layer({.id = 9, .name = "out", .type = "Result", .inputs = port(0, "")});
        const std::string edges =
            edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 9, 0) + more_edges;
        return net(layers, edges, version);
    }
};

inline Tensor add_weights() {
    return Weights().add<float>({0.5f, -2}).tensor();
}

// Text of the Error, or "" when the IR is read.
inline std::string refusal(const std::string& xml,
                           const Tensor& weights = {},
                           const IrReadOptions& options = {}) {
    try {
        read_ir_from_memory(xml, weights, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// A folder that is removed at the end of the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "fuseq_test_XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("cannot make a folder like " + pattern);
        }
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path file(const std::string& name) const { return path_ / name; }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }
    std::filesystem::path write(const std::string& name,
                                const std::vector<std::uint8_t>& bytes) const {
        return write(name, std::string(bytes.begin(), bytes.end()));
    }

private:
    std::filesystem::path path_;
};

}  // namespace fuseq::test
