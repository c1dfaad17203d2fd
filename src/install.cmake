# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake --install build/release --prefix DIR: library, devices beside it, headers, tools, and what find_package(fuseq)
# and pkg-config find. Components: runtime, tools, dev (src/packages.cmake makes a .deb of each).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS fuseq fuseq_quantizer EXPORT fuseq_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
# Where the runtime looks for devices first, and readers of model formats.
foreach(found_at_run_time fuseq_reference_plugin fuseq_cpu_plugin fuseq_onnx_reader
        fuseq_tflite_reader fuseq_caffe2_reader fuseq_mxnet_reader)
    if(TARGET ${found_at_run_time})
        install(TARGETS ${found_at_run_time}
                LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
        set_target_properties(${found_at_run_time} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
endforeach()
set_target_properties(fuseq_quantizer PROPERTIES INSTALL_RPATH "$ORIGIN")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/fuseq DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT dev)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

file(RELATIVE_PATH fuseq_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(tool benchmark_app explain infer quantize)
    if(TARGET ${tool})
        set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${fuseq_bin_to_lib}")
        install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    endif()
endforeach()

set(fuseq_package ${CMAKE_INSTALL_LIBDIR}/cmake/fuseq)
install(EXPORT fuseq_targets NAMESPACE fuseq:: FILE fuseq-config.cmake
        DESTINATION ${fuseq_package} COMPONENT dev)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/fuseq-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fuseq-config-version.cmake DESTINATION ${fuseq_package}
        COMPONENT dev)

# The paths in it are relative to where it lies, so that a prefix chosen at install time holds too.
file(RELATIVE_PATH fuseq_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/src/fuseq.pc.in ${CMAKE_CURRENT_BINARY_DIR}/fuseq.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fuseq.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT dev)

# OpenVINO's API, in a folder of its own that nothing searches.
set(fuseq_compat ${CMAKE_INSTALL_LIBDIR}/fuseq/compat)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/openvino DESTINATION ${fuseq_compat}/include COMPONENT dev)
install(TARGETS fuseq_openvino_c LIBRARY DESTINATION ${fuseq_compat} COMPONENT runtime NAMELINK_COMPONENT dev)
set_target_properties(fuseq_openvino_c PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
# The version of OpenVINO whose names it has.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/OpenVINOConfig-version.cmake VERSION 2024.6.0
                                 COMPATIBILITY AnyNewerVersion)
install(FILES ${CMAKE_SOURCE_DIR}/src/compat/OpenVINOConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/OpenVINOConfig-version.cmake
        DESTINATION ${fuseq_compat}/cmake COMPONENT dev)
