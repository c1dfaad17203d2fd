// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/binary_form.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/core.h>

#include "model/binary_attributes.hpp"
#include "model/hash.hpp"
#include "model/mapped_memory.hpp"
#include "model/parallel_tasks.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

// The order of a clone: Parameters and Results in theirs.
std::vector<Node*> nodes_of(const Model& model) {
    std::vector<Node*> nodes = model.parameters();
    for (Node* node : model.ordered_nodes()) {
        if (!node->is("Parameter") && !node->is("Result")) {
            nodes.push_back(node);
        }
    }
    nodes.insert(nodes.end(), model.results().begin(), model.results().end());
    return nodes;
}

// A model and all bodies in it. Bodies come before the models that hold them.
std::vector<const Model*> with_bodies(const Model& model) {
    std::vector<const Model*> models{&model};
    for (std::size_t i = 0; i < models.size(); ++i) {
        for (Node* node : models[i]->ordered_nodes()) {
            for (const Model* body : bodies_of(node->attributes())) {
                models.push_back(body);
            }
        }
    }
    std::reverse(models.begin(), models.end());
    return models;
}

// Numbers of nodes from 1 on, by id.
class NodeNumbers {
public:
    explicit NodeNumbers(std::span<Node* const> nodes) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::size_t id = nodes[i]->id();
            numbers_.resize(std::max(numbers_.size(), id + 1), 0);
            numbers_[id] = i + 1;
        }
    }
    std::uint64_t at(const Node* node) const { return numbers_.at(node->id()); }

private:
    std::vector<std::uint64_t> numbers_;
};

using ModelNumbers = std::unordered_map<const Model*, std::uint64_t>;

class NodeWriter {
public:
    NodeWriter(ByteWriter& out,
               const WriteConstant& constant,
               const NodeNumbers& numbers,
               const ModelNumbers& number_of_model)
        : out_(out), constant_(constant), numbers_(numbers), number_of_model_(number_of_model) {}

    void write(const Node& node) {
        out_.text(node.spec().type);
        out_.number(std::int32_t{node.spec().version});
        out_.text(node.name());
        out_.list(node.inputs(), [&](const Output& input) {
            out_.number(input ? numbers_.at(input.node) : std::uint64_t{0});
            out_.number(std::uint64_t{input.index});
        });
        write_attributes(out_, node.attributes(), constant_, number_of_model_);
        out_.number(std::uint64_t{node.output_count()});
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            write_port(node.port(i));
        }
        out_.list(node.rt_info, [&](const auto& entry) {
            out_.text(entry.first);
            out_.text(entry.second);
        });
        out_.text(node.layer_id);
        out_.list(node.origins, [&](const std::string& name) { out_.text(name); });
    }

private:
    void write_port(const OutputPort& port) {
        out_.number(static_cast<std::uint8_t>(port.type));
        write_shape(out_, port.shape);
        std::vector<std::string> names(port.names.begin(), port.names.end());
        std::sort(names.begin(), names.end());
        out_.list(names, [&](const std::string& name) { out_.text(name); });
        out_.number(static_cast<std::uint8_t>(bool(port.known_value)));
        if (port.known_value) {
            constant_(out_, port.known_value);
        }
        out_.list(port.known_dims, [&](const Dimension& d) { write_dimension(out_, d); });
    }

    ByteWriter& out_;
    const WriteConstant& constant_;
    const NodeNumbers& numbers_;
    const ModelNumbers& number_of_model_;
};

class ModelReader {
public:
    ModelReader(ByteReader& in, const ConstantReader& constants) : in_(in), constants_(constants) {}

    std::shared_ptr<Model> read() {
        in_.list([&] { models_.push_back(read_graph()); });
        if (models_.empty()) {
            throw Error("blob", "holds no model");
        }
        return models_.back();
    }

private:
    std::shared_ptr<Model> read_graph() {
        auto model = std::make_shared<Model>(in_.text());
        std::vector<Node*> nodes;
        in_.list([&] { nodes.push_back(read_node(*model, nodes)); });
        return model;
    }

