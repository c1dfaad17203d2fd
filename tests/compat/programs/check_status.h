// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Ends the program where a call fails.
#pragma once

#include <openvino/c/openvino.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_STATUS(call)                                                    \
    do {                                                                      \
        const ov_status_e status = (call);                                    \
        if (status != OK) {                                                   \
            fprintf(stderr, "%s: %s: %s\n", #call, ov_get_error_info(status), \
                    ov_get_last_err_msg());                                   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
