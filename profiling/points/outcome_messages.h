// profiling/points/outcome_messages.h: what is kept beside figures: curves, pictures, iterations,
// named baselines, compilations, outputs of two variants compared with each other, and verdicts of
// hard cases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"
#include "profiling/points/point.h"

// All of them are messages of a session: recorded, replayed and exported like measurements.

namespace warpscope {

// A curve that a run produced: the loss of each training step.
struct Series {
  std::int64_t job = 0;
  PointId point;
  std::string name, label;   // "loss", "training loss"
  std::string along, unit;   // of x: "step"; of y
  std::vector<double> x, y;  // of equal length
  bool partial = false;      // it grows: a later message of the same name takes its place
  // In a message: these points go after those that are there, in place of any from x[0] on.
  bool continues = false;
};

// For a training: the seconds that all steps of an epoch took one after the other, plotted over the
// step that ended it. They include the copies of batches to the device and of losses back, but not
// the held-out images.
inline constexpr const char* kEpochTime = "epoch_time";

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
  std::int64_t number = 0, parent = 0;      // from 1; parent 0: the beginning
  std::string scene, variant;               // what was changed
  std::map<std::string, std::string> axes;  // of the problem or the variant, as typed; others: any
  std::string hypothesis;                   // the author's, one line
  std::string problem;                      // where it was noted: problem_key; empty: anywhere
  std::string code_id, diff;  // against the parent; diff: unified, empty where unknown
  std::string scene_text;     // SceneText::hash of the folder as it stood; empty: no folder
  std::string said;           // what the article or the author claimed of it
  std::vector<MetricValue> predicted, measured;
  std::string verdict;  // against the parent: "1.42× faster"
  Decision decision = Decision::open;
  std::string date, device, device_uuid;
};

// A point that others are compared with, under a name that a person gave.
struct NamedBaseline {
  std::string id;        // a later line with it replaces an earlier one
  std::string name;      // "before tiling"
  std::string session;   // name of the file that it was taken from; empty: measured in this session
  bool removed = false;  // nothing is compared with it any more; then there is no point
  Measurement point;
};

// What the compiler alone says of a variant's kernels on one architecture: nothing of it ran.
struct Compilation {
  std::int64_t job = 0;
  PointId point;  // of no device
  Configuration axes;
  Facts facts;
  int compute_capability = 0;     // that it was compiled for: 90
  std::string toolkit;            // "13.0" (NVRTC)
  std::string refusal;            // why the variant does not run there at all; empty: it may
  std::vector<StepRecord> steps;  // of kernels, each with its launch and resources or a refusal
};

// One output of two variants, element by element.
struct OutputDifference {
  std::string output, type;      // name of the buffer; "f16"
  std::int64_t elements = 0;     // of it
  std::int64_t bit_equal = 0;    // … that have the same bits in both
  std::int64_t not_numbers = 0;  // … that differ and are not a number in one of the two, or in both
  // The largest difference of the others, in steps from one number of the type to the next (of an
  // integer, its difference); 0: there is none.
  double most_ulps = 0;
  std::string at;              // the first element that differs so: "out[3, 17]"; empty: none does
  double here = 0, there = 0;  // its values in the first and the second variant
};

// The outputs of two variants of one scene at one configuration of the problem, bit by bit.
struct OutputPair {
  std::int64_t job = 0;
  PointId first, second;  // of the device that ran both, or of the emulator
  Conditions conditions;
  Verdict first_verdict, second_verdict;  // each against its own reference
  std::string refusal;                    // why there is nothing to compare; empty: there is
  std::vector<OutputDifference> outputs;
};

// An element of an output that is not what the reference says. Values are texts, because a NaN or
// an infinity is what they often are.
struct WrongElement {
  std::string at;               // "c[17, 3]"
  std::string found, expected;  // "nan", "0.75"
};

// How a variant stood a hard case of its scene (scenes/base/hard_case.h), on the emulator. No point
// of a session: the case may have changed the inputs.
struct HardVerdict {
  std::int64_t job = 0;
  PointId point;          // of no device
  std::string hard_case;  // its name
  Configuration axes;
  Conditions conditions;
  Verdict verdict;
  bool finding = false;  // it failed, and not as a lesson wants it
  std::optional<WrongElement> first_wrong;
};

}  // namespace warpscope
