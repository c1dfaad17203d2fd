# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Makes calls refuse keywords that they do not have by the nearest one that they have, and values of other
types by those that they take.

What pybind11 says of such a call is that its "arguments are incompatible", with all signatures and values.
"""
import difflib
import functools
import inspect
import re

from . import _native

_MISFIT = "incompatible "  # "function arguments", "constructor arguments"
_OVERLOAD = re.compile(r"^ +\d+\. .*?\((.*)\)(?: -> .*)?$", re.MULTILINE)

# In "reshape(self: fuseq._native.Model, shape: object) -> None\n\n...".
_NAMES = re.compile(r"[(,] ?(\w+)(?=:|,|\)| =)")


def refuse(call, unknown, known):
    """Raises the TypeError."""
    near = difflib.get_close_matches(unknown, known, 1, 0.5)
    hint = f"; did you mean '{near[0]}'? It has " if near else "; it has "
    raise TypeError(f"{call}() has no keyword '{unknown}'{hint}{', '.join(known) or 'none'}")


def _members(text):
    """Of each enumeration that a signature names."""
    enums = [member for module in (_native, _native.preprocess) for member in vars(module).values()
             if inspect.isclass(member) and hasattr(member, "__members__")]
    return "".join(f"; {enum.__name__} is one of {', '.join(enum.__members__)}" for enum in enums
                   if re.search(rf": {enum.__name__}\b", text))


def _refuse_types(call, said, args, keywords):
    """Raises the TypeError."""
    said = said.replace("fuseq::python::PyPort", "ConstOutput")  # defined after what takes it
    signatures = [re.sub(r"fuseq\._native\.(preprocess\.)?", "", line) for line in _OVERLOAD.findall(said)]
    takes = " or ".join("(" + re.sub(r"^self: \w+(, )?", "", line) + ")" for line in signatures)
    got = [type(value).__name__ for value in args] + [f"{name}: {type(value).__name__}" for name, value in keywords.items()]
    raise TypeError(f"{call}() takes other arguments: got ({', '.join(got)}), it takes {takes}{_members(takes)}") from None


def _checked(function, call, known, bound=False):
    @functools.wraps(function)
    def checked(*args, **keywords):
        for name in keywords:
            if known is not None and name not in known:
                refuse(call, name, known)
        try:
            return function(*args, **keywords)
        except TypeError as error:
            if _MISFIT not in str(error).partition("\n")[0]:
                raise
            _refuse_types(call, str(error), args[1:] if bound else args, keywords)
    return checked


def checked(function):
    """Decorator of a function of Python."""
    known = [name for name in inspect.signature(function).parameters if name != "self"]
    return _checked(function, function.__qualname__.removesuffix(".__init__"), known)


def _signatures(function):
    """The lines of a docstring of pybind11 that are signatures."""
    lines = (function.__doc__ or "").splitlines()
    overloads = [line for line in lines if re.match(rf"\d+\. {re.escape(function.__name__)}\(", line)]
    return overloads or [line for line in lines[:1] if line.startswith(f"{function.__name__}(")]


def check_class(cls):
    """Every method of a native class that takes no keywords of any name, and its constructor."""
    for name, member in list(vars(cls).items()):
        static = isinstance(member, staticmethod)
        function = member.__func__ if static else member
        if name.startswith("_") and name != "__init__" or not inspect.isroutine(function):
            continue
        signatures = _signatures(function)
        any_keyword = any("**" in line for line in signatures)  # the native part refuses those that it does not know
        if not signatures or any_keyword and name != "__init__":
            continue
        known = list(dict.fromkeys(word for line in signatures for word in _NAMES.findall(line.split(" -> ")[0])
                                   if word not in ("self", "args") and not re.fullmatch(r"arg\d+", word)))
        call = cls.__name__ if name == "__init__" else name
        wrapped = _checked(function, call, None if any_keyword else known, bound=not static)
        setattr(cls, name, staticmethod(wrapped) if static else wrapped)


def check_classes(module):
    for member in vars(module).values():
        if inspect.isclass(member) and not issubclass(member, Exception):
            check_class(member)
