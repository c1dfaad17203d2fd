// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/readers_mxnet/damaged_symbol.hpp"

#include "support/damaged_bytes.hpp"
#include "support/file_pair.hpp"
#include "support/odd_values.hpp"
#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

using nlohmann::json;

MxnetModel quantized_files() {
    MxnetModel m;
    m.input("x", "(1, 2, 4, 4)");
    m.op("_contrib_quantize_v2", "q", {"x"}, {{"min_calib_range", "-1"}, {"max_calib_range", "1"}});
    m.bytes("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    m.floats("low", {1}, {-1});
    m.floats("high", {1}, {1});
    m.op("_contrib_quantized_conv", "c", {"q", "w", "q:1", "q:2", "low", "high"},
         {{"kernel", "(1, 1)"}, {"num_filter", "2"}, {"no_bias", "True"}});
    m.op("_contrib_requantize", "r", {"c", "c:1", "c:2"},
         {{"min_calib_range", "-2"}, {"max_calib_range", "2"}});
    m.op("_contrib_quantized_pooling", "p", {"r", "r:1", "r:2"},
         {{"pool_type", "avg"}, {"kernel", "(2, 2)"}});
    m.op("_contrib_quantized_concat", "k", {"p", "p", "p:1", "p:2", "p:1", "p:2"},
         {{"num_args", "2"}, {"dim", "1"}});
    m.op("_contrib_dequantize", "d", {"k", "k:1", "k:2"});
    m.op("Reshape", "f", {"d"}, {{"shape", "(0, -1)"}});
    m.op("softmax", "y", {"f"});
    m.output("y");
    return m;
}

MxnetModel float_files() {
    MxnetModel m;
    m.input("x", "(1, 2, 4, 4)");
    m.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    m.floats("b", {2}, {1, 2});
    m.op("Convolution", "c", {"x", "w", "b"}, {{"kernel", "(1, 1)"}, {"num_filter", "2"}});
    for (const char* name : {"gamma", "beta", "mean", "var"}) {
        m.floats(name, {2}, {0.5F, 1});
    }
    m.op("BatchNorm", "n", {"c", "gamma", "beta", "mean", "var"}, {{"eps", "0.001"}});
    m.op("LeakyReLU", "a", {"n"}, {{"act_type", "leaky"}, {"slope", "0.5"}});
    m.op("LRN", "l", {"a"}, {{"nsize", "3"}, {"alpha", "3"}, {"beta", "1"}, {"knorm", "1"}});
    m.op("Pooling", "p", {"l"},
         {{"kernel", "(2, 2)"}, {"pool_type", "max"}, {"stride", "(2, 2)"}, {"pad", "(0, 0)"}});
    m.op("_rminus_scalar", "d", {"p"}, {{"scalar", "10"}});
    m.op("clip", "k", {"d"}, {{"a_min", "-0.75"}, {"a_max", "2"}});
    m.op("transpose", "t", {"k"}, {{"axes", "(0, 2, 3, 1)"}});
    m.op("Concat", "j", {"t", "t"}, {{"dim", "1"}, {"num_args", "2"}});
    m.op("slice_axis", "s", {"j"}, {{"axis", "1"}, {"begin", "1"}, {"end", "None"}});
    m.op("Reshape", "f", {"s"}, {{"shape", "(0, -1)"}});
    m.op("mean", "e", {"f"}, {{"axis", "(0,)"}, {"keepdims", "True"}});
    m.floats("fw", {2, 12}, std::vector<float>(24, 0.5F));
    m.op("FullyConnected", "y", {"e", "fw", "b"}, {{"num_hidden", "2"}});
    m.output("y");
    return m;
}

MxnetModel fused_files() {
    MxnetModel inner;
    for (const char* name : {"data", "weight", "bias"}) {
        inner.input(name, "");
    }
    inner.op("Convolution", "conv", {"data", "weight", "bias"},
             {{"kernel", "(1, 1)"}, {"num_filter", "2"}});
    inner.op("Activation", "relu", {"conv"}, {{"act_type", "relu"}});
    inner.output("relu");
    MxnetModel m;
    m.input("x", "(1, 2, 4, 4)");
    m.op("_contrib_quantize_v2", "q", {"x"}, {{"min_calib_range", "-1"}, {"max_calib_range", "1"}});
    m.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    m.floats("b", {2}, {1, 2});
    m.op("_sg_mkldnn_conv", "y", {"q", "w", "b", "q:1", "q:2"},
         {{"quantized", "true"},
          {"with_act", "true"},
          {"min_calib_range", "0"},
          {"max_calib_range", "2"}})["subgraphs"] = {inner.graph()};
    m.op("_contrib_dequantize", "d", {"y", "y:1", "y:2"});
    m.output("d");
    return m;
}

class SymbolMistakes {
public:
    explicit SymbolMistakes(std::uint64_t seed) : random_(seed) {}

    void make(json& graph) {
        json& nodes = graph["nodes"];
        json& node = nodes[random_() % nodes.size()];
        const json other = nodes[random_() % nodes.size()];
        switch (random_() % 8) {
            case 0: node["op"] = other["op"]; break;
            case 1: node["name"] = other["name"]; break;
            case 2: change_inputs(node["inputs"], nodes.size()); break;
            case 3: node["attrs"] = other.value("attrs", json::object()); break;
            case 4: graph["heads"].push_back({odd_integer(random_), 0, 0}); break;
            default: change_attribute(node); break;
        }
        for (json& one : nodes) {
            if (one.contains("subgraphs") && random_() % 2 == 0) {
                make(one["subgraphs"][0]);
            }
        }
    }

private:
    void change_inputs(json& inputs, std::size_t nodes) {
        if (inputs.empty() || random_() % 4 == 0) {
            inputs.push_back({random_() % nodes, random_() % 3, 0});
        } else if (random_() % 3 == 0) {
            inputs.erase(random_() % inputs.size());
        } else {
            inputs[random_() % inputs.size()][random_() % 2] = odd_integer(random_);
        }
    }

    // A number within the text becomes another one.
    void change_attribute(json& node) {
        if (!node.contains("attrs") || node["attrs"].empty()) {
            return;
        }
        auto entry = node["attrs"].begin();
        std::advance(entry, random_() % node["attrs"].size());
        if (!entry->is_string()) {
            return;
        }
        std::string text = *entry;
        const std::size_t digit = text.find_first_of("0123456789");
        if (random_() % 4 == 0) {
            constexpr const char* kTexts[] = {"",    "()", "None", "nan", "inf", "-1",
                                              "(0)", "[",  "True", "max", "int8"};
            text = kTexts[random_() % std::size(kTexts)];
        } else if (digit != std::string::npos) {
            const std::string number = random_() % 2 == 0 ? std::to_string(odd_integer(random_))
                                                          : std::to_string(odd_float(random_));
            text.replace(digit, 1, number);
        }
        *entry = text;
    }

    std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> mxnet_files() {
    std::vector<std::string> all;
    for (const MxnetModel& m : {quantized_files(), float_files(), fused_files()}) {
        all.push_back(join_files(m.symbol(), m.params()));
    }
    return all;
}

std::string damaged_files(const std::string& files, std::uint64_t seed) {
    constexpr std::size_t kHeader = 8;
    auto [symbol, params] = split_files(files);
    std::mt19937_64 random(seed);
    if (random() % 4 == 0) {
        params = damaged(params, kHeader, seed);
    } else if (random() % 8 == 0) {
        symbol = damaged(symbol, kHeader, seed);
    } else {
        json graph = json::parse(symbol);
        SymbolMistakes mistakes(seed);
        for (std::uint64_t i = 0; i < 1 + random() % 4; ++i) {
            mistakes.make(graph);
        }
        symbol = graph.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    return join_files(symbol, params);
}

std::shared_ptr<Model> read_mxnet_files(const std::string& files) {
    const FilePair both = split_files(files);
    return mxnet_reader::import_model(both.first, both.second,
                                      {.symbol_file = "s.json", .params_file = "p.params"});
}

}  // namespace fuseq::test
