// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which objects are where in a picture? Prints and draws what a network with a DetectionOutput (SSD
// and its like) finds:
//   cd samples/models
//   detect_objects shape_detector.xml shapes.bmp shapes.txt found.png
#include <cmath>
#include <fstream>
#include <fuseq/fuseq.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "common/drawing/boxes.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/pictures/picture_model.hpp"

namespace {

using fuseq::samples::Detection;

constexpr float kMinConfidence = 0.5F;

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    if (lines.empty()) {
        throw fuseq::Error("read", "'" + path + "' has no lines, or cannot be read");
    }
    return lines;
}

// Rows of [1, 1, N, 7]: picture, label, confidence, and the corners as fractions of the picture. The
// row after the last object has a picture below 0.
std::vector<Detection> detections_of(const fuseq::Tensor& rows) {
    const fuseq::Shape& shape = rows.get_shape();
    if (shape.size() != 4 || shape[3] != 7) {
        throw fuseq::Error("output", "expected [1,1,N,7] of a DetectionOutput, the model gives " +
                                         fuseq::to_string(shape));
    }
    std::vector<Detection> found;
    const float* row = rows.data<float>();
    for (std::size_t i = 0; i < shape[2] && row[0] >= 0; ++i, row += 7) {
        if (row[2] >= kMinConfidence) {
            found.push_back(
                {static_cast<std::int64_t>(row[1]), row[2], row[3], row[4], row[5], row[6]});
        }
    }
    return found;
}

struct Files {
    std::string model, picture, labels, result, device;
};

void detect(const Files& files) {
    fuseq::samples::Picture picture = fuseq::samples::read_picture(files.picture);
    const std::vector<std::string> labels = lines_of(files.labels);
    fuseq::Core core;
    const auto model = fuseq::samples::model_of_picture(core.read_model(files.model), picture);
    fuseq::InferRequest request = core.compile_model(model, files.device).create_infer_request();
    request.set_input_tensor(fuseq::samples::tensor_of_picture(picture));
    request.infer();

    const std::vector<Detection> found = detections_of(request.get_output_tensor());
    const auto pixel = [](float fraction, std::size_t size) {
        return std::lround(fraction * static_cast<float>(size));
    };
    for (const Detection& object : found) {
        const auto label = static_cast<std::size_t>(object.label);
        std::cout << (label < labels.size() ? labels[label] : std::to_string(label)) << " "
                  << std::lround(object.confidence * 100) << "%, columns "
                  << pixel(object.left, picture.width) << " to "
                  << pixel(object.right, picture.width) << ", rows "
                  << pixel(object.top, picture.height) << " to "
                  << pixel(object.bottom, picture.height) << '\n';
    }
    draw_boxes(picture, found, labels);
    write_picture(files.result, picture);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::cerr << "usage: detect_objects MODEL PICTURE LABELS RESULT [DEVICE]\n";
        return 2;
    }
    try {
        detect({argv[1], argv[2], argv[3], argv[4], argc > 5 ? argv[5] : "CPU"});
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
