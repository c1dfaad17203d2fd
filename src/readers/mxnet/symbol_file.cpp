// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/symbol_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <fmt/core.h>

namespace fuseq::mxnet_reader {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kDeepestGraph = 8;
constexpr std::size_t kMostOutputs = 1 << 16;

// [node, output] or [node, output, version]
Entry read_entry(const json& stated, std::size_t limit, const char* what, const Place& place) {
    const bool numbers = stated.is_array() && stated.size() >= 2 &&
                         stated[0].is_number_unsigned() && stated[1].is_number_unsigned();
    place.require(numbers, what, " is no pair of a node and an output");
    const Entry entry{stated[0].get<std::size_t>(), stated[1].get<std::size_t>()};
    place.require(entry.node < limit, what, " is node ", entry.node,
                  ", which is not before this one: no such node, or a cycle");
    place.require(entry.output < kMostOutputs, what, " is output ", entry.output);
    return entry;
}

void read_attributes(const json& stated, SymbolNode& node, const Place& place) {
    for (const char* key : {"attrs", "attr", "param"}) {
        const auto found = stated.find(key);
        if (found == stated.end()) {
            continue;
        }
        place.require(found->is_object(), "its ", key, " are no object");
        for (const auto& [name, value] : found->items()) {
            place.require(value.is_string(), "attribute ", name, " is no text");
            node.attributes[name] = value.get<std::string>();
        }
    }
}

Symbol read_graph(const json& stated, const Place& place, std::size_t depth);

SymbolNode read_node(const json& stated, std::size_t index, const Place& graph, std::size_t depth) {
    Place place = graph;
    place.layer = fmt::format("node {}", index);
    place.require(stated.is_object() && stated.contains("op") && stated["op"].is_string() &&
                      stated.contains("name") && stated["name"].is_string(),
                  "has no op or no name");
    SymbolNode node;
    node.op = stated["op"].get<std::string>();
    node.name = stated["name"].get<std::string>();
    place.layer = node.name;
    place.op = node.op;
    read_attributes(stated, node, place);
    if (const auto inputs = stated.find("inputs"); inputs != stated.end()) {
        place.require(inputs->is_array(), "its inputs are no list");
        for (const json& one : *inputs) {
            node.inputs.push_back(read_entry(one, index, "an input", place));
        }
    }
    if (const auto graphs = stated.find("subgraphs"); graphs != stated.end()) {
        place.require(graphs->is_array(), "its subgraphs are no list");
        for (const json& one : *graphs) {
            node.subgraphs.push_back(
                std::make_shared<const Symbol>(read_graph(one, place, depth + 1)));
        }
    }
    return node;
}

Symbol read_graph(const json& stated, const Place& place, std::size_t depth) {
    place.require(depth <= kDeepestGraph, "subgraphs are nested more than ", kDeepestGraph,
                  " deep");
    const bool known = stated.is_object() && stated.contains("nodes") &&
                       stated["nodes"].is_array() && stated.contains("heads") &&
                       stated["heads"].is_array();
    place.require(known, "is no symbol of MXNet: it has no nodes or no heads");
    Symbol symbol;
    for (const json& node : stated["nodes"]) {
        symbol.nodes.push_back(read_node(node, symbol.nodes.size(), place, depth));
    }
    for (const json& head : stated["heads"]) {
        symbol.heads.push_back(read_entry(head, symbol.nodes.size(), "a head", place));
    }
    place.require(!symbol.heads.empty(), "has no heads");
    return symbol;
}

}  // namespace

Symbol parse_symbol(std::string_view text, const Place& place) {
    place.require(!text.empty(), "is empty");
    const json stated = json::parse(text, nullptr, false);
    place.require(!stated.is_discarded(), "is no JSON, or is cut off");
    return read_graph(stated, place, 0);
}

std::string params_of(const std::string& symbol_file) {
    const Place place{.file = symbol_file};
    const fs::path path(symbol_file);
    const std::string name = path.filename().string();
    constexpr std::string_view kEnd = "-symbol.json";
    place.require(name.ends_with(kEnd),
                  "the file with the parameters must be named beside it: the name does not end in ",
                  kEnd);
    const std::string start = name.substr(0, name.size() - kEnd.size()) + "-";
    std::string best;
    std::error_code ignored;
    const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string other = entry.path().filename().string();
        const std::string number = entry.path().stem().string();
        const bool numbered =
            other.starts_with(start) && other.ends_with(".params") &&
            number.size() > start.size() &&
            std::all_of(number.begin() + static_cast<std::ptrdiff_t>(start.size()), number.end(),
                        [](char c) { return c >= '0' && c <= '9'; });
        if (numbered &&
            (best.size() < other.size() || (best.size() == other.size() && best < other))) {
            best = other;
        }
    }
    place.require(!best.empty(), "the file with the parameters, ", start,
                  "0000.params or of another number, does not exist beside it; name it as the "
                  "second file");
    return (path.parent_path() / best).string();
}

std::string read_whole_file(const std::string& path) {
    const Place place{.file = path};
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(path, failed);
    place.require(!failed, "cannot be read: ", failed.message());
    std::string bytes(size, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    place.require(file.good(), "cannot be read");
    return bytes;
}

bool may_be_symbol(std::string_view bytes) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && bytes[first] == '{';
}

}  // namespace fuseq::mxnet_reader
