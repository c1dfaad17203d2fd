// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_document.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <unordered_map>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "model/type_names.hpp"

namespace fuseq {
namespace {

std::optional<std::int64_t> parse_int(std::string_view text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (text.empty() || result.ec != std::errc() || result.ptr != end) {
        return std::nullopt;
    }
    return value;
}

std::optional<ElementType> parse_precision(pugi::xml_node port,
                                           const IrLayer& layer,
                                           const IrSource& source) {
    const std::string_view text = port.attribute("precision").value();
    if (text.empty() || text == "UNSPECIFIED" || text == "undefined" || text == "dynamic") {
        return std::nullopt;
    }
    const auto type = parse_element_type(text);
    if (!type) {
        source.fail(layer,
                    fmt::format("port {} has precision {}, which is not supported{}",
                                port.attribute("id").value(), text, refused_type_reason(text)));
    }
    return type;
}

std::vector<IrPort> parse_ports(pugi::xml_node list, const IrLayer& layer, const IrSource& source) {
    std::vector<IrPort> ports;
    for (const pugi::xml_node node : list.children("port")) {
        IrPort port;
        const auto id = parse_int(node.attribute("id").value());
        if (!id) {
            source.fail(layer,
                        fmt::format("port id '{}' is not a number", node.attribute("id").value()));
        }
        port.id = *id;
        port.type = parse_precision(node, layer, source);
        for (const pugi::xml_node dim : node.children("dim")) {
            try {
                port.dims.push_back(Dimension::parse(dim.text().get()));
            } catch (const Error& error) {
                source.fail(layer, fmt::format("port {}: {}", port.id, error.info().rule));
            }
        }
        port.names = split_tensor_names(node.attribute("names").value());
        ports.push_back(std::move(port));
    }
    std::vector<std::int64_t> ids;
    ids.reserve(ports.size());
    std::transform(ports.begin(), ports.end(), std::back_inserter(ids),
                   [](const IrPort& port) { return port.id; });
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
        source.fail(layer, fmt::format("port {} is there twice", *twice));
    }
    return ports;
}

// "opset8" is 8; layers without a version are of opset1. Converters of before 2021.2 call
// "experimental" what opset6 took over. Other names (extensions) give 0, which no operation has.
int parse_opset(std::string_view text) {
    constexpr std::string_view kPrefix = "opset";
    constexpr int kFirstWithExperimental = 6;
    if (text.empty()) {
        return 1;
    }
    if (text == "experimental") {
        return kFirstWithExperimental;
    }
    if (!text.starts_with(kPrefix)) {
        return 0;
    }
    const auto number = parse_int(text.substr(kPrefix.size()));
    constexpr std::int64_t kHighest = 1000;
    return number && *number >= 1 && *number <= kHighest ? static_cast<int>(*number) : 0;
}

IrLayer parse_layer(pugi::xml_node node, const IrSource& source) {
    IrLayer layer;
    layer.xml = node;
    layer.name = node.attribute("name").value();
    layer.operation = parse_ir_operation(node);
    const char* id_text = node.attribute("id").value();
    const auto id = parse_int(id_text);
    if (!id || *id < 0) {
        source.fail(
            fmt::format("layer '{}' has id '{}', expected a number from 0", layer.name, id_text));
    }
    layer.id = *id;
    if (layer.operation.type.empty()) {
        source.fail(layer, "has no type");
    }
    if (layer.name.empty()) {
        source.fail(layer, "has no name");
    }
    layer.inputs = parse_ports(node.child("input"), layer, source);
    layer.outputs = parse_ports(node.child("output"), layer, source);
    return layer;
}

// Looks up the ends of edges.
class EdgeParser {
public:
    EdgeParser(const IrGraph& graph, const IrSource& source) : graph_(graph), source_(source) {
        for (std::size_t i = 0; i < graph.layers.size(); ++i) {
            const IrLayer& layer = graph.layers[i];
            if (!layers_.emplace(layer.id, i).second) {
                source.fail(layer, fmt::format("id {} is also that of layer '{}'", layer.id,
                                               graph.layers[layers_[layer.id]].name));
            }
            fed_.emplace_back(layer.inputs.size(), false);
        }
    }

    IrEdge parse(pugi::xml_node node) {
        from_ = required_int(node, "from-layer", "an edge", source_);
        from_port_ = required_int(node, "from-port", "an edge", source_);
        to_ = required_int(node, "to-layer", "an edge", source_);
        to_port_ = required_int(node, "to-port", "an edge", source_);
        IrEdge edge;
        edge.from_layer = layer(from_);
        edge.to_layer = layer(to_);
        edge.from_port = port(graph_.layers[edge.from_layer], false, from_port_);
        edge.to_port = port(graph_.layers[edge.to_layer], true, to_port_);
        if (fed_[edge.to_layer][edge.to_port]) {
            source_.fail(graph_.layers[edge.to_layer],
                         fmt::format("two edges lead into input port {}", to_port_));
        }
        fed_[edge.to_layer][edge.to_port] = true;
        return edge;
    }

private:
    // The edge that is being parsed; only made for errors, as there are thousands of edges.
    std::string text() const {
        return fmt::format("the edge from layer {} port {} to layer {} port {}", from_, from_port_,
                           to_, to_port_);
    }

