// SPDX-License-Identifier: BSD-2-Clause
// Marks functions that are compiled for the host and, by nvcc, for the device too.
//
// The headers of this folder that use it hold the mathematics of the kernels. They use no Eigen, no
// containers and no exceptions, so a machine without a GPU compiles and tests what the GPU runs.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#ifdef __CUDACC__
#define TACTUM_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define TACTUM_HOST_DEVICE inline
#endif
