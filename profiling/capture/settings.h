// profiling/capture/settings.h: what `warpscope capture` asks of the library in a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpscope {

inline constexpr const char* kSettingsVariable = "WARPSCOPE_CAPTURE";

// Goes to the program as JSON in an environment variable.
struct CaptureSettings {
  std::string socket;          // of the command, which is told what is seen
  std::string folder;          // that captured launches are written into
  std::string cupti;           // path of a libcupti; empty: the system's
  bool without_cupti = false;  // launches are seen at the driver's entry points instead
  // Which launches are taken. Regular expressions are searched for in the name, mangled or not.
  bool take = false;
  bool live = false;          // … and those that are asked for while it runs (requests.h)
  std::string kernel, range;  // empty: any
  std::string symbol;         // exactly this kernel; empty: any
  std::int64_t number = 1;    // which match is taken, from 1
  bool every_shape = false;   // one of each kernel and launch shape instead
  std::int64_t most = 1;      // captures of one process
  bool times = false;         // events around every launch
  bool data = true;           // false: memory is not saved
  std::uint64_t budget_bytes = std::uint64_t{1} << 30;
  double limit_s = 10;  // that the program is held for one launch
};

std::string settings_text(const CaptureSettings& settings);
// No value: the text is not one of settings_text.
std::optional<CaptureSettings> settings_of(const std::string& text);

}  // namespace warpscope
