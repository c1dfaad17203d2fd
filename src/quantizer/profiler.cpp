// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/profiler.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_set>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "quantizer/data_runner.hpp"
#include "quantizer/layer_kinds.hpp"
#include "quantizer/placement.hpp"

namespace fuseq::quantizer {
namespace {

// Nodes that depend on a Parameter or on a variable.
std::unordered_set<const Node*> computed_nodes(const Model& model) {
    std::unordered_set<const Node*> computed;
    for (const Node* node : model.ordered_nodes()) {
        const auto& inputs = node->inputs();
        if (node->is("Parameter") || node->is("ReadValue") ||
            std::any_of(inputs.begin(), inputs.end(), [&](const Output& input) {
                return input && computed.contains(input.node);
            })) {
            computed.insert(node);
        }
    }
    return computed;
}

// Bytes of the tensors of an input in flight, which live until their statistics are taken; 0: their
// shapes are open.
std::size_t bytes_of(const std::vector<Output>& tensors) {
    std::size_t bytes = 0;
    for (const Output& tensor : tensors) {
        if (!tensor.partial_shape().is_static()) {
            return 0;
        }
        bytes += shape_size(tensor.shape()) * size_of(tensor.type());
    }
    return bytes;
}

// One a core, less where the tensors are large.
std::size_t default_streams(const std::vector<Output>& tensors) {
    constexpr std::size_t kMemory = std::size_t{1} << 30U;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t bytes = std::max<std::size_t>(bytes_of(tensors), 1);
    return std::clamp<std::size_t>(kMemory / bytes, 1, cores);
}

// Tensors where values may be infinite: masks, and what comes of them before a SoftMax. Not where
// integers can be, nor the outputs of the model.
std::unordered_set<std::string> masked_tensors(const Model& lowered) {
    const std::shared_ptr<Model> copy = lowered.clone();
    std::unordered_set<std::string> names;
    std::vector<Node*> left = copy->find_all("SoftMax");
    const std::vector<Node*> logarithms = copy->find_all("LogSoftmax");
    left.insert(left.end(), logarithms.begin(), logarithms.end());
    while (!left.empty()) {
        const Node* node = left.back();
        left.pop_back();
        for (const Output& input : node->inputs()) {
            const bool product = !input || kind_of(*input.node) == LayerKind::kAnchor;
            if (!product && names.insert(tensor_name(input)).second) {
                left.push_back(input.node);
            }
        }
    }
    for (const Place& made : place(*copy, {}, {}, true).places) {
        names.erase(tensor_name(made.tensor));
    }
    for (const Output& output : copy->outputs()) {
        names.erase(tensor_name(output));
    }
    return names;
}

// Throws Error (rule only) for NaN, and for infinite values where `finite`; else leaves these out.
TensorProfile seen_of(const Tensor& tensor,
                      std::size_t channel_dim,
                      bool finite,
                      std::size_t histogram_bins) {
    TensorProfile seen;
    seen.histogram = Histogram(histogram_bins);
    const std::span<const float> values = tensor.values<float>();
    const bool left_out = !finite && std::any_of(values.begin(), values.end(),
                                                 [](float value) { return std::isinf(value); });
    if (!left_out) {
        seen.add(values, tensor.get_shape(), channel_dim);
        return seen;
    }
    std::vector<float> rest;
    std::copy_if(values.begin(), values.end(), std::back_inserter(rest),
                 [](float value) { return !std::isinf(value); });
    seen.add(rest, {rest.size()});
    return seen;
}

// Hands out inputs, and takes their statistics in the same order.
class Queue {
public:
    Queue(Profile& profile, std::size_t count, const CalibrationProgress& progress)
        : profile_(profile), count_(count), progress_(progress), next_(profile.inputs) {}

    // The next input; false when there is none left, or something went wrong.
    bool take(std::size_t& index) {
        const std::scoped_lock lock(mutex_);
        if (stopped_ || next_ >= count_) {
            return false;
        }
        index = next_++;
        return true;
    }

    // Waits until all inputs before `index` were added.
    void add(std::size_t index, const std::map<std::string, TensorProfile>& seen) {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return profile_.inputs == index || stopped_; });
        if (profile_.inputs != index || failure_) {
            return;  // after an interruption: the profile ends before this input
        }
        for (const auto& [name, tensor] : seen) {
            profile_.tensors[name].merge(tensor);
        }
        ++profile_.inputs;
        if (progress_ && !progress_(profile_.inputs, count_)) {
            stopped_ = true;
        }
        turn_.notify_all();
    }

    void fail(const std::exception_ptr& error) {
        const std::scoped_lock lock(mutex_);
        failure_ = failure_ ? failure_ : error;
        stopped_ = true;
        turn_.notify_all();
    }

    bool finish() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        return profile_.inputs >= count_;
    }

private:
    Profile& profile_;
    std::size_t count_;
    const CalibrationProgress& progress_;
    std::size_t next_;
    bool stopped_ = false;
    std::exception_ptr failure_;
    std::mutex mutex_;
    std::condition_variable turn_;
};

}  // namespace

Profiler::Profiler(const Model& lowered, const std::string& device, std::size_t streams) {
    const std::shared_ptr<Model> model = lowered.clone();
    const auto computed = computed_nodes(*model);
    const std::unordered_set<std::string> masked = masked_tensors(lowered);
    for (Node* node : model->ordered_nodes()) {
        if (!computed.contains(node) || node->is("Result")) {
            continue;
        }
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            if (node->port(i).type == ElementType::f32 && !node->port(i).uses.empty()) {
                model->add_output(node->output(i));
            }
        }
    }
    const std::vector<Output> outputs = model->outputs();
    streams_ = streams != 0 ? streams : default_streams(outputs);
    for (Node* node : model->ordered_nodes()) {
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i].node == node && outputs[i].type() == ElementType::f32) {
                const std::string name = tensor_name(outputs[i]);
                tensors_.push_back({i, name, channel_dim_of(outputs[i]), !masked.contains(name)});
            }
        }
    }
    AnyMap properties;
    if (device != "REFERENCE") {
        properties = {{property::kNumStreams, static_cast<int>(streams_)},
                      {property::kInferenceNumThreads, static_cast<int>(streams_)}};
    }
    compiled_ = Core().compile_model(model, device, properties);
}

bool Profiler::run(Profile& profile,
                   std::size_t count,
                   const CalibrationInputs& inputs,
                   const CalibrationProgress& progress) const {
    Queue queue(profile, count, progress);
    const std::vector<Output> ports = compiled_.inputs();
    const auto work = [&] {
        try {
            InferRequest request = compiled_.create_infer_request();
            for (std::size_t index = 0; queue.take(index);) {
                request.reset_state();  // of the input before, whichever it was
                set_inputs(request, ports, inputs(index), index);
                request.infer();
                std::map<std::string, TensorProfile> seen;
                for (const auto& [output, name, channel_dim, finite] : tensors_) {
                    try {
                        seen[name] = seen_of(request.get_output_tensor(output), channel_dim, finite,
                                             profile.histogram_bins);
                    } catch (const Error& error) {
                        fail_at_input(index, name, error.info().rule);
                    }
                }
                queue.add(index, seen);
            }
        } catch (...) {
            queue.fail(std::current_exception());
        }
    };
    std::vector<std::jthread> threads;
    const std::size_t left = count > profile.inputs ? count - profile.inputs : 0;
    for (std::size_t i = 1; i < std::min(streams_, left); ++i) {
        threads.emplace_back(work);
    }
    work();
    threads.clear();
    return queue.finish();
}

}  // namespace fuseq::quantizer
