/* Copyright (C) 2026 Fuseq authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C API of the quantizer: what include/fuseq/quantizer.hpp offers, by the rules of c_api.h.
 * Library libfuseq_quantizer.so. A quantizer is used by one thread at a time.
 */
#pragma once

#include "fuseq/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fuseq_quantizer fuseq_quantizer;

/* Gives the tensor of calibration input `index` for input `input` of the model, of its type and a
 * shape that it allows. The quantizer frees the tensor. Anything but FUSEQ_OK ends the run with
 * FUSEQ_ERROR. Called from several threads at once. */
typedef fuseq_status (*fuseq_calibration_input)(void* user,
                                                size_t index,
                                                size_t input,
                                                fuseq_tensor** tensor);
/* Told after each input, in order, how many are done; 0 stops. May be NULL. */
typedef int (*fuseq_calibration_progress)(void* user, size_t done, size_t total);

/* The model is copied. Options are texts with the names of the members of
 * fuseq::QuantizerOptions:
 *
 *   schema, weights_schema                "asymmetric", "symmetric", "symmetric_with_uint8",
 *                                         "symmetric_with_power2_scale"
 *   precision, weights_precision, bias_precision   "Int8", "Int16", "Int32"
 *   calibration, weights_calibration      "none", "KL", "percentile", "MSE", "best"
 *   percentile, headroom                  a number
 *   histogram_bins, streams               a whole number
 *   channelwise, rowwise, rows_of_4_bits, f16_row_scales, weights_of_7_bits,
 *   weights_by_fake_quantize, depthwise_channels, bias_correction, equalization,
 *   channel_scales, concat_ranges, measured_biases, integers_for_time, second_order_rounding,
 *   assert_all_nodes_quantized
 *                                         "true", "false"
 *   keep_original_precision, do_not_lower  a list with commas
 *   max_drop                              "SQNR=20", "cosine=0.01", "top1=0.01", "detections=0.02"
 *   device                                the device that runs the float model
 *
 * FUSEQ_ERROR for a name or value that is not known (the text has the nearest name, or the values
 * there are), for options that contradict each other, and for layers that are not there. */
FUSEQ_C_API fuseq_status fuseq_quantizer_create(const fuseq_model* model,
                                                const fuseq_property* options,
                                                size_t option_count,
                                                fuseq_quantizer** quantizer);
/* Runs the inputs from those already seen to `count` and adds what was seen. *all_done (may be NULL)
 * gets 0 when `progress` has stopped it. */
FUSEQ_C_API fuseq_status fuseq_quantizer_profile(fuseq_quantizer* quantizer,
                                                 size_t count,
                                                 fuseq_calibration_input input,
                                                 fuseq_calibration_progress progress,
                                                 void* user,
                                                 int* all_done);
FUSEQ_C_API fuseq_status fuseq_quantizer_profiled_inputs(const fuseq_quantizer* quantizer,
                                                         size_t* count);
/* profile.yaml. Loading adds to what is there. */
FUSEQ_C_API fuseq_status fuseq_quantizer_save_profile(const fuseq_quantizer* quantizer,
                                                      const char* path);
FUSEQ_C_API fuseq_status fuseq_quantizer_load_profile(fuseq_quantizer* quantizer, const char* path);
/* A model with FakeQuantize layers, freed like any other; fuseq_model_save() writes it. `input`
 * NULL: from the profile alone, without the methods that need data; else with the first `count`
 * inputs. */
FUSEQ_C_API fuseq_status fuseq_quantizer_quantize(const fuseq_quantizer* quantizer,
                                                  size_t count,
                                                  fuseq_calibration_input input,
                                                  void* user,
                                                  fuseq_model** model);
FUSEQ_C_API void fuseq_quantizer_free(fuseq_quantizer* quantizer);

#ifdef __cplusplus
}
#endif
