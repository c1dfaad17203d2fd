/* Copyright (C) 2026 Fuseq authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C API: what include/fuseq/core.hpp and its neighbours offer, for C and for the foreign
 * function interfaces of other languages.
 *
 * Every function returns a status; anything but FUSEQ_OK leaves the results as they were, and
 * fuseq_last_error() says what was wrong, in the thread that made the call. Objects are handles,
 * freed with their own _free function in any order (freeing NULL does nothing). Strings are UTF-8
 * and end with a zero. Handles may be used by one thread at a time, except that a core and a
 * compiled model may be used by many.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FUSEQ_C_API __attribute__((visibility("default")))
#else
#define FUSEQ_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    FUSEQ_OK = 0,
    FUSEQ_ERROR = 1,            /* see fuseq_last_error() */
    FUSEQ_INVALID_ARGUMENT = 2, /* a null pointer, a number out of range */
    FUSEQ_OUT_OF_MEMORY = 3,
    FUSEQ_BUFFER_TOO_SMALL = 4 /* *length says how many bytes are needed, with the zero */
} fuseq_status;

/* The numbers stay what they are from release to release. */
typedef enum {
    FUSEQ_BOOLEAN = 1,
    FUSEQ_U8 = 2,
    FUSEQ_I8 = 3,
    FUSEQ_U16 = 4,
    FUSEQ_I16 = 5,
    FUSEQ_U32 = 6,
    FUSEQ_I32 = 7,
    FUSEQ_U64 = 8,
    FUSEQ_I64 = 9,
    FUSEQ_F16 = 10,
    FUSEQ_BF16 = 11,
    FUSEQ_F32 = 12,
    FUSEQ_F64 = 13,
    /* Packed: several elements to a byte, the first in the lowest bits (U1: in the highest).
     * fuseq_tensor_byte_size() rounds up to whole bytes. */
    FUSEQ_U1 = 14,
    FUSEQ_U2 = 15,
    FUSEQ_U4 = 16,
    FUSEQ_I4 = 17,
    FUSEQ_NF4 = 18
} fuseq_element_type;

typedef struct fuseq_core fuseq_core;
typedef struct fuseq_model fuseq_model;
typedef struct fuseq_compiled_model fuseq_compiled_model;
typedef struct fuseq_infer_request fuseq_infer_request;
typedef struct fuseq_tensor fuseq_tensor;

typedef struct {
    const char* name; /* "NUM_STREAMS" */
    const char* value;
} fuseq_property;

#define FUSEQ_MAX_RANK 16

/* An input or output. */
typedef struct {
    const char* name; /* valid as long as the compiled model */
    fuseq_element_type type;
    size_t rank;                  /* SIZE_MAX: not known */
    int64_t dims[FUSEQ_MAX_RANK]; /* -1: not known */
} fuseq_port;

/* Text of the last error in this thread, "" when there was none; valid until the next call. */
FUSEQ_C_API const char* fuseq_last_error(void);
/* "0.1.0" */
FUSEQ_C_API const char* fuseq_version(void);

/* plugins_xml may be NULL. */
FUSEQ_C_API fuseq_status fuseq_core_create(const char* plugins_xml, fuseq_core** core);
FUSEQ_C_API void fuseq_core_free(fuseq_core* core);
/* Devices that load, separated by spaces, into `buffer` of `capacity` bytes. `length` (may be
 * NULL) gets the bytes needed. */
FUSEQ_C_API fuseq_status fuseq_core_get_available_devices(const fuseq_core* core,
                                                          char* buffer,
                                                          size_t capacity,
                                                          size_t* length);
FUSEQ_C_API fuseq_status fuseq_core_register_plugin(fuseq_core* core,
                                                    const char* library,
                                                    const char* device);
/* device NULL: for all devices. */
FUSEQ_C_API fuseq_status fuseq_core_set_property(fuseq_core* core,
                                                 const char* device,
                                                 fuseq_property property);
