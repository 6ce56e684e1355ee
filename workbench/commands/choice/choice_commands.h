// workbench/commands/choice/choice_commands.h: fits automatic choices, and judges them on points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workbench/options/shared_options.h"

namespace warpscope {

// `warpscope tune --fit SCENE SESSION…`: prints or writes a fitted choice, and how it does on
// configurations that it has not seen. Returns the exit status.
struct ChoiceFitting {
  std::string scene;
  std::vector<std::string> sessions;
  std::string out;  // the file to write; empty: only say how it would do
  std::uint64_t seed = 1;
  bool json = false;
};
int run_tune_fit(const ChoiceFitting& options);

// `warpscope agree choice SCENE …`: compares what a fitted choice takes with the best variant, at
// recorded points or at configurations drawn and measured now. Returns the exit status: 1 if a goal
// is missed.
struct ChoiceAgreement {
  EngineChoice engine;
  std::vector<std::string> words;  // the scene, sessions, and axis=value for --random
  std::string model;               // a file of `tune --fit`; empty: the built-in choice
  int random = 0;
  std::uint64_t seed = 1;
  std::string plan;     // with --random: where to write a plan instead of measuring; empty: measure
  std::string session;  // judged; with --random everything is appended to it
  bool json = false;
};
int run_agree_choice(const ChoiceAgreement& options);

}  // namespace warpscope
