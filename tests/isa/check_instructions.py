#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Which level of instructions machine code needs, by its disassembly (objdump).

    check_instructions.py objects BUILD [--source ROOT]
        Functions of the device's kernels and of src/cpu/machine: those in a namespace of Highway (N_SSE4, N_AVX2,
        N_AVX3) hold nothing above their target, the dot products of its width that their file asks for, and those
        that their file writes in assembly with their encoding ({vex}, {evex}); all others nothing above what the
        sources of their file ask for by `#pragma GCC target` or `__attribute__((target))`, and plain SSE4.2 where
        they ask for nothing.
    check_instructions.py jit LEVEL FILE...
        Code that oneDNN generated (DNNL_JIT_DUMP=1 writes dnnl_dump_*.bin), from the entry along all jumps.

Exit status 1 with one line a function that holds more than it may; 77 without objdump.
"""
import argparse
import functools
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77

# What an instruction needs. Each level allows what is beside it, as IsaLevel does (src/cpu/machine/isa.hpp).
ALLOWED = {
    "sse41": {"sse42"},
    "avx2": {"sse42", "avx2"},
    "avx2_vnni": {"sse42", "avx2", "avx_vnni"},
    "avx512": {"sse42", "avx2", "avx512"},
    "avx512_vnni": {"sse42", "avx2", "avx512", "avx512_vnni"},
    "avx512_amx": {"sse42", "avx2", "avx_vnni", "avx512", "avx512_vnni", "amx"},
    # Facts beside the level (MachineTraits).
    "avx512+vbmi": {"sse42", "avx2", "avx512", "vbmi"},
    "avx512_vnni+vbmi": {"sse42", "avx2", "avx512", "avx512_vnni", "vbmi"},
}
TARGETS = {"N_SSE4": "sse41", "N_AVX2": "avx2", "N_AVX3": "avx512"}

VBMI = re.compile(r"^(vpermb|vpermi2b|vpermt2b|vpmultishiftqb)$")
BEYOND = re.compile(r"^(vp(compress|expand)[bw]|vpsh[lr]d|vpopcnt|vpshufbitqmb|vdpbf16|vcvtne|vpmadd52|vp2intersect|"
                    r"vpconflict|vplzcnt|v?gf2p8|(?!vcvtps2ph).*ph$|sha(1|256)|adcx|adox|rdseed|vpclmul|vaes)")
AES = re.compile(r"^(aes|pclmul)")
PREFIXES = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3}
VEX, EVEX = {0xC4, 0xC5}, 0x62


def need(code, name):
    """What one instruction needs: `code` its bytes, `name` its mnemonic."""
    first = next((byte for byte in code if byte not in PREFIXES), None)
    if first == EVEX:
        if name.startswith("vpdp"):
            return "avx512_vnni"
        if VBMI.match(name):
            return "vbmi"
        return "beyond" if BEYOND.match(name) else "avx512"
    if first in VEX:
        if name.startswith(("tile", "tdp", "ldtile", "sttile")):
            return "amx"
        if name.startswith("k"):
            return "avx512"
        if name.startswith("vpdp"):
            return "avx_vnni"
        return "beyond" if BEYOND.match(name) and not name.startswith("vcvt") else "avx2"
    if name in ("lzcnt", "movbe"):
        return "avx2"
    if AES.match(name):
        return "aes"
    return "beyond" if BEYOND.match(name) else "sse42"


INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
PREFIX_WORDS = {"rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs", "ds", "es", "ss", "fs", "gs",
                "{vex}", "{vex3}", "{evex}", "addr32", "rex.W", "rex", "xacquire", "xrelease"}


def mnemonic(text):
    for word in text.split():
        if word not in PREFIX_WORDS:
            return word
    return ""


def disassembled(arguments):
    """Lines of objdump: ("function", name) and ("code", address, bytes, text)."""
    command = ["objdump", "-w", "-C", *map(str, arguments)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        code = INSTRUCTION.match(line)
        if code:
            yield ("code", int(code[1], 16), bytes.fromhex(code[2]), code[3])
            continue
        function = FUNCTION.match(line)
        if function:
            yield ("function", function[1])


# What the sources ask for.

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ASKED = re.compile(r'(?:GCC target\(\\?"|target\(\\?")([^"\\]+)')
MACRO = re.compile(r"#define (FUSEQ_BEGIN_\w+)")
ASSEMBLY = re.compile(r"%\{(vex|evex)%\} vpdp")
NEED_OF_ENCODING = {"vex": "avx_vnni", "evex": "avx512_vnni"}


def level_of_features(features):
    features = set(features.split(","))
    if "amx-int8" in features:
        return "avx512_amx"
    if "avx512f" in features:
        level = "avx512_vnni" if "avx512vnni" in features else "avx512"
        return level + ("+vbmi" if "avx512vbmi" in features else "")
    if "avxvnni" in features:
        return "avx2_vnni"
    return "avx2" if features & {"avx", "avx2", "fma"} else "sse41"


class Sources:
    """The levels that a source file asks for, in itself or in headers of the kernels that it includes."""

    def __init__(self, root):
        self.root = root
        self.macros = {}
        for header in sorted((root / "src/cpu/kernels").rglob("*.hpp")):
            text = header.read_text()
            for macro in MACRO.finditer(text):
                features = ASKED.search(text, macro.end())
                self.macros[macro[1]] = level_of_features(features[1])

    @functools.lru_cache(maxsize=None)
    def levels(self, path):
        text = path.read_text()
        found = {level_of_features(m[1]) for m in ASKED.finditer(text) if not MACRO.search(text)}
        found |= {level for macro, level in self.macros.items() if re.search(rf"^{macro}$", text, re.MULTILINE)}
        for name in INCLUDE.findall(text):
            header = self.root / "src" / name
            if name.startswith("cpu/kernels") and header.exists() and header != path:
                found |= self.levels(header)
        return frozenset(found)

    @functools.lru_cache(maxsize=None)
    def assembly(self, path):
        """What the dot products need that a source file, or such a header, writes in assembly."""
        text = path.read_text()
        found = {NEED_OF_ENCODING[m[1]] for m in ASSEMBLY.finditer(text)}
        for name in INCLUDE.findall(text):
            header = self.root / "src" / name
            if name.startswith("cpu/kernels") and header.exists() and header != path:
                found |= self.assembly(header)
        return frozenset(found)


def allowed_in(name, asked, assembly=frozenset()):
    """What a function of that (demangled) name may hold, in a file that asks for those levels and writes dot products
    in assembly that need `assembly`."""
    for namespace, level in TARGETS.items():
        if f"{namespace}::" in name:
            # Intrinsics for dot products in a function of Highway's target of the same width.
            more = [other for other in asked if other.startswith(level + "_")]
            allowed = set(ALLOWED[level]).union(assembly, *(ALLOWED[other] for other in more))
            return "+".join([level, *sorted(more), *sorted(assembly)]), allowed
    if "fuseq::" not in name:
        return "sse41", set(ALLOWED["sse41"])
    allowed = set(ALLOWED["sse41"])
    for level in asked:
        allowed |= ALLOWED[level]
    return "+".join(sorted(asked)) or "sse41", allowed


def source_of(obj, build, root):
    """The source of an object file of the build; None: not of the kernels or the machine."""
    text = str(obj.relative_to(build))
    match = re.search(r"\.dir/(.*)\.o$", text)
    if match is None:
        return None
    for folder in ("src/cpu/kernels", "src/cpu"):
        path = root / folder / match[1]
        if path.exists() and ("src/cpu/kernels/" in str(path) or "src/cpu/machine/" in str(path)):
            return path
    generated = build / "src/cpu/kernels" / match[1]
    return generated if generated.exists() else None


def check_objects(build, root):
    sources = Sources(root)
    bad, functions, instructions = [], 0, 0
    of_level = {}
    for obj in sorted(build.glob("src/cpu/**/*.o")):
        source = source_of(obj, build, root)
        if source is None:
            continue
        asked, assembly = sources.levels(source), sources.assembly(source)
        name, allowed, level = "", set(), ""
        for item in disassembled(["-d", obj]):
            if item[0] == "function":
                name = item[1]
                level, allowed = allowed_in(name, asked, assembly)
                functions += 1
                of_level[level] = of_level.get(level, 0) + 1
                continue
            instructions += 1
            needed = need(item[2], mnemonic(item[3]))
            if needed not in allowed:
                bad.append(f"{source.name}: {name[:120]}: {level} may not hold '{item[3].strip()}' ({needed})")
                allowed = allowed | {needed}  # one line a function and need
    print("\n".join(bad))
    if functions == 0:
        print(f"no object files of kernels in {build}")
        return 1
    parts = ", ".join(f"{count} of {level}" for level, count in sorted(of_level.items()))
    print(f"{functions} functions, {instructions} instructions: {parts}; {len(bad)} above their level")
    return int(bool(bad))


# Generated code.

JUMP = re.compile(r"^(j\w+|call|loop\w*)\s+0x([0-9a-f]+)")


def reachable(lines):
    """Instructions that run when the code is entered at 0: what follows a jump is only data where nothing leads."""
    by_address = {line[1]: line for line in lines}
    order = sorted(by_address)
    after = dict(zip(order, order[1:]))
    seen, open_ends = set(), [0]
    while open_ends:
        address = open_ends.pop()
        while address in by_address and address not in seen:
            seen.add(address)
            text = by_address[address][3].strip()
            jump = JUMP.match(text)
            if jump:
                open_ends.append(int(jump[2], 16))
            if text.startswith(("ret", "jmp")):
                break
            address = after.get(address)
    return [by_address[address] for address in sorted(seen)]


def check_jit(level, files):
    bad, instructions = [], 0
    for file in files:
        lines = [line for line in disassembled(["-D", "-b", "binary", "-m", "i386:x86-64", file]) if line[0] == "code"]
        code = reachable(lines)
        instructions += len(code)
        for _, address, raw, text in code:
            needed = need(raw, mnemonic(text))
            if needed not in ALLOWED[level]:
                bad.append(f"{Path(file).name}+{address:#x}: {level} may not hold '{text.strip()}' ({needed})")
                break
    print("\n".join(bad))
    print(f"{len(files)} kernels, {instructions} instructions at {level}: {len(bad)} kernels above it")
    return int(bool(bad) or instructions == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    objects = commands.add_parser("objects")
    objects.add_argument("build", type=Path)
    objects.add_argument("--source", type=Path, default=Path(__file__).resolve().parents[2])
    jit = commands.add_parser("jit")
    jit.add_argument("level", choices=list(ALLOWED))
    jit.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    if shutil.which("objdump") is None:
        print("skipped: no objdump (package binutils)")
        return SKIPPED
    if args.command == "objects":
        return check_objects(args.build, args.source)
    return check_jit(args.level, args.files)


if __name__ == "__main__":
    sys.exit(main())
