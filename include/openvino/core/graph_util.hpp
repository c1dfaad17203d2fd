// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models to files.
#pragma once

#include <memory>
#include <string>

#include "fuseq/save_model.hpp"
#include "openvino/core/model.hpp"

namespace ov {

inline void serialize(const std::shared_ptr<const Model>& model,
                      const std::string& xml_path,
                      const std::string& bin_path = "") {
    detail::guarded([&] { fuseq::save_model(*model->own(), xml_path, bin_path); });
}
// Constants keep their types: OpenVINO makes f16 of f32 here unless told not to.
inline void save_model(const std::shared_ptr<const Model>& model,
                       const std::string& xml_path,
                       bool compress_to_fp16 = true) {
    (void)compress_to_fp16;
    serialize(model, xml_path);
}

}  // namespace ov
