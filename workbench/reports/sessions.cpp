// workbench/reports/sessions.cpp: export and agree: what is done with sessions.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "profiling/agreement/agree.h"
#include "profiling/export/export.h"
#include "profiling/messages/packed_text.h"
#include "profiling/session/source_standing.h"
#include "scenes/base/source.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/choice/choice_commands.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

struct ExportOptions {
  std::vector<std::string> sessions;
  std::string csv, json, trace, wsj, device_uuid;
  bool wide = false;
};

// The sessions' own lines, packed where the name says so. error: as write_joined, write_file.
Result<void> write_lines(const std::vector<std::string>& sessions, const std::string& path) {
  const auto lines = [&sessions](const TextSink& write) {
    return write_joined({sessions.begin(), sessions.end()}, write);
  };
  if (!named_packed(path)) return write_file(path, lines);
  return write_file(path, [&lines](const TextSink& write) { return pack(lines, write); });
}

int run_export(const ExportOptions& options, const Session& session) {
  const auto files = {options.csv, options.json, options.trace, options.wsj};
  if (std::all_of(files.begin(), files.end(), [](const auto& file) { return file.empty(); })) {
    return fail({ErrorKind::usage, "there is nothing to write", "export",
                 "give --csv, --json, --trace or --wsj with a file"});
  }
  for (const std::string& file : files) {
    for (const std::string& read : options.sessions) {
      std::error_code other;
      if (file.empty() || !std::filesystem::equivalent(file, read, other)) continue;
      return fail({ErrorKind::usage, "the output would overwrite the session", file,
                   "choose another file"});
    }
  }
  std::set<std::filesystem::path> places;
  for (const std::string& file : files) {
    std::error_code none;
    if (file.empty() || std::filesystem::is_character_file(file, none)) continue;  // /dev/null
    if (places.insert(std::filesystem::weakly_canonical(file, none)).second) continue;
    return fail(
        {ErrorKind::usage, "one output would overwrite the other", file, "give each its own file"});
  }
  if (!options.wsj.empty() && !options.device_uuid.empty()) {
    return fail({ErrorKind::usage, "a session's own lines always contain all of its devices",
                 "export --wsj", "leave --device-uuid out, or write --csv or --json"});
  }
  const auto put = [&session](const std::string& path, const auto& write_text) {
    if (path.empty()) return Result<void>{};
    return write_file(path, [&](const TextSink& write) {
      write_text(session, write);
      return Result<void>{};
    });
  };
  const auto write_json = [](const Session& points, const TextSink& write) {
    write_points_json(points, write);
    write("\n");
  };
  for (const Result<void>& written :
       {put(options.csv, options.wide ? write_wide_csv : write_tidy_csv),
        put(options.json, write_json), put(options.trace, write_perfetto_json),
        options.wsj.empty() ? Result<void>{} : write_lines(options.sessions, options.wsj)}) {
    if (!written) return fail(written.error());
  }
  return 0;
}

// The device that measured last, of a session that has some.
DeviceName newest_device(const Session& session) {
  DeviceName newest;
  std::string date;
  for (const Measurement* m : session.all_points()) {
    if (!on_a_device(*m) || m->conditions.date < date) continue;
    newest = device_of(m->conditions);
    date = m->conditions.date;
  }
  return newest;
}

int run_agree(const std::string& csv_path, Session& session) {
  if (session.devices().size() > 1) {
    // ncu's output does not say which card it ran on.
    const DeviceName newest = newest_device(session);
    std::fprintf(stderr,
                 "warpscope: the session has %zu devices, %s is used; choose with --device-uuid\n",
                 session.devices().size(), to_text(newest).c_str());
    session.keep_device(newest.id());
  }
  const Result<std::string> text = read_input(csv_path, kMostTextFileBytes);
  if (!text) return fail(text.error());
  const Result<std::vector<Agreement>> rows = agree_with_ncu(*text, session);
  if (!rows) return fail(rows.error());
  int status = 0;
  for (const Agreement& row : *rows) {
    std::printf("%-22s %-66s %16.6g %16.6g %+8.3f %%  %s\n", row.kernel.c_str(),
                row.cupti_name.c_str(), row.ours, row.ncu, row.difference_ratio * 100,
                row.agrees           ? "agrees"
                : row.reason.empty() ? "DIFFERS"
                                     : ("explained: " + row.reason).c_str());
    if (!row.agrees && row.reason.empty()) status = 1;
  }
  return status;
}

// What a figure lacks is null.
nlohmann::json json_of(const FigureMatch& pair, const std::string& device) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  return {{"match", to_text(pair.match)},
          {"scene", pair.scene},
          {"variant", pair.variant},
          {"key", pair.key},
          {"step", pair.step},
          {"device", device},
          {"figure", pair.figure},
          {"counter", pair.counter},
          {"unit", pair.unit},
          {"ours", number(pair.ours)},
          {"counted", number(pair.counted)},
          {"difference_ratio", pair.match == Match::not_comparable
                                   ? nlohmann::json()
                                   : nlohmann::json(pair.difference_ratio)},
          {"reason", pair.reason}};
}

