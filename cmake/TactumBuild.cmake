# SPDX-License-Identifier: BSD-2-Clause
# How tactum's own code is compiled: tactum_compile_options(target) sets warnings, floating-point rules and sanitizers.
#
# Nothing here leaks to users of the library. There is no -march=native and no -ffast-math: the same input gives the same bits on
# every machine, and Eigen's memory layout never depends on the machine that compiled.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  find_program(TACTUM_CCACHE ccache)
  if(TACTUM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TACTUM_CCACHE}")
  endif()
endif()

# a build that runs under pip finds Eigen and Qhull among its build requirements, which lie in a folder cmeel.prefix
if(SKBUILD)
  foreach(tactum_site IN LISTS CMAKE_PREFIX_PATH)
    if(IS_DIRECTORY "${tactum_site}/cmeel.prefix")
      list(PREPEND CMAKE_PREFIX_PATH "${tactum_site}/cmeel.prefix")
    endif()
  endforeach()
endif()

if(NOT TACTUM_SANITIZE STREQUAL "" AND NOT TACTUM_SANITIZE MATCHES "^(address|thread)$")
  message(FATAL_ERROR "TACTUM_SANITIZE is \"${TACTUM_SANITIZE}\"; give address, thread or nothing")
endif()

# Half of the time an instrumented file takes to compile is the headers that most files share: these are precompiled there. In other
# builds they are not, because objects that use a precompiled header are not shared between build folders by the compiler's cache, and
# because some build must see that every file includes what it uses.
set(tactum_frequent_headers "")
set(CMAKE_PCH_PROLOGUE "") # or else warnings in precompiled headers would be silent
if(TACTUM_SANITIZE OR TACTUM_COVERAGE)
  set(tactum_frequent_headers <Eigen/Dense> <algorithm> <array> <cmath> <functional> <limits> <memory> <span> <string> <vector>
                              <tactum/distance.hpp> <shape/support/core_support.hpp>)
endif()

function(tactum_compile_options target)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wold-style-cast)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # these two cry wolf: the first in Eigen's inlined expressions, the second in GCC 12's own std::string
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-restrict -Wduplicated-cond -Wlogical-op)
  else()
    # clang moves divisions past the test that guards them unless it is told that a trap would be seen; it also takes the wanted
    # step from double to long double for the unwanted one from float to double
    target_compile_options(${target} PRIVATE -ffp-exception-behavior=maytrap -Wno-double-promotion)
  endif()
  if(TACTUM_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  set(instrument "")
  if(TACTUM_SANITIZE STREQUAL "address")
    # the checks at every reference cost a third of the compile time, and what they would find, the address sanitizer or the processor does too
    set(instrument -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
                   -fno-sanitize=null,alignment,object-size,vptr,return,nonnull-attribute)
  elseif(TACTUM_SANITIZE STREQUAL "thread")
    set(instrument -fsanitize=thread -fno-omit-frame-pointer)
  endif()
  if(TACTUM_COVERAGE)
    list(APPEND instrument -fprofile-instr-generate -fcoverage-mapping)
  endif()
  if(instrument)
    target_compile_options(${target} PRIVATE ${instrument})
    target_link_options(${target} PRIVATE ${instrument})
  endif()
endfunction()
