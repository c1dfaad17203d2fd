# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs into an empty folder, builds a user's project against it, and runs that on both devices.
#   cmake -D SOURCE=... -D BUILD=... -D WORK=... -D COMPILER=... -P install_test.cmake
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGV}\n${text}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/user -B ${WORK}/user -G Ninja
    -D CMAKE_PREFIX_PATH=${WORK}/installed -D CMAKE_CXX_COMPILER=${COMPILER}
    -D HELLO=${SOURCE}/samples/hello_infer/main.cpp)
run(${CMAKE_COMMAND} --build ${WORK}/user)
foreach(device REFERENCE CPU)
    run(${WORK}/user/user ${SOURCE}/samples/models/residual_cnn.xml ${device})
endforeach()
run(${WORK}/installed/bin/infer -h)
file(REMOVE_RECURSE ${WORK})
