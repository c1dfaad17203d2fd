# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Users' programs: they see the public headers and nothing else. tests/samples runs them.
enable_language(C)

set(programs hello_infer async_throughput frame_stream text_classification own_device)
set(picture_programs classify_picture detect_objects segment_picture)
foreach(program ${programs})
    add_executable(${program} ${program}/main.cpp)
    target_link_libraries(${program} PRIVATE fuseq)
    add_dependencies(${program} fuseq_reference_plugin)
endforeach()
# They read and draw pictures, by samples/common.
foreach(program ${picture_programs})
    add_executable(${program} ${program}/main.cpp)
    target_link_libraries(${program} PRIVATE fuseq_pictures)
    add_dependencies(${program} fuseq_reference_plugin)
endforeach()
add_executable(hello_c hello_c/main.c)
target_link_libraries(hello_c PRIVATE fuseq)
set_target_properties(hello_c PROPERTIES C_STANDARD 99)
add_library(timing_device MODULE own_device/timing_device.cpp)
target_link_libraries(timing_device PRIVATE fuseq)
add_dependencies(own_device timing_device)
# What samples/quickstart.sh builds of them; generate_model makes their models.
add_custom_target(samples DEPENDS ${programs} ${picture_programs} hello_c timing_device generate_model)
