// SPDX-License-Identifier: BSD-2-Clause
// Finds the queries on which a peer never comes back, by asking them in a child process that can be
// ended.
#pragma once

#include <functional>
#include <vector>

namespace tactum::compare {

/// Runs query(0) ... query(count - 1) in a child process and says which took more than a tenth of a
/// second of processor time. Throws std::runtime_error when the system gives no child.
std::vector<bool> find_endless(int count, const std::function<void(int)>& query);

}  // namespace tactum::compare
