# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# find_package(OpenVINO) with OpenVINO_DIR=<prefix>/lib/fuseq/compat/cmake: Fuseq under OpenVINO's names. CMake looks here
# only when it is told to, so that an OpenVINO on the machine is never shadowed.
include(CMakeFindDependencyMacro)
get_filename_component(fuseq_compat_folder ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
get_filename_component(fuseq_lib_folder ${fuseq_compat_folder}/../.. ABSOLUTE)
find_dependency(fuseq CONFIG PATHS ${fuseq_lib_folder}/cmake/fuseq NO_DEFAULT_PATH)

if(NOT TARGET openvino::runtime)
    add_library(openvino::runtime INTERFACE IMPORTED)
    set_target_properties(openvino::runtime PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${fuseq_compat_folder}/include
        INTERFACE_LINK_LIBRARIES fuseq::fuseq)
    add_library(openvino::runtime::c SHARED IMPORTED)
    set_target_properties(openvino::runtime::c PROPERTIES
        IMPORTED_LOCATION ${fuseq_compat_folder}/libfuseq_openvino_c.so
        IMPORTED_NO_SONAME OFF
        IMPORTED_SONAME libfuseq_openvino_c.so.0
        INTERFACE_INCLUDE_DIRECTORIES ${fuseq_compat_folder}/include)
endif()

set(OpenVINO_Runtime_FOUND TRUE)
foreach(component ${OpenVINO_FIND_COMPONENTS})
    if(NOT OpenVINO_${component}_FOUND AND OpenVINO_FIND_REQUIRED_${component})
        set(OpenVINO_FOUND FALSE)
        set(OpenVINO_NOT_FOUND_MESSAGE "Fuseq has OpenVINO's component Runtime, not ${component}")
    endif()
endforeach()
