// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Ports: inputs and outputs of models.
#pragma once

#include "openvino/c/ov_partial_shape.h"
#include "openvino/c/ov_shape.h"

typedef struct ov_output_const_port ov_output_const_port_t;
typedef struct ov_output_port ov_output_port_t;

OPENVINO_C_API(ov_status_e)
ov_const_port_get_shape(const ov_output_const_port_t* port, ov_shape_t* tensor_shape);
OPENVINO_C_API(ov_status_e)
ov_port_get_shape(const ov_output_port_t* port, ov_shape_t* tensor_shape);
OPENVINO_C_API(ov_status_e)
ov_port_get_any_name(const ov_output_const_port_t* port, char** tensor_name);
OPENVINO_C_API(ov_status_e)
ov_port_get_partial_shape(const ov_output_const_port_t* port, ov_partial_shape_t* partial_shape);
OPENVINO_C_API(ov_status_e)
ov_port_get_element_type(const ov_output_const_port_t* port, ov_element_type_e* tensor_type);
OPENVINO_C_API(void) ov_output_port_free(ov_output_port_t* port);
OPENVINO_C_API(void) ov_output_const_port_free(ov_output_const_port_t* port);
