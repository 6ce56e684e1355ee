// workbench/commands/shared.cpp: what commands share: arguments, jobs, errors.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "scenes/catalogue.h"
#include "scenes/file_scene.h"
#include "scenes/host/cache.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"
#include "scenes/read_folder.h"
#include "workbench/client/end_signals.h"
#include "workbench/client/own_binary.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/plans/plan_commands.h"

namespace warpscope {
namespace {

constexpr std::array<CommandRow, 32> kRows = {{
    {"list", "scenes, axes, variants and constraints; metrics", "csrmm", declare_list},
    {"measure", "time variants, with counters if asked",
     "csrmm n=256 --counters standard --session run.wsj", declare_measure},
    {"sweep", "the same as measure: several values per axis",
     "patterns/copy stride=1,2,4,8,16,32 --counters standard", declare_sweep},
    {"plan", "write a sweep as a text file of points, with the time that it will take",
     "csrmm/auto,k_tiles n=32,64,128 --out sweep.plan", declare_plan},
    {"merge", "several sessions as one, in which every point counts once",
     "first.wsj second.wsj --out all.wsj", declare_merge},
    {"devices", "each variant on the devices of a session, and how near each is to its own roofs",
     "all.wsj", declare_devices},
    {"trace", "emulated accesses of a kernel, by source line and instruction",
     "csrmm/float4_columns n=64", declare_trace},
    {"sass", "the machine code of a kernel, with figures of each instruction",
     "csrmm/float4_columns n=64", declare_sass},
    {"stalls", "why warps wait: for which instruction, in which line, and what it costs",
     "csrmm/float4_columns n=64", declare_stalls},
    {"warps", "what the warps of a kernel do over time, recorded by probes; needs a GPU",
     "csrmm/float4_columns n=64 --trace warps.json", declare_warps},
    {"kernels", "the kernels of a .cu or .ptx file and their parameters", "my.cu", declare_kernels},
    {"registers", "registers, spills, shared memory and occupancy by architecture, without a GPU",
     "esmm/a_skip bm=64", declare_registers},
    {"verify", "compare outputs with a reference, emulated and on the GPU",
     "csrmm/float4_columns n=32,64", declare_verify},
    {"train", "train a network, with curves, pictures and checkpoints",
     "autoencoder/step_nchw samples=1024 epochs=5 --session run.wsj", declare_train},
    {"new", "write a first scene.toml for a kernel file, which makes it a scene", "my.cu",
     declare_new},
    {"fork", "copy a variant into a folder of your own, to edit it there",
     "csrmm/warp_row_branch_free m=500", declare_fork},
    {"capture", "list the kernels that a program launches, or take one launch into a file",
     "--kernel norm --out norm.wcap -- ./program", declare_capture},
    {"roofs", "measure the roofs of the device", "--json", declare_roofs},
    {"render", "draw a panel of a session, or the window, as PNG or SVG",
     "run.wsj --panel roofline --out roofline.svg --size 1920x1080", declare_render},
    {"play", "play a lesson", "coalescing --offscreen --out out", declare_play},
    {"export", "a session as CSV, JSON or a Perfetto trace, or packed",
     "run.wsj --csv metrics.csv --trace trace.json", declare_export},
    {"report", "a session as Markdown and HTML with figures", "run.wsj --out report",
     declare_report},
    {"ci", "compare counts of kernels with those that a file records; status 1 if one is worse",
     "gate.toml --junit gate.xml --sarif gate.sarif", declare_ci},
    {"grade",
     "check a student's kernel against the goals of an exercise; status 1 if one is missed",
     "assets/exercises/saxpy --kernel saxpy.cu", declare_grade},
    {"check",
     "whether a session or a capture is whole, torn or altered; status 1 if it is not whole",
     "run.wsj", declare_check},
    {"compare", "what changed between two sessions; exit status 1 on a regression",
     "before.wsj after.wsj --slower 3%", declare_compare},
    {"agree", "compare a session's counters with Nsight Compute, the emulator or the work model",
     "emulator --session run.wsj", declare_agree},
    {"journal", "the iterations of an optimisation: expected, measured, kept or reverted",
     "run.wsj --scene csrmm", declare_journal},
    {"tune",
     "search a variant's compile-time axes and launch shapes until nothing faster is likely",
     "led/window_strips leds=64 --seconds 60", declare_tune},
    {"serve", "for scripts and assistants: requests and answers as JSON lines", "", declare_serve},
    {"doctor", "what works here, what does not, and what to do about it", "", declare_doctor},
    {"help", "what a command does and takes; the manual page; completions of shells", "trace",
     declare_help},
}};

}  // namespace

std::span<const CommandRow> all_command_rows() { return kRows; }

void declare_code(CLI::App& command, TracedCode& code) {
  static const std::map<std::string, TracedCode> names = {
      {"best", TracedCode::best}, {"ptx", TracedCode::ptx}, {"sass", TracedCode::machine_code}};
  command
      .add_option_function<std::string>(
          "--code", [&code](const std::string& name) { code = names.at(name); },
          "what is emulated: ptx; sass, the GPU's machine code, which needs nvdisasm; or best: "
          "figures of sass if that is possible, else of ptx, and faults of ptx (best unless said)")
      ->check(CLI::IsMember({"best", "ptx", "sass"}));
}

void say_where_there_is_no_cache() {
  static bool said = false;  // in one run several engines are started
  const Result<Cache> cache = Cache::open();
  if (!cache && !said) std::fprintf(stderr, "warpscope: %s\n", sentence(cache.error()).c_str());
  said = said || !cache;
}

int fail(const Error& error) {
  std::fprintf(stderr, "warpscope: %s\n", sentence(error).c_str());
  return exit_status(error.kind);
}

int fail_jobs(const JobsFailure& failure) {
  return failure.said ? exit_status(failure.error.kind) : fail(failure.error);
}

namespace {

// "csrmm", or "./saxpy", "saxpy/scene.toml": the scene that text up to `end` names; null: none.
struct SceneName {
  Result<const Scene*> scene;
  std::size_t end = 0;
};

SceneName scene_name(Catalogue& catalogue, const std::string& text) {
  const std::size_t first = text.find('/'), last = text.rfind('/');
  const std::string name = text.substr(0, first);
  if (const auto built_in = catalogue.find(name)) return {built_in, first};
  // A path: the whole of it, or all but the variant at its end.
  for (const std::size_t end : {std::string::npos, last}) {
    const std::string path = text.substr(0, end);
    if (!path.empty() && is_scene_folder(path)) return {catalogue.open_folder(path), end};
    if (opens_as_scene(path)) return {catalogue.open_file(path), end};
  }
  for (const Error& wrong : catalogue.open_user_folders())
    std::fprintf(stderr, "warpscope: %s\n", sentence(wrong).c_str());
  return {catalogue.find(name), first};
}

}  // namespace

Result<SceneAndVariants> scene_argument(Catalogue& catalogue, const std::string& text) {
  const auto [scene, slash] = scene_name(catalogue, text);
  if (!scene) {
    Error error = scene.error();
    std::error_code ignored;
    if (std::filesystem::is_directory(text, ignored) && !is_scene_folder(text))
      error = {ErrorKind::usage, "the folder has no scene.toml", text,
               "`warpscope new FILE.cu` writes one beside a kernel"};
    const std::filesystem::path path = text;
    const std::filesystem::path file = has_scene_ending(path) ? path : path.parent_path();
    if (has_scene_ending(file) && !std::filesystem::exists(file, ignored))
      error = {ErrorKind::input, "there is no such file", file.string(), "check the path"};
    else if (error.kind == ErrorKind::usage && (path.is_absolute() || text.starts_with('.')) &&
             !std::filesystem::exists(path, ignored))
      error = {ErrorKind::input, "there is no such file or folder", text, "check the path"};
    return tl::unexpected(std::move(error));
  }
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

Result<SceneAndVariants> variants_argument(Catalogue& catalogue, const std::string& text) {
  const std::size_t slash = text.rfind('/'), comma = text.find(',', slash);
  if (slash == std::string::npos || comma == std::string::npos)
    return scene_argument(catalogue, text);
  SceneAndVariants all;
  for (std::size_t begin = slash + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Result<SceneAndVariants> one =
        scene_argument(catalogue, text.substr(0, slash + 1) + text.substr(begin, end - begin));
    if (!one) return one;
    const Variant* const variant = one->variants.front();
    if (std::find(all.variants.begin(), all.variants.end(), variant) != all.variants.end()) {
      return failure(ErrorKind::usage, "the variant is named twice", variant->name, "name it once");
    }
    all.scene = one->scene;
    all.variants.push_back(variant);
    begin = end + 1;
  }
  return all;
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
    name_path(word.substr(equals + 1));  // a person's own word, should it be a path
    if (!axes.emplace(name, word.substr(equals + 1)).second) {
      return failure(ErrorKind::usage, "the axis is given twice", name,
                     "give it once; `warpscope sweep` takes " + name + "=a,b,c");
    }
  }
  return axes;
}

Result<void> admit_own_axes(const SceneAndVariants& chosen,
                            const std::map<std::string, std::string>& axes) {
  for (const Axis& axis : chosen.scene->axes) {
    const auto has = [&axis](const Variant* variant) { return of_variant(axis, variant->name); };
    if (axes.count(axis.name) == 0 || std::ranges::any_of(chosen.variants, has)) continue;
    std::string named, owners;
    for (const Variant* variant : chosen.variants)
      named += (named.empty() ? "" : " and ") + variant->name;
    for (const std::string& owner : axis.of_variants)
      owners += (owners.empty() ? "" : ", ") + owner;
    return failure(
        ErrorKind::usage,
        named + (chosen.variants.size() == 1 ? " has" : " have") + " no axis “" + axis.name + "”",
        "axis " + axis.name, "leave it out, or name a variant that has it: " + owners);
  }
  return {};
}

Result<Session> load_sessions(const std::vector<std::string>& paths, const std::string& device_uuid,
                              PointParts parts, const std::shared_ptr<Catalogue>& catalogue) {
  Result<SessionReading> reading =
      read_sessions({paths.begin(), paths.end()}, {.parts = parts, .catalogue = catalogue});
  if (!reading) return tl::unexpected(reading.error());
  const std::string file = paths.size() == 1 ? paths.front() + ": " : "";  // else they name it
  for (const std::string& warning : reading->warnings)
    std::fprintf(stderr, "warpscope: %s%s\n", file.c_str(), warning.c_str());
  if (!device_uuid.empty()) {
    const Result<std::string> device = find_device(reading->session, device_uuid);
    if (!device) {
      Error error = device.error();
      error.where = file + error.where;
      return tl::unexpected(std::move(error));
    }
    reading->session.keep_device(*device);
  }
  return std::move(reading->session);
}

int with_sessions(const std::vector<std::string>& paths, const std::string& device_uuid,
                  const std::function<int(Session& session)>& act) {
  Result<Session> session = load_sessions(paths, device_uuid);
  return session ? act(*session) : fail(session.error());
}

Result<void> make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  // A file of that name is not a failure to the library where the last part exists already.
  if (!failed && !std::filesystem::is_directory(path))
    failed = std::make_error_code(std::errc::not_a_directory);
  if (!failed) return {};
  return failure(ErrorKind::environment, "the folder cannot be made: " + failed.message(), path,
                 "choose a place that you may write to");
}