// Figures of ours beside the counters; a difference that nothing explains is a finding.
int print_matches(const std::vector<FigureMatch>& list, const std::string& session,
                  const std::string& remedy) {
  const MatchCounts counts = count_matches(list);
  for (const FigureMatch& pair : list) {
    const std::string place = pair.scene + "/" + pair.variant +
                              (pair.step.empty() ? "" : " " + pair.step) + " at " + pair.key;
    const auto text = [&pair](const std::optional<double>& value) {
      return value ? format_value(*value, pair.unit) : std::string("–");
    };
    std::printf("%-14s %-38s %14s  counted %14s  %+8.2f %%  %s  (%s)\n", to_text(pair.match),
                pair.figure.c_str(), text(pair.ours).c_str(), text(pair.counted).c_str(),
                pair.difference_ratio * 100, place.c_str(), pair.counter.c_str());
    if (!pair.reason.empty()) std::printf("               %s\n", pair.reason.c_str());
  }
  if (counts.compared == 0)
    return fail({ErrorKind::input, "no figure has counters beside it", session, remedy});
  std::printf("%d figures: %d agree, %d differ for a known reason, %d differ without one\n",
              counts.compared, counts.agree, counts.explained, counts.differ);
  return counts.differ > 0 ? 1 : 0;
}

// What makes a session hold figures and counters beside each other. Nothing can be appended to a
// packed one.
std::string what_to_append(const std::string& path, bool model) {
  const Result<TextLines> lines = TextLines::open(path, std::numeric_limits<std::int64_t>::max());
  const std::string append =
      model ? "append `measure … --counters standard` to it"
            : "append `warpscope trace … --grid` and `measure … --counters standard` to it";
  return lines && lines->packed()
             ? "unpack it with `warpscope export " + path + " --wsj FILE.wsj`, then " + append
             : append;
}

int print_json(const Session& session, const std::string& path, const std::string& remedy,
               bool model) {
  nlohmann::json list = nlohmann::json::array();
  std::vector<FigureMatch> all;
  for (const DeviceName& device : session.devices()) {
    for (FigureMatch& pair : model ? agree_with_model_on(session, device.id())
                                   : agree_with_emulator_on(session, device.id())) {
      list.push_back(json_of(pair, to_text(device)));
      all.push_back(std::move(pair));
    }
  }
  const MatchCounts counts = count_matches(all);
  if (counts.compared == 0)
    return fail({ErrorKind::input, "no figure has counters beside it", path, remedy});
  const nlohmann::json whole = {{"compared", counts.compared},
                                {"agree", counts.agree},
                                {"explained", counts.explained},
                                {"unexplained", counts.differ},
                                {"figures", list}};
  std::printf("%s\n", whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return counts.differ > 0 ? 1 : 0;
}

int run_agree_figures(const std::string& session_path, const Session& session, bool model,
                      bool as_json) {
  const std::string remedy = what_to_append(session_path, model);
  if (as_json) return print_json(session, session_path, remedy, model);
  int status = 0;
  bool any = false;
  const auto& devices = session.devices();
  const bool several = devices.size() > 1;
  for (const DeviceName& device : several ? devices : std::vector<DeviceName>(1)) {
    const std::vector<FigureMatch> list = model ? agree_with_model_on(session, device.id())
                                                : agree_with_emulator_on(session, device.id());
    if (several && count_matches(list).compared == 0) continue;
    if (several) std::printf("on %s\n", to_text(device).c_str());
    status = std::max(status, print_matches(list, session_path, remedy));
    any = true;
  }
  return any ? status : print_matches({}, session_path, remedy);
}

// What of a session is of another source than today's; that is not a finding.
int run_agree_sources(const Session& session) {
  std::set<std::string> scenes;
  for (const Measurement* point : session.all_points()) scenes.insert(point->scene);
  for (const std::string& scene : scenes) {
    if (const auto today = session.catalogue().sources_of(scene); !today)
      return fail(today.error());
  }
  const std::vector<SourceFinding> findings = earlier_sources(session);
  std::size_t changed = 0;
  for (const SourceFinding& finding : findings) {
    const Measurement& m = *finding.point;
    changed += finding.standing.state == SourceState::changed ? 1 : 0;
    std::printf("%-20s %s/%s at %s on %s: %s\n", to_text(finding.standing.state), m.scene.c_str(),
                m.variant.c_str(), m.key.c_str(), to_text(device_of(m.conditions)).c_str(),
                finding.standing.sentence.c_str());
  }
  std::printf("%zu points: %zu measured with an earlier source, %zu without a recorded source\n",
              session.all_points().size(), changed, findings.size() - changed);
  return 0;
}

// What `agree` was asked.
struct AgreeOptions {
  std::string what, csv;
  RandomAgreement random;
  ChoiceAgreement choice;
};

int refuse(const AgreeOptions& options, std::string why, std::string remedy) {
  return fail({ErrorKind::usage, std::move(why), "agree " + options.what, std::move(remedy)});
}

// What is compared with a session.
int run_agree_session(const AgreeOptions& options) {
  const std::string &what = options.what, &path = options.random.session;
  if (!options.random.axes.empty())
    return refuse(options, "axes can be fixed only with --random",
                  "leave “" + options.random.axes.front() + "” out");
  if (options.random.json && (what == "ncu" || what == "sources"))
    return refuse(options, "its output has no JSON form", "leave --json out");
  if (path.empty())
    return refuse(options, "there is no session to compare", "give --session with a .wsj file");
  const auto on_session = [&](const std::function<int(Session&)>& act) {
    return with_sessions({path}, options.random.engine.device_uuid, act);
  };
  if (what == "sources") return on_session(run_agree_sources);
  if (what != "ncu") {
    return on_session([&](const Session& session) {
      return run_agree_figures(path, session, what == "model", options.random.json);
    });
  }
  if (options.csv.empty())
    return refuse(options, "there is nothing to compare with",
                  "give --csv with the output of ncu --csv --page raw");
  return on_session([&](Session& session) { return run_agree(options.csv, session); });
}

int run_agree_command(AgreeOptions& options) {
  const std::string& what = options.what;
  RandomAgreement& random = options.random;
  if (what == "choice") {
    ChoiceAgreement& choice = options.choice;
    choice.engine = random.engine;
    choice.words = random.axes;
    choice.random = random.count;
    choice.seed = random.seed;
    choice.session = random.session;
    choice.json = random.json;
    return run_agree_choice(choice);
  }
  if (!options.choice.model.empty() || !options.choice.plan.empty())
    return refuse(options, "--model and --plan are for choices",
                  "write `warpscope agree choice SCENE`");
  if (random.count > 0) {
    random.scene = what;
    return run_agree_random(random);
  }
  if (what != "ncu" && what != "emulator" && what != "model" && what != "sources")
    return refuse(options, "there is nothing of that name to compare with",
                  "write ncu, emulator, model, sources or choice, or give --random N");
  return run_agree_session(options);
}

}  // namespace

