// profiling/capture/injected/taken_launch.h: one launch of the program, saved before and after it
// is made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/capture/injected/driver.h"
#include "profiling/capture/injected/encoded_maps.h"
#include "profiling/capture/injected/loaded_code.h"
#include "profiling/capture/selection.h"
#include "profiling/capture/settings.h"

// The program is held for as long as both calls take, each at most the settings' limit. Whatever
// goes wrong, the launch itself is made.
//
//   Result<TakenLaunch> taken = TakenLaunch::begin(driver, code, settings, launch, …);
//   // the launch is made
//   Result<std::uint64_t> bytes = taken->end();

namespace warpscope {

// Told how much memory was saved, of how much, before and after together. False: give it up.
using SaveProgress = std::function<bool(std::uint64_t done_bytes, std::uint64_t of_bytes)>;

// What the program had the driver load and make before.
struct ProgramParts {
  LoadedCode code;
  EncodedMaps maps;
  std::optional<LaunchSelection> wanted;  // code is kept of kernels that it names
};

struct LaunchPlace {
  std::string file;         // that it is written to
  std::string range;        // NVTX ranges that it is made in
  std::int64_t number = 0;  // which match it is
  SaveProgress progress;    // null: nobody is told
};

class TakenLaunch {
 public:
  // error: one sentence why the launch cannot be taken: it is recorded into a graph, it waits for
  // other GPUs, its memory is beyond the budget, the device does not come to rest, there is no
  // space.
  static Result<TakenLaunch> begin(const CaptureDriver& driver, const ProgramParts& parts,
                                   const CaptureSettings& settings, const SeenLaunch& launch,
                                   const LaunchPlace& place);
  TakenLaunch(TakenLaunch&&) noexcept;
  TakenLaunch& operator=(TakenLaunch&&) noexcept;
  ~TakenLaunch();  // one that did not end leaves no file

  // Memory after the launch; the bytes of the file. error: as begin; fault: the launch failed.
  Result<std::uint64_t> end();

 private:
  struct State;
  explicit TakenLaunch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whether the kernel waits for kernels of other GPUs, of which a replay has none.
bool waits_for_other_gpus(std::string_view symbol);

}  // namespace warpscope
