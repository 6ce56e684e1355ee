// workbench/commands/shared.cpp: what commands share: arguments, jobs, errors.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "scenes/registry.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

constexpr std::array<CommandRow, 13> kRows = {{
    {"list", "scenes, axes, variants and constraints", declare_list},
    {"measure", "time variants at one configuration, with counters if asked", declare_measure},
    {"sweep", "measure over ranges of axes", declare_sweep},
    {"trace", "emulated accesses of a kernel, by source line and instruction", declare_trace},
    {"verify", "hold outputs to their references: emulated, and on the GPU", declare_verify},
    {"roofs", "measure the roofs of the device", declare_roofs},
    {"render", "draw a panel of a session into a PNG", declare_render},
    {"play", "play a lesson", declare_play},
    {"export", "a session as CSV, JSON or a Perfetto trace, or packed", declare_export},
    {"report", "a session as Markdown and HTML with figures", declare_report},
    {"compare", "what changed between two sessions; 1 on a regression", declare_compare},
    {"agree", "a session's counters beside Nsight Compute's, the emulator's or the model's",
     declare_agree},
    {"doctor", "what works here, what does not, and what to do about it", declare_doctor},
}};

volatile sig_atomic_t interrupts = 0;
void on_interrupt(int) { interrupts = interrupts + 1; }

}  // namespace

std::span<const CommandRow> all_command_rows() { return kRows; }

void declare_engine_options(CLI::App& command, EngineChoice& choice) {
  command.add_option("--host", choice.host, "user@machine: run the engine there through ssh");
  command.add_option("--device", choice.device, "number of the GPU")->check(CLI::NonNegativeNumber);
  command.add_option("--engine", choice.path,
                     "path of warpscope-engine, on the host where one is given");
}

int fail(const Error& error) {
  std::fprintf(stderr, "warpscope: %s\n", sentence(error).c_str());
  return exit_status(error.kind);
}

int fail_jobs(const JobsFailure& failure) {
  return failure.said ? exit_status(failure.error.kind) : fail(failure.error);
}

Result<SceneAndVariants> scene_argument(const std::string& text) {
  const std::size_t slash = text.find('/');
  Result<const Scene*> scene = find_scene(text.substr(0, slash));
  if (!scene) return tl::unexpected(scene.error());
  SceneAndVariants found{*scene, {}};
  if (slash == std::string::npos) {
    for (const Variant& variant : (*scene)->variants) found.variants.push_back(&variant);
    return found;
  }
  Result<const Variant*> variant = find_variant_or_explain(**scene, text.substr(slash + 1));
  if (!variant) return tl::unexpected(variant.error());
  found.variants.push_back(*variant);
  return found;
}

Result<std::map<std::string, std::string>> axis_arguments(const std::vector<std::string>& words) {
  std::map<std::string, std::string> axes;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return failure(ErrorKind::usage, "“" + word + "” is not axis=value", "arguments",
                     "write, for example, n=256");
    }
    const std::string name = word.substr(0, equals);
    if (!axes.emplace(name, word.substr(equals + 1)).second) {
      return failure(ErrorKind::usage, "the axis is given twice", name,
                     "give it once; `warpscope sweep` takes " + name + "=a,b,c");
    }
  }
  return axes;
}

Result<Session> load_session(const std::string& path) {
  Result<SessionReading> reading = read_session(path);
  if (!reading) return tl::unexpected(reading.error());
  for (const std::string& warning : reading->warnings)
    std::fprintf(stderr, "warpscope: %s: %s\n", path.c_str(), warning.c_str());
  return std::move(reading->session);
}

Result<void> make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  // A file of that name is no failure to the library where the last part exists already.
  if (!failed && !std::filesystem::is_directory(path))
    failed = std::make_error_code(std::errc::not_a_directory);
  if (!failed) return {};
  return failure(ErrorKind::environment, "the folder cannot be made: " + failed.message(), path,
                 "choose a place that you may write to");
}

Result<std::unique_ptr<SessionFile>> session_option(const std::string& path) {
  if (path.empty()) return std::unique_ptr<SessionFile>{};
  Result<SessionFile> file = SessionFile::open(path);
  if (!file) return tl::unexpected(file.error());
  return std::make_unique<SessionFile>(std::move(*file));
}

bool device_answers(const EngineChoice& engine) {
  constexpr std::chrono::seconds kPatience(20);
  EngineClient probe(engine_command(engine));
  probe.start();
  const auto start = std::chrono::steady_clock::now();
  while (!probe.ready() && !probe.given_up() &&
         std::chrono::steady_clock::now() - start < kPatience) {
    probe.wait(0.05);
    static_cast<void>(probe.poll());
  }
  return probe.ready() && probe.hello()->device;
}

tl::expected<void, JobsFailure> run_jobs(const std::vector<std::string>& command,
                                         std::vector<Job> jobs, Session& session,
                                         SessionFile* file) {
  EngineClient client(command);
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  const auto say = [terminal](const std::string& words) {
    std::fprintf(stderr, "%swarpscope: %s\n", terminal ? "\r\x1b[K" : "", words.c_str());
  };
  std::optional<Error> not_kept;
  const auto keep = [&](const Message& message) {
    session.apply(message);
    const auto* measurement = std::get_if<Measurement>(&message);
    const bool passing = std::holds_alternative<Progress>(message) ||
                         (measurement != nullptr && measurement->partial);
    if (file == nullptr || passing || not_kept) return;
    if (Result<void> kept = file->append(message); !kept) {
      not_kept = kept.error();
      say(sentence(*not_kept));
    }
  };
  for (Job& job : jobs) {
    job.job = client.submit(job);
    keep(job);
  }
  interrupts = 0;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, &before);
  std::size_t done = 0;
  bool cancelled = false;
  std::optional<Error> no_device;
  while (!client.outstanding().empty() && interrupts < 2) {
    client.wait(0.1);
    for (const Message& message : client.poll()) {
      keep(message);
      if (const auto* hello = std::get_if<Hello>(&message); hello != nullptr && !hello->device) {
        const Capability* cuda = find_capability(*hello, "cuda");
        if (cuda != nullptr && !cuda->available)
          no_device = Error{ErrorKind::environment, cuda->reason, "engine", cuda->remedy};
      }
      // Why there is no engine or no device is said once, at the end.
      const bool once = no_device || client.given_up();
      const auto* log = std::get_if<LogLine>(&message);
      if (log != nullptr && log->level == "error" && !once) say(log->text);
      if (const auto* finished = std::get_if<Done>(&message)) {
        ++done;
        if (finished->error && !once) say(sentence(*finished->error));
      }
      const auto* progress = std::get_if<Progress>(&message);
      if (terminal && progress != nullptr)
        std::fprintf(stderr, "\r\x1b[K%zu of %zu · %s", done, jobs.size(), progress->text.c_str());
    }
    if (interrupts != 0 && !cancelled) {
      cancelled = true;
      client.cancel_all();
    }
  }
  if (terminal) std::fputs("\r\x1b[K", stderr);
  ::sigaction(SIGINT, &before, nullptr);
  const auto failed = [](Error error, bool said) {
    return tl::unexpected(JobsFailure{std::move(error), said});
  };
  if (no_device) return failed(*no_device, false);
  if (client.trouble()) return failed(*client.trouble(), false);
  if (interrupts != 0)
    return failed(
        {ErrorKind::resource, "cancelled: what was measured until then is kept", "Ctrl-C", ""},
        false);
  if (not_kept) return failed(*not_kept, true);
  return {};
}

}  // namespace warpscope
