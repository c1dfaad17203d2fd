// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is in a picture? Preprocessing becomes part of the model, so a request takes the bytes of the
// picture, of any size:
//   classify_picture samples/models/residual_cnn.xml samples/models/residual_cnn_picture.bmp
#include <algorithm>
#include <fuseq/fuseq.hpp>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "common/pictures/picture_file.hpp"
#include "common/pictures/picture_model.hpp"

namespace {

void classify(const std::string& file, const std::string& picture_file, const std::string& device) {
    fuseq::samples::Picture picture = fuseq::samples::read_picture(picture_file);
    fuseq::Core core;
    const auto model = fuseq::samples::model_of_picture(core.read_model(file), picture);
    fuseq::InferRequest request = core.compile_model(model, device).create_infer_request();
    request.set_input_tensor(fuseq::samples::tensor_of_picture(picture));
    request.infer();

    const std::vector<float> scores = fuseq::to_floats(request.get_output_tensor());
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    order.resize(std::min<std::size_t>(order.size(), 3));
    for (const std::size_t index : order) {
        std::cout << "class " << index << ": " << scores[index] << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: classify_picture MODEL PICTURE [DEVICE]\n";
        return 2;
    }
    try {
        classify(argv[1], argv[2], argc > 3 ? argv[3] : "CPU");
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
