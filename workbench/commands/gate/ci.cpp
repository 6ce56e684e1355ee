// workbench/commands/gate/ci.cpp: counts of kernels beside those that a file records.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "profiling/gate/gate_comparison.h"
#include "profiling/gate/gate_export.h"
#include "profiling/gate/gate_measured.h"
#include "scenes/base/plural.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/file_trace.h"
#include "workbench/commands/gate/gate_jobs.h"
#include "workbench/commands/plans/gate_plan.h"
#include "workbench/commands/trace_text.h"

namespace warpscope {
namespace {

struct CiOptions {
  EngineChoice engine;
  std::string file = "gate.toml", junit, sarif, markdown;
  std::vector<std::string> from;
  bool update = false, json = false;
};

// What is recorded of the jobs that ran, and of those that sessions have answers of: `answered` has
// their places made negative, from -1 on. error: the first job's that failed, with its kernel. A
// variant of a whole scene that cannot run at these axes is left out, and a sentence says so.
Result<GateRecords> measured(const std::vector<GateJob>& jobs, const GateFile& file,
                             const Session& session, GateAnswers& answers,
                             const std::set<std::int64_t>& answered) {
  std::map<std::int64_t, const GateJob*> by_number;
  std::vector<const GateJob*> ran;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::int64_t number = -static_cast<std::int64_t>(i) - 1;
    if (answered.contains(number)) {
      by_number[number] = &jobs[i];
    } else {
      ran.push_back(&jobs[i]);
    }
  }
  std::size_t next = 0;
  for (const auto& [number, submitted] : session.jobs()) {
    if (next == ran.size()) break;
    const GateJob& job = *ran[next++];
    const auto done = session.done(number);
    if (!done || !done->error) {
      by_number[number] = &job;
    } else if (job.whole_scene && done->error->kind == ErrorKind::usage) {
      std::fprintf(stderr, "warpscope: %s is left out: %s\n", visible_name(job.kernel).c_str(),
                   visible_name(sentence(*done->error)).c_str());
    } else {
      Error error = *done->error;
      error.where = job.kernel + (error.where.empty() ? "" : ", " + error.where);
      return tl::unexpected(std::move(error));
    }
  }
  Result<GateRecords> records = answers.records(by_number, file.architectures);
  for (const std::string& note : answers.notes())
    std::fprintf(stderr, "warpscope: %s\n", visible_name(note).c_str());
  return records;
}

// Where a file of a kernel stands, from the folder in which the command runs.
std::string place_of(const std::vector<GateJob>& jobs, const std::string& folder,
                     const std::string& kernel, const std::string& file) {
  for (const GateJob& job : jobs) {
    if (job.kernel == kernel && !job.what.empty()) return place_in_project(file, job.what);
  }
  return place_in_project((std::filesystem::path(folder) / file).lexically_normal().string(), "");
}

Result<void> write_all(const CiOptions& options, const GateComparison& comparison,
                       const std::vector<GateJob>& jobs) {
  const std::string folder = folder_of_gate(options.file);
  const auto place = [&](const std::string& kernel, const std::string& file) {
    return place_of(jobs, folder, kernel, file);
  };
  if (!options.junit.empty()) {
    const std::string text = gate_junit(comparison, "warpscope ci " + options.file);
    if (Result<void> written = write_file(options.junit, text); !written) return written;
  }
  if (!options.sarif.empty()) {
    const std::string text = gate_sarif(comparison, place_in_project(options.file, ""), place);
    if (Result<void> written = write_file(options.sarif, text); !written) return written;
  }
  if (!options.markdown.empty()) return write_file(options.markdown, gate_markdown(comparison));
  return {};
}

int update(const CiOptions& options, const std::string& text, const GateFile& file,
           const GateRecords& now) {
  if (Result<void> written = write_own_file(options.file, with_recorded(text, now)); !written)
    return fail(written.error());
  // What was recorded before may be of another version or torn: then there is nothing to tell.
  const Result<GateRecords> before = parse_recorded(text, options.file);
  if (before) {
    const auto comparison = compare_gate(file, options.file, *before, now);
    if (comparison) std::fputs(gate_text(*comparison).c_str(), stdout);
  }
  const auto faulty = std::count_if(now.records.begin(), now.records.end(), [](const auto& record) {
    const auto found = record.counts.find("faults");
    return found != record.counts.end() && found->second > 0;
  });
  if (faulty > 0)
    std::fprintf(stderr, "warpscope: %s; `warpscope trace` names the lines\n",
                 plural(faulty, "kernel has faults, which are recorded",
                        "kernels have faults, which are recorded")
                     .c_str());
  std::printf("%s in %s\n", plural(std::ssize(now.records), "record").c_str(),
              options.file.c_str());
  return 0;
}

// Those without an answer; a sentence says how many, where some were expected.
std::vector<Job> jobs_to_run(const std::vector<GateJob>& jobs,
                             const std::set<std::int64_t>& answered, bool expected) {
  std::vector<Job> asked;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!answered.contains(-static_cast<std::int64_t>(i) - 1)) asked.push_back(jobs[i].job);
  }
  if (expected && !asked.empty())
    std::fprintf(
        stderr,
        "warpscope: %s of %zu are emulated here: the sessions have no answer of these kernels "
        "as they are now\n",
        plural(std::ssize(asked), "job").c_str(), jobs.size());
  return asked;
}

