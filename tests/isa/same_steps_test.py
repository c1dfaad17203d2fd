#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What same_steps.py finds in plans written by hand."""
import unittest

from same_steps import comparison


def step(name, kind="convolution", implementation="fuseq:gemm", src="u8", dst="u8", layers=(), refused=""):
    return {"name": name, "kind": kind, "implementation": implementation, "src_type": src, "dst_type": dst,
            "layers": list(layers), "candidates": [{"name": "gemm", "reason": refused}]}


VOLUME = "3 spatial dimensions, at most 2"
# conv_a with its quantization, then conv_b with its own.
TOP = [step("conv_a", layers=("conv_a", "fq_a")), step("conv_b", layers=("conv_b", "fq_b"))]
WIDEN = step("widen", "eltwise")
CONV_A_IN_FLOATS = step("conv_a", src="f32", dst="f32", layers=("conv_a",), refused=VOLUME)
FQ_A = step("fq_a", "eltwise", src="f32", layers=("conv_a", "fq_a"))
FQ_B = step("fq_b", "eltwise", src="f32", layers=("fq_b",))


def findings(lower):
    return comparison({"avx2": {"steps": lower}, "avx512_vnni": {"steps": TOP}}, "avx512_vnni")


class SameSteps(unittest.TestCase):
    def test_the_same_plan_has_no_findings(self):
        self.assertEqual(findings(TOP), [])

    def test_one_more_step_is_found(self):
        found = findings([TOP[0], step("conv_b", dst="f32", layers=("conv_b",)), FQ_B])
        self.assertEqual(len(found), 1)
        self.assertIn("avx2 has 3 steps, avx512_vnni has 2", found[0])
        self.assertIn("eltwise fq_b", found[0])

    def test_a_layer_in_floats_may_widen_its_source_and_leave_its_chain(self):
        self.assertEqual(findings([WIDEN, CONV_A_IN_FLOATS, FQ_A, TOP[1]]), [])

    def test_a_layer_in_floats_excuses_no_other_layer(self):
        conv_b = step("conv_b", dst="f32", layers=("conv_b",))
        self.assertEqual(len(findings([WIDEN, CONV_A_IN_FLOATS, FQ_A, conv_b, FQ_B])), 1)

    def test_a_convolution_widens_one_source(self):
        self.assertEqual(len(findings([WIDEN, dict(WIDEN), CONV_A_IN_FLOATS, FQ_A, TOP[1]])), 1)

    def test_floats_without_a_known_reason_are_found(self):
        unknown = step("conv_a", src="f32", dst="f32", layers=("conv_a",))
        self.assertEqual(len(findings([WIDEN, unknown, FQ_A, TOP[1]])), 1)


if __name__ == "__main__":
    unittest.main()
