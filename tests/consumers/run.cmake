# SPDX-License-Identifier: BSD-2-Clause
# Builds and runs one consumer project, in a folder of its own. Called by ctest with CONSUMER, SOURCE_DIR, BUILD_DIR,
# GENERATOR, COMPILER, LAUNCHER, EIGEN, BUILD_TYPE and VERSION.
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
if(NOT CONSUMER STREQUAL "add_subdirectory")
  # a stale header or library must not help the consumer along
  file(REMOVE_RECURSE "${work}")
  step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
endif()
if(CONSUMER STREQUAL "pkg_config")
  # no CMake on the side of the user: a compiler and what tactum.pc says, of a folder that was moved
  file(RENAME "${prefix}" "${work}/moved")
  file(GLOB_RECURSE pc_file "${work}/moved/tactum.pc")
  get_filename_component(pc_folder "${pc_file}" DIRECTORY)
  get_filename_component(library_folder "${pc_folder}" DIRECTORY)
  step(sh -c "PKG_CONFIG_PATH='${pc_folder}' pkg-config --exact-version=${VERSION} tactum")
  step(sh -c "${COMPILER} -std=c++20 '${SOURCE_DIR}/tests/consumers/consumer.cpp' -o '${work}/consumer' -Wl,-rpath,'${library_folder}' \
       $(PKG_CONFIG_PATH='${pc_folder}' pkg-config --cflags --libs tactum)")
  step("${work}/consumer")
  return()
endif()
if(CONSUMER STREQUAL "find_package")
  list(APPEND arguments -D CMAKE_PREFIX_PATH=${prefix})
else()
  list(APPEND arguments -D TACTUM_SOURCE_DIR=${SOURCE_DIR} -D Eigen3_DIR=${EIGEN})
endif()
step("${CMAKE_COMMAND}" -S "${project}" -B "${work}" ${arguments})
step("${CMAKE_COMMAND}" --build "${work}" --parallel 2)
step("${work}/consumer")
