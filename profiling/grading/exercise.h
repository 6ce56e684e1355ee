// profiling/grading/exercise.h: an exercise: what a student reads, and what a kernel must reach.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/grading/goal.h"
#include "scenes/host/result.h"

// An exercise is a scene's folder with an exercise.toml beside its scene.toml:
//
//   title = "saxpy: neighbouring lanes, neighbouring floats"
//   text = "…"                          # for the student
//   kernel = "saxpy.cu"                 # the file that a student edits and hands in
//   hints = ["…", "…"]
//   counted = [{ n = 65536 }]           # where goals are counted; the first is the one they name
//   hidden = [{ n = 1 }, { n = 1003 }]  # where the output must be right as well
//   [[goal]]
//   goal = "right at every size"
//   points = 4

namespace warpscope {

inline constexpr const char* kExerciseFile = "exercise.toml";

using AxisTexts = std::map<std::string, std::string>;  // as typed; others have their defaults

struct Exercise {
  std::string title, text, kernel;
  std::string variant = "yours", starter = "starter";  // of the scene
  std::vector<std::string> hints;
  std::vector<AxisTexts> counted;  // at least one
  std::vector<AxisTexts> hidden;
  AxisTexts timed;
  std::vector<Goal> goals;
  int line_of_sizes = 0;
};

// error: input, with the line and the nearest key.
Result<Exercise> parse_exercise(std::string_view text, const std::string& file);

// "n=1003, m=5"; "the scene's defaults" if no axis is named.
std::string axes_text(const AxisTexts& axes);

}  // namespace warpscope
