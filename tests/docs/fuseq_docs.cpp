// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq_docs > docs/operations.md
#include <exception>
#include <iostream>

#include "docs/operations_page.hpp"

int main() {
    try {
        std::cout << fuseq::docs::operations_page();
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