int run_ci(const CiOptions& options) {
  const Result<std::string> text = read_input(options.file, kMostTextFileBytes);
  if (!text) return fail(text.error());
  const Result<GateFile> file = parse_gate_file(own_part(*text), options.file);
  if (!file) return fail(file.error());
  // Before minutes of emulation: what it will be compared with.
  Result<GateRecords> recorded = GateRecords{};
  if (!options.update) recorded = parse_recorded(*text, options.file);
  if (!recorded) return fail(recorded.error());
  if (Result<void> checked =
          options.update ? Result<void>() : check_recorded(*file, options.file, *recorded);
      !checked)
    return fail(checked.error());
  const auto catalogue = program_catalogue();
  const Result<std::vector<GateJob>> jobs =
      gate_jobs(*catalogue, *file, options.file, options.engine);
  if (!jobs) return fail(jobs.error());
  Session session(catalogue);
  GateAnswers answers(*catalogue, folder_of_gate(options.file));
  Result<std::set<std::int64_t>> answered = std::set<std::int64_t>{};
  if (!options.from.empty())
    answered = take_recorded(*catalogue, options.file, *jobs, options.from, answers);
  if (!answered) return fail(answered.error());
  const std::vector<Job> asked = jobs_to_run(*jobs, *answered, !options.from.empty());
  tl::expected<void, JobsFailure> ran;
  if (!asked.empty())
    ran = run_jobs(emulator_command(options.engine), asked, session, nullptr,
                   [&](const Message& message) { answers.take(message); });
  if (!ran && ran.error().interrupted)
    return fail({ErrorKind::resource, "cancelled: nothing was compared or recorded",
                 ran.error().error.where, ran.error().error.remedy});
  if (!ran) return fail_jobs(ran.error());
  const Result<GateRecords> now = measured(*jobs, *file, session, answers, *answered);
  if (!now) return fail(now.error());
  if (options.update) return update(options, *text, *file, *now);
  const Result<GateComparison> comparison = compare_gate(*file, options.file, *recorded, *now);
  if (!comparison) return fail(comparison.error());
  std::fputs((options.json ? gate_json(*comparison) : gate_text(*comparison)).c_str(), stdout);
  if (Result<void> written = write_all(options, *comparison, *jobs); !written)
    return fail(written.error());
  return comparison->fails() ? 1 : 0;
}

}  // namespace

void declare_ci(CLI::App& command, int& status) {
  auto options = std::make_shared<CiOptions>();
  command.add_option("file", options->file, "the gate's file: which kernels, and what is recorded");
  command.add_flag(
      "--update", options->update,
      "write the recorded part of the file again; the part that you wrote stays as it is");
  command.add_option("--from", options->from,
                     "sessions of `sweep` with a plan of this file (`plan --gate`): what they "
                     "contain is not emulated again");
  command.add_option("--junit", options->junit, "write JUnit XML, one test case per kernel launch");
  command.add_option("--sarif", options->sarif,
                     "write what failed as SARIF 2.1.0, by source line, for code review");
  command.add_option("--markdown", options->markdown,
                     "write a table for a comment on a pull request");
  declare_engine_options(command, options->engine);
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_ci(*options); });
}

}  // namespace warpscope