/* bin_path may be NULL: the .xml's name with .bin. */
FUSEQ_C_API fuseq_status fuseq_core_read_model(const fuseq_core* core,
                                               const char* xml_path,
                                               const char* bin_path,
                                               fuseq_model** model);
/* The weights are used in place: they must live as long as the model and all that is made of it. */
FUSEQ_C_API fuseq_status fuseq_core_read_model_from_memory(const fuseq_core* core,
                                                           const char* xml_text,
                                                           const void* weights,
                                                           size_t weights_size,
                                                           fuseq_model** model);
/* properties may be NULL when there are none. */
FUSEQ_C_API fuseq_status fuseq_core_compile_model(fuseq_core* core,
                                                  const fuseq_model* model,
                                                  const char* device,
                                                  const fuseq_property* properties,
                                                  size_t property_count,
                                                  fuseq_compiled_model** compiled);

/* dims: -1 for an open size. */
FUSEQ_C_API fuseq_status fuseq_model_reshape_input(fuseq_model* model,
                                                   const char* input,
                                                   const int64_t* dims,
                                                   size_t rank);
/* Writes an IR; bin_path may be NULL: the .xml's name with .bin. */
FUSEQ_C_API fuseq_status fuseq_model_save(const fuseq_model* model,
                                          const char* xml_path,
                                          const char* bin_path);
FUSEQ_C_API void fuseq_model_free(fuseq_model* model);

FUSEQ_C_API fuseq_status fuseq_compiled_model_input_count(const fuseq_compiled_model* compiled,
                                                          size_t* count);
FUSEQ_C_API fuseq_status fuseq_compiled_model_output_count(const fuseq_compiled_model* compiled,
                                                           size_t* count);
FUSEQ_C_API fuseq_status fuseq_compiled_model_input(const fuseq_compiled_model* compiled,
                                                    size_t index,
                                                    fuseq_port* port);
FUSEQ_C_API fuseq_status fuseq_compiled_model_output(const fuseq_compiled_model* compiled,
                                                     size_t index,
                                                     fuseq_port* port);
FUSEQ_C_API fuseq_status fuseq_compiled_model_get_property(const fuseq_compiled_model* compiled,
                                                           const char* name,
                                                           char* buffer,
                                                           size_t capacity,
                                                           size_t* length);
FUSEQ_C_API fuseq_status fuseq_compiled_model_create_infer_request(
    const fuseq_compiled_model* compiled, fuseq_infer_request** request);
/* What is executed, as a graph: include/fuseq/compiled_model.hpp, get_runtime_model(). */
FUSEQ_C_API fuseq_status
fuseq_compiled_model_get_runtime_model(const fuseq_compiled_model* compiled, fuseq_model** model);
FUSEQ_C_API void fuseq_compiled_model_free(fuseq_compiled_model* compiled);

/* Zero-initialised memory of its own. */
FUSEQ_C_API fuseq_status fuseq_tensor_create(fuseq_element_type type,
                                             const size_t* dims,
                                             size_t rank,
                                             fuseq_tensor** tensor);
/* Over the caller's memory, which must outlive the tensor and the requests that use it. */
FUSEQ_C_API fuseq_status fuseq_tensor_create_from_host(
    fuseq_element_type type, const size_t* dims, size_t rank, void* memory, fuseq_tensor** tensor);
FUSEQ_C_API fuseq_status fuseq_tensor_data(fuseq_tensor* tensor, void** data);
FUSEQ_C_API fuseq_status fuseq_tensor_byte_size(const fuseq_tensor* tensor, size_t* size);
FUSEQ_C_API fuseq_status fuseq_tensor_type(const fuseq_tensor* tensor, fuseq_element_type* type);
/* dims: FUSEQ_MAX_RANK sizes, the first *rank of them are written. */
FUSEQ_C_API fuseq_status fuseq_tensor_shape(const fuseq_tensor* tensor, size_t* dims, size_t* rank);
FUSEQ_C_API void fuseq_tensor_free(fuseq_tensor* tensor);

