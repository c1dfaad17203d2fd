// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the table of operators of docs/mxnet.md.
#include <iostream>

#include "readers/mxnet/operator_table.hpp"

int main() {
    std::cout << "| operator | |\n| --- | --- |\n";
    for (const auto* row : fuseq::mxnet_reader::all_operators()) {
        std::cout << "| " << row->type << " | " << row->note << " |\n";
    }
    return 0;
}
