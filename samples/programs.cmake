# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Users' programs: they see the public headers and nothing else. tests/samples runs them.
enable_language(C)

foreach(program hello_infer async_throughput frame_stream text_classification own_device)
    add_executable(${program} ${program}/main.cpp)
    target_link_libraries(${program} PRIVATE fuseq)
    add_dependencies(${program} fuseq_reference_plugin)
endforeach()
# It reads a picture file, by samples/common/pictures.
add_executable(classify_picture classify_picture/main.cpp)
target_link_libraries(classify_picture PRIVATE fuseq_pictures)
add_dependencies(classify_picture fuseq_reference_plugin)
add_executable(hello_c hello_c/main.c)
target_link_libraries(hello_c PRIVATE fuseq)
set_target_properties(hello_c PROPERTIES C_STANDARD 99)
add_library(timing_device MODULE own_device/timing_device.cpp)
target_link_libraries(timing_device PRIVATE fuseq)
add_dependencies(own_device timing_device)