Result<std::unique_ptr<SessionFile>> session_option(const std::string& path,
                                                    std::shared_ptr<const Catalogue> catalogue) {
  if (path.empty()) return std::unique_ptr<SessionFile>{};
  const std::optional<std::string> torn = torn_end(path);
  Result<SessionFile> file = SessionFile::open(path, std::move(catalogue));
  if (!file) return tl::unexpected(file.error());
  if (const Result<void> claimed = file->claim(); !claimed) return tl::unexpected(claimed.error());
  if (torn) std::fprintf(stderr, "warpscope: %s\n", torn->c_str());
  return std::make_unique<SessionFile>(std::move(*file));
}

DelayReport::DelayReport() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void DelayReport::look(const std::optional<EngineDelay>& delay) {
  if (!delay) {
    if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
    return;
  }
  constexpr double kInPlaceEveryS = 1, kLineEveryS = 5;
  const bool again = terminal_ ? delay->for_s >= last_s_ + kInPlaceEveryS
                               : delay->for_s >= std::max(2 * last_s_, last_s_ + kLineEveryS);
  if (shown_ && !again && delay->for_s >= last_s_) return;
  std::fprintf(stderr, terminal_ ? "\r\x1b[K%s" : "warpscope: %s\n",
               (delay->words + "; Ctrl-C ends it now").c_str());
  shown_ = true;
  last_s_ = delay->for_s;
}

