// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged MXNet models until the time is over: fuseq_mxnet_fuzz SECONDS SEED
#include "support/fuzz_loop.hpp"
#include "unit/readers_mxnet/damaged_symbol.hpp"

int main(int argc, char** argv) {
    return fuseq::test::fuzz_loop(argc, argv, fuseq::test::damaged_files,
                                  fuseq::test::read_mxnet_files, fuseq::test::mxnet_files());
}
