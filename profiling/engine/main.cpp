// profiling/engine/main.cpp: the process that runs kernels, on a GPU or on the emulator.
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "profiling/engine/process/engine_loop.h"
#include "scenes/host/program.h"

namespace {

int run(int count, char** arguments) {
  constexpr const char* kUsage =
      "usage: warpscope-engine --role measure|emulate [--device N] [--device-uuid U]\n             "
      "           [--hands-off] [--samples] [--wait S] [--silence S]\n--device-uuid: the UUID of "
      "the device or its beginning, instead of its number\n--samples: take samples of where warps "
      "wait, and do nothing else\n--wait: seconds to wait while another engine holds "
      "the device; --silence: seconds after\nwhich a silent workbench counts as gone. The engine "
      "reads and writes one JSON object per line on\nstdin and stdout; the workbench starts it.\n";
  warpscope::EngineOptions options;
  std::string_view role;
  const auto number = [&](std::string_view option, const char* text, auto& value) {
    const char* const last = text + std::strlen(text);
    const auto end = std::from_chars(text, last, value);
    const bool good = end.ec == std::errc() && end.ptr == last && text != last && value >= 0;
    if (!good) {
      std::fprintf(stderr, "%s: “%s” is not a number from 0 up\n", std::string(option).c_str(),
                   text);
    }
    return good;
  };
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const bool has_value = i + 1 < count;
    if (argument == "--role" && has_value) {
      role = arguments[++i];
    } else if (argument == "--device" && has_value) {
      if (!number(argument, arguments[++i], options.device)) return 2;
    } else if (argument == "--device-uuid" && has_value) {
      options.device_uuid = arguments[++i];
    } else if (argument == "--wait" && has_value) {
      if (!number(argument, arguments[++i], options.terms.wait_s)) return 2;
    } else if (argument == "--silence" && has_value) {
      if (!number(argument, arguments[++i], options.terms.silence_s)) return 2;
    } else if (argument == "--hands-off") {
      options.hands_off = true;
    } else if (argument == "--samples") {
      options.samples = true;
    } else {
      std::fputs(kUsage, stderr);
      return argument == "--help" ? 0 : 2;
    }
  }
  if (role != "measure" && role != "emulate") {
    std::fprintf(stderr, "--role must be measure or emulate\n%s", kUsage);
    return 2;
  }
  // A terminal sends Ctrl-C to all foreground processes. The program that started the engine
  // decides what ends, and a training first writes its last checkpoint. The engine ends with that
  // program in any case.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  if (role == "emulate") {
    options.role = warpscope::EngineRole::emulate;
    // All cores are the emulator's, but the window's frames and what measures come first: by less
    // than the most, frames of a drag wait for it.
    constexpr int kGivesWay = 19;
    static_cast<void>(::nice(kGivesWay));
  }
  warpscope::run_engine(options);
}

}  // namespace

int main(int count, char** arguments) {
  return warpscope::run_program("warpscope-engine", [&] { return run(count, arguments); });
}
