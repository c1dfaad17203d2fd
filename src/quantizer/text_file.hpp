// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuseq::quantizer {

// Throws Error naming the file.
std::string read_text_file(const std::string& path);
// The file is replaced only when everything was written. Throws Error naming it.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace fuseq::quantizer
