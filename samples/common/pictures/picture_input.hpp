// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pictures as inputs of a model.
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture.hpp"
#include "fuseq/node.hpp"
#include "fuseq/tensor.hpp"

namespace CLI {
class App;
}

namespace fuseq::samples {

// Texts of options; empty: not given.
struct PictureOptions {
    std::string layout;  // [NCHW] or in[NCHW]
    std::string color;   // RGB, BGR or GRAY
    std::string resize;  // nearest, linear or cubic
    std::string mean;    // [1,2,3] or in[1,2,3]
    std::string scale;
};

// -color and -resize.
void add_look_options(CLI::App& app, PictureOptions& options);
// All of them: -layout, -mean_values, -scale_values too.
void add_picture_options(CLI::App& app, PictureOptions& options);

// Whether the channels of an input are its last dimension. From -layout, else from what the model
// says of the input, else from where the 1 or 3 channels are. Throws UsageError when that is nowhere
// or in two places.
bool channels_are_last(const Output& port, const PictureOptions& options);

// What the input gets for a picture: values 0 to 255 in the order of colors that -color says (else
// RGB, or GRAY for one channel), resized only with -resize, minus the mean, divided by the scale.
// The batch is 1. It is what fuseq/preprocess.hpp makes of it. `file` is for messages. Throws Error
// for a picture of another size, UsageError for options that do not suit the input.
Tensor picture_tensor(const Picture& picture,
                      const std::string& file,
                      const Output& port,
                      const PictureOptions& options);

// What one value of -i means: a run for each of the returned paths. A folder with a file for an
// input, <input>.npy or <input>.png (.jpg, .jpeg, .bmp), is one run; another folder of pictures is a
// run a picture; everything else is a run of that path.
std::vector<std::string> runs_of(const std::string& path, const std::vector<Output>& inputs);

// The picture that such a path has for an input: the file, or <input>.png or the like in the folder;
// empty when it has none.
std::string picture_of_run(const std::string& path, const Output& port);

// What an input gets in a run: the picture of it, or <input>.npy.
Tensor read_run_input(const std::string& path,
                      const std::vector<Output>& inputs,
                      std::size_t index,
                      const PictureOptions& options);

}  // namespace fuseq::samples
