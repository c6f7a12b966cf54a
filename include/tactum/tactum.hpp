// SPDX-License-Identifier: BSD-2-Clause
// Everything, in pipeline order.
#pragma once

#include "tactum/batch.hpp"
#include "tactum/contact_pose.hpp"
#include "tactum/contact_problem.hpp"
#include "tactum/contact_solver.hpp"
#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"
#include "tactum/distances.hpp"
#include "tactum/pose.hpp"
#include "tactum/shape.hpp"
#include "tactum/shape_table.hpp"
#include "tactum/signed_distance.hpp"
#include "tactum/solution_derivative.hpp"
#include "tactum/status.hpp"
#include "tactum/version.hpp"
#include "tactum/warm_start.hpp"
