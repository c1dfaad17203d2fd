// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Command-line texts that say something for each input: "name[text],name[text]", or "[text]" for
// all of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::samples {

// What stands in brackets after a name; several brackets after one name are several texts. The
// name is empty where none is given. `option` is for messages. Throws UsageError.
//   "a[1,3],b[2][4]" -> {"a": {"1,3"}, "b": {"2", "4"}}
std::map<std::string, std::vector<std::string>> split_by_name(std::string_view text,
                                                              std::string_view option);

// The texts for an input: by one of its tensor names or its layer name, else those without name.
std::vector<std::string> texts_for(const std::map<std::string, std::vector<std::string>>& by_name,
                                   const Output& port);

// Throws UsageError with the types there are.
ElementType parse_type(const std::string& text, std::string_view option);

// Throws UsageError naming a name that no input (no port of `ports`) has.
void require_known_names(const std::map<std::string, std::vector<std::string>>& by_name,
                         const std::vector<Output>& ports,
                         std::string_view option);

// The shapes that -shape gives to inputs, by layer name: "[1,3,224,224]" or "a[1,3,?,?],b[2,4]".
// Throws UsageError.
std::map<std::string, PartialShape> parse_input_shapes(std::string_view text,
                                                       const std::vector<Output>& inputs);

// Numbers separated by commas. Throws UsageError.
std::vector<float> parse_numbers(const std::string& text, std::string_view option);

}  // namespace fuseq::samples
