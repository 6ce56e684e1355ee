// workbench/commands/captures/capture.cpp: `warpscope capture`: a program's launches listed, and
// one of them taken.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "profiling/capture/beside_program.h"
#include "profiling/capture/selection.h"
#include "scenes/base/plural.h"
#include "scenes/host/program.h"
#include "workbench/client/captures/kept_capture.h"
#include "workbench/client/captures/watched_program.h"
#include "workbench/commands/captures/launch_table.h"
#include "workbench/commands/captures/live_commands.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
  CaptureSettings settings;
  std::string out, cupti;
  bool slowest = false, no_data = false, json = false, live = false;
  std::int64_t budget_mb = 1024;
  double time_limit_s = 0;
  bool has_number = false;
  std::vector<std::string> words;

  bool takes() const {
    return slowest || settings.every_shape || has_number || !settings.kernel.empty() ||
           !settings.range.empty() || !out.empty();
  }
};

// What happened while a program ran.
struct Watched {
  SeenLaunches seen;
  std::vector<TakenReport> taken;
  std::vector<RefusedReport> refused;
  std::vector<TroubleReport> troubles;
};

// What stands after the first two dashes of this command line, exactly as it was given: a parser of
// options would take words in brackets apart.
std::vector<std::string> words_after_dashes() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  bool after = false;
  for (std::string word; std::getline(file, word, '\0');) {
    if (after) words.push_back(word);
    after = after || word == "--";
  }
  return words;
}

void say(const std::string& words) {
  std::fprintf(stderr, "warpscope: %s\n", visible(words).c_str());
}

std::string with_remedy(const std::string& why, const std::string& remedy) {
  return remedy.empty() ? why : why + "; " + remedy;
}

Result<Watched> watch(const CaptureOptions& options, const CaptureSettings& settings,
                      ProgramEnd& end) {
  constexpr std::size_t kMostSaid = 5;
  Watched watched;
  ProgramRequest request{options.words, settings, options.time_limit_s, options.json};
  const auto see = [&](const CaptureReport& report) {
    if (const auto* launches = std::get_if<LaunchesReport>(&report)) watched.seen.add(*launches);
    if (const auto* taken = std::get_if<TakenReport>(&report)) watched.taken.push_back(*taken);
    if (const auto* note = std::get_if<NoteReport>(&report)) say(note->words);
    if (const auto* trouble = std::get_if<TroubleReport>(&report)) {
      say(with_remedy(trouble->why, trouble->remedy));
      watched.troubles.push_back(*trouble);
    }
    if (const auto* refused = std::get_if<RefusedReport>(&report)) {
      if (watched.refused.size() < kMostSaid)
        say("launch " + std::to_string(refused->number) + " of " + refused->name +
            " was not captured: " + with_remedy(refused->why, refused->remedy));
      watched.refused.push_back(*refused);
    }
  };
  Result<ProgramEnd> ended = run_watched(request, see);
  if (!ended) return tl::unexpected(ended.error());
  end = std::move(*ended);
  if (watched.refused.size() > kMostSaid)
    say("and " +
        plural(static_cast<std::int64_t>(watched.refused.size() - kMostSaid), "more launch",
               "more launches") +
        " could not be captured");
  if (!end.how.empty()) say("the program " + end.how);
  if (end.timed_out) say("the program was ended: its --time-limit was over");
  return watched;
}

// Where launches are written before they are packed.
fs::path folder_of_out(const std::string& out) {
  std::error_code failed;
  return fs::absolute(out.empty() ? "out" : out, failed).parent_path();
}

int list_launches(const CaptureOptions& options) {
  ProgramEnd end;
  const Result<Watched> watched = watch(options, options.settings, end);
  if (!watched) return fail(watched.error());
  if (!watched->troubles.empty() && options.json) return 3;
  if (options.json) {
    print_launches_json(watched->seen);
  } else if (watched->seen.launches() > 0) {
    print_launches(watched->seen);
  }
  if (!watched->troubles.empty()) return 3;
  if (watched->seen.graph_launches() > 0)
    say(plural(watched->seen.graph_launches(), "launch", "launches") +
        " of CUDA graphs: the kernels inside are not counted");
  if (end.cut > 0 && end.processes > 0)
    say(plural(end.cut, "process", "processes") +
        " ended without a last report: the launches of the last 0.1 s may be missing");
  if (watched->seen.launches() > 0) return 0;
  say(end.processes == 0 ? "the program did not use CUDA" : "the program launched no kernel");
  return 1;
}

// The settings that take the longest launch that a first run sees.
Result<CaptureSettings> slowest_of(const CaptureOptions& options) {
  CaptureSettings settings = options.settings;
  settings.times = true;
  settings.take = false;
  ProgramEnd end;
  const Result<Watched> watched = watch(options, settings, end);
  if (!watched) return tl::unexpected(watched.error());
  if (!watched->troubles.empty())
    return failure(ErrorKind::environment, "the program's launches were not seen");
  if (end.interrupted)
    return failure(ErrorKind::resource, "interrupted before the slowest launch was known");
  Result<LaunchSelection> selection = LaunchSelection::of(settings);
  if (!selection) return tl::unexpected(selection.error());
  const std::optional<TallyRow> longest = watched->seen.longest([&](const TallyRow& row) {
    return selection->names(row.symbol) && selection->in_range(row.range);
  });
  if (!longest)
    return failure(ErrorKind::fault, "no launch that matches was timed", "",
                   "list the kernels with `warpscope capture --times -- PROGRAM`");
  char ms[32];
  std::snprintf(ms, sizeof ms, "%.3f ms", longest->longest_ms);
  say("the slowest was launch " + std::to_string(longest->longest_number) + " of " +
      demangled_name(longest->symbol.c_str()) + ", " + ms + "; the program runs again");
  settings.times = false;
  settings.take = true;
  settings.symbol = longest->symbol;
  settings.kernel.clear();
  settings.range.clear();
  settings.number = longest->longest_number;
  return settings;
}

