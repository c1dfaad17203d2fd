// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs and outputs of a compiled model, with what each call asks of them ready.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include "fuseq/compiled_model.hpp"
#include "python/native/ports.hpp"

namespace fuseq::python {

struct CompiledPort {
    PyPort port;
    std::string name;
    ElementType type;
    PartialShape shape;
};

class CompiledPorts {
public:
    explicit CompiledPorts(CompiledModel model);

    const CompiledModel& model() const { return model_; }
    const std::vector<CompiledPort>& inputs() const { return inputs_; }
    const std::vector<CompiledPort>& outputs() const { return outputs_; }

    // The position that an index, a name or a port stands for. Throws Error naming what there is,
    // TypeError for another kind of key.
    std::size_t input_index(const pybind11::handle& key) const;
    std::size_t output_index(const pybind11::handle& key) const;
    // Of a name or port of an input or an output.
    struct Place {
        bool is_input;
        std::size_t index;
    };
    Place place(const pybind11::handle& key) const;

private:
    using Names = std::map<std::string, std::size_t, std::less<>>;
    static std::size_t find(const pybind11::handle& key,
                            const std::vector<CompiledPort>& ports,
                            const Names& names,
                            const char* what);

    CompiledModel model_;
    std::vector<CompiledPort> inputs_;
    std::vector<CompiledPort> outputs_;
    Names input_names_;
    Names output_names_;
};

}  // namespace fuseq::python
