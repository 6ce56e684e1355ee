// profiling/points/outcome_messages.h: what runs leave beside figures: curves, pictures,
// iterations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"
#include "profiling/points/point.h"

// All three are messages of a session: recorded, replayed and exported like measurements.

namespace warpscope {

// A curve that a run produced: the loss of each training step.
struct Series {
  std::int64_t job = 0;
  PointId point;
  std::string name, label;   // "loss", "training loss"
  std::string along, unit;   // of x: "step"; of y
  std::vector<double> x, y;  // of equal length
  bool partial = false;      // it grows: a later message of the same name takes its place
};

// What a run produced, to look at: rows of 8-bit RGB from the top.
struct Picture {
  std::int64_t job = 0;
  PointId point;
  std::string name, caption;  // "reconstruction", "input | output | difference, first 8 images"
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // 3 · width · height bytes
};

enum class Decision { open, kept, reverted };
const char* to_text(Decision decision);  // "kept"

// A step of an optimisation story (the journal).
struct Iteration {
  std::int64_t number = 0, parent = 0;  // from 1; parent 0: the beginning
  std::string scene, variant;           // what was changed
  std::string hypothesis;               // the author's, one line
  std::string code_id, diff;            // against the parent; diff: unified, empty where unknown
  std::string said;                     // what the seed or the author claimed of it
  std::vector<MetricValue> predicted, measured;
  std::string verdict;  // against the parent: "1.42× faster"
  Decision decision = Decision::open;
  std::string date, device, device_uuid;
};

}  // namespace warpscope
