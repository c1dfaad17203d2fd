// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Classifies a picture: the calls of OpenVINO's hello_classification sample, in their order.
// usage: hello_classification MODEL IMAGE DEVICE
#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

#include "openvino/openvino.hpp"
#include "ppm.hpp"

int main(int argc, char* argv[]) {
    try {
        std::cout << ov::get_openvino_version() << std::endl;
        if (argc != 4) {
            std::cerr << "usage: " << argv[0] << " MODEL IMAGE DEVICE" << std::endl;
            return EXIT_FAILURE;
        }
        const std::string device_name = argv[3];
        ov::Core core;
        std::shared_ptr<ov::Model> model = core.read_model(argv[1]);
        std::cout << "model name: " << model->get_friendly_name() << std::endl;
        OPENVINO_ASSERT(model->inputs().size() == 1, "one input is supported");
        OPENVINO_ASSERT(model->outputs().size() == 1, "one output is supported");

        const Picture picture = read_ppm(argv[2]);
        ov::element::Type input_type = ov::element::u8;
        ov::Shape input_shape = {1, picture.height, picture.width, 3};
        ov::Tensor input_tensor = ov::Tensor(input_type, input_shape, picture.data.get());
        const ov::Layout tensor_layout{"NHWC"};

        ov::preprocess::PrePostProcessor ppp(model);
        ppp.input()
            .tensor()
            .set_shape(input_shape)
            .set_element_type(input_type)
            .set_layout(tensor_layout);
        ppp.input().preprocess().resize(ov::preprocess::ResizeAlgorithm::RESIZE_LINEAR);
        ppp.input().model().set_layout("NCHW");
        ppp.output().tensor().set_element_type(ov::element::f32);
        model = ppp.build();

        ov::CompiledModel compiled_model = core.compile_model(model, device_name);
        ov::InferRequest infer_request = compiled_model.create_infer_request();
        infer_request.set_input_tensor(input_tensor);
        infer_request.infer();

        const ov::Tensor& output_tensor = infer_request.get_output_tensor();
        const float* scores = output_tensor.data<float>();
        std::vector<std::size_t> order(output_tensor.get_size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
        for (std::size_t i = 0; i < 3 && i < order.size(); ++i) {
            std::cout << "class " << order[i] << ' ' << scores[order[i]] << std::endl;
        }
    } catch (const ov::Exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
