// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A device of one's own, in a shared library: TIMING runs models on CPU and keeps how long the last
// run took, which get_property("LAST_RUN_MS") tells. Register it by path:
// core.register_plugin("libtiming_device.so", "TIMING")
#include <fuseq/fuseq.hpp>
#include <fuseq/plugin.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace {

using fuseq::Any;
using fuseq::AnyMap;
using fuseq::Model;
using fuseq::Tensor;

using Time = std::shared_ptr<std::atomic<double>>;

class Request final : public fuseq::IInferRequest {
public:
    Request(fuseq::InferRequest request, Time time)
        : request_(std::move(request)), time_(std::move(time)) {}

    void set_input(std::size_t index, const Tensor& tensor) override {
        request_.set_input_tensor(index, tensor);
    }
    void set_output(std::size_t index, const Tensor& tensor) override {
        request_.set_output_tensor(index, tensor);
    }
    Tensor get_input(std::size_t index) override { return request_.get_input_tensor(index); }
    Tensor get_output(std::size_t index) override { return request_.get_output_tensor(index); }
    void infer() override {
        const auto start = std::chrono::steady_clock::now();
        request_.infer();
        *time_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                     .count();
    }

private:
    fuseq::InferRequest request_;
    Time time_;
};

class Compiled final : public fuseq::ICompiledModel {
public:
    explicit Compiled(fuseq::CompiledModel model) : model_(std::move(model)) {}

    std::shared_ptr<const Model> model() const override { return model_.model(); }
    std::shared_ptr<fuseq::IInferRequest> create_infer_request() override {
        return std::make_shared<Request>(model_.create_infer_request(), time_);
    }
    Any get_property(const std::string& name) const override {
        return name == "LAST_RUN_MS" ? Any(time_->load()) : model_.get_property(name);
    }

private:
    fuseq::CompiledModel model_;
    Time time_ = std::make_shared<std::atomic<double>>(0);
};

class Device final : public fuseq::IPlugin {
public:
    std::string device_name() const override { return "TIMING"; }
    Any get_property(const std::string& name) const override {
        return core_.get_property("CPU", name);
    }
    void set_property(const AnyMap& properties) override { core_.set_property("CPU", properties); }
    std::shared_ptr<fuseq::ICompiledModel> compile_model(const std::shared_ptr<const Model>& model,
                                                         const AnyMap& properties) override {
        return std::make_shared<Compiled>(core_.compile_model(model, "CPU", properties));
    }
    std::map<std::string, std::string> query_model(const Model& model) const override {
        std::map<std::string, std::string> layers = core_.query_model(model.clone(), "CPU");
        for (auto& [layer, device] : layers) {
            device = device_name();
        }
        return layers;
    }

private:
    mutable fuseq::Core core_;  // asking it may load a device
};

}  // namespace

FUSEQ_DEFINE_PLUGIN(Device)
