// profiling/engine/main.cpp: the process that runs kernels, on a GPU or on the emulator.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "profiling/engine/engine_loop.h"

int main(int count, char** arguments) {
  constexpr const char* kUsage =
      "usage: warpscope-engine --role measure|emulate [--device N] [--hands-off]\n"
      "It speaks one JSON object a line on stdin and stdout; the workbench starts it.\n";
  warpscope::EngineOptions options;
  std::string_view role;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const bool has_value = i + 1 < count;
    if (argument == "--role" && has_value) {
      role = arguments[++i];
    } else if (argument == "--device" && has_value) {
      const std::string_view text = arguments[++i];
      const auto end = std::from_chars(text.data(), text.data() + text.size(), options.device);
      if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
        std::fprintf(stderr, "--device: “%s” is not a number; give 0 for the first device\n",
                     arguments[i]);
        return 2;
      }
    } else if (argument == "--hands-off") {
      options.hands_off = true;
    } else {
      std::fputs(kUsage, stderr);
      return argument == "--help" ? 0 : 2;
    }
  }
  if (role != "measure" && role != "emulate") {
    std::fprintf(stderr, "--role must be measure or emulate\n%s", kUsage);
    return 2;
  }
  if (role == "emulate") {
    options.role = warpscope::EngineRole::emulate;
    // All cores are the emulator's, but the window's frames and what measures come first: by less
    // than the most, frames of a drag wait for it.
    constexpr int kGivesWay = 19;
    static_cast<void>(::nice(kGivesWay));
  }
  return warpscope::run_engine(options);
}
