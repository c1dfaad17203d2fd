// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged Caffe2 nets until the time is over: fuseq_caffe2_fuzz SECONDS SEED
#include "support/fuzz_loop.hpp"
#include "unit/readers_caffe2/damaged_net.hpp"

int main(int argc, char** argv) {
    return fuseq::test::fuzz_loop(argc, argv, fuseq::test::damaged_nets,
                                  fuseq::test::read_caffe2_nets, fuseq::test::caffe2_nets());
}
