// SPDX-License-Identifier: BSD-2-Clause
// Models and states in files: XML with every number exact, so that what was saved and loaded steps
// with the same bits. Shapes are written as in scene files.
#pragma once

#include <string>
#include <string_view>

#include "tactum/sim/model.hpp"

namespace tactum::sim {

/// Writes a file; the old one stays until the new one is complete. Throws InvalidInput where it
/// cannot be written.
void save_model(const Model& model, const std::string& path);
std::string model_text(const Model& model);

/// Reads what was saved. The file is treated as hostile: InvalidInput names the line of the error.
Model load_model(const std::string& path);
Model model_from_text(std::string_view text, const std::string& name = "model");

/// A state with the contact forces that the next step begins from. Whether it fits a model shows
/// when a step begins.
void save_state(const State& state, const std::string& path);
std::string state_text(const State& state);
State load_state(const std::string& path);
State state_from_text(std::string_view text, const std::string& name = "state");

}  // namespace tactum::sim