void declare_export(CLI::App& command, int& status) {
  auto options = std::make_shared<ExportOptions>();
  command.add_option("session", options->sessions, "one or more .wsj or .wsj.gz files, as one")
      ->required();
  declare_device_uuid(command, options->device_uuid);
  command.add_option("--csv", options->csv, "metrics as CSV");
  command.add_flag("--wide", options->wide, "one CSV row per measurement");
  command.add_option("--json", options->json, "measurements as JSON");
  command.add_option("--trace", options->trace, "timelines as Chrome trace JSON, for Perfetto");
  command.add_option("--wsj", options->wsj,
                     "the session's own lines, packed with gzip if the name ends in .gz");
  command.callback([options, &status] {
    status = with_sessions(options->sessions, options->device_uuid,
                           [&](const Session& session) { return run_export(*options, session); });
  });
}

void declare_agree(CLI::App& command, int& status) {
  auto options = std::make_shared<AgreeOptions>();
  RandomAgreement& random = options->random;
  command
      .add_option(
          "what", options->what,
          "ncu, emulator or model; sources: list what was measured with a source other than "
          "today's; choice: how good automatic choices are; with --random: SCENE or "
          "SCENE/VARIANT")
      ->required();
  command.add_option(
      "axes", random.axes,
      "with --random: axis=value for an axis that keeps one value; after choice: the "
      "scene, then the .wsj files to judge");
  command.add_option("--csv", options->csv, "output of ncu --csv --page raw");
  command.add_option("--session", random.session,
                     "a .wsj or .wsj.gz file with counters of the same points; with --random a "
                     ".wsj file that everything is appended to");
  check_range(
      *command.add_option("--random", random.count,
                          "draw this many configurations; count and emulate every variant at each; "
                          "with choice, time them"),
      1, 100000);
  command.add_option("--seed", random.seed,
                     "random seed for --random: the same seed draws the same configurations");
  command.add_option("--model", options->choice.model,
                     "with choice: a file of `tune --fit` instead of the built-in choice");
  command.add_option("--plan", options->choice.plan,
                     "with choice and --random: write a plan for `measure --plan`, and measure "
                     "nothing");
  command.add_flag("--json", random.json, "with --random, choice, emulator or model: print JSON");
  declare_engine_options(command, random.engine);
  command.callback([options, &status] { status = run_agree_command(*options); });
}

}  // namespace warpscope