    Node* read_node(Model& model, const std::vector<Node*>& before) {
        const std::string type = in_.text();
        const auto version = in_.number<std::int32_t>();
        const OpSpec* spec = find_op(type, version);
        if (spec == nullptr || spec->version != version) {
            throw Error("blob", fmt::format("operation {}-{} is not known", type, version));
        }
        std::string name = in_.text();
        std::vector<Output> inputs;
        in_.list([&] {
            const auto number = in_.number<std::uint64_t>();
            const auto index = in_.number<std::uint64_t>();
            if (number > before.size() ||
                (number != 0 && index >= before[number - 1]->output_count())) {
                throw Error("blob", fmt::format("layer '{}' reads what is not there", name));
            }
            inputs.push_back(number == 0 ? Output{} : Output{before[number - 1], index});
        });
        std::unique_ptr<Attributes> attributes = spec->make_attributes();
        read_attributes(in_, *attributes, constants_, models_);
        Node* node =
            model.add_unchecked(*spec, std::move(name), std::move(inputs), std::move(attributes));
        const auto outputs = in_.number<std::uint64_t>();
        constexpr std::uint64_t kMaxOutputs = 1 << 20;
        if (outputs > kMaxOutputs) {
            throw Error("blob", fmt::format("a layer has {} outputs", outputs));
        }
        node->set_output_count(outputs);
        for (std::size_t i = 0; i < outputs; ++i) {
            read_port(node->port(i));
        }
        in_.list([&] {
            std::string key = in_.text();
            node->rt_info[std::move(key)] = in_.text();
        });
        node->layer_id = in_.text();
        in_.list([&] { node->origins.push_back(in_.text()); });
        return node;
    }

    void read_port(OutputPort& port) {
        port.type = read_type(in_);
        port.shape = read_shape(in_);
        in_.list([&] { port.names.insert(in_.text()); });
        if (in_.number<bool>()) {
            port.known_value = constants_.read(in_);
        }
        in_.list([&] { port.known_dims.push_back(read_dimension(in_)); });
    }

    ByteReader& in_;
    const ConstantReader& constants_;
    std::vector<std::shared_ptr<Model>> models_;
};

// Set in the place of a constant that lies in a file beside the pool.
constexpr std::uint64_t kInFile = std::uint64_t{1} << 63;

// Parameters, Results, ReadValue and Assign, and the layers that feed them, which read nothing.
class PortsCopy {
public:
    explicit PortsCopy(const Model& model)
        : model_(model), ports_(std::make_shared<Model>(model.name())) {}

    std::shared_ptr<Model> make() {
        for (const Node* parameter : model_.parameters()) {
            copy(*parameter, {});
        }
        // Producers first.
        for (const Node* node : model_.ordered_nodes()) {
            if (node->is("ReadValue") || node->is("Assign")) {
                copy_with_source(*node);
            }
        }
        for (const Node* result : model_.results()) {
            copy_with_source(*result);
        }
        return ports_;
    }

private:
    void copy_with_source(const Node& node) {
        if (!node.has_input(0)) {
            copy(node, {});
            return;
        }
        const Output source = node.input(0);
        if (!copies_.contains(source.node)) {
            copy(*source.node, {});
        }
        copy(node, {Output{copies_.at(source.node), source.index}});
    }

    void copy(const Node& node, std::vector<Output> inputs) {
        const bool whole =
            node.is("Parameter") || node.is("Result") || node.is("ReadValue") || node.is("Assign");
        Node* twin = ports_->add_unchecked(
            node.spec(), node.name(), std::move(inputs),
            whole ? node.attributes().clone() : node.spec().make_attributes());
        twin->set_output_count(node.output_count());
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            twin->port(i).type = node.port(i).type;
            twin->port(i).shape = node.port(i).shape;
            twin->port(i).names = node.port(i).names;
        }
        twin->rt_info = node.rt_info;
        twin->layer_id = node.layer_id;
        copies_[&node] = twin;
    }

    const Model& model_;
    std::shared_ptr<Model> ports_;
    std::unordered_map<const Node*, Node*> copies_;
};

std::uint64_t padded(std::uint64_t size) {
    constexpr std::uint64_t kTo = ConstantWriter::kAlignment;
    return (size + kTo - 1) / kTo * kTo;
}

}  // namespace

void ConstantWriter::write(ByteWriter& out, const Tensor& tensor, const Tensor& file) {
    const auto begin = reinterpret_cast<std::uintptr_t>(file.data());
    const auto at = reinterpret_cast<std::uintptr_t>(tensor.data());
    const std::size_t bytes = tensor.get_byte_size();
    if (bytes == 0 || at < begin || at - begin > file.get_byte_size() ||
        bytes > file.get_byte_size() - (at - begin)) {
        write(out, tensor);
        return;
    }
    out.number(static_cast<std::uint8_t>(tensor.get_element_type()));
    write_shape(out, tensor.get_shape());
    out.number(kInFile | (at - begin));
}

