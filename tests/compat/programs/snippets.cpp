// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Forms of calls from OpenVINO's user guide, each once.
// usage: snippets MODEL DEVICE
#include <chrono>
#include <iostream>
#include <thread>

#include "openvino/openvino.hpp"

namespace {

void properties(ov::Core& core, const std::string& device) {
    ov::AnyMap config = {{ov::inference_num_threads.name(), 2}, {"NUM_STREAMS", "1"}};
    config[ov::hint::performance_mode.name()] = ov::hint::PerformanceMode::LATENCY;
    config.emplace(ov::enable_profiling(true));
    config.insert(ov::hint::inference_precision(ov::element::f32));
    core.set_property(device, config);
    core.set_property(device, ov::num_streams(ov::streams::AUTO));
    core.set_property(device, {{ov::hint::num_requests.name(), 1}});
    std::cout << "threads " << core.get_property(device, ov::inference_num_threads) << " hint "
              << core.get_property(device, ov::hint::performance_mode) << " name "
              << !core.get_property(device, "FULL_DEVICE_NAME").as<std::string>().empty()
              << std::endl;
}

void shapes(const std::shared_ptr<ov::Model>& model) {
    model->reshape({{"x", ov::PartialShape{ov::Dimension(1, 4), -1}}});
    const ov::PartialShape shape = model->input(0).get_partial_shape();
    std::cout << shape << ' ' << shape[0].get_max_length() << ' ' << shape.is_dynamic() << ' '
              << shape.rank().get_length() << std::endl;
    std::map<ov::Output<ov::Node>, ov::PartialShape> ports;
    for (const ov::Output<ov::Node>& input : model->inputs()) {
        ports[input] = ov::PartialShape{2, 3};
    }
    model->reshape(ports);
    ov::layout::set_layout(model->input(), ov::Layout("NC"));
    ov::set_batch(model, {1, 10});
    std::cout << ov::get_batch(model) << ' ' << ov::layout::get_layout(model->input()).to_string()
              << ' ' << ov::layout::has_channels("NC") << std::endl;
    ov::set_batch(model, 1);
    for (const auto& op : model->get_ordered_ops()) {
        std::cout << op->get_type_name() << ' ';
    }
    std::cout << model->input().get_node()->get_friendly_name() << std::endl;
}

void requests(ov::CompiledModel& compiled) {
    const ov::Output<const ov::Node> port = compiled.input();
    ov::InferRequest request = compiled.create_infer_request();
    ov::Tensor tensor(port.get_element_type(), port.get_shape());
    std::fill_n(tensor.data<float>(), tensor.get_size(), 2.f);
    request.set_tensor(port, tensor);
    request.start_async();
    while (!request.wait_for(std::chrono::milliseconds{1})) {
        std::this_thread::yield();
    }
    const ov::Tensor output = request.get_tensor(compiled.output(0));
    std::cout << "value " << output.data<const float>()[0] << ' ' << output.get_byte_size()
              << std::endl;
    for (const ov::ProfilingInfo& info : request.get_profiling_info()) {
        if (info.status != ov::ProfilingInfo::Status::EXECUTED || info.real_time.count() < 0) {
            std::cout << "odd " << info.node_name << std::endl;
        }
    }
    try {
        tensor.set_shape({1, 4});
        request.set_input_tensor(tensor);
    } catch (const ov::Exception&) {
        std::cout << "another shape is refused" << std::endl;
    }
    for (const auto& step : compiled.get_runtime_model()->get_ordered_ops()) {
        const auto info = step->get_rt_info();
        std::cout << step->get_type_name() << ' ' << info.at("layerType").as<std::string>() << ' '
                  << info.at("originalLayersNames").as<std::string>() << ';';
    }
    std::cout << std::endl;
    std::cout << request.get_compiled_model().get_property(ov::model_name) << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    try {
        ov::Core core;
        properties(core, argv[2]);
        std::shared_ptr<ov::Model> model = core.read_model(argv[1]);
        shapes(model);
        ov::preprocess::PrePostProcessor ppp(model);
        ppp.input().tensor().set_element_type(ov::element::f32);
        ppp.input().preprocess().scale(2.f);
        std::cout << ppp << std::endl;
        model = ppp.build();
        ov::CompiledModel compiled = core.compile_model(
            model, argv[2], {ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY)});
        std::cout << "requests "
                  << compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS").as<uint32_t>()
                  << std::endl;
        requests(compiled);
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
