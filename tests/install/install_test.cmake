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
# The samples that are projects of their own, copied out of the tree.
foreach(sample hello_infer hello_c)
    file(COPY ${SOURCE}/samples/${sample} DESTINATION ${WORK}/user)
    run(${CMAKE_COMMAND} -S ${WORK}/user/${sample} -B ${WORK}/user/${sample}/build -G Ninja
        -D CMAKE_PREFIX_PATH=${WORK}/installed -D CMAKE_CXX_COMPILER=${COMPILER})
    run(${CMAKE_COMMAND} --build ${WORK}/user/${sample}/build)
    foreach(device REFERENCE CPU)
        run(${WORK}/user/${sample}/build/${sample} ${SOURCE}/samples/models/residual_cnn.xml ${device})
    endforeach()
endforeach()
run(${WORK}/installed/bin/infer -h)

# A program for OpenVINO, and one in C: found only when somebody says where.
file(WRITE ${WORK}/picture.ppm "P6 2 2 255\n............")
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/openvino_user -B ${WORK}/openvino_user -G Ninja
    -D OpenVINO_DIR=${WORK}/installed/lib/fuseq/compat/cmake -D CMAKE_CXX_COMPILER=${COMPILER}
    -D PROGRAMS=${SOURCE}/tests/compat/programs)
run(${CMAKE_COMMAND} --build ${WORK}/openvino_user)
foreach(program cxx_user c_user)
    run(${WORK}/openvino_user/${program} ${SOURCE}/samples/models/residual_cnn.xml ${WORK}/picture.ppm CPU)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/install/openvino_user -B ${WORK}/not_found -G Ninja
                        -D CMAKE_PREFIX_PATH=${WORK}/installed -D PROGRAMS=${SOURCE}/tests/compat/programs
                RESULT_VARIABLE found OUTPUT_QUIET ERROR_QUIET)
if(found EQUAL 0)
    message(FATAL_ERROR "find_package(OpenVINO) found Fuseq without being told to")
endif()
file(REMOVE_RECURSE ${WORK})
