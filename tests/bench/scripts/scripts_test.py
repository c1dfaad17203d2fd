#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of what the measuring scripts compute from their measurements."""
import importlib.util
import pathlib
import sys
import tempfile
import unittest

import breakdown
import charts
import kernel_shares
import measure
import memory_growth
import real_models
import report_isa

PEERS = """
| network | GMAC dense + depthwise | limit 1T |
| --- | --- | --- |
| resnet50 | 4.089 | 17.3 |

| model | GMAC dense | depthwise MMAC | 1T | 2T | efficiency 1T |
| --- | --- | --- | --- | --- | --- |
| face-detection-0200-v10 | 0.356 | 27.9 | 3.831 | 2.097 | 39 % |
| gaze-estimation-adas-0002 (v10) | 0.069 | 0.0 | 0.426 | 0.254 | 68 % |
| face-detection-adas-0001 (its v10 form) | 1.331 | 66.3 | 11.663 | 6.049 | 48 % |
| face-detection-retail-0004-v10 | 0.528 | 0.0 | 3.604 | 1.927 | 62 % |
| face-detection-retail-0004-v10fq | 0.528 | 0.0 | 3.711 | 2.005 | 60 % |
"""


def step(kind, implementation, plan, **more):
    return {"name": "n", "kind": kind, "implementation": implementation, "post_ops": "",
            "alone_us": plan - 1, "plan_us": plan, **more}


REPORT = {"name": "net", "threads": 1, "infer_us": 112.0, "steps": [
    step("io_reorder", "fuseq:io_reorder", 5.0),
    step("convolution", "brgconv:avx512", 60.0, bare_us=50.0, bare_alone_us=40.0,
         bare_implementation="brgconv:avx512"),
    step("convolution", "fuseq:depthwise", 20.0, bare_us=30.0, bare_alone_us=30.0,
         bare_implementation="brgdw"),
    step("reorder", "jit:uni", 10.0),
    step("gather", "reference", 5.0),
]}


class Numbers(unittest.TestCase):
    def test_significant_digits(self):
        self.assertEqual([measure.number(v) for v in (0.012345, 1.2345, 123.45, 12345.6, 0, None)],
                         ["0.0123", "1.23", "123", "12346", "0", ""])

    def test_table(self):
        self.assertEqual(measure.table(["a", "b"], [[1, "x"]]),
                         "| a | b |\n| --- | --- |\n| 1 | x |")


PAGE = """
## Other

| network | ratio 1T |
| --- | --- |
| no | 9 |

## Generated networks against ONNX Runtime

Some machine, 2 CPUs, 2026-11-22, commit abc. Peak.

| network | ratio 1T | of peak, Fuseq | ONNX Runtime |
| --- | --- | --- | --- |
| a<b | 1.50 | 90 % | 60 % |
| c | 2.00 | 50 % |  |

| network | ratio 1T | of peak, Fuseq | ONNX Runtime |
| --- | --- | --- | --- |
| of another machine | 1.23 | 80 % | 65 % |

## Next
"""


class Charts(unittest.TestCase):
    def test_rows_are_those_of_the_first_table_of_the_section(self):
        rows = charts.first_table(PAGE, charts.PEERS)
        self.assertEqual([row["network"] for row in rows], ["a<b", "c"])

    def test_a_section_that_is_not_there_is_named(self):
        for heading in ("Real models", "Next"):
            with self.assertRaisesRegex(measure.Missing, heading):
                charts.first_table(PAGE, heading)

    def test_bars_have_the_length_of_the_percents(self):
        chart = charts.peers(PAGE)
        full = charts.WIDTH - charts.LEFT - charts.RIGHT
        for share in (0.9, 0.6, 0.5):
            self.assertIn(f'width="{full * share:g}"', chart)
        self.assertEqual(chart.count(f'height="{charts.BAR}" fill='), 2 + 3)
        self.assertIn("a&lt;b", chart)
        self.assertIn("one thread; Some machine, 2 CPUs, 2026-11-22<", chart)
        self.assertIn("1.50 x", chart)


