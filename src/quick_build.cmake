# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# FUSEQ_QUICK_BUILD (docs/building.md): common headers are compiled once for all targets with the same flags, as gcc
# refuses a precompiled header with others, sources of a folder are compiled together where their names allow it, and
# what runs once a model or a program, not in an inference, is compiled with -O1.

# Only in the release preset: -O1 is less than what that says, and more than what the others say.
set(once_flags $<$<CONFIG:Release>:-O1>)

# fuseq_headers(<name> [ONCE] [FOR <targets whose flags it has>] [FLAGS <options>] HEADERS <headers>); ONCE: for what
# runs once, with -O1.
function(fuseq_headers name)
    cmake_parse_arguments(ARG "ONCE" "" "FOR;FLAGS;HEADERS" ${ARGN})
    if(FUSEQ_QUICK_BUILD)
        # A target needs a source.
        set(source ${CMAKE_BINARY_DIR}/quick_build/${name}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "")
        add_library(${name} OBJECT ${source})
        target_link_libraries(${name} PRIVATE fuseq_options ${ARG_FOR})
        target_compile_options(${name} PRIVATE ${ARG_FLAGS})
        if(ARG_ONCE)
            target_compile_options(${name} PUBLIC ${once_flags})
        endif()
        target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
    endif()
endfunction()

# fuseq_runs_once(<target> [TOGETHER]): -O1 without precompiled headers; TOGETHER as below.
function(fuseq_runs_once target)
    if(FUSEQ_QUICK_BUILD)
        target_compile_options(${target} PRIVATE ${once_flags})
        if("TOGETHER" IN_LIST ARGN)
            set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
        endif()
    endif()
endfunction()

# fuseq_quick_build(<target> <headers> [TOGETHER]): uses the headers; TOGETHER compiles up to 16 sources as one.
function(fuseq_quick_build target headers)
    if(FUSEQ_QUICK_BUILD AND TARGET ${headers})
        target_precompile_headers(${target} REUSE_FROM ${headers})
        # gcc 12 takes writes of a precompiled std::string for writes outside of it.
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
        get_target_property(flags ${headers} INTERFACE_COMPILE_OPTIONS)
        if(flags)
            target_compile_options(${target} PRIVATE ${flags})
        endif()
        if("TOGETHER" IN_LIST ARGN)
            set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
        endif()
    endif()
endfunction()

set(std_headers <algorithm> <array> <cmath> <cstddef> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex>
                <numeric> <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility>
                <vector>)
set(own_headers ${CMAKE_SOURCE_DIR}/include/fuseq/attributes.hpp ${CMAKE_SOURCE_DIR}/include/fuseq/error.hpp
                ${CMAKE_SOURCE_DIR}/include/fuseq/model.hpp)
fuseq_headers(fuseq_headers HEADERS ${std_headers} ${own_headers})
fuseq_headers(fuseq_once_headers ONCE HEADERS ${std_headers} ${own_headers})
set(cpu_headers FOR DNNL::dnnl OpenMP::OpenMP_CXX HEADERS ${std_headers} ${own_headers} <oneapi/dnnl/dnnl.hpp>)
fuseq_headers(fuseq_cpu_headers ${cpu_headers})
fuseq_headers(fuseq_cpu_once_headers ONCE ${cpu_headers})