Result<bool> device_answers(const EngineChoice& engine) {
  EngineClient probe(engine_command(engine));
  DelayReport report;
  probe.start();
  while (!probe.ready() && !probe.given_up()) {
    probe.wait(0.05);
    static_cast<void>(probe.poll());
    report.look(probe.delay());
  }
  if (probe.refused()) return tl::unexpected(*probe.trouble());
  return probe.ready() && probe.hello()->device;
}

std::string time_left(double done_ratio, double so_far_s) {
  constexpr double kWorthSaying = 10, kMinute = 60, kTooSoon = 0.01;
  if (done_ratio < kTooSoon || done_ratio >= 1) return "";
  const double left = so_far_s / done_ratio * (1 - done_ratio);
  if (left < kWorthSaying) return "";
  const bool minutes = left >= 2 * kMinute;
  return "; about " + std::to_string(std::llround(minutes ? left / kMinute : left)) +
         (minutes ? " min left" : " s left");
}

StepReport::StepReport(std::size_t count)
    : count_(count), terminal_(::isatty(STDERR_FILENO) != 0) {}

StepReport::~StepReport() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

void StepReport::begin(std::size_t at) const {
  if (!terminal_) return;
  const double ratio = static_cast<double>(at) / static_cast<double>(std::max(count_, at + 1));
  std::fprintf(stderr, "\r\x1b[Kstep %zu of %zu%s", at + 1, count_,
               time_left(ratio, seconds_since(begun_)).c_str());
}

