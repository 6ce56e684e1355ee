// workbench/commands/exercises/grader.cpp: runs a student's kernel in an exercise, and collects
// what its grade is made of.
#include "workbench/commands/exercises/grader.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <utility>

#include "scenes/base/hard_case.h"
#include "scenes/host/input_file.h"
#include "scenes/read_folder.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr double kLimitS = 8;  // of one run: those of an exercise take less than a second
constexpr std::int64_t kMostKernelBytes = 1 << 20;

bool is_speed(const Goal& goal) { return goal.kind == GoalKind::speed; }
bool is_of_starter(const Goal& goal) { return goal.kind == GoalKind::of_starter; }

TraceJob asked_trace() {
  TraceJob asked;
  asked.grid = true;
  asked.threads = 1;
  return asked;
}

// The name that a count's job has among the gate's.
std::string counted_name(bool starter, std::size_t size) {
  return (starter ? "starter " : "yours ") + std::to_string(size);
}

}  // namespace

Result<GradedExercise> read_exercise(const std::string& folder, const std::string& kernel) {
  const fs::path path = fs::path(folder).filename() == kExerciseFile
                            ? fs::path(folder).parent_path()
                            : fs::path(folder);
  GradedExercise graded;
  graded.file = (path / kExerciseFile).string();
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && !fs::exists(graded.file, ignored))
    return failure(ErrorKind::input, "the folder is not an exercise: it has no exercise.toml",
                   folder, "name a folder such as assets/exercises/saxpy");
  const Result<std::string> text = read_input(graded.file, kMostKernelBytes);
  if (!text) return tl::unexpected(text.error());
  Result<Exercise> exercise = parse_exercise(*text, graded.file);
  if (!exercise) return tl::unexpected(exercise.error());
  graded.exercise = std::move(*exercise);
  Result<SceneText> scene = read_scene_folder(fs::absolute(path).lexically_normal());
  if (!scene) return tl::unexpected(scene.error());
  graded.scene = std::move(*scene);
  const std::string place = graded.scene.name + "/" + graded.exercise.kernel;
  graded.kernel = graded.exercise.kernel;
  KernelSource* found = nullptr;
  for (KernelSource& source : graded.scene.sources) {
    if (source.path == place) found = &source;
    if (source.path != place && source.path.ends_with(".cu"))
      graded.references.push_back(fs::path(source.path).filename().string());
  }
  if (found == nullptr)
    return failure(ErrorKind::input, "the folder has no kernel “" + graded.exercise.kernel + "”",
                   graded.file, "write kernel = \"…\" with a .cu file of the folder");
  if (!kernel.empty()) {
    Result<std::string> handed_in = read_input(kernel, kMostKernelBytes);
    if (!handed_in) return tl::unexpected(handed_in.error());
    *found = kernel_source(place, std::move(*handed_in));
    graded.scene.hash = scene_hash(graded.scene);
    graded.kernel = fs::path(kernel).filename().string();
  }
  graded.text = found->text;
  return graded;
}

Grader::Grader(const GradedExercise& graded, const EngineChoice& engine, bool emulated)
    : graded_(graded), engine_(engine), emulated_(emulated), catalogue_(program_catalogue()) {}

bool Grader::asks(bool (*wanted)(const Goal&)) const {
  const auto& goals = graded_.exercise.goals;
  return std::any_of(goals.begin(), goals.end(), wanted);
}

Job Grader::job(const std::string& variant, const AxisTexts& axes, JobWork work) const {
  Job job;
  job.scene = scene_->name;
  job.variant = variant;
  job.axes = axes;
  job.work = std::move(work);
  job.hang_limit_s = engine_.limit_s.value_or(kLimitS);
  return job;
}

void Grader::tell(const Message& message) {
  if (!std::holds_alternative<Done>(message)) return;
  ++ended_;
  std::fprintf(stderr, "progress %zu %zu %s\n", ended_, std::max(ended_, expected_),
               evidence_.checks.size() < checks_ ? "outputs at every size" : "counts");
}

