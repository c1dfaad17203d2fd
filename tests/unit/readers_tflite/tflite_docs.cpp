// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the table of operators of docs/tflite.md.
#include <iostream>

#include "readers/tflite/operator_table.hpp"

int main() {
    std::cout << "| operator | up to version | |\n| --- | --- | --- |\n";
    for (const auto* row : fuseq::tflite_reader::all_operators()) {
        std::cout << "| " << row->type << " | " << row->newest << " | " << row->note << " |\n";
    }
    return 0;
}
