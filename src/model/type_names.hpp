// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of element types that an IR may have and Fuseq does not.
#pragma once

#include <string>
#include <string_view>

namespace fuseq {

// ": 8-bit floats are not supported; ..." for a type of OpenVINO that is refused, "" for a name
// that nobody knows. To be appended to a sentence that names the type.
std::string refused_type_reason(std::string_view name);
// "'f8e4m3' is not a supported element type: ..."; of a name that nobody knows, the types there are.
std::string refused_type_text(std::string_view name);

}  // namespace fuseq