Result<std::vector<std::int64_t>> Grader::run_all(const std::vector<Job>& jobs, const Seen& seen,
                                                  bool on_device) {
  Session session(catalogue_);
  const auto ran = run_jobs(on_device ? engine_command(engine_) : emulator_command(engine_), jobs,
                            session, nullptr, [&](const Message& message) {
                              if (seen) seen(message);
                              if (tells_) tell(message);
                            });
  if (!ran && ran.error().interrupted)
    return failure(ErrorKind::resource, "cancelled: nothing was graded", ran.error().error.where,
                   ran.error().error.remedy);
  if (!ran) {
    said_ = ran.error().said;
    return tl::unexpected(ran.error().error);
  }
  std::vector<std::int64_t> numbers;
  for (const auto& [number, submitted] : session.jobs()) {
    numbers.push_back(number);
    const auto done = session.done(number);
    if (!done || !done->error) continue;
    said_ = true;
    return tl::unexpected(*done->error);
  }
  return numbers;
}

// Sizes and variants that the exercise names must be the scene's.
Result<void> Grader::check_axes() const {
  const Exercise& exercise = graded_.exercise;
  const auto in_exercise = [&](Error error) {
    error.where = graded_.file + (error.where.empty() ? "" : ": " + error.where);
    return tl::unexpected(std::move(error));
  };
  for (const std::string& variant : {exercise.variant, exercise.starter}) {
    if (const auto found = find_variant_or_explain(*scene_, variant); !found)
      return in_exercise(found.error());
  }
  std::vector<AxisTexts> sizes = exercise.counted;
  sizes.insert(sizes.end(), exercise.hidden.begin(), exercise.hidden.end());
  sizes.push_back(exercise.timed);
  for (const AxisTexts& axes : sizes) {
    const auto typed = with_values(scene_->axes, default_configuration(scene_->axes), axes);
    if (!typed) return in_exercise(typed.error());
  }
  return {};
}

// Every other size, and other inputs, alone and after a run.
Result<std::vector<Grader::Asked>> Grader::other_checks() const {
  const Exercise& exercise = graded_.exercise;
  const AxisTexts& named = exercise.counted.front();
  std::vector<Asked> asked;
  const auto add = [&](CheckKind kind, std::string where, const AxisTexts& axes,
                       const std::string& hard_case) {
    asked.push_back({kind, std::move(where), job(exercise.variant, axes, VerifyJob{hard_case})});
  };
  for (std::size_t i = 1; i < exercise.counted.size(); ++i)
    add(CheckKind::size, axes_text(exercise.counted[i]), exercise.counted[i], "");
  for (const AxisTexts& axes : exercise.hidden) add(CheckKind::size, axes_text(axes), axes, "");
  for (const HardCase& hard : hard_cases_of(*scene_)) {
    if (hard.behind) {
      add(CheckKind::second_run, axes_text(named) + ", after a run with other inputs", named,
          hard.name);
    } else if (hard.change) {
      add(CheckKind::other_inputs, axes_text(named) + ", with other inputs", named, hard.name);
    } else {
      add(CheckKind::size, axes_text(hard.values), hard.values, hard.name);
    }
  }
  return asked;
}

Result<void> Grader::check(const std::vector<Asked>& asked) {
  std::vector<Job> jobs;
  for (const Asked& one : asked) jobs.push_back(one.job);
  std::map<std::int64_t, Verdict> verdicts;
  const auto ran = run_all(jobs, [&](const Message& message) {
    if (const auto* hard = std::get_if<HardVerdict>(&message)) verdicts[hard->job] = hard->verdict;
    if (const auto* plain = std::get_if<Measurement>(&message))
      verdicts[plain->job] = plain->verdict;
  });
  if (!ran) return tl::unexpected(ran.error());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto found = i < ran->size() ? verdicts.find((*ran)[i]) : verdicts.end();
    if (found == verdicts.end())
      return failure(ErrorKind::environment, "the emulator gave no answer", asked[i].where,
                     "see `warpscope doctor`, then run it again");
    if (found->second.outcome == Outcome::no_reference)
      return failure(ErrorKind::input, "the scene has no reference to compare outputs with",
                     graded_.scene.file, "write [reference]");
    evidence_.checks.push_back({asked[i].kind, asked[i].where, found->second});
  }
  return {};
}

