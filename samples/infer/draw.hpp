// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A result of a network as a picture.
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture.hpp"
#include "infer/results.hpp"
#include "infer/scores.hpp"

namespace fuseq::samples {

struct DrawOptions {
    std::string what;    // boxes, mask, keypoints, image, auto; empty: nothing is drawn
    std::string output;  // its name; empty: the one that suits
    float threshold = 0.5F;
    float white = 0;  // 0: as the values are
    bool bgr = false;
    std::vector<std::string> labels;
};

struct Drawn {
    Picture picture;
    std::string said;  // "3 boxes of 'detections'"
};

// Draws the one output that suits. By itself (auto) it takes boxes, whose shape nothing else has,
// integers as a mask, and a picture larger than the one that the network got; what else may be meant
// must be said. Throws Error saying what the outputs may be. `picture` is what the network saw.
Drawn draw_result(const std::vector<NamedTensor>& outputs,
                  const Picture& picture,
                  const NetworkLook& look,
                  const DrawOptions& options);

}  // namespace fuseq::samples
