#!/usr/bin/env bash
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Texts of several lengths have the same classes on CPU and REFERENCE; what is no list of ids is an error.
#   usage: text_classification_test.sh GENERATE_MODEL TEXT_CLASSIFICATION WORK
set -euo pipefail
generate_model=$1 classify=$2 work=$3/text_classification

fail() {
    echo "text_classification_test: $*"
    exit 1
}

"$generate_model" -o "$work" bert --layers 1 --width 32 --heads 2 --tokens 8 --vocabulary 64 >/dev/null
texts=$'1 2 3\n5 9 60 3 17 21 2\n63'
on_cpu=$("$classify" "$work/bert.xml" <<<"$texts")
on_reference=$("$classify" "$work/bert.xml" REFERENCE <<<"$texts")
[ "$(wc -l <<<"$on_cpu")" -eq 3 ] || fail "3 texts, printed: $on_cpu"
[ "$on_cpu" = "$on_reference" ] || fail "on CPU $on_cpu, on REFERENCE $on_reference"
refuses() {
    local refused
    refused=$("$classify" "$work/bert.xml" <<<"$1" 2>&1) && fail "takes '$1'"
    [[ $refused == "error: "*"$2"* ]] || fail "the error of '$1' is: $refused"
}
refuses "1 two 3" "got '1 two 3'"
refuses "1 2 3 4 5 6 7 8 9" "a text of 9 tokens, the model takes 8"
echo "as on REFERENCE"
