// SPDX-License-Identifier: BSD-2-Clause
// Everything, in pipeline order.
#pragma once

#include "tactum/distance.hpp"
#include "tactum/pose.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"
#include "tactum/version.hpp"
