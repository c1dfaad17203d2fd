// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables of a graph: tensors that are variables (states of LSTM and others), and those with a name,
// for which handles stand (VAR_HANDLE). Both are variables of the Model.
#include <cstring>

#include "ops/state/state.hpp"
#include "readers/tflite/graph_importer.hpp"

namespace fuseq::tflite_reader {
namespace {

constexpr std::size_t kLargestVariable = std::size_t{1} << 28;

PartialShape shape_of_tensor(const TensorInfo& info) {
    std::vector<Dimension> dims;
    for (std::size_t d = 0; d < info.shape.size(); ++d) {
        dims.push_back(info.is_free(d) ? Dimension::dynamic()
                                       : Dimension(static_cast<std::int64_t>(info.shape[d])));
    }
    return PartialShape(dims);
}

}  // namespace

// TFLite sets variables to zero, those of i8 to their zero point.
Output GraphImporter::read_variable(const TensorInfo& info) {
    const Place place = tensor_place(info.index);
    place.require(depth_ == 0, "variables within bodies are not supported");
    place.require(info.type != ElementType::undefined, "is a variable of type ", info.type_name,
                  ", which is not supported");
    place.require(shape_size(info.shape) <= kLargestVariable, "is a variable of shape ",
                  to_string(info.shape), ", which has more than ", kLargestVariable, " elements");
    Tensor zero(info.type, info.shape);
    if (info.type == ElementType::i8 && info.quantization.known()) {
        std::memset(zero.data(), static_cast<int>(info.quantization.zero_point()),
                    zero.get_byte_size());
    }
    const Output initial =
        model_->add_constant(unique_name(tensor_name(info.index) + "/initial"), zero)->output();
    const Output value = add_read_value(tensor_name(info.index), initial, initial.partial_shape());
    variables_.try_emplace(info.index, Variable{value, value});
    return value;
}

Output GraphImporter::add_read_value(const std::string& name,
                                     const Output& initial,
                                     const PartialShape& shape) {
    ReadValueAttrs attributes;
    attributes.variable_id = name;
    attributes.variable_type = initial.type();
    attributes.variable_shape = shape;
    return model_->add("ReadValue", 6, unique_name(name), {initial}, attributes)->output();
}

// Whoever reads the variable later in this inference gets the new value.
void GraphImporter::assign(std::size_t index, const Output& value) {
    plain(index);
    variables_.at(index).next = value;
    values_[index] = {.plain = value};
}

void GraphImporter::name_handle(std::size_t tensor, const std::string& variable) {
    handles_[tensor] = variable;
}

const std::string& GraphImporter::variable_of(std::size_t handle, const Place& place) const {
    place.require(depth_ == 0 || initializing_, "variables within bodies are not supported");
    const auto found = handles_.find(handle);
    place.require(found != handles_.end(), "input 0, ", tensors_[handle].title(),
                  ", is no handle that a VAR_HANDLE of this graph makes");
    return found->second;
}

// TFLite refuses to read what nothing was assigned to.
Output GraphImporter::read_named(std::size_t handle, const TensorInfo& as, const Place& place) {
    const std::string& name = variable_of(handle, place);
    if (const auto assigned = current_.find(name); assigned != current_.end()) {
        return assigned->second;
    }
    const auto initial = initial_.find(name);
    place.require(initial != initial_.end(), "reads the variable '", name,
                  "', to which no CALL_ONCE before it assigns anything");
    const PartialShape shape = shape_of_tensor(as);
    place.require(
        initial->second.type() == as.type && initial->second.partial_shape().compatible(shape),
        "reads the variable '", name, "' as ", as.type_name, to_string(shape), ", it begins with ",
        to_string(initial->second.type()), to_string(initial->second.partial_shape()));
    const Output value = add_read_value(name, initial->second, shape);
    reads_[name] = value;
    current_[name] = value;
    return value;
}

void GraphImporter::assign_named(std::size_t handle, const Output& value, const Place& place) {
    place.require(bool(value), "input 1 is a handle of a variable, which is no value");
    current_[variable_of(handle, place)] = value;
}

void GraphImporter::initialize_by(std::int64_t subgraph, const Place& place) {
    place.require(depth_ == 0, "CALL_ONCE within bodies is not supported");
    place.require(reads_.empty() && current_.empty(),
                  "comes after an operator that reads or assigns");
    GraphImporter inner(context_, checked_subgraph(subgraph, place), model_, depth_ + 1);
    inner.names_.swap(names_);
    inner.initial_ = initial_;
    for (const auto& [name, value] : inner.initial_values()) {
        initial_[name] = value;
    }
    inner.names_.swap(names_);
}

// What the graph of a CALL_ONCE assigns.
std::map<std::string, Output> GraphImporter::initial_values() {
    context_.place.require(graph_.inputs() == nullptr || graph_.inputs()->size() == 0,
                           "the subgraph of a CALL_ONCE has inputs");
    initializing_ = true;
    current_ = initial_;
    translate_all();
    return current_;
}

void GraphImporter::add_assigns() {
    const auto add = [&](const Output& read, const Output& next) {
        VariableIdAttrs attributes;
        attributes.variable_id = read.node->attrs<ReadValueAttrs>().variable_id;
        model_->add("Assign", 6, unique_name(attributes.variable_id + "/assign"), {next},
                    attributes);
    };
    for (const auto& [index, variable] : variables_) {
        add(variable.read, variable.next);
    }
    // One that is only assigned, or assigned before it is read, keeps nothing.
    for (const auto& [name, read] : reads_) {
        const Output& next = current_.at(name);
        const auto& kept = read.node->attrs<ReadValueAttrs>();
        context_.place.require(next.type() == kept.variable_type &&
                                   next.partial_shape().compatible(kept.variable_shape),
                               "the variable '", name, "' is read as ",
                               to_string(kept.variable_type), to_string(kept.variable_shape),
                               " and assigned ", to_string(next.type()),
                               to_string(next.partial_shape()));
        add(read, next);
    }
}

}  // namespace fuseq::tflite_reader
