// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of an IR's XML, checked for form: ids are numbers and unique, edges lead from layers
// and ports that exist to others. Nothing here knows operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "fuseq/element_type.hpp"
#include "fuseq/shape.hpp"

namespace fuseq {

struct IrPort {
    std::int64_t id = 0;
    std::optional<ElementType> type;  // nothing when not declared
    std::vector<Dimension> dims;      // empty for a scalar, an unknown rank, or not declared
    std::vector<std::string> names;   // of the tensor
};

struct IrOperation {
    std::string type;
    int opset = 1;           // 0: not of an opset (an extension)
    std::string opset_text;  // as the file has it
};

struct IrLayer {
    std::int64_t id = 0;
    std::string name;
    IrOperation operation;
    pugi::xml_node xml;
    std::vector<IrPort> inputs;
    std::vector<IrPort> outputs;
};

// Positions in IrGraph::layers and in the ports of a layer.
struct IrEdge {
    std::size_t from_layer = 0;
    std::size_t from_port = 0;
    std::size_t to_layer = 0;
    std::size_t to_port = 0;
};

// The layers of a <net> or of a body.
struct IrGraph {
    std::vector<IrLayer> layers;
    std::vector<IrEdge> edges;

    // Position of the layer, or nothing.
    std::optional<std::size_t> find(std::int64_t id) const;
};

// Where messages say that they come from.
class IrSource {
public:
    explicit IrSource(std::string file) : file_(std::move(file)) {}
    const std::string& file() const { return file_; }
    [[noreturn]] void fail(std::string rule) const;
    [[noreturn]] void fail(const IrLayer& layer, std::string rule) const;

private:
    std::string file_;
};

// Parses XML; malformed text is an Error with the line.
void parse_xml(std::string_view text, const IrSource& source, pugi::xml_document& document);

// "type" and "version" of a <layer>.
IrOperation parse_ir_operation(pugi::xml_node layer);

// Reads <layers> and <edges> below `node`.
IrGraph parse_ir_graph(pugi::xml_node node, const IrSource& source);

// An attribute that must be a whole number. `what` names the element in messages.
std::int64_t required_int(pugi::xml_node node,
                          const char* name,
                          std::string_view what,
                          const IrSource& source);

// "a,b\,c" as {"a", "b,c"}; and back (Error when a name cannot be written).
std::vector<std::string> split_tensor_names(std::string_view text);
std::string join_tensor_names(std::vector<std::string> names);

}  // namespace fuseq
