// workbench/commands/outputs.cpp: compare --outputs: the outputs of two variants, bit by bit;
// verify --hard: outputs of variants at the hard cases of their scene.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "profiling/export/compiled_table.h"
#include "profiling/export/hard_verdicts.h"
#include "profiling/export/verdicts.h"
#include "profiling/points/output_pair.h"
#include "scenes/base/hard_case.h"
#include "scenes/base/plural.h"
#include "scenes/catalogue.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/measured_table.h"

namespace warpscope {
namespace {

Result<Job> outputs_job(Catalogue& catalogue, const OutputsComparison& options) {
  const Result<SceneAndVariants> first = scene_argument(catalogue, options.first),
                                 second = scene_argument(catalogue, options.second);
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  for (const auto& [chosen, text] :
       {std::pair(&*first, &options.first), std::pair(&*second, &options.second)}) {
    if (text->find('/') == std::string::npos)
      return failure(ErrorKind::usage, "outputs belong to one variant", *text,
                     "write SCENE/VARIANT");
  }
  if (first->scene != second->scene) {
    return failure(ErrorKind::usage, "variants of two scenes have no outputs in common",
                   options.second, "name two variants of one scene");
  }
  const auto axes = axis_arguments(options.axes);
  if (!axes) return tl::unexpected(axes.error());
  const Scene& scene = *first->scene;
  if (const Result<Configuration> typed =
          with_values(scene.axes, default_configuration(scene.axes), *axes);
      !typed)
    return tl::unexpected(typed.error());
  // An axis of one of the two alone is that one's.
  for (const auto& axis : *axes) {
    if (admit_own_axes(*first, {axis})) continue;
    if (Result<void> admitted = admit_own_axes(*second, {axis}); !admitted)
      return tl::unexpected(admitted.error());
  }
  Job job;
  job.work = OutputsJob{second->variants.front()->name};
  job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
  job.scene = scene.name;
  job.variant = first->variants.front()->name;
  job.axes = *axes;
  return job;
}

void print_pair(const OutputPair& pair) {
  std::printf("%s: %s and %s, on %s\n", pair.first.scene.c_str(), pair.first.variant.c_str(),
              pair.second.variant.c_str(),
              pair.conditions.device_uuid.empty() ? "the emulator"
                                                  : to_text(device_of(pair.conditions)).c_str());
  std::printf("%s\n", pair.first.key.c_str());
  if (!pair.refusal.empty()) std::printf("not compared: %s\n", pair.refusal.c_str());
  for (const OutputDifference& d : pair.outputs) std::printf("%s\n", sentence_of(d).c_str());
  for (const auto& [id, verdict] : {std::pair(&pair.first, &pair.first_verdict),
                                    std::pair(&pair.second, &pair.second_verdict)}) {
    if (verdict->outcome == Outcome::unchecked || verdict->outcome == Outcome::no_reference)
      continue;
    std::printf("%s compared with its reference: %s, %s\n", id->variant.c_str(),
                to_text(verdict->outcome), verdict->sentence.c_str());
  }
}

}  // namespace

int run_output_pair(const OutputsComparison& options) {
  const auto catalogue = program_catalogue();
  const Result<Job> job = outputs_job(*catalogue, options);
  if (!job) return fail(job.error());
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  bool on_device = false;
  if (!options.emulated) {
    const Result<bool> device = device_answers(options.engine);
    if (!device) return fail(device.error());
    on_device = *device;
  }
  Session session(catalogue);
  const auto ran =
      run_jobs(on_device ? engine_command(options.engine) : emulator_command(options.engine),
               {*job}, session, file->get());
  if (!ran) return fail_jobs(ran.error());
  const std::vector<const OutputPair*> pairs = session.outcomes().pairs();
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, output_pairs_csv(pairs)); !written)
      return fail(written.error());
  }
  if (options.json) std::printf("%s\n", output_pairs_json(pairs).c_str());
  int status = 0;
  for (const OutputPair* pair : pairs) {
    if (!options.json) print_pair(*pair);
    if (!pair->refusal.empty() || failed(pair->first_verdict.outcome) ||
        failed(pair->second_verdict.outcome))
      status = 1;
  }
  for (const auto& [number, submitted] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) return exit_status(done->error->kind);
  }
  return status;
}

