// workbench/reports/compare.cpp: compare: what changed between two sessions, as a gate for CI; or
// the outputs of two variants.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "profiling/export/session_comparison.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

struct CompareOptions {
  OutputsComparison outputs;  // instead of sessions
  bool of_outputs = false;
  std::string before, after, slower = "0.5%", metric = "both", junit, device_uuid;
  std::vector<std::string> only, allow;
  bool json = false, brief = false;
};

Result<ComparisonRules> rules_of(const CompareOptions& options) {
  ComparisonRules rules;
  const Result<double> slower = parse_percentage(options.slower);
  if (!slower) return tl::unexpected(slower.error());
  rules.slower_ratio = *slower;
  rules.cold = options.metric != "warm";
  rules.warm = options.metric != "cold";
  rules.only = options.only;
  for (const std::string& words : options.allow) {
    if (Result<void> allowed = allow(rules, words); !allowed)
      return tl::unexpected(allowed.error());
  }
  return rules;
}

void print_change(const ComparedPoint& point, const PointChange& change) {
  std::printf("%-8s %-13s %-5s %s: %s%s\n",
              change.finding  ? "FINDING"
              : change.waived ? "allowed"
                              : "",
              to_text(change.change), change.cache ? to_text(*change.cache) : "",
              point.name().c_str(), change.sentence.c_str(),
              point.source_changed ? " [other source]" : "");
}

// Findings first, then the rest, each in the order of the kinds of changes.
void print_changes(const SessionComparison& comparison, bool brief) {
  for (const bool finding : {true, false}) {
    if (!finding && brief) break;
    for (int kind = 0; kind < kEnumeratorCount<Change>; ++kind) {
      for (const ComparedPoint& point : comparison.points) {
        for (const PointChange& change : point.changes) {
          if (change.finding == finding && change.change == static_cast<Change>(kind))
            print_change(point, change);
        }
      }
    }
  }
}

int run_outputs(const CompareOptions& options) {
  OutputsComparison outputs = options.outputs;
  outputs.first = options.before;
  outputs.second = options.after;
  outputs.json = options.json;
  outputs.engine.device_uuid = options.device_uuid;
  return run_output_pair(outputs);
}

int run_compare(const CompareOptions& options) {
  if (options.of_outputs) return run_outputs(options);
  if (!options.outputs.axes.empty())
    return fail({ErrorKind::usage, "sessions are always compared at all of their points",
                 options.outputs.axes.front(), "leave it out, or give --outputs SCENE/A SCENE/B"});
  const Result<ComparisonRules> rules = rules_of(options);
  if (!rules) return fail(rules.error());
  const Result<Session> before =
      load_sessions({options.before}, options.device_uuid, PointParts::times);
  if (!before) return fail(before.error());
  const Result<Session> after =
      load_sessions({options.after}, options.device_uuid, PointParts::times);
  if (!after) return fail(after.error());
  const Result<SessionComparison> comparison = compare_sessions(*before, *after, *rules);
  if (!comparison) return fail(comparison.error());
  if (!options.junit.empty()) {
    const std::string xml =
        comparison_junit(*comparison, "warpscope compare " + options.before + " " + options.after);
    if (Result<void> written = write_file(options.junit, xml); !written)
      return fail(written.error());
  }
  if (options.json) {
    write_comparison_json(*comparison, *rules, [](std::string_view part) {
      std::fwrite(part.data(), 1, part.size(), stdout);
    });
  } else {
    for (const std::string& note : comparison->notes) std::printf("note: %s\n", note.c_str());
    if (!comparison->nothing_compared.empty())
      std::printf("FINDING  %s\n", comparison->nothing_compared.c_str());
    print_changes(*comparison, options.brief);
    std::printf("%s\n", comparison->summary().c_str());
  }
  return comparison->status();
}

}  // namespace

void declare_compare(CLI::App& command, int& status) {
  auto options = std::make_shared<CompareOptions>();
  command.add_option("before", options->before, "a .wsj or .wsj.gz file")->required();
  command.add_option("after", options->after, "a .wsj or .wsj.gz file")->required();
  command.add_option("axes", options->outputs.axes, "with --outputs: axis=value");
  command.add_flag(
      "--outputs", options->of_outputs,
      "run SCENE/A and SCENE/B instead, and compare their outputs bit by bit: how many "
      "elements are equal, how far apart the others are, and where");
  command.add_flag("--emulated", options->outputs.emulated,
                   "with --outputs: use the emulator even if there is a GPU");
  command.add_option("--csv", options->outputs.csv, "with --outputs: write them as CSV");
  command.add_option("--session", options->outputs.session,
                     "with --outputs: append everything to this .wsj file");
  command.add_option(
      "--slower", options->slower,
      "the least slowdown that is a finding; a slowdown within the noise never is one");
  command.add_option("--metric", options->metric, "cold, warm or both")
      ->check(CLI::IsMember({"cold", "warm", "both"}));
  command.add_option("--only", options->only, "SCENE or SCENE/VARIANT, any number of times")
      ->allow_extra_args(false);
  command
      .add_option("--allow", options->allow,
                  "what does not count as a finding: missing, slower, incomparable, or one "
                  "cause of it (device, clocks, toolkit, cache); joined by commas")
      ->allow_extra_args(false);
  declare_engine_options(command, options->outputs.engine, false);
  declare_device_uuid(command, options->device_uuid);
  command.add_flag("--brief", options->brief, "print only findings and the summary");
  command.add_flag("--json", options->json, "print JSON");
  command.add_option("--junit", options->junit, "write JUnit XML, one test case per point");
  command.callback([options, &status] { status = run_compare(*options); });
}

}  // namespace warpscope
