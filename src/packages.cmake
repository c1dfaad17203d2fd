# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Debian packages of the installed components: `cpack --config build/release/CPackConfig.cmake` writes
# libfuseq0, libfuseq-dev, fuseq-tools and, where it is built, python3-fuseq to build/release/packages.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fuseq)
set(CPACK_PACKAGE_VENDOR "Fuseq authors")
set(CPACK_PACKAGE_CONTACT "Fuseq authors <fuseq@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs quantized neural networks on x86 CPUs")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# Dependencies on the libraries that a package's own files link; libraries of these packages find each other here.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libfuseq0)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libfuseq-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME fuseq-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Library, devices and readers of model formats.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, find_package(fuseq) and pkg-config.")
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The programs infer, benchmark_app, explain and quantize.")
set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)
include(CPack)
