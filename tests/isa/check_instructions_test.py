#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""check_instructions.py: what instructions need, by their bytes as the assembler writes them."""
import tempfile
import unittest
from pathlib import Path

import check_instructions as check

# Bytes of objdump 2.40, its mnemonic, what the instruction needs.
ENCODINGS = [
    ("66 0f fe c1", "paddd", "sse42"),
    ("f3 0f b8 c1", "popcnt", "sse42"),
    ("f3 0f bd c1", "lzcnt", "avx2"),
    ("66 0f 38 dc c1", "aesenc", "aes"),
    ("c5 fd fe c1", "vpaddd", "avx2"),
    ("c4 e2 75 b8 c2", "vfmadd231ps", "avx2"),
    ("c4 e2 70 f7 c0", "bextr", "avx2"),
    ("c4 e2 75 50 c2", "vpdpbusd", "avx_vnni"),
    ("c5 f8 90 c9", "kmovw", "avx512"),
    ("c4 e2 7b 5e c1", "tdpbssd", "amx"),
    ("c4 e2 78 49 c0", "tilerelease", "amx"),
    ("62 f1 7d 48 fe c1", "vpaddd", "avx512"),
    ("62 f1 7d 28 fe c1", "vpaddd", "avx512"),  # 256 bits, but EVEX
    ("62 f2 75 48 50 c2", "vpdpbusd", "avx512_vnni"),
    ("62 f2 75 48 8d c2", "vpermb", "vbmi"),
    ("62 f2 76 48 52 c2", "vdpbf16ps", "beyond"),
    ("62 f3 7d 48 1d c1 00", "vcvtps2ph", "avx512"),
    ("62 f5 7c 48 58 c1", "vaddph", "beyond"),
]


class Need(unittest.TestCase):
    def test_of_encodings(self):
        for code, name, needed in ENCODINGS:
            self.assertEqual(check.need(bytes.fromhex(code), name), needed, f"{code} {name}")

    def test_prefixes_are_no_mnemonics(self):
        self.assertEqual(check.mnemonic("{vex} vpdpbusd %ymm1,%ymm2,%ymm3"), "vpdpbusd")
        self.assertEqual(check.mnemonic("rep stos %al,%es:(%rdi)"), "stos")
        self.assertEqual(check.mnemonic("notrack jmp *%rax"), "jmp")


class Allowed(unittest.TestCase):
    def test_levels_include_what_the_device_says(self):
        self.assertNotIn("avx_vnni", check.ALLOWED["avx512"])
        self.assertNotIn("avx_vnni", check.ALLOWED["avx512_vnni"])  # Cascade Lake has no VEX form
        self.assertLess(check.ALLOWED["avx2"], check.ALLOWED["avx2_vnni"])
        self.assertLess(check.ALLOWED["avx512"], check.ALLOWED["avx512_vnni"])
        self.assertLess(check.ALLOWED["avx512_vnni"], check.ALLOWED["avx512_amx"])

    def test_namespaces_of_highway_decide_before_the_file(self):
        asked = {"avx512_vnni"}
        self.assertNotIn("avx512", check.allowed_in("fuseq::kernels::N_AVX2::f(int)", asked)[1])
        self.assertIn("avx512_vnni", check.allowed_in("fuseq::kernels::N_AVX3::f(int)", asked)[1])
        self.assertNotIn("avx512_vnni", check.allowed_in("fuseq::kernels::N_AVX3::f(int)", set())[1])
        self.assertEqual(check.allowed_in("fuseq::kernels::N_SSE4::f(int)", asked)[1], {"sse42"})

    def test_assembly_names_its_encoding(self):
        with tempfile.TemporaryDirectory() as folder:
            kernels = Path(folder) / "src/cpu/kernels"
            kernels.mkdir(parents=True)
            (kernels / "a-inl.h").write_text('asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum));')
            (kernels / "by_header.cpp").write_text('#include "cpu/kernels/a-inl.h"')
            (kernels / "none.cpp").write_text("int f();")
            sources = check.Sources(Path(folder))
            self.assertEqual(sources.assembly(kernels / "a-inl.h"), {"avx_vnni"})
            self.assertEqual(sources.assembly(kernels / "by_header.cpp"), {"avx_vnni"})
            self.assertEqual(sources.assembly(kernels / "none.cpp"), set())
        allowed = check.allowed_in("fuseq::kernels::N_AVX2::f(int)", set(), {"avx_vnni"})[1]
        self.assertIn("avx_vnni", allowed)
        self.assertNotIn("avx512_vnni", allowed)
        # Not in functions that run on every machine.
        self.assertEqual(check.allowed_in("fuseq::kernels::f(int)", set(), {"avx_vnni"})[1], {"sse42"})

    def test_functions_without_a_namespace(self):
        self.assertIn("avx512_vnni", check.allowed_in("fuseq::kernels::f(int)", {"avx512_vnni"})[1])
        self.assertEqual(check.allowed_in("fuseq::kernels::f(int)", set())[1], {"sse42"})
        # The linker keeps one of them for the whole library.
        self.assertEqual(check.allowed_in("std::vector<int>::push_back(int)", {"avx512_vnni"})[1], {"sse42"})


class Sources(unittest.TestCase):
    def test_a_file_asks_by_itself_and_by_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            kernels = Path(folder) / "src/cpu/kernels"
            kernels.mkdir(parents=True)
            (kernels / "target.hpp").write_text(
                '#define FUSEQ_BEGIN_VNNI \\\n _Pragma("GCC target(\\"avx512f,avx512vnni\\")")\n')
            (kernels / "inner-inl.h").write_text("FUSEQ_BEGIN_VNNI\nint f();\n")
            (kernels / "a.cpp").write_text('#include "cpu/kernels/inner-inl.h"\n')
            (kernels / "b.cpp").write_text('#pragma GCC target("avx512f,avx512vnni,avx512vbmi")\n')
            (kernels / "c.cpp").write_text('__attribute__((target("avx2,avxvnni"))) void f();\n')
            (kernels / "e.cpp").write_text('#pragma GCC target("amx-tile,amx-int8")\n')
            (kernels / "d.cpp").write_text('#include "cpu/kernels/target.hpp"\n')
            sources = check.Sources(Path(folder))
            self.assertEqual(sources.levels(kernels / "a.cpp"), {"avx512_vnni"})
            self.assertEqual(sources.levels(kernels / "b.cpp"), {"avx512_vnni+vbmi"})
            self.assertEqual(sources.levels(kernels / "c.cpp"), {"avx2_vnni"})
            self.assertEqual(sources.levels(kernels / "e.cpp"), {"avx512_amx"})
            self.assertEqual(sources.levels(kernels / "d.cpp"), set())


class Reachable(unittest.TestCase):
    def test_what_follows_a_return_is_data_unless_something_jumps_there(self):
        code = [("code", 0, b"", "jle    0x10"), ("code", 2, b"", "ret"), ("code", 3, b"", "vpaddd %zmm0,%zmm0,%zmm0"),
                ("code", 16, b"", "paddd  %xmm0,%xmm0"), ("code", 20, b"", "jmp    0x2")]
        self.assertEqual([line[1] for line in check.reachable(code)], [0, 2, 16, 20])


if __name__ == "__main__":
    unittest.main()
