// workbench/commands/doctor.cpp: what works here, what does not, and what to do about it.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenes/host/build_stamp.h"
#include "scenes/host/cache.h"
#include "scenes/host/paths.h"
#include "workbench/commands/commands.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What is found: lines as they come, or JSON at the end.
class DoctorLines {
 public:
  explicit DoctorLines(bool as_json) : as_json_(as_json) {}
  void line(bool good, const std::string& name, const std::string& words) {
    if (as_json_) {
      rows_.push_back({{"name", name}, {"works", good}, {"words", words}});
    } else {
      std::printf("%s %-14s %s\n", good ? "✔" : "–", name.c_str(), words.c_str());
    }
  }
  void finish() const {
    if (as_json_)
      std::printf("%s\n",
                  rows_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }

 private:
  bool as_json_;
  nlohmann::json rows_ = nlohmann::json::array();
};

// Whether an engine answers and can measure: it has a device and a compiler.
bool check_engine(const EngineChoice& choice, DoctorLines& findings) {
  EngineClient client(engine_command(choice));
  client.start();
  DelayReport report;
  while (!client.given_up()) {
    client.wait(0.05);
    report.look(client.delay());
    for (const Message& message : client.poll()) {
      const auto* hello = std::get_if<Hello>(&message);
      if (hello == nullptr || client.given_up()) continue;
      findings.line(true, "engine", hello->build);
      bool usable = hello->device.has_value();
      std::map<std::string, std::string> lacking;  // a reason, and the first that it was given for
      for (const Capability& c : hello->capabilities) {
        const std::string why = c.reason + "; " + c.remedy;
        const auto [first, is_new] = lacking.emplace(c.available ? "" : why, c.name);
        findings.line(c.available, c.name,
                      c.available ? c.version + (c.reason.empty() ? "" : "; " + c.reason)
                      : is_new    ? why
                                  : "as " + first->second);
        if (c.name == "nvrtc" && c.available)
          findings.line(true, "emulator", "kernels are compiled and run on the CPU, without a GPU");
        if (c.name == "cuda" || c.name == "nvrtc") usable = usable && c.available;
      }
      return usable;
    }
  }
  findings.line(false, "engine", sentence(*client.trouble()));
  return false;
}

// Runs a program with this one's streams and returns its exit status; no value: it did not run.
std::optional<int> run_here(const std::vector<std::string>& command) {
  std::fflush(stdout);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = -1;
  if (::posix_spawnp(&child, words.front(), nullptr, nullptr, words.data(), environ) != 0)
    return std::nullopt;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

// Brings NVIDIA's wheels once their licence is accepted. Returns the exit status.
int fetch_wheels(bool accepted) {
  const Result<fs::path> home = home_folder();
  if (!home) return fail(home.error());
  const std::optional<fs::path> folder = fetched_toolkit();
  if (!folder)
    return fail({ErrorKind::environment, "there is no folder of your own for them",
                 "doctor --fetch", "set HOME or XDG_DATA_HOME"});
  const fs::path packaging = *home / "assets" / "packaging";
  std::vector<std::string> command = {"python3", (packaging / "fetch_wheels.py").string(),
                                      folder->string()};
  std::error_code ignored;
  std::vector<const char*> lists = {"kernels.txt", "disassembler.txt"};
  if (fs::exists("/dev/nvidia0", ignored)) lists.push_back("counters.txt");
  for (const char* list : lists) command.push_back((packaging / "wheels" / list).string());
  if (accepted) command.emplace_back("--accept-licence");
  if (const std::optional<int> ended = run_here(command)) return *ended == 0 ? 0 : 3;
  return fail({ErrorKind::environment, "python3 does not start, and pip is needed for it",
               "doctor --fetch", "install python3 and python3-venv"});
}

}  // namespace

void declare_doctor(CLI::App& command, int& status) {
  struct Options {
    EngineChoice choice;
    bool fetch = false, accepted = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::Option* fetch = command.add_flag(
      "--fetch", options->fetch,
      "show the licence of NVIDIA's compiler and disassembler, and install them for you alone");
  command
      .add_flag("--accept-licence", options->accepted,
                "with --fetch: you know the licence and agree, so do not ask")
      ->needs(fetch);
  command.add_flag("--json", options->json, "print JSON")->excludes(fetch);
  declare_engine_options(command, options->choice);
  command.callback([options, &status] {
    const EngineChoice* const choice = &options->choice;
    if (options->fetch) {
      status = fetch_wheels(options->accepted);
      if (status != 0) return;
    }
    DoctorLines findings(options->json);
    findings.line(true, "warpscope", build_stamp());
    const Result<std::filesystem::path> home = home_folder();
    findings.line(home.has_value(), "files",
                  home ? "kernels and assets in " + home->string() : sentence(home.error()));
    const std::size_t sessions = recorded_sessions().size();
    findings.line(sessions > 0, "sessions", std::to_string(sessions) + " recorded");
    const Result<Cache> cache = Cache::open();
    findings.line(cache.has_value(), "cache",
                  cache ? cache->folder().string() : sentence(cache.error()));
    const bool measures = check_engine(*choice, findings);
    status = home && measures ? 0 : 3;
    if (const auto screen = Offscreen::create(64, 64)) {
      findings.line(true, "drawing", "offscreen by " + (*screen)->renderer());
    } else {
      findings.line(false, "drawing", sentence(screen.error()));
    }
    const bool fonts = std::filesystem::exists("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
    findings.line(
        fonts, "fonts",
        fonts ? "DejaVu"
              : "DejaVu is not installed, so ImGui's own font is used; install fonts-dejavu-core");
    findings.finish();
  });
}

}  // namespace warpscope
