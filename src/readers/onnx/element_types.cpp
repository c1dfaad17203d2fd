// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/element_types.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace fuseq::onnx_reader {
namespace {

struct TypeRow {
    int number;
    const char* name;
    ElementType type;  // undefined: a Model has no such tensors
};

constexpr std::array kTypes = {
    TypeRow{1, "FLOAT", ElementType::f32},
    TypeRow{2, "UINT8", ElementType::u8},
    TypeRow{3, "INT8", ElementType::i8},
    TypeRow{4, "UINT16", ElementType::u16},
    TypeRow{5, "INT16", ElementType::i16},
    TypeRow{6, "INT32", ElementType::i32},
    TypeRow{7, "INT64", ElementType::i64},
    TypeRow{8, "STRING", ElementType::undefined},
    TypeRow{9, "BOOL", ElementType::boolean},
    TypeRow{10, "FLOAT16", ElementType::f16},
    TypeRow{11, "DOUBLE", ElementType::f64},
    TypeRow{12, "UINT32", ElementType::u32},
    TypeRow{13, "UINT64", ElementType::u64},
    TypeRow{14, "COMPLEX64", ElementType::undefined},
    TypeRow{15, "COMPLEX128", ElementType::undefined},
    TypeRow{16, "BFLOAT16", ElementType::bf16},
    TypeRow{17, "FLOAT8E4M3FN", ElementType::undefined},
    TypeRow{18, "FLOAT8E4M3FNUZ", ElementType::undefined},
    TypeRow{19, "FLOAT8E5M2", ElementType::undefined},
    TypeRow{20, "FLOAT8E5M2FNUZ", ElementType::undefined},
    TypeRow{21, "UINT4", ElementType::u4},
    TypeRow{22, "INT4", ElementType::i4},
    TypeRow{23, "FLOAT4E2M1", ElementType::undefined},
};

const TypeRow* find(int number) {
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const TypeRow& row) { return row.number == number; });
    return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace

ElementType element_type(int number, const Place& place) {
    const TypeRow* row = find(number);
    if (row == nullptr || row->type == ElementType::undefined) {
        place.fail("element type ", element_type_name(number), " is not supported");
    }
    return row->type;
}

std::string element_type_name(int number) {
    const TypeRow* row = find(number);
    return row == nullptr ? fmt::format("number {}", number) : row->name;
}

}  // namespace fuseq::onnx_reader
