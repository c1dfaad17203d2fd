// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Text in columns.
#pragma once

#include <string>
#include <vector>

namespace fuseq::samples {

class TextTable {
public:
    enum class Align { kLeft, kRight };
    struct Column {
        std::string title;
        Align align = Align::kLeft;
        std::size_t widest = 0;  // longer cells lose their middle; 0: no limit
    };

    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // One cell a column.
    void add(std::vector<std::string> cells);
    bool empty() const { return rows_.empty(); }
    // Title, line, rows; two spaces between columns, no spaces at the end of a line.
    std::string text() const;

private:
    std::string cell(std::size_t column, const std::string& value) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// "%.<digits>f".
std::string fixed(double value, int digits = 3);

}  // namespace fuseq::samples
