# SPDX-License-Identifier: BSD-2-Clause
# Builds and runs one consumer project, in a folder of its own. Called by ctest with CONSUMER, SOURCE_DIR, BUILD_DIR,
# GENERATOR, COMPILER, LAUNCHER, EIGEN and BUILD_TYPE.
#
# That folder lies beside the build folder: a compiler cache may name the sources relative to the folder where the
# compiler runs, and finds an object again only from a folder as deep. With the same Eigen, the library is then not
# compiled once more.
set(work "${BUILD_DIR}-${CONSUMER}")
set(prefix "${work}/prefix")
set(project "${SOURCE_DIR}/tests/consumers/${CONSUMER}")

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "consumer ${CONSUMER}: this step ended with ${code}")
  endif()
endfunction()

set(arguments -G "${GENERATOR}" -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
              -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
if(CONSUMER STREQUAL "find_package")
  # a stale header or library must not help the consumer along
  file(REMOVE_RECURSE "${work}")
  step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
  list(APPEND arguments -D CMAKE_PREFIX_PATH=${prefix})
else()
  list(APPEND arguments -D TACTUM_SOURCE_DIR=${SOURCE_DIR} -D Eigen3_DIR=${EIGEN})
endif()
step("${CMAKE_COMMAND}" -S "${project}" -B "${work}" ${arguments})
step("${CMAKE_COMMAND}" --build "${work}" --parallel 2)
step("${work}/consumer")
