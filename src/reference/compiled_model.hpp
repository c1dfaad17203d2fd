// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// REFERENCE: every layer by its plain-loop kernel, in f32 with f64 sums, FakeQuantize by its
// definition. The oracle of the tests, and the device to ask when a result is doubted.
#pragma once

#include <memory>
#include <string>

#include "fuseq/plugin.hpp"
#include "ops/quantized/rules/method_choice.hpp"
#include "reference/program.hpp"

namespace fuseq::reference {

// The properties that change what this device does; those that only other devices heed are taken
// and kept, so that a program can change the device and nothing else.
struct Options {
    AnyMap values;

    Options();
    // Throws Error naming a property that no device of Fuseq has, or a value that does not convert.
    void set(const AnyMap& properties);
    MethodChoice method_choice() const;
    bool flag(const char* name) const { return values.at(name).as_bool(); }
    // Throws Error naming the property when it is unknown, and the nearest of these and `read_only`.
    const Any& get(const std::string& name, const std::vector<std::string>& read_only) const;
    std::vector<std::string> names() const;
};

// What computes initial values of variables, which have these positions in variables_of().
struct InitialProgram {
    std::shared_ptr<const Program> program;
    std::vector<std::size_t> variables;
};

class ReferenceCompiledModel final : public ICompiledModel {
public:
    ReferenceCompiledModel(const std::shared_ptr<const Model>& model, Options options);

    std::shared_ptr<const Model> model() const override { return model_; }
    std::shared_ptr<IInferRequest> create_infer_request() override;
    Any get_property(const std::string& name) const override;

private:
    std::string report() const;

    std::shared_ptr<const Model> model_;  // as given
    Options options_;
    std::shared_ptr<const Program> program_;  // of the widened copy without state
    std::vector<InitialProgram> initial_;
};

}  // namespace fuseq::reference