// A run that failed once more, for the line. What it does with changed inputs is not traced.
Result<void> Grader::find_fault(const Asked& failed) {
  const auto ran = run_all({job(graded_.exercise.variant, failed.job.axes, asked_trace())},
                           [&](const Message& message) {
                             if (const auto* trace = std::get_if<Trace>(&message))
                               evidence_.failing.push_back(*trace);
                           });
  return ran.map([](const std::vector<std::int64_t>&) {});
}

Result<void> Grader::count() {
  const Exercise& exercise = graded_.exercise;
  const GateKernel asked{.outputs = false};
  std::vector<GateJob> jobs;
  for (std::size_t i = 0; i < exercise.counted.size(); ++i) {
    for (const bool starter : {false, true}) {
      if (starter && !asks(is_of_starter)) continue;
      GateJob one;
      one.kernel = counted_name(starter, i);
      one.asked = &asked;
      const std::string& variant = starter ? exercise.starter : exercise.variant;
      one.job = job(variant, exercise.counted[i], asked_trace());
      jobs.push_back(one);
      if (!asks(needs_compiler)) continue;
      one.job.work = RegistersJob{{kGateEmulated}};
      jobs.push_back(one);
    }
  }
  std::vector<Job> plain;
  for (const GateJob& one : jobs) plain.push_back(one.job);
  GateAnswers answers(*catalogue_, "");
  std::vector<Trace> traces;
  const auto ran = run_all(plain, [&](const Message& message) {
    answers.take(message);
    if (const auto* trace = std::get_if<Trace>(&message)) traces.push_back(*trace);
  });
  if (!ran) return tl::unexpected(ran.error());
  std::map<std::int64_t, const GateJob*> by_number;
  for (std::size_t i = 0; i < ran->size() && i < jobs.size(); ++i) by_number[(*ran)[i]] = &jobs[i];
  for (std::size_t i = 0; i < exercise.counted.size(); ++i) {
    GradeCounts& counts = evidence_.counts.emplace_back();
    counts.where = axes_text(exercise.counted[i]);
    for (const Trace& trace : traces) {
      const auto of = by_number.find(trace.job);
      if (of != by_number.end() && of->second->kernel == counted_name(false, i))
        counts.traces.push_back(trace);
    }
  }
  return keep_counts(answers.records(by_number, {kGateEmulated}));
}

Result<void> Grader::keep_counts(const Result<GateRecords>& records) {
  if (!records && records.error().kind != ErrorKind::resource)
    return tl::unexpected(records.error());
  if (!records) {  // too slow to be counted
    evidence_.counts.clear();
    evidence_.stopped = sentence({ErrorKind::resource, records.error().what, "", ""});
    return {};
  }
  for (std::size_t i = 0; i < evidence_.counts.size(); ++i) {
    for (const GateRecord& record : records->records) {
      if (record.kernel == counted_name(false, i)) evidence_.counts[i].records.push_back(record);
      if (record.kernel == counted_name(true, i)) evidence_.counts[i].starter.push_back(record);
    }
  }
  const std::vector<Trace>& traces = evidence_.counts.front().traces;
  for (const Goal& goal : graded_.exercise.goals) {
    const bool known = goal.step.empty() ||
                       std::any_of(traces.begin(), traces.end(),
                                   [&](const Trace& trace) { return trace.step == goal.step; });
    if (!known)
      return failure(ErrorKind::input,
                     "“" + goal.text + "” names a kernel launch that there is not",
                     graded_.file + ":" + std::to_string(goal.line),
                     "write “in” and the name of a step of the variant");
  }
  return {};
}

