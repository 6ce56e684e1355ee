// profiling/plans/sweep_state.h: the progress of a sweep, in a file beside its session that other
// programs read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// The file SESSION.state is JSON, written anew every two seconds while the sweep runs, and gone
// when all points have an answer.
//
//   const auto state = read_sweep_state("sweep.wsj");
//   if (state && is_running(*state)) show(state->done, state->of);

namespace warpscope {

struct SweepDeviceState {
  std::string name, doing;  // "device 0: NVIDIA H200 (GPU-c84b)"; "csrmm/auto n=64: warm samples"
  std::int64_t points = 0, deaths = 0;
  bool gone = false;  // it is lost; `doing` says why
};
struct SweepState {
  std::string host;          // where it runs
  std::int64_t process = 0;  // its number there
  std::string command;       // that goes on with it
  // What that command names: the plan's file, and --chunk, --devices and --ssh as they were given.
  std::string plan, chunk, wanted_devices, ssh;
  std::int64_t done = 0, of = 0;
  double left_s = 0;  // expected; 0: not known
  std::string ended;  // why it ended before all points had an answer; empty: it runs
  std::vector<SweepDeviceState> devices;
};

std::filesystem::path sweep_state_file(const std::filesystem::path& session);
std::string to_text(const SweepState& state);
// error: input.
Result<SweepState> parse_sweep_state(std::string_view text);
// No value: there is none, or it cannot be read.
std::optional<SweepState> read_sweep_state(const std::filesystem::path& session);
// No value: it runs on another machine, so that only its last state is known.
std::optional<bool> is_running(const SweepState& state);
// Asks the program of a sweep that runs on this machine to end; what was measured stays. error:
// usage: it runs elsewhere, or not at all; environment: it is another user's.
Result<void> ask_to_end(const SweepState& state);
std::string host_name();

}  // namespace warpscope
