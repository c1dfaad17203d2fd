// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the table of operators of docs/caffe2.md.
#include <iostream>

#include "readers/caffe2/operator_table.hpp"

int main() {
    std::cout << "| operator | |\n| --- | --- |\n";
    for (const auto* row : fuseq::caffe2_reader::all_operators()) {
        std::cout << "| " << row->type << " | " << row->note << " |\n";
    }
    return 0;
}