Result<void> Grader::time() {
  if (emulated_) {
    evidence_.not_timed = "times were not asked for";
    return {};
  }
  const Result<bool> device = device_answers(engine_);
  if (!device) return tl::unexpected(device.error());
  if (!*device) {
    evidence_.not_timed = "there is no GPU here, and this goal does not count";
    return {};
  }
  const Exercise& exercise = graded_.exercise;
  std::map<std::int64_t, Measurement> measured;
  const auto ran = run_all(
      {job(exercise.starter, exercise.timed, MeasureJob{}),
       job(exercise.variant, exercise.timed, MeasureJob{})},
      [&](const Message& message) {
        if (const auto* one = std::get_if<Measurement>(&message)) measured[one->job] = *one;
      },
      true);
  if (!ran) return tl::unexpected(ran.error());
  for (std::size_t i = 0; i < 2 && i < ran->size(); ++i) {
    const Measurement& m = measured[(*ran)[i]];
    if (m.verdict.outcome == Outcome::correct && m.warm)
      (i == 0 ? evidence_.starter_ns : evidence_.yours_ns) = m.warm->median_ns;
    else
      evidence_.not_timed = m.verdict.sentence;
  }
  return {};
}

namespace {

// Whether a text includes the file of this name, or something that a macro names while the file's
// name stands anywhere in the text.
bool may_include(const std::string& text, const std::string& name) {
  const std::vector<IncludedName> all = included_names(text);
  const bool plainly = std::any_of(all.begin(), all.end(), [&](const IncludedName& include) {
    return fs::path(include.name).filename() == name;
  });
  static const std::regex by_macro(R"((^|\n)[ \t]*#[ \t]*include[ \t]+[A-Za-z_])");
  return plainly || (text.find(name) != std::string::npos && std::regex_search(text, by_macro));
}

}  // namespace

Result<GradeEvidence> Grader::run() {
  const Result<const Scene*> scene = catalogue_->open_text(graded_.scene);
  if (!scene) return tl::unexpected(scene.error());
  scene_ = *scene;
  if (Result<void> checked = check_axes(); !checked) return tl::unexpected(checked.error());
  for (const std::string& name : graded_.references) {
    if (!may_include(graded_.text, name)) continue;
    evidence_.refused = "the kernel includes " + name + ", which is not the student's";
    return evidence_;
  }
  const AxisTexts& named = graded_.exercise.counted.front();
  std::vector<Asked> asked = {
      {CheckKind::named, axes_text(named), job(graded_.exercise.variant, named, VerifyJob{})}};
  checks_ = asked.size();
  expected_ = asked.size() + graded_.exercise.counted.size();
  // Alone and first: of a kernel that does not compile or never ends, nothing else is run.
  if (Result<void> ran = check(asked); !ran) return tl::unexpected(ran.error());
  if (failed_check(evidence_) == nullptr) {
    Result<std::vector<Asked>> others = other_checks();
    if (!others) return tl::unexpected(others.error());
    expected_ += others->size();
    checks_ += others->size();
    if (Result<void> ran = check(*others); !ran) return tl::unexpected(ran.error());
    asked.insert(asked.end(), others->begin(), others->end());
  }
  if (const GradeCheck* failed = failed_check(evidence_)) {
    if (failed->verdict.outcome != Outcome::faulted) return evidence_;
    const auto at = static_cast<std::size_t>(failed - evidence_.checks.data());
    if (Result<void> found = find_fault(asked[at]); !found) return tl::unexpected(found.error());
    return evidence_;
  }
  if (Result<void> counted = count(); !counted) return tl::unexpected(counted.error());
  if (asks(is_speed)) {
    if (Result<void> timed = time(); !timed) return tl::unexpected(timed.error());
  }
  return evidence_;
}

}  // namespace warpscope
