# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# fuseq_version_script(<target> [PRIVATE_SYMBOLS]): exports the symbols that src/abi/lib<target>.symbols lists, with the
# version of the ABI. PRIVATE_SYMBOLS: the others of Fuseq too, as FUSEQ_PRIVATE: devices, readers and tests of the same
# build use them, programs must not. All else is hidden, as are templates of the standard library.
function(fuseq_version_script target)
    if(FUSEQ_SANITIZE)
        return()  # sanitizers find their own symbols in every library
    endif()
    cmake_parse_arguments(ARG "PRIVATE_SYMBOLS" "" "" ${ARGN})
    set(list ${CMAKE_SOURCE_DIR}/src/abi/lib${target}.symbols)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} symbols)
    set(public "")
    foreach(symbol IN LISTS symbols)
        string(APPEND public "    ${symbol};\n")
    endforeach()
    if(ARG_PRIVATE_SYMBOLS)
        set(rest "};\nFUSEQ_PRIVATE {\nglobal:\n    _Z*5fuseq*;\n")
    else()
        set(rest "")
    endif()
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.version)
    file(CONFIGURE OUTPUT ${script} CONTENT "FUSEQ_0 {\nglobal:\n${public}${rest}local:\n    *;\n};\n" @ONLY)
    target_link_options(${target} PRIVATE -Wl,--version-script=${script})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
