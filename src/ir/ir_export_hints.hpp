// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What to change at the export of a model, so that what is not supported is not in the file.
#pragma once

#include <string>
#include <string_view>

#include "ir/ir_document.hpp"

namespace fuseq {

// For an operation that is not known: "export the model without the tokenizer". Empty where no
// option of a converter avoids it. Element types have such hints in model/type_names.hpp.
std::string export_hint(const IrOperation& operation);

}  // namespace fuseq