    std::size_t layer(std::int64_t id) const {
        const auto found = layers_.find(id);
        if (found == layers_.end()) {
            source_.fail(fmt::format("{}: there is no layer {}", text(), id));
        }
        return found->second;
    }

    std::size_t port(const IrLayer& layer, bool input, std::int64_t id) const {
        const std::vector<IrPort>& ports = input ? layer.inputs : layer.outputs;
        const auto found = std::find_if(ports.begin(), ports.end(),
                                        [&](const IrPort& port) { return port.id == id; });
        if (found == ports.end()) {
            source_.fail(layer, fmt::format("{}: there is no {} port {}", text(),
                                            input ? "input" : "output", id));
        }
        return static_cast<std::size_t>(found - ports.begin());
    }

    const IrGraph& graph_;
    const IrSource& source_;
    std::unordered_map<std::int64_t, std::size_t> layers_;
    std::vector<std::vector<bool>> fed_;  // by layer and input port
    std::int64_t from_ = 0, from_port_ = 0, to_ = 0, to_port_ = 0;
};

std::size_t line_of(std::string_view text, std::ptrdiff_t offset) {
    const auto end =
        std::min(text.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

}  // namespace

std::optional<std::size_t> IrGraph::find(std::int64_t id) const {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const IrLayer& layer) { return layer.id == id; });
    if (found == layers.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - layers.begin());
}

void IrSource::fail(std::string rule) const {
    throw Error(Error::Info{.stage = "read",
                            .file = file_,
                            .layer_id = {},
                            .layer = {},
                            .op = {},
                            .rule = std::move(rule)});
}

void IrSource::fail(const IrLayer& layer, std::string rule) const {
    throw Error(Error::Info{.stage = "read",
                            .file = file_,
                            .layer_id = std::to_string(layer.id),
                            .layer = layer.name,
                            .op = layer.operation.type,
                            .rule = std::move(rule)});
}

void parse_xml(std::string_view text, const IrSource& source, pugi::xml_document& document) {
    constexpr std::string_view kBeforeXml = " \t\r\n\xEF\xBB\xBF";  // spaces and a byte order mark
    const std::size_t first = text.find_first_not_of(kBeforeXml);
    if (first != std::string_view::npos && text[first] != '<') {
        source.fail("is no IR: it does not begin with '<'");
    }
    const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
    if (!result) {
        source.fail(fmt::format("line {}: {}", line_of(text, result.offset), result.description()));
    }
}

IrOperation parse_ir_operation(pugi::xml_node layer) {
    IrOperation operation;
    operation.type = layer.attribute("type").value();
    operation.opset_text = layer.attribute("version").value();
    operation.opset = parse_opset(operation.opset_text);
    return operation;
}

IrGraph parse_ir_graph(pugi::xml_node node, const IrSource& source) {
    IrGraph graph;
    const pugi::xml_node layers = node.child("layers");
    if (!layers) {
        source.fail(fmt::format("<{}> has no <layers>", node.name()));
    }
    for (const pugi::xml_node layer : layers.children("layer")) {
        graph.layers.push_back(parse_layer(layer, source));
    }
    EdgeParser edges(graph, source);
    for (const pugi::xml_node edge : node.child("edges").children("edge")) {
        graph.edges.push_back(edges.parse(edge));
    }
    return graph;
}

std::int64_t required_int(pugi::xml_node node,
                          const char* name,
                          std::string_view what,
                          const IrSource& source) {
    const pugi::xml_attribute attribute = node.attribute(name);
    const auto value = parse_int(attribute.value());
    if (!value) {
        source.fail(attribute ? fmt::format("{} has {} '{}', expected a number", what, name,
                                            attribute.value())
                              : fmt::format("{} has no {}", what, name));
    }
    return *value;
}

std::vector<std::string> split_tensor_names(std::string_view text) {
    std::vector<std::string> names;
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
            name += ',';
            ++i;
        } else if (text[i] == ',') {
            names.push_back(std::move(name));
            name.clear();
        } else {
            name += text[i];
        }
    }
    names.push_back(std::move(name));
    std::erase(names, std::string());
    return names;
}

std::string join_tensor_names(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    // A backslash before the separating comma would hide it; the last name may end in one.
    const auto ends_in_backslash = [](const std::string& name) { return name.ends_with('\\'); };
    std::stable_partition(names.begin(), names.end(), std::not_fn(ends_in_backslash));
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (ends_in_backslash(names[i]) && i + 1 != names.size()) {
            throw Error(
                "write",
                fmt::format(
                    "tensor names '{}' and '{}' both end in a backslash, which an IR cannot say",
                    names[i], names[i + 1]));
        }
        text += i == 0 ? "" : ",";
        for (const char c : names[i]) {
            text += c == ',' ? "\\," : std::string(1, c);
        }
    }
    return text;
}

}  // namespace fuseq
