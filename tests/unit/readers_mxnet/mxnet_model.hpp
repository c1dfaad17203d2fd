// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small MXNet models, built in code: the JSON of a symbol, and a .params file byte by byte.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuseq/fuseq.hpp"
#include "readers/mxnet/importer.hpp"

namespace fuseq::test {

using MxnetAttributes = std::vector<std::pair<std::string, std::string>>;

// The bytes of numbers in the order of the machine.
class ByteWriter {
public:
    template <class T>
    ByteWriter& add(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    ByteWriter& text(const std::string& bytes) {
        bytes_ += bytes;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

// One array of version 2 of the format: magic, storage, shape, device, type, data.
inline std::string mxnet_array(const Tensor& tensor, std::int32_t type) {
    ByteWriter array;
    array.add<std::uint32_t>(0xF993FAC9).add<std::int32_t>(0);
    array.add<std::uint32_t>(static_cast<std::uint32_t>(tensor.get_shape().size()));
    for (const std::size_t size : tensor.get_shape()) {
        array.add<std::int64_t>(static_cast<std::int64_t>(size));
    }
    array.add<std::int32_t>(1).add<std::int32_t>(0).add<std::int32_t>(type);
    return array.text({static_cast<const char*>(tensor.data()), tensor.get_byte_size()}).bytes();
}

// Named arrays as a file.
inline std::string mxnet_params(const std::vector<std::pair<std::string, std::string>>& arrays) {
    ByteWriter file;
    file.add<std::uint64_t>(0x112).add<std::uint64_t>(0).add<std::uint64_t>(arrays.size());
    for (const auto& [name, bytes] : arrays) {
        file.text(bytes);
    }
    file.add<std::uint64_t>(arrays.size());
    for (const auto& [name, bytes] : arrays) {
        file.add<std::uint64_t>(name.size()).text(name);
    }
    return file.bytes();
}

struct MxnetModel {
    nlohmann::json nodes = nlohmann::json::array();
    nlohmann::json heads = nlohmann::json::array();
    std::vector<std::pair<std::string, std::string>> arrays;

    // "conv" or, of its second output, "conv:1".
    nlohmann::json entry(const std::string& text) const {
        const std::size_t colon = text.find(':');
        const std::string name = text.substr(0, colon);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            if (nodes[i]["name"] == name) {
                return {i, colon == std::string::npos ? 0UL : std::stoul(text.substr(colon + 1)),
                        0};
            }
        }
        throw std::runtime_error("no node " + name);
    }
    void input(const std::string& name, const std::string& shape) {
        nlohmann::json node{{"op", "null"}, {"name", name}, {"inputs", nlohmann::json::array()}};
        if (!shape.empty()) {
            node["attrs"] = {{"__shape__", shape}};
        }
        nodes.push_back(node);
    }
    void floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
        input(name, "");
        arrays.emplace_back("arg:" + name, mxnet_array(Tensor::of<float>(shape, values), 0));
    }
    void bytes(const std::string& name,
               const Shape& shape,
               const std::vector<std::int8_t>& values) {
        input(name, "");
        arrays.emplace_back("arg:" + name, mxnet_array(Tensor::of<std::int8_t>(shape, values), 5));
    }
    nlohmann::json& op(const std::string& type,
                       const std::string& name,
                       const std::vector<std::string>& inputs,
                       const MxnetAttributes& attributes = {}) {
        nlohmann::json node{{"op", type}, {"name", name}, {"inputs", nlohmann::json::array()}};
        for (const std::string& one : inputs) {
            node["inputs"].push_back(entry(one));
        }
        for (const auto& [key, value] : attributes) {
            node["attrs"][key] = value;
        }
        nodes.push_back(node);
        return nodes.back();
    }
    void output(const std::string& text) { heads.push_back(entry(text)); }
    nlohmann::json graph() const {
        return {{"nodes", nodes}, {"arg_nodes", nlohmann::json::array()}, {"heads", heads}};
    }

    std::string symbol() const { return graph().dump(); }
    std::string params() const { return mxnet_params(arrays); }
    std::shared_ptr<Model> read() const {
        return mxnet_reader::import_model(
            symbol(), params(), {.symbol_file = "m-symbol.json", .params_file = "m-0000.params"});
    }
    // All outputs.
    std::vector<Tensor> run(const std::string& device, const Tensor& x) const {
        Core core;
        InferRequest request = core.compile_model(read(), device).create_infer_request();
        request.set_input_tensor(x);
        request.infer();
        std::vector<Tensor> results;
        results.reserve(heads.size());
        for (std::size_t i = 0; i < heads.size(); ++i) {
            results.push_back(request.get_output_tensor(i));
        }
        return results;
    }
};

}  // namespace fuseq::test
