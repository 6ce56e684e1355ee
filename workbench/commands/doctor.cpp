// workbench/commands/doctor.cpp: what works here, what does not, and what to do about it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>

#include "scenes/host/build_stamp.h"
#include "scenes/host/cache.h"
#include "scenes/host/paths.h"
#include "workbench/commands/commands.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

void line(bool good, const std::string& name, const std::string& words) {
  std::printf("%s %-14s %s\n", good ? "✔" : "–", name.c_str(), words.c_str());
}

// Whether an engine answers and can measure: it has a device and a compiler.
bool check_engine(const EngineChoice& choice) {
  EngineClient client(engine_command(choice));
  client.start();
  DelayReport report;
  while (!client.given_up()) {
    client.wait(0.05);
    report.look(client.delay());
    for (const Message& message : client.poll()) {
      const auto* hello = std::get_if<Hello>(&message);
      if (hello == nullptr || client.given_up()) continue;
      line(true, "engine", hello->build);
      bool usable = hello->device.has_value();
      std::map<std::string, std::string> lacking;  // a reason, and the first that it was given for
      for (const Capability& c : hello->capabilities) {
        const std::string why = c.reason + "; " + c.remedy;
        const auto [first, is_new] = lacking.emplace(c.available ? "" : why, c.name);
        line(c.available, c.name,
             c.available ? c.version + (c.reason.empty() ? "" : "; " + c.reason)
             : is_new    ? why
                         : "as " + first->second);
        if (c.name == "nvrtc" && c.available)
          line(true, "emulator", "kernels are compiled and run on the CPU, without a GPU");
        if (c.name == "cuda" || c.name == "nvrtc") usable = usable && c.available;
      }
      return usable;
    }
  }
  line(false, "engine", sentence(*client.trouble()));
  return false;
}

}  // namespace

void declare_doctor(CLI::App& command, int& status) {
  auto choice = std::make_shared<EngineChoice>();
  declare_engine_options(command, *choice);
  command.callback([choice, &status] {
    line(true, "warpscope", build_stamp());
    const Result<std::filesystem::path> home = home_folder();
    line(home.has_value(), "files",
         home ? "kernels and assets in " + home->string() : sentence(home.error()));
    const std::size_t sessions = recorded_sessions().size();
    line(sessions > 0, "sessions", std::to_string(sessions) + " recorded");
    const Result<Cache> cache = Cache::open();
    line(cache.has_value(), "cache", cache ? cache->folder().string() : sentence(cache.error()));
    const bool measures = check_engine(*choice);
    status = home && measures ? 0 : 3;
    if (const auto screen = Offscreen::create(64, 64)) {
      line(true, "drawing", "offscreen by " + (*screen)->renderer());
    } else {
      line(false, "drawing", sentence(screen.error()));
    }
    const bool fonts = std::filesystem::exists("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
    line(fonts, "fonts",
         fonts ? "DejaVu"
               : "DejaVu is not installed, so ImGui's own font is used; install fonts-dejavu-core");
  });
}

}  // namespace warpscope
