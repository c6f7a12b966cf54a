# SPDX-License-Identifier: BSD-2-Clause
# The queries on NVIDIA GPUs: library tactum::gpu, its Python module, and the programs that test and time it.
include(CheckLanguage)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # machine code for Hopper with its products of four warps, and what later devices translate for themselves
  set(CMAKE_CUDA_ARCHITECTURES 90a-real 90-virtual)
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "TACTUM_BUILD_GPU needs CUDA's compiler nvcc, version 12 or later, and it was not found: install the CUDA toolkit, or set "
                      "CMAKE_CUDA_COMPILER to the path of nvcc")
endif()
enable_language(CUDA)

function(tactum_cuda_options target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  # the language is given as an option, because CMake 3.25 does not know which ones CUDA 13 has;
  # Eigen marks defaulted functions for the device, which nvcc remarks on; none of them is called there
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -prec-div=false -prec-sqrt=false -ftz=true --expt-relaxed-constexpr -diag-suppress=20012,20013,20015>)
endfunction()

file(GLOB tactum_gpu_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/gpu/*.cu")
add_library(tactum_gpu SHARED ${tactum_gpu_sources})
add_library(tactum::gpu ALIAS tactum_gpu)
set_target_properties(tactum_gpu PROPERTIES EXPORT_NAME gpu)
target_link_libraries(tactum_gpu PUBLIC tactum::tactum)
tactum_cuda_options(tactum_gpu)

foreach(name test bench)
  add_executable(tactum_gpu_${name} "${PROJECT_SOURCE_DIR}/tools/gpu/gpu_${name}.cu")
  target_link_libraries(tactum_gpu_${name} PRIVATE tactum::gpu Threads::Threads)
  tactum_cuda_options(tactum_gpu_${name})
endforeach()

# ----------------------------------------------------------------------------------------------------------------- Python
# The extension tactum._gpu, where there is nanobind to build it with.
find_package(Python 3.10 COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(Python_FOUND)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
                  ERROR_QUIET RESULT_VARIABLE nanobind_missing)
endif()
if(Python_FOUND AND nanobind_missing EQUAL 0)
  find_package(nanobind REQUIRED CONFIG)
  find_package(CUDAToolkit REQUIRED)
  nanobind_add_module(_gpu STABLE_ABI NB_STATIC "${PROJECT_SOURCE_DIR}/python/gpu/module.cpp")
  target_link_libraries(_gpu PRIVATE tactum::gpu CUDA::cudart_static)
  target_compile_options(_gpu PRIVATE -Wall -Wextra)
  if(SKBUILD)
    set_target_properties(tactum_gpu _gpu PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS tactum_gpu _gpu LIBRARY DESTINATION tactum)
  endif()
else()
  message(STATUS "The Python module tactum._gpu is not built: there is no Python with nanobind")
endif()

if(TACTUM_INSTALL AND NOT SKBUILD)
  install(TARGETS tactum_gpu EXPORT tactumTargets)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tactum/gpu" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tactum")
endif()
