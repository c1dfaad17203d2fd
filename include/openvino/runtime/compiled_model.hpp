// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fuseq/compiled_model.hpp"
#include "openvino/core/absent.hpp"
#include "openvino/core/model.hpp"
#include "openvino/runtime/infer_request.hpp"
#include "openvino/runtime/properties.hpp"

namespace ov {

class CompiledModel {
public:
    CompiledModel() = default;
    explicit CompiledModel(fuseq::CompiledModel model) : model_(std::move(model)) {}
    explicit operator bool() const { return static_cast<bool>(model_); }
    bool operator!() const { return !model_; }

    std::vector<Output<const Node>> inputs() const {
        return call([&] { return ports(model_.inputs()); });
    }
    std::vector<Output<const Node>> outputs() const {
        return call([&] { return ports(model_.outputs()); });
    }
    Output<const Node> input() const {
        return call([&] { return port(model_.input()); });
    }
    Output<const Node> input(std::size_t index) const {
        return call([&] { return port(model_.input(index)); });
    }
    Output<const Node> input(const std::string& name) const {
        return call([&] { return port(model_.input(name)); });
    }
    Output<const Node> output() const {
        return call([&] { return port(model_.output()); });
    }
    Output<const Node> output(std::size_t index) const {
        return call([&] { return port(model_.output(index)); });
    }
    Output<const Node> output(const std::string& name) const {
        return call([&] { return port(model_.output(name)); });
    }

    InferRequest create_infer_request() {
        return call([&] { return InferRequest(model_.create_infer_request()); });
    }
    Any get_property(const std::string& name) const {
        return call([&] { return Any(model_.get_property(name)); });
    }
    template <class T, PropertyMutability M>
    T get_property(const Property<T, M>& property) const {
        return get_property(std::string(property.name())).template as<T>();
    }
    // No device of Fuseq changes properties of a model that is compiled.
    template <class... Properties>
    void set_property(Properties&&...) {
        throw NotImplemented("CompiledModel::set_property: set it when the model is compiled");
    }
    void export_model(std::ostream& out) {
        call([&] { model_.export_model(out); });
    }
    void release_memory() {}

    // A graph of what is executed. The report of `explain` says more.
    std::shared_ptr<const Model> get_runtime_model() const {
        return call([&] { return std::make_shared<const Model>(model_.get_runtime_model()); });
    }
    template <class None = void>
    void get_context() const {
        static_assert(detail::kAbsent<None>, "Fuseq has no remote contexts");
    }

    const fuseq::CompiledModel& own() const { return model_; }

private:
    template <class Body>
    auto call(Body&& body) const -> decltype(body()) {
        if (!model_) {
            throw Exception("CompiledModel was not initialized.");
        }
        return detail::guarded(std::forward<Body>(body));
    }
    Output<const Node> port(const fuseq::Output& port) const { return {port, keeper()}; }
    std::vector<Output<const Node>> ports(const std::vector<fuseq::Output>& list) const {
        std::vector<Output<const Node>> result;
        for (const fuseq::Output& one : list) {
            result.push_back(port(one));
        }
        return result;
    }
    // Ports live as long as the compiled model.
    std::shared_ptr<const fuseq::Model> keeper() const {
        auto handle = std::make_shared<fuseq::CompiledModel>(model_);
        return {handle, static_cast<const fuseq::Model*>(nullptr)};
    }

    fuseq::CompiledModel model_;
};

inline CompiledModel InferRequest::get_compiled_model() {
    return call([&] { return CompiledModel(request_.get_compiled_model()); });
}

}  // namespace ov
