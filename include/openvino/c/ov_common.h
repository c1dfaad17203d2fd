// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What all parts of the C API share: status codes, element types, text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#define OPENVINO_C_API(...) extern "C" __attribute__((visibility("default"))) __VA_ARGS__
#define OPENVINO_C_VAR(...) extern "C" __attribute__((visibility("default"))) __VA_ARGS__
#else
#define OPENVINO_C_API(...) __attribute__((visibility("default"))) __VA_ARGS__
#define OPENVINO_C_VAR(...) extern __attribute__((visibility("default"))) __VA_ARGS__
#endif
#define OPENVINO_C_API_CALLBACK

typedef enum {
    OK = 0,
    GENERAL_ERROR = -1,
    NOT_IMPLEMENTED = -2,
    NETWORK_NOT_LOADED = -3,
    PARAMETER_MISMATCH = -4,
    NOT_FOUND = -5,
    OUT_OF_BOUNDS = -6,
    UNEXPECTED = -7,
    REQUEST_BUSY = -8,
    RESULT_NOT_READY = -9,
    NOT_ALLOCATED = -10,
    INFER_NOT_STARTED = -11,
    NETWORK_NOT_READ = -12,
    INFER_CANCELLED = -13,
    INVALID_C_PARAM = -14,
    UNKNOWN_C_ERROR = -15,
    NOT_IMPLEMENT_C_METHOD = -16,
    UNKNOW_EXCEPTION = -17
} ov_status_e;

typedef enum {
    UNDEFINED = 0U,
    DYNAMIC,
    OV_BOOLEAN,
    BF16,
    F16,
    F32,
    F64,
    I4,
    I8,
    I16,
    I32,
    I64,
    U1,
    U2,
    U3,
    U4,
    U6,
    U8,
    U16,
    U32,
    U64,
    NF4,
    F8E4M3,
    F8E5M3,
    STRING
} ov_element_type_e;

/* What a status means. */
OPENVINO_C_API(const char*) ov_get_error_info(ov_status_e status);
/* Text of the last error in this thread, "" when there was none; valid until the next call. */
OPENVINO_C_API(const char*) ov_get_last_err_msg(void);
/* Text and lists of text that other functions gave. */
OPENVINO_C_API(void) ov_free(const char* content);