namespace {

// The jobs of a scene, or of variants of it.
Result<void> add_hard_jobs(Catalogue& catalogue, const HardVerification& options,
                           const std::string& what, std::vector<Job>& jobs) {
  const Result<SceneAndVariants> chosen = variants_argument(catalogue, what);
  if (!chosen) return tl::unexpected(chosen.error());
  const Scene& scene = *chosen->scene;
  std::vector<HardCase> cases = hard_cases_of(scene);
  if (!options.hard_case.empty()) {
    Result<HardCase> one = find_hard_case(scene, options.hard_case);
    if (!one) return tl::unexpected(one.error());
    cases = {std::move(*one)};
  }
  if (cases.empty())
    return failure(ErrorKind::usage, "the scene has no hard cases", scene.name,
                   "verify it without --hard");
  const Result<std::vector<HardRun>> runs = hard_runs(scene, cases, chosen->variants);
  if (!runs) return tl::unexpected(runs.error());
  for (const HardRun& run : *runs) {
    Job job;
    job.work = VerifyJob{run.hard_case};
    job.scene = scene.name;
    job.variant = run.variant->name;
    job.axes = run.axes;
    job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
    jobs.push_back(std::move(job));
  }
  return {};
}

// A line per scene and case, the findings, and the sum.
void print_hard(const std::vector<const HardVerdict*>& verdicts) {
  struct Counts {
    int right = 0, findings = 0, as_meant = 0, not_run = 0, unchecked = 0;
  };
  std::vector<std::pair<std::string, Counts>> lines;
  int findings = 0;
  for (const HardVerdict* v : verdicts) {
    const std::string name = padded(v->point.scene, 13) + v->hard_case;
    if (lines.empty() || lines.back().first != name) lines.emplace_back(name, Counts{});
    Counts& counts = lines.back().second;
    const Outcome outcome = v->verdict.outcome;
    ++(v->finding                         ? counts.findings
       : outcome == Outcome::correct      ? counts.right
       : outcome == Outcome::cannot_run   ? counts.not_run
       : outcome == Outcome::no_reference ? counts.unchecked
                                          : counts.as_meant);
    findings += v->finding ? 1 : 0;
  }
  for (const auto& [name, counts] : lines) {
    std::string text = std::to_string(counts.right) + " right";
    if (counts.findings > 0) text += ", " + std::to_string(counts.findings) + " WRONG";
    if (counts.as_meant > 0) text += ", " + std::to_string(counts.as_meant) + " wrong on purpose";
    if (counts.unchecked > 0)
      text += ", " + std::to_string(counts.unchecked) + " not checked: there is no reference";
    if (counts.not_run > 0) text += ", " + std::to_string(counts.not_run) + " cannot run there";
    std::printf("%s%s\n", padded(name, 42).c_str(), text.c_str());
  }
  for (const HardVerdict* v : verdicts) {
    if (!v->finding) continue;
    HardVerdict said = *v;
    said.verdict.sentence = with_remedy(v->verdict);
    std::printf("%s\n", sentence_of(said).c_str());
  }
  fmt::print("{} at {}, {} of them wrong\n", plural(std::ssize(verdicts), "run"),
             plural(std::ssize(lines), "hard case"), findings);
}

}  // namespace

int run_verify_hard(const HardVerification& options) {
  const auto catalogue = program_catalogue();
  std::vector<std::string> wanted = {options.what};
  if (options.what.empty()) {
    wanted.clear();
    for (const Scene& scene : built_in_scenes()) wanted.push_back(scene.name);
  }
  std::vector<Job> jobs;
  for (const std::string& what : wanted) {
    if (Result<void> added = add_hard_jobs(*catalogue, options, what, jobs); !added)
      return fail(added.error());
  }
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Session session(catalogue);
  const auto ran =
      run_jobs(emulator_command(options.engine), std::move(jobs), session, file->get());
  const std::vector<const HardVerdict*> verdicts = session.outcomes().hard_verdicts();
  if (!ran && verdicts.empty()) return fail_jobs(ran.error());
  if (options.json) {
    std::printf("%s\n", hard_verdicts_json(verdicts).c_str());
  } else {
    print_hard(verdicts);
  }
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, hard_verdicts_csv(verdicts)); !written)
      return fail(written.error());
  }
  // A wrong output is said above all else.
  if (std::any_of(verdicts.begin(), verdicts.end(), [](auto* v) { return v->finding; })) return 1;
  int status = ran ? 0 : fail_jobs(ran.error());
  for (const auto& [number, job] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) status = std::max(status, exit_status(done->error->kind));
  }
  return status;
}

}  // namespace warpscope
