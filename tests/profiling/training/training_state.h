// tests/profiling/training/training_state.h: a training of `autoencoder` that has come some way.
#pragma once

#include <cstring>
#include <vector>

#include "profiling/messages/training_state.h"
#include "scenes/catalogue.h"
#include "scenes/training.h"

namespace warpscope::sample {

inline const Scene& learning_scene() { return *built_in_catalogue().find("autoencoder").value(); }

inline TrainingState training_state() {
  TrainingState state;
  state.job = 7;
  state.scene = "autoencoder";
  state.variant = "step_nchw";
  state.axes = {{"part", "step"}, {"batch", "2"}, {"channels", "4"},   {"size", "8"},
                {"lr", "0.05"},   {"seed", "42"}, {"data", "built-in"}};
  state.settings = {{"samples", "8"}, {"epochs", "3"}};
  state.step = 5;
  state.steps = 12;
  state.epoch = 1;
  state.epoch_loss = 0.1 + 0.2;  // no short decimal
  state.first_loss = 1.0 / 3;
  const Configuration axes = *configured(learning_scene(), state.variant, state.axes);
  std::vector<float> values(
      static_cast<std::size_t>(weight_count(*learning_scene().training, axes)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i) - 3;
  state.weights.resize(values.size() * sizeof(float));
  std::memcpy(state.weights.data(), values.data(), state.weights.size());
  return state;
}

inline Configuration axes_of(const TrainingState& state) {
  return *configured(learning_scene(), state.variant, state.axes);
}

}  // namespace warpscope::sample