int take_launches(const CaptureOptions& options) {
  std::error_code ignored;
  if (!options.out.empty() && fs::exists(options.out, ignored))
    return fail({ErrorKind::usage, "it exists already and is not overwritten", options.out,
                 "name another file with --out"});
  const SpoolFolder spool(folder_of_out(options.out));
  if (spool.path().empty())
    return fail({ErrorKind::environment, "no file can be made in its folder",
                 options.out.empty() ? "." : options.out, "choose another folder with --out"});
  CaptureSettings settings = options.settings;
  if (options.slowest) {
    Result<CaptureSettings> found = slowest_of(options);
    if (!found) return fail(found.error());
    settings = std::move(*found);
  }
  settings.take = true;
  settings.folder = spool.path();
  ProgramEnd end;
  const Result<Watched> watched = watch(options, settings, end);
  if (!watched) return fail(watched.error());
  std::size_t kept = 0, index = 0;
  for (const TakenReport& taken : watched->taken) {
    const auto name = [&] { return capture_name(taken.symbol, options.out, index); };
    while (fs::exists(name(), ignored)) ++index;
    const Result<KeptCapture> file = keep_capture(taken.file, options.words, name().string());
    if (!file) {
      say(sentence(file.error()));
      continue;
    }
    char held[64];
    std::snprintf(held, sizeof held, "; the program was held for %.0f ms", taken.held_ms);
    say(file->path + ": " + file->words + held);
    for (const std::string& note : file->notes) say("  note: " + note);
    ++kept;
  }
  if (!watched->taken.empty()) return kept == watched->taken.size() ? 0 : 3;
  if (!watched->troubles.empty()) return 3;
  if (watched->refused.empty()) {
    const std::int64_t launches = watched->seen.launches();
    say(launches == 0
            ? "nothing was captured: the program launched no kernel"
            : "nothing was captured: none of its " + plural(launches, "launch", "launches") +
                  " matched; `warpscope capture -- PROGRAM` lists them");
  }
  return 1;
}

int run_capture(CaptureOptions options) {
  if (options.words.empty())
    return fail({ErrorKind::usage, "no program is named", "",
                 "write it after two dashes: `warpscope capture -- ./program`"});
  CaptureSettings& settings = options.settings;
  settings.data = !options.no_data;
  settings.budget_bytes = static_cast<std::uint64_t>(options.budget_mb) << 20;
  settings.cupti = found_cupti();
  if (const Result<LaunchSelection> selection = LaunchSelection::of(settings); !selection)
    return fail(selection.error());
  if (options.live && (options.takes() || options.json))
    return fail({ErrorKind::usage,
                 "--live takes launches as you ask for them while the program runs", "",
                 "leave out the options that choose a launch, --out and --json"});
  if (options.live) return capture_live({options.words, ".", settings});
  return options.takes() ? take_launches(options) : list_launches(options);
}

}  // namespace

void declare_capture(CLI::App& command, int& status) {
  auto o = std::make_shared<CaptureOptions>();
  CaptureSettings& s = o->settings;
  command.add_option("program", o->words, "the program and its arguments, after two dashes");
  command.add_option("--kernel", s.kernel,
                     "take a launch of a kernel whose name matches this regular expression");
  CLI::Option* number =
      command.add_option("--launch", s.number, "which of the matching launches to take, from 1");
  check_range(*number, 1, 1e12);
  command.add_option("--range", s.range,
                     "take a launch inside NVTX ranges whose names match; nested names "
                     "are joined with /");
  CLI::Option* every =
      command.add_flag("--every-shape", s.every_shape,
                       "take one launch of each kernel, grid, block and shared bytes");
  every->excludes(number);
  CLI::Option* most = command.add_option(
      "--most", s.most,
      "most launches to take from each process; 20 by default with --every-shape");
  check_range(*most, 1, 1000);
  command
      .add_flag("--slowest", o->slowest,
                "take the longest launch; the program runs twice and must do the same each time")
      ->excludes(every)
      ->excludes(number);
  command.add_option("--out", o->out, "file to write (the kernel's name with .wcap)");
  check_range(*command.add_option("--budget", o->budget_mb,
                                  "most MiB of device memory to save of a launch"),
              1, 8192);
  command.add_flag("--no-data", o->no_data,
                   "keep the launch, its arguments and code, but no memory");
  check_range(*command.add_option("--hold", s.limit_s,
                                  "most seconds that the program waits for its device to be idle"),
              0.01, 3600);
  check_range(*command.add_option("--time-limit", o->time_limit_s,
                                  "end the program after so many seconds; 0: never"),
              0, 1e6);
  command.add_flag(
      "--no-cupti", s.without_cupti,
      "do not use CUPTI: watch the driver's entry points from the start. Without this option, "
      "Warpscope switches to them when the program uses CUPTI itself");
  command.add_flag("--live", o->live,
                   "take launches while the program runs, as commands on standard input say: list, "
                   "next RE, slowest, take N, cancel, end");
  command.add_flag("--times", s.times, "time every launch by events");
  command.add_flag("--json", o->json,
                   "the list as JSON; the program's standard output goes to standard error");
  command.callback([o, number, most, &status] {
    o->has_number = number->count() > 0;
    constexpr std::int64_t kMostShapes = 20;
    if (o->settings.every_shape && most->count() == 0) o->settings.most = kMostShapes;
    if (std::vector<std::string> words = words_after_dashes(); !words.empty())
      o->words = std::move(words);
    status = run_capture(*o);
  });
}

}  // namespace warpscope