class FakeTools:
    def __init__(self):
        self.speeds = iter([370.0, 740.0, 400.0, 800.0, 371.0, 742.0])

    def peak(self, threads):
        return {"int8_gmacs": next(self.speeds), "f32_gmacs": 90.0 * threads, "read_24mb": 30.0,
                "read_1gb": None}


class Ceilings(unittest.TestCase):
    def test_a_fast_moment_does_not_count(self):
        peaks = measure.Peaks(FakeTools())
        peaks.sample()
        peaks.sample()
        self.assertEqual(peaks.of(1, "int8_gmacs"), 371.0)
        self.assertEqual(peaks.of(2, "int8_gmacs"), 742.0)
        self.assertIsNone(peaks.of(1, "read_1gb"))
        self.assertIn("1 thread(s): int8 371, f32 90 GMAC/s", peaks.text())


class IsaReport(unittest.TestCase):
    @staticmethod
    def report(infer_us, candidates):
        totals = {"infer_us": infer_us, "of_peak": 0.5, "peak_int8_gmacs": 100.0, "peak_f32_gmacs": 50.0}
        return {"totals": totals, "steps": [{"candidates": candidates}, {}]}

    def test_ratio_of_times_stands_beside_that_of_the_peaks(self):
        integers = self.report(2000.0, [{"name": "amx", "verdict": "taken"}, {"name": "gemm", "verdict": "refused"}])
        floats = self.report(3000.0, [])
        self.assertEqual(report_isa.row("m", "avx2", integers, floats),
                         ["m", "avx2", "2", "50 %", "3", "1.5", "2", 2, 1])

    def test_rows_in_a_file_are_not_measured_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rows.jsonl"
            report_isa.Rows(file).add(["m", "avx2", "2"], "first")
            report_isa.Rows(file).add(["m", "avx512", "1"], "second")
            rows = report_isa.Rows(file)
        self.assertEqual(rows.found, {("m", "avx2"): ["m", "avx2", "2"], ("m", "avx512"): ["m", "avx512", "1"]})
        self.assertEqual(rows.machine, "second")

    def test_a_folder_stands_for_the_models_in_its_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("a-v10", "b", "empty"):
                (root / name).mkdir()
            for file in ("a-v10/a.xml", "a-v10/a.fp16.xml", "b/b.xml"):
                (root / file).touch()
            self.assertEqual(report_isa.named_models([root, root / "b/b.xml"]),
                             [("a-v10", root / "a-v10/a.xml"), ("b", root / "b/b.xml"), ("b", root / "b/b.xml")])

    def test_forms_that_the_machine_lacks_are_named(self):
        rows = report_isa.peak_rows({"levels": {"avx2": {"int8_safe": 101.5}, "avx512_amx": {"int8_tiles": None}}})
        self.assertEqual(rows, [["avx2", "int8 safe", "102"], ["avx512_amx", "int8 tiles", "the machine lacks it"]])


class Breakdown(unittest.TestCase):
    def test_parts(self):
        rows = {row[0]: row[1:] for row in breakdown.part_rows(REPORT)}
        self.assertEqual(rows["anchors on oneDNN"], [1, "40", "59", "50", "60"])
        self.assertEqual(rows["anchors on own kernels"], [1, "30", "19", "30", "20"])
        self.assertEqual(rows["reorders"], [1, "", "9", "", "10"])
        self.assertEqual(rows["reference kernels"][0], 1)
        self.assertEqual(rows["sum"], [5, "70", "95", "80", "100"])
        self.assertEqual(rows["gaps"][-1], "12")

    def test_ratios(self):
        in_sequence, alone = breakdown.ratios(REPORT)
        self.assertAlmostEqual(in_sequence, 112 / 80)
        self.assertAlmostEqual(alone, 112 / 70)

    def test_the_step_that_loses_most_comes_first(self):
        rows = breakdown.losers(REPORT, 5)
        self.assertEqual([row[1] for row in rows], ["brgconv:avx512", "fuseq:depthwise"])


