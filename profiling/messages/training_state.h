// profiling/messages/training_state.h: how far a training has come: all that it needs to go on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpscope {

// Made by an engine after a whole step, kept by the workbench as a checkpoint. It holds no curve:
// those are the session's.
struct TrainingState {
  std::int64_t job = 0;
  std::string scene, variant;
  std::map<std::string, std::string> axes;      // of the point, as typed
  std::map<std::string, std::string> settings;  // of the training: samples, epochs
  std::int64_t step = 0, steps = 0, epoch = 0;  // done, of all; whole epochs done
  double epoch_loss = 0;                        // sum over the steps of the epoch under way
  double first_loss = 0;                        // of the first step
  // The learnt numbers as bytes of f32, little-endian, in the scene's one order.
  std::vector<std::uint8_t> weights;
};

// The codes that the network gives the inputs that are held out.
struct Latents {
  std::int64_t job = 0;
  std::int64_t first = 0;           // which of them begins it
  std::vector<std::int64_t> shape;  // {64, 128, 8, 8}
  std::vector<std::uint8_t> values;
};

}  // namespace warpscope