namespace {

// Keeps what an engine says of jobs, and says on the terminal what a person should know of it.
struct JobsLog {
  Session& session;
  SessionFile* file = nullptr;  // or none
  std::size_t count = 0;        // of jobs
  bool terminal = ::isatty(STDERR_FILENO) != 0;
  std::size_t done = 0, given = 0;  // ended in any way; ended with an answer
  std::optional<Error> not_kept, no_device;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  // What the engine does of a job that is alone, since when, and how far it was then.
  std::string doing;
  std::chrono::steady_clock::time_point doing_since;
  double doing_from = 0;

  // By the jobs that are done; of one alone by what the engine does of it.
  std::string left(const Progress& progress) {
    if (count > 1)
      return time_left(static_cast<double>(done) / static_cast<double>(count),
                       seconds_since(begun));
    if (progress.text != doing || progress.done_ratio < doing_from) {
      doing = progress.text;
      doing_since = std::chrono::steady_clock::now();
      doing_from = progress.done_ratio;
    }
    return time_left((progress.done_ratio - doing_from) / (1 - std::min(doing_from, 0.999)),
                     seconds_since(doing_since));
  }

  std::string cancelled() const {
    if (given == 0) return "cancelled before there was anything to keep";
    return "cancelled: what was done before is kept, " + std::to_string(given) + " of " +
           std::to_string(count);
  }

