// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The graph of a file, as its JSON states it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "readers/common/file_error.hpp"

namespace fuseq::mxnet_reader {

using readers::Place;

struct Symbol;

// What a node of the graph or an input of an operator stands for.
struct Entry {
    std::size_t node = 0;
    std::size_t output = 0;
};

struct SymbolNode {
    std::string op;  // "null": a parameter or an input
    std::string name;
    std::map<std::string, std::string> attributes;
    std::vector<Entry> inputs;  // of nodes before this one
    std::vector<std::shared_ptr<const Symbol>> subgraphs;

    bool is_variable() const { return op == "null"; }
};

struct Symbol {
    std::vector<SymbolNode> nodes;  // producers first
    std::vector<Entry> heads;
};

// Throws Error for what is no symbol, and for inputs that are no earlier nodes.
Symbol parse_symbol(std::string_view text, const Place& place);

// The file with the parameters beside NAME-symbol.json: NAME-<number>.params, the one with the
// largest number. Throws Error where there is none.
std::string params_of(const std::string& symbol_file);
std::string read_whole_file(const std::string& path);
bool may_be_symbol(std::string_view bytes);

}  // namespace fuseq::mxnet_reader
