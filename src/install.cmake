# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake --install build/release --prefix DIR: library, devices beside it, headers, tools, and the
# package that find_package(fuseq) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS fuseq fuseq_quantizer EXPORT fuseq_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Where the runtime looks for devices first.
install(TARGETS fuseq_reference_plugin fuseq_cpu_plugin
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(reader fuseq_onnx_reader fuseq_tflite_reader)
    if(TARGET ${reader})
        install(TARGETS ${reader} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
        set_target_properties(${reader} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/fuseq DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

file(RELATIVE_PATH fuseq_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(fuseq_reference_plugin fuseq_cpu_plugin PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(fuseq_quantizer PROPERTIES INSTALL_RPATH "$ORIGIN")
foreach(tool benchmark_app explain infer quantize)
    if(TARGET ${tool})
        set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${fuseq_bin_to_lib}")
        install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()

set(fuseq_package ${CMAKE_INSTALL_LIBDIR}/cmake/fuseq)
install(EXPORT fuseq_targets NAMESPACE fuseq:: FILE fuseq-config.cmake
        DESTINATION ${fuseq_package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/fuseq-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fuseq-config-version.cmake DESTINATION ${fuseq_package})