/* By name of an input or output, or by index. A tensor that was got shares its memory with the
 * request and is freed like any other. */
FUSEQ_C_API fuseq_status fuseq_infer_request_set_tensor(fuseq_infer_request* request,
                                                        const char* name,
                                                        const fuseq_tensor* tensor);
FUSEQ_C_API fuseq_status fuseq_infer_request_set_input_tensor(fuseq_infer_request* request,
                                                              size_t index,
                                                              const fuseq_tensor* tensor);
FUSEQ_C_API fuseq_status fuseq_infer_request_set_output_tensor(fuseq_infer_request* request,
                                                               size_t index,
                                                               const fuseq_tensor* tensor);
FUSEQ_C_API fuseq_status fuseq_infer_request_get_tensor(const fuseq_infer_request* request,
                                                        const char* name,
                                                        fuseq_tensor** tensor);
FUSEQ_C_API fuseq_status fuseq_infer_request_get_input_tensor(const fuseq_infer_request* request,
                                                              size_t index,
                                                              fuseq_tensor** tensor);
FUSEQ_C_API fuseq_status fuseq_infer_request_get_output_tensor(const fuseq_infer_request* request,
                                                               size_t index,
                                                               fuseq_tensor** tensor);
/* Variables of the model (ReadValue, Assign), numbered from 0 in the order of their names, with the
 * values that they have in this request; include/fuseq/variable_state.hpp explains them. An index
 * beyond the last one is FUSEQ_INVALID_ARGUMENT. While the request runs, all of these functions
 * fail with FUSEQ_ERROR. */
FUSEQ_C_API fuseq_status fuseq_infer_request_state_count(const fuseq_infer_request* request,
                                                         size_t* count);
FUSEQ_C_API fuseq_status fuseq_infer_request_state_name(const fuseq_infer_request* request,
                                                        size_t index,
                                                        char* buffer,
                                                        size_t capacity,
                                                        size_t* length);
/* A copy, freed like any tensor. Of a variable that was reset or never assigned: zeros, where open
 * dimensions have their lower bound. */
FUSEQ_C_API fuseq_status fuseq_infer_request_get_state(const fuseq_infer_request* request,
                                                       size_t index,
                                                       fuseq_tensor** value);
/* Copies the value, which must have the type of the variable and a shape that it allows, else
 * FUSEQ_ERROR. */
FUSEQ_C_API fuseq_status fuseq_infer_request_set_state(fuseq_infer_request* request,
                                                       size_t index,
                                                       const fuseq_tensor* value);
/* The next run gives the variable, or all of them, their initial value, or zeros without one. */
FUSEQ_C_API fuseq_status fuseq_infer_request_reset_state(fuseq_infer_request* request,
                                                         size_t index);
FUSEQ_C_API fuseq_status fuseq_infer_request_reset_all_states(fuseq_infer_request* request);
FUSEQ_C_API fuseq_status fuseq_infer_request_infer(fuseq_infer_request* request);
FUSEQ_C_API fuseq_status fuseq_infer_request_start_async(fuseq_infer_request* request);
/* Returns what the run returned. */
FUSEQ_C_API fuseq_status fuseq_infer_request_wait(fuseq_infer_request* request);
/* *done gets 1 when the run has ended within the time, else 0. */
FUSEQ_C_API fuseq_status fuseq_infer_request_wait_for(fuseq_infer_request* request,
                                                      int64_t milliseconds,
                                                      int* done);
FUSEQ_C_API fuseq_status fuseq_infer_request_cancel(fuseq_infer_request* request);
/* Called after each asynchronous run with `user` and its status; fuseq_last_error() has the text
 * during the call. NULL takes the callback away. */
FUSEQ_C_API fuseq_status fuseq_infer_request_set_callback(
    fuseq_infer_request* request, void (*callback)(void* user, fuseq_status status), void* user);
/* Waits for a run that is on. */
FUSEQ_C_API void fuseq_infer_request_free(fuseq_infer_request* request);

#ifdef __cplusplus
}
#endif