class KernelShares(unittest.TestCase):
    REPORT = """
# Overhead  Shared Object           Symbol
    50.00%  libfuseq_cpu_plugin.so  [.] fuseq::kernels::gemm::(anonymous namespace)::micro<14ul, 2ul>
    25.00%  libdnnl.so.2            [.] 0x0000000000001234
    15.00%  libfuseq_cpu_plugin.so  [.] fuseq::kernels::search_float_sum
     5.00%  libfuseq_cpu_plugin.so  [.] fuseq::kernels::gemm::finish<true>
     5.00%  libc.so.6               [.] malloc
"""

    def test_only_what_an_inference_computes_counts(self):
        found = kernel_shares.shares(self.REPORT)
        self.assertEqual(set(found), {"gemm::micro<14, 2>", "gemm::finish<true>"})
        self.assertAlmostEqual(found["gemm::micro<14, 2>"], 62.5)

    def test_a_row_has_the_network_with_the_largest_share(self):
        networks = {"a": {"f": 3.0, "g": 1.0}, "b": {"f": 12.5}}
        self.assertEqual(kernel_shares.largest(networks, 2.0, ""), [("f", 12.5, "b", 2)])
        self.assertEqual(kernel_shares.largest(networks, 0.0, "g"), [("g", 1.0, "a", 1)])


class Peers(unittest.TestCase):
    def test_reads_the_table(self):
        self.assertEqual(real_models.peer_efficiency(PEERS), {
            "face-detection-0200-v10": 0.39, "gaze-estimation-adas-0002": 0.68,
            "face-detection-adas-0001": 0.48, "face-detection-retail-0004-v10": 0.62,
            "face-detection-retail-0004-v10fq": 0.60})

    def test_a_release_that_is_not_listed_takes_the_one_without(self):
        table = real_models.peer_efficiency(PEERS)
        self.assertEqual(real_models.peer_of("gaze-estimation-adas-0002-v11", table), 0.68)
        self.assertEqual(real_models.peer_of("face-detection-retail-0004-v10fq", table), 0.60)
        self.assertIsNone(real_models.peer_of("face-detection-retail-0004-v11", table))

    def test_row(self):
        times = {"1T": 2.0, "2T": 1.0, "fps1": 500.0, "fps2": 990.0, "load": 50.0, "cached": None,
                 "rss": 40.4}
        row = real_models.row("m", (200_000_000, 0), 3_000_000, times, 0.32, 250.0)
        self.assertEqual(row, ["m", "0.200", "2", "1", "2.00", "1.98", "50", "", "40 (3.0)",
                               "40 %", "32 %", "1.25"])


class Growth(unittest.TestCase):
    def test_the_start_does_not_count(self):
        samples = [1] * 20 + [100] * 60 + [100] * 20
        self.assertEqual(memory_growth.settled_and_end(samples), (100, 100))

    def test_growth_is_seen(self):
        self.assertEqual(memory_growth.settled_and_end(list(range(100))), (39, 99))

    def test_too_few_samples(self):
        with self.assertRaises(measure.Missing):
            memory_growth.settled_and_end([1] * 19)

    def test_a_command_is_watched_to_its_end(self):
        grows = "x = []\nfor i in range(40):\n  x.append(bytearray(1 << 20))\n  __import__('time').sleep(.02)"
        samples = memory_growth.watch([sys.executable, "-c", grows])
        settled, end = memory_growth.settled_and_end(samples)
        self.assertGreater(end - settled, 10 << 20)


@unittest.skipIf(importlib.util.find_spec("numpy") is None, "numpy is missing")
class TransformerTwins(unittest.TestCase):
    def test_tokens_that_the_shift_brought_together_are_hidden(self):
        import transformer_twins
        mask = transformer_twins.shift_mask(4, 2, 1)
        self.assertEqual(mask.shape, (4, 1, 4, 4))
        self.assertEqual(abs(mask[0]).max(), 0)  # the first window has no border
        # The last one holds four parts of the image, a token each.
        self.assertEqual((mask[3, 0] == 0).tolist(), [[i == j for j in range(4)] for i in range(4)])
        # Its neighbour holds two, side by side.
        self.assertEqual(mask[1, 0].tolist(), [[0, -100] * 2, [-100, 0] * 2] * 2)


if __name__ == "__main__":
    unittest.main()
