// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which class has each pixel of a picture? Prints the share of every class, and tints the picture by
// class:
//   cd samples/models
//   segment_picture shape_segmenter.xml shapes.bmp classes.png
#include <fuseq/fuseq.hpp>
#include <iostream>
#include <map>
#include <string>

#include "common/drawing/mask.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/pictures/picture_model.hpp"

namespace {

using fuseq::samples::Mask;

// Integers [1, H, W] are classes; of reals [1, C, H, W] the class of the greatest value counts.
Mask mask_of(const fuseq::Tensor& output) {
    const fuseq::Shape& shape = output.get_shape();
    const bool scores = shape.size() == 4;
    if (shape.size() < 3 || shape.size() > 4 || shape[0] != 1) {
        throw fuseq::Error(
            "output", "expected [1,H,W] or [1,C,H,W], the model gives " + fuseq::to_string(shape));
    }
    const std::vector<float> values = fuseq::to_floats(output);
    Mask mask = {shape[shape.size() - 2], shape[shape.size() - 1], {}};
    const std::size_t pixels = mask.height * mask.width;
    for (std::size_t i = 0; i < pixels; ++i) {
        std::size_t best = 0;
        for (std::size_t c = 1; scores && c < shape[1]; ++c) {
            best = values[c * pixels + i] > values[best * pixels + i] ? c : best;
        }
        mask.classes.push_back(
            static_cast<std::int64_t>(scores ? static_cast<float>(best) : values[i]));
    }
    return mask;
}

void segment(const std::string& model_file,
             const std::string& picture_file,
             const std::string& result,
             const std::string& device) {
    fuseq::samples::Picture picture = fuseq::samples::read_picture(picture_file);
    fuseq::Core core;
    const auto model = fuseq::samples::model_of_picture(core.read_model(model_file), picture);
    fuseq::InferRequest request = core.compile_model(model, device).create_infer_request();
    request.set_input_tensor(fuseq::samples::tensor_of_picture(picture));
    request.infer();

    const Mask mask = mask_of(request.get_output_tensor());
    std::map<std::int64_t, std::size_t> pixels;
    for (const std::int64_t found : mask.classes) {
        ++pixels[found];
    }
    for (const auto& [found, count] : pixels) {
        std::cout << "class " << found << ": " << 100.0 * count / mask.classes.size() << " %\n";
    }
    draw_mask(picture, mask);
    write_picture(result, picture);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: segment_picture MODEL PICTURE RESULT [DEVICE]\n";
        return 2;
    }
    try {
        segment(argv[1], argv[2], argv[3], argc > 4 ? argv[4] : "CPU");
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