  void say(const std::string& words) const {
    std::fprintf(stderr, "%swarpscope: %s\n", terminal ? "\r\x1b[K" : "", words.c_str());
  }

  void keep(const Message& message) {
    session.apply(message);
    const auto* measurement = std::get_if<Measurement>(&message);
    const bool passing = std::holds_alternative<Progress>(message) ||
                         (measurement != nullptr && measurement->partial);
    if (file == nullptr || passing || not_kept) return;
    if (Result<void> kept = file->append(message); !kept) {
      not_kept = kept.error();
      say(sentence(*not_kept));
    }
  }

  void take(const Message& message, bool given_up) {
    keep(message);
    if (const auto* hello = std::get_if<Hello>(&message); hello != nullptr && !hello->device) {
      const Capability* cuda = find_capability(*hello, "cuda");
      if (cuda != nullptr && !cuda->available)
        no_device = Error{ErrorKind::environment, cuda->reason, "engine", cuda->remedy};
    }
    // Why there is no engine or no device is said once, at the end.
    const bool once = no_device || given_up;
    const auto* log = std::get_if<LogLine>(&message);
    if (log != nullptr && log->level == "error" && !once) say(log->text);
    if (const auto* finished = std::get_if<Done>(&message)) {
      ++done;
      given += finished->status == DoneStatus::finished ? 1 : 0;
      if (finished->error && !once) say(sentence(*finished->error));
    }
    const auto* progress = std::get_if<Progress>(&message);
    if (terminal && progress != nullptr)
      std::fprintf(stderr, "\r\x1b[K%zu of %zu · %s%s", done, count, progress->text.c_str(),
                   left(*progress).c_str());
  }
};

}  // namespace

tl::expected<void, JobsFailure> run_jobs(const std::vector<std::string>& command,
                                         std::vector<Job> jobs, Session& session, SessionFile* file,
                                         const std::function<void(const Message&)>& seen) {
  const auto failed = [](Error error, bool said) {
    return tl::unexpected(JobsFailure{std::move(error), said});
  };
  if (const Result<void> there = check_sources(session.catalogue(), jobs); !there)
    return failed(there.error(), false);
  if (command.front() != "ssh") say_where_there_is_no_cache();  // else it is there
  EngineClient client(command, {}, nullptr, session.catalogue().shared());
  JobsLog log{session, file, jobs.size()};
  const EndSignals signals;  // before the first job runs: what it gives is to be kept
  for (Job& job : jobs) {
    if (signals.count() != 0) break;
    job.job = client.submit(job);
    log.keep(job);
  }
  using Clock = std::chrono::steady_clock;
  const bool trains =
      std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.is<TrainJob>(); });
  // With an engine that was told to cancel: the program ends within 2 s.
  const std::chrono::milliseconds patience(trains ? 60'000 : 1500);
  std::optional<Clock::time_point> cancelled;
  DelayReport report;
  while (!client.outstanding().empty() && signals.count() < 2 &&
         (!cancelled || Clock::now() - *cancelled < patience)) {
    client.wait(0.1);
    // First: a signal to the whole group has ended the engine as well, which is not a verdict.
    if (signals.count() != 0 && !cancelled) {
      cancelled = Clock::now();
      client.cancel_all();
    }
    for (const Message& message : client.poll()) {
      log.take(message, client.given_up());
      if (seen) seen(message);
    }
    report.look(client.delay());
  }
  if (log.terminal) std::fputs("\r\x1b[K", stderr);
  if (log.no_device) return failed(*log.no_device, false);
  if (client.trouble()) return failed(*client.trouble(), false);
  if (signals.count() != 0) {
    return tl::unexpected(
        JobsFailure{{ErrorKind::resource, log.cancelled(), signals.name(), "run the command again"},
                    false,
                    true});
  }
  if (log.not_kept) return failed(*log.not_kept, true);
  return {};
}

}  // namespace warpscope
