#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that every test can fail.

usage: check_tests.py [ROOT]

Of each TEST, TEST_F, TEST_P and TYPED_TEST below tests/:
- its body asserts (EXPECT_*, ASSERT_*, FAIL, ADD_FAILURE), or calls a function of the tests that does;
- it asserts more than EXPECT_TRUE(true) and its like;
- no `return;` stands before the first of these: a test that cannot run here says so with GTEST_SKIP.
Exit status 0 when the rules hold, 1 with one line a finding.
"""
import pathlib
import re
import sys

NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|"
                     r'R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*\{", re.MULTILINE)
ASSERTION = re.compile(r"\b(?:(?:EXPECT|ASSERT)_[A-Z0-9_]+|FAIL|ADD_FAILURE)\s*\(")
CONSTANT = re.compile(r"\b(?:EXPECT|ASSERT)_(?:TRUE\(\s*(?:true|1)|FALSE\(\s*(?:false|0))\s*\)")
# A function, a lambda with a name, or a macro.
FUNCTION = re.compile(r"\b(\w+)\s*\((?:[^;{}]|\{\})*\)\s*(?:const\s*|noexcept\s*|override\s*)*\{|"
                      r"\b(\w+)\s*=\s*\[[^\]]*\]\s*(?:\([^{};]*\))?[^{};]*\{")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof"}
CALL = re.compile(r"\b(\w+)\s*(?:<[\w:, *]*>)?\s*[({]")
RETURN = re.compile(r"\breturn\s*;")
SKIP = re.compile(r"\bGTEST_SKIP\s*\(")


def blank(match):
    """As many lines, and nothing on them; "" stays of a literal."""
    text = re.sub(r"[^\n]", " ", match.group(0))
    return text if match.group(0).startswith("/") else f'"{text[1:-1]}"'


def code_of(text):
    """The text without comments and literals."""
    return NO_CODE.sub(blank, text)


def body_at(code, opened):
    """The text from a brace to the one that closes it."""
    depth = 0
    for at in range(opened, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return code[opened:at + 1]
    return code[opened:]


def asserting_functions(codes):
    """Names of functions that assert, themselves or by what they call."""
    bodies = {}
    for code in codes:
        for match in FUNCTION.finditer(code):
            name = match.group(1) or match.group(2)
            if name not in NOT_FUNCTIONS and not name.startswith(("TEST", "TYPED_TEST")):
                bodies.setdefault(name, []).append(body_at(code, match.end() - 1))
    asserting = {name for name, texts in bodies.items()
                 if any(ASSERTION.search(text) for text in texts)}
    calls = {name: {call for text in texts for call in CALL.findall(text)}
             for name, texts in bodies.items()}
    while True:
        more = {name for name, called in calls.items() if name not in asserting and called & asserting}
        if not more:
            return asserting
        asserting |= more


def findings(path, code, asserting):
    """`code` and the set of helpers that assert give one sentence a finding."""
    for test in TEST.finditer(code):
        body = body_at(code, test.end() - 1)
        where = f"{path}:{code.count(chr(10), 0, test.start()) + 1}: {test.group(1)}.{test.group(2)}"
        checks = [match.start() for match in ASSERTION.finditer(body)
                  if not CONSTANT.match(body, match.start())]
        checks += [match.start() for match in CALL.finditer(body) if match.group(1) in asserting]
        if not checks:
            yield f"{where} asserts nothing"
            continue
        returned = RETURN.search(body)
        before = body[:returned.start()] if returned else ""
        if returned and returned.start() < min(checks) and not SKIP.search(before):
            yield f"{where} returns before it asserts; GTEST_SKIP says why"


def check(files):
    """files: (path, text) of each."""
    codes = [(path, code_of(text)) for path, text in files]
    asserting = asserting_functions(code for _, code in codes)
    for path, code in codes:
        yield from findings(path, code, asserting)


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    files = [(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
             for path in sorted((root / "tests").rglob("*")) if path.suffix in (".cpp", ".hpp", ".inc")]
    if not files:
        print(f"error: no tests below {root}")
        return 1
    found = list(check(files))
    for finding in found:
        print(finding)
    if not found:
        count = sum(len(TEST.findall(text)) for _, text in files)
        print(f"tests: {count} of {len(files)} files, all can fail")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
