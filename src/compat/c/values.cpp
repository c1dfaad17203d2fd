// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Text, types and shapes.
#include <fmt/core.h>

#include <cstring>

#include "compat/c/objects.hpp"

namespace fuseq::compat {
namespace {

std::string& last_error() {
    thread_local std::string text;
    return text;
}

constexpr std::pair<ov_element_type_e, ElementType> kTypes[] = {{UNDEFINED, ElementType::undefined},
                                                                {DYNAMIC, ElementType::undefined},
                                                                {OV_BOOLEAN, ElementType::boolean},
                                                                {BF16, ElementType::bf16},
                                                                {F16, ElementType::f16},
                                                                {F32, ElementType::f32},
                                                                {F64, ElementType::f64},
                                                                {I4, ElementType::i4},
                                                                {I8, ElementType::i8},
                                                                {I16, ElementType::i16},
                                                                {I32, ElementType::i32},
                                                                {I64, ElementType::i64},
                                                                {U1, ElementType::u1},
                                                                {U2, ElementType::u2},
                                                                {U4, ElementType::u4},
                                                                {U8, ElementType::u8},
                                                                {U16, ElementType::u16},
                                                                {U32, ElementType::u32},
                                                                {U64, ElementType::u64},
                                                                {NF4, ElementType::nf4}};

Dimension dimension_of(const ov_dimension_t& dimension) {
    return dimension.min == dimension.max ? Dimension(dimension.min)
           : dimension.min < 0            ? Dimension::dynamic()
                                          : Dimension(dimension.min, dimension.max);
}

ov_dimension_t to_c(const Dimension& dimension) {
    return {dimension.get_min_length(), dimension.get_max_length()};
}

}  // namespace

ov_status_e failed_with(const Error& error) {
    const std::string& stage = error.info().stage;
    return failed_with(stage == "busy"        ? REQUEST_BUSY
                       : stage == "cancelled" ? INFER_CANCELLED
                       : stage == "shape"     ? PARAMETER_MISMATCH
                                              : GENERAL_ERROR,
                       error.what());
}

ov_status_e failed_with(ov_status_e status, const char* text) {
    last_error() = text;
    return status;
}

char* copy_of(const std::string& text) {
    auto* copy = new char[text.size() + 1];
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

ElementType to_own(ov_element_type_e type) {
    for (const auto& [known, own] : kTypes) {
        if (known == type) {
            return own;
        }
    }
    throw Error("tensor", fmt::format("element type {} is not known", static_cast<int>(type)));
}

ov_element_type_e from_own(ElementType type) {
    for (const auto& [known, own] : kTypes) {
        if (own == type) {
            return known;
        }
    }
    return UNDEFINED;
}

Shape to_own(const ov_shape_t& shape) {
    need(shape.rank >= 0 && (shape.rank == 0 || shape.dims != nullptr));
    Shape own;
    for (std::int64_t d = 0; d < shape.rank; ++d) {
        need(shape.dims[d] >= 0);
        own.push_back(static_cast<std::size_t>(shape.dims[d]));
    }
    return own;
}

ov_shape_t from_own(const Shape& shape) {
    auto* dims = new std::int64_t[shape.size() + 1];
    std::copy(shape.begin(), shape.end(), dims);
    return {static_cast<std::int64_t>(shape.size()), dims};
}

PartialShape to_own(const ov_partial_shape_t& shape) {
    if (ov_rank_is_dynamic(shape.rank)) {
        return PartialShape::dynamic();
    }
    need(shape.rank.max >= 0 && (shape.rank.max == 0 || shape.dims != nullptr));
    std::vector<Dimension> dims;
    for (std::int64_t d = 0; d < shape.rank.max; ++d) {
        dims.push_back(dimension_of(shape.dims[d]));
    }
    return PartialShape(std::move(dims));
}

ov_partial_shape_t from_own(const PartialShape& shape) {
    if (!shape.rank_is_static()) {
        return {{-1, -1}, nullptr};
    }
    const auto rank = static_cast<std::int64_t>(shape.rank());
    auto* dims = new ov_dimension_t[shape.rank() + 1];
    std::transform(shape.begin(), shape.end(), dims, to_c);
    return {{rank, rank}, dims};
}

std::string device_of(const char* name) {
    need_all(name);
    const std::string device = name;
    return device.empty() || device.rfind("AUTO", 0) == 0 ? "CPU" : device;
}

}  // namespace fuseq::compat

using namespace fuseq::compat;

const char* ov_get_error_info(ov_status_e status) {
    switch (status) {
        case OK: return "success";
        case GENERAL_ERROR: return "general error";
        case NOT_IMPLEMENTED: return "not implemented";
        case NETWORK_NOT_LOADED: return "network not loaded";
        case PARAMETER_MISMATCH: return "parameter mismatch";
        case NOT_FOUND: return "not found";
        case OUT_OF_BOUNDS: return "out of bounds";
        case UNEXPECTED: return "unexpected";
        case REQUEST_BUSY: return "request busy";
        case RESULT_NOT_READY: return "result not ready";
        case NOT_ALLOCATED: return "not allocated";
        case INFER_NOT_STARTED: return "infer not started";
        case NETWORK_NOT_READ: return "network not read";
        case INFER_CANCELLED: return "infer cancelled";
        case INVALID_C_PARAM: return "invalid c input parameters";
        case UNKNOWN_C_ERROR: return "unknown c error";
        case NOT_IMPLEMENT_C_METHOD: return "not implemented c method";
        case UNKNOW_EXCEPTION: return "unknown exception";
    }
    return "unknown status";
}
const char* ov_get_last_err_msg() {
    return last_error().c_str();
}
void ov_free(const char* content) {
    delete[] content;
}

bool ov_dimension_is_dynamic(const ov_dimension_t dim) {
    return dim.min == -1 || dim.min != dim.max;
}
bool ov_rank_is_dynamic(const ov_rank_t rank) {
    return ov_dimension_is_dynamic(rank);
}

ov_status_e ov_shape_create(const int64_t rank, const int64_t* dims, ov_shape_t* shape) {
    return guarded([&] {
        need_all(shape);
        need(rank >= 0 && (rank == 0 || dims != nullptr));
        fuseq::Shape own;
        for (int64_t d = 0; d < rank; ++d) {
            need(dims[d] >= 0);
            own.push_back(static_cast<std::size_t>(dims[d]));
        }
        *shape = from_own(own);
    });
}
ov_status_e ov_shape_free(ov_shape_t* shape) {
    return guarded([&] {
        need_all(shape);
        delete[] shape->dims;
        *shape = {0, nullptr};
    });
}

ov_status_e ov_partial_shape_create(const int64_t rank,
                                    const ov_dimension_t* dims,
                                    ov_partial_shape_t* partial_shape_obj) {
    return ov_partial_shape_create_dynamic({rank, rank}, dims, partial_shape_obj);
}
ov_status_e ov_partial_shape_create_dynamic(const ov_rank_t rank,
                                            const ov_dimension_t* dims,
                                            ov_partial_shape_t* partial_shape_obj) {
    return guarded([&] {
        need_all(partial_shape_obj);
        std::vector<ov_dimension_t> copy;
        if (!ov_rank_is_dynamic(rank)) {
            need(rank.max == 0 || dims != nullptr);
            copy.assign(dims, dims + rank.max);
        }
        *partial_shape_obj = from_own(to_own(ov_partial_shape_t{rank, copy.data()}));
    });
}
ov_status_e ov_partial_shape_create_static(const int64_t rank,
                                           const int64_t* dims,
                                           ov_partial_shape_t* partial_shape_obj) {
    return guarded([&] {
        need_all(partial_shape_obj);
        need(rank >= 0 && (rank == 0 || dims != nullptr));
        std::vector<fuseq::Dimension> own(dims, dims + rank);
        *partial_shape_obj = from_own(fuseq::PartialShape(std::move(own)));
    });
}
void ov_partial_shape_free(ov_partial_shape_t* partial_shape) {
    if (partial_shape != nullptr) {
        delete[] partial_shape->dims;
        *partial_shape = {{0, 0}, nullptr};
    }
}
ov_status_e ov_partial_shape_to_shape(const ov_partial_shape_t partial_shape, ov_shape_t* shape) {
    return guarded([&] {
        need_all(shape);
        const fuseq::PartialShape own = to_own(partial_shape);
        if (own.is_dynamic()) {
            throw fuseq::Error("shape", fuseq::to_string(own) + " has open sizes");
        }
        *shape = from_own(own.to_shape());
    });
}
ov_status_e ov_shape_to_partial_shape(const ov_shape_t shape, ov_partial_shape_t* partial_shape) {
    return guarded([&] {
        need_all(partial_shape);
        *partial_shape = from_own(fuseq::PartialShape(to_own(shape)));
    });
}
bool ov_partial_shape_is_dynamic(const ov_partial_shape_t partial_shape) {
    bool dynamic = true;
    guarded([&] { dynamic = to_own(partial_shape).is_dynamic(); });
    return dynamic;
}
const char* ov_partial_shape_to_string(const ov_partial_shape_t partial_shape) {
    const char* text = nullptr;
    guarded([&] { text = copy_of(fuseq::to_string(to_own(partial_shape))); });
    return text;
}

ov_status_e ov_layout_create(const char* layout_desc, ov_layout_t** layout) {
    return guarded([&] {
        need_all(layout_desc, layout);
        *layout = new ov_layout{fuseq::Layout(layout_desc)};
    });
}
void ov_layout_free(ov_layout_t* layout) {
    delete layout;
}
const char* ov_layout_to_string(const ov_layout_t* layout) {
    const char* text = nullptr;
    guarded([&] {
        need_all(layout);
        text = copy_of(layout->layout.to_string());
    });
    return text;
}
