# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a C++ source, by its braces."""
import re

# What may hold braces that are no code: literals, comments, lines of the preprocessor.
SKIPPED = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*'
                     r'|/\*(?:.|\n)*?\*/|^[ \t]*#(?:\\\n|[^\n])*', re.M)
SCOPE = re.compile(r"\b(namespace|extern|struct|class|union|enum)\b(?![^<]*>)")
# Parentheses that are no parameter list.
SPECIFIER = re.compile(r"\b(alignas|decltype|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)")


def blank(match):
    """As many lines as the match, and the quotes of a literal."""
    text = match.group()
    mark = '""' if text[0] in "R\"" else ""
    return mark + "\n" * text.count("\n")


def name_in(head):
    found = re.search(r"(operator\W+|[\w:~]+)\s*\(", head)
    return found.group(1) if found else "?"


def functions(text):
    """Yields (name, line of the opening brace, lines between the braces)."""
    code = SKIPPED.sub(blank, text)
    scopes = []  # ("scope" | "function" | "block", name, line)
    line, start = 1, 0
    for i, c in enumerate(code):
        if c == "\n":
            line += 1
        elif c == "{":
            head = SPECIFIER.sub("", code[start:i])
            outside = not scopes or scopes[-1][0] == "scope"
            kind = "block"
            if outside and "(" in head:
                kind = "function"
            elif outside and SCOPE.search(head):
                kind = "scope"
            scopes.append((kind, name_in(head), line))
            start = i + 1
        elif c == "}":
            if not scopes:
                return  # braces of several branches of the preprocessor
            kind, name, first = scopes.pop()
            if kind == "function":
                yield name, first, max(0, line - first - 1)
            start = i + 1
        elif c == ";":
            start = i + 1