void ConstantWriter::write(ByteWriter& out, const Tensor& tensor) {
    out.number(static_cast<std::uint8_t>(tensor.get_element_type()));
    write_shape(out, tensor.get_shape());
    const std::size_t bytes = tensor.get_byte_size();
    const auto address_below = [&](std::size_t number, const void* data) {
        return std::less<const void*>{}(pieces_[number].data, data);
    };
    auto it = std::lower_bound(sorted_.begin(), sorted_.end(), tensor.data(), address_below);
    for (; it != sorted_.end() && pieces_[*it].data == tensor.data(); ++it) {
        if (pieces_[*it].bytes == bytes) {
            out.number(pieces_[*it].offset);
            return;
        }
    }
    sorted_.insert(it, pieces_.size());
    pieces_.push_back({tensor.data(), bytes, size_});
    tensors_.push_back(tensor);
    out.number(size_);
    size_ += padded(bytes);
}

ConstantReader::ConstantReader(std::span<const char> bytes,
                               std::shared_ptr<const void> owner,
                               const Tensor& file)
    : bytes_(bytes), owner_(std::move(owner)), file_(std::make_shared<const Tensor>(file)) {}

Tensor ConstantReader::read(ByteReader& in) const {
    const ElementType type = read_type(in);
    const PartialShape shape = read_shape(in);
    const auto place = in.number<std::uint64_t>();
    if (type == ElementType::undefined || !shape.is_static()) {
        throw Error("blob", "a constant has no type or no shape");
    }
    const Shape dims = shape.to_shape();
    const std::size_t count = shape_size(dims);
    if (count == 0) {
        return {type, dims};
    }
    const bool in_file = (place & kInFile) != 0;
    const std::uint64_t offset = place & ~kInFile;
    const char* const data = in_file ? static_cast<const char*>(file_->data()) : bytes_.data();
    const std::size_t bytes = in_file ? file_->get_byte_size() : bytes_.size();
    const std::size_t element = is_packed(type) ? 1 : size_of(type);
    const std::size_t alignment = in_file ? element : ConstantWriter::kAlignment;
    if (offset > bytes || offset % alignment != 0 || byte_size_of(type, count) > bytes - offset) {
        throw Error(
            "blob",
            fmt::format("a constant of shape {} at {} lies outside of the {} bytes there are",
                        to_string(dims), offset, bytes));
    }
    return {type, dims, data + offset, in_file ? file_ : owner_};
}

void write_model(ByteWriter& out, const Model& model, const WriteConstant& write_constant) {
    ModelNumbers number_of_model;
    out.list(with_bodies(model), [&](const Model* m) {
        out.text(m->name());
        const std::vector<Node*> nodes = nodes_of(*m);
        const NodeNumbers numbers(nodes);
        NodeWriter writer(out, write_constant, numbers, number_of_model);
        out.list(nodes, [&](const Node* node) { writer.write(*node); });
        number_of_model.emplace(m, number_of_model.size());
    });
}

std::shared_ptr<Model> ports_only(const Model& model) {
    return PortsCopy(model).make();
}

std::shared_ptr<Model> read_model(ByteReader& in, const ConstantReader& constants) {
    return ModelReader(in, constants).read();
}

ModelKey key_of_model(const Model& model, std::size_t threads) {
    // Nodes by the piece, so that several threads can work on a model.
    constexpr std::size_t kPiece = 128;
    constexpr std::uint64_t kOther = std::uint64_t{1} << 32;
    const WriteConstant constant = [](ByteWriter& out, const Tensor& tensor) {
        out.number(static_cast<std::uint8_t>(tensor.get_element_type()));
        write_shape(out, tensor.get_shape());
        out.number(hash_bytes(tensor.data(), tensor.get_byte_size()));
        let_go_of_pages(tensor);
    };
    ModelNumbers number_of_model;
    ByteWriter all;
    for (const Model* m : with_bodies(model)) {
        const std::vector<Node*> nodes = nodes_of(*m);
        const NodeNumbers numbers(nodes);
        std::vector<ModelKey> keys((nodes.size() + kPiece - 1) / kPiece);
        run_tasks(keys.size(), threads, [&](std::size_t i) {
            ByteWriter piece;
            NodeWriter writer(piece, constant, numbers, number_of_model);
            for (std::size_t n = i * kPiece; n < std::min(nodes.size(), (i + 1) * kPiece); ++n) {
                writer.write(*nodes[n]);
            }
            const std::vector<char>& bytes = piece.bytes();
            keys[i] = {hash_bytes(bytes.data(), bytes.size(), 1),
                       hash_bytes(bytes.data(), bytes.size(), kOther)};
        });
        all.text(m->name());
        all.list(keys, [&](const ModelKey& key) {
            all.number(key.first);
            all.number(key.second);
        });
        number_of_model.emplace(m, number_of_model.size());
    }
    const std::vector<char>& bytes = all.bytes();
    return {hash_bytes(bytes.data(), bytes.size(), 1),
            hash_bytes(bytes.data(), bytes.size(), kOther)};
}

}  // namespace fuseq
