// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of a model: predict_net.pb, init_net.pb and, where it exists, value_info.json.
#pragma once

#include <net_def.pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/element_type.hpp"
#include "readers/common/file_error.hpp"

namespace fuseq::caffe2_reader {

using caffe2_proto::NetDef;
using readers::Place;

std::string read_whole_file(const std::string& path);
// Throws Error for what is no NetDef.
NetDef parse_net(std::string_view bytes, const Place& place);
// Whether these could be the bytes of a predict_net.
bool may_be_net(std::string_view bytes);

// The file beside the predict_net that has the parameters: "predict" in the name of the file
// becomes "init". Throws Error where there is no such name or file.
std::string init_net_of(const std::string& predict_net);

// Type and shape of an input, which a NetDef does not say.
struct InputInfo {
    ElementType type = ElementType::f32;
    std::vector<std::int64_t> shape;
};
// The file value_info.json beside the predict_net, {"data": [1, [1, 3, 224, 224]]}, the number as
// in TensorProto.DataType; empty where there is none.
std::map<std::string, InputInfo> read_value_info(const std::string& predict_net);
std::map<std::string, InputInfo> parse_value_info(const std::string& text, const Place& place);

}  // namespace fuseq::caffe2_reader
