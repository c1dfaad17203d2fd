// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A frame of a camera, NV12 in two planes, as OpenVINO's sample gives it to a classifier.
// usage: hello_nv12_input_classification MODEL FRAME WIDTHxHEIGHT DEVICE
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "openvino/openvino.hpp"

int main(int argc, char* argv[]) {
    if (argc != 5) {
        return EXIT_FAILURE;
    }
    try {
        const std::string size = argv[3];
        const std::size_t input_width = std::stoul(size.substr(0, size.find('x')));
        const std::size_t input_height = std::stoul(size.substr(size.find('x') + 1));
        std::ifstream file(argv[2], std::ios::binary);
        std::vector<char> frame((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());

        ov::Core core;
        std::shared_ptr<ov::Model> model = core.read_model(argv[1]);
        OPENVINO_ASSERT(model->inputs().size() == 1, "Sample supports models with 1 input only");
        OPENVINO_ASSERT(frame.size() == input_width * input_height * 3 / 2, "the frame is of ",
                        frame.size(), " bytes");
        ov::preprocess::PrePostProcessor ppp(model);
        ppp.input()
            .tensor()
            .set_element_type(ov::element::u8)
            .set_color_format(ov::preprocess::ColorFormat::NV12_TWO_PLANES, {"y", "uv"})
            .set_spatial_static_shape(input_height, input_width);
        ppp.input().preprocess().convert_color(ov::preprocess::ColorFormat::RGB);
        ppp.input().preprocess().resize(ov::preprocess::ResizeAlgorithm::RESIZE_LINEAR);
        ppp.input().model().set_layout("NCHW");
        model = ppp.build();

        ov::CompiledModel compiled_model = core.compile_model(model, argv[4]);
        ov::InferRequest infer_request = compiled_model.create_infer_request();
        ov::Tensor y(ov::element::u8, {1, input_height, input_width, 1}, frame.data());
        ov::Tensor uv(ov::element::u8, {1, input_height / 2, input_width / 2, 2},
                      frame.data() + input_width * input_height);
        for (const ov::Output<ov::Node>& input : model->inputs()) {
            std::cout << "input " << input.get_any_name() << ' ' << input.get_shape() << std::endl;
        }
        infer_request.set_input_tensor(0, y);
        infer_request.set_input_tensor(1, uv);
        infer_request.infer();
        const ov::Tensor output = infer_request.get_output_tensor();
        const float* first = output.data<float>();
        const float* best = std::max_element(first, first + output.get_size());
        std::cout << "class " << best - first << ' ' << *best << std::endl;
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
