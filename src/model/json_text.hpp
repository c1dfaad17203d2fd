// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuseq {

// JSON with names out of files, which need not be UTF-8: what is not becomes U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fuseq
