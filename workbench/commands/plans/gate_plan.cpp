// workbench/commands/plans/gate_plan.cpp: the kernels of a gate's file as lines of a plan.
#include "workbench/commands/plans/gate_plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "profiling/gate/gate_record.h"
#include "profiling/messages/packed_text.h"
#include "profiling/session/line_reader.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"
#include "workbench/commands/plans/launch_plan.h"
#include "workbench/options/words.h"

namespace warpscope {
namespace {

constexpr std::string_view kGateWord = "ci ";

struct PlannedKernel {
  std::string path, kernel;
};

Result<PlannedKernel> planned_kernel(const std::string& words) {
  PlannedKernel line;
  CLI::App app;
  app.set_help_flag();
  app.add_option("file", line.path)->required();
  app.add_option("--kernel", line.kernel)->required();
  try {
    app.parse(words.substr(kGateWord.size()));
  } catch (const CLI::ParseError& error) {
    return failure(ErrorKind::usage, words_of(error), words,
                   "make the plan with `warpscope plan --gate FILE`");
  }
  return line;
}

Result<GateFile> gate_file_at(const std::string& path) {
  const Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_gate_file(own_part(*text), path);
}

Result<PlanScene> scene_of_job(Catalogue& catalogue, const GateJob& job, const std::string& path) {
  if (job.what.empty())
    return scene_of_launch(
        (std::filesystem::path(folder_of_gate(path)) / job.asked->launch).string());
  const Result<SceneAndVariants> chosen = variants_argument(catalogue, job.what);
  if (!chosen) return tl::unexpected(chosen.error());
  MeasureRequest request;
  request.what = job.what;
  const Result<std::string> hash = kernels_hash(catalogue, chosen->scene->name);
  if (!hash) return tl::unexpected(hash.error());
  return PlanScene{words_of_scene(request, *chosen), *hash};
}

}  // namespace

Result<Plan> plan_of_gate(Catalogue& catalogue, const std::string& path) {
  const Result<GateFile> file = gate_file_at(path);
  if (!file) return tl::unexpected(file.error());
  const Result<std::vector<GateJob>> jobs = gate_jobs(catalogue, *file, path, EngineChoice{});
  if (!jobs) return tl::unexpected(jobs.error());
  Plan plan;
  plan.version = build_stamp();
  plan.date = now_utc();
  std::set<std::string> kernels, scenes;
  for (const GateJob& job : *jobs) {
    Result<PlanScene> scene = scene_of_job(catalogue, job, path);
    if (!scene) return tl::unexpected(scene.error());
    if (scenes.insert(scene->words).second) plan.scenes.push_back(std::move(*scene));
    if (kernels.insert(job.kernel).second)
      plan.points.push_back(
          {std::string(kGateWord) + quoted_word(path) + " --kernel " + quoted_word(job.kernel),
           {}});
  }
  return plan;
}

namespace {

// The place in `jobs` by the tag of a plan's job.
std::map<std::string, std::int64_t> numbers_by_tag(const Plan& plan,
                                                   const std::vector<GateJob>& jobs) {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::size_t> seen, lines;
  const std::string id = plan_id(plan);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::size_t line = lines.try_emplace(jobs[i].kernel, lines.size()).first->second;
    const std::size_t of_line = ++seen[jobs[i].kernel];
    numbers[plan_tag(id, line) + "/" + std::to_string(of_line)] = -static_cast<std::int64_t>(i) - 1;
  }
  return numbers;
}

// Reads one session; whole answers stay in `found` by the number of their job.
class RecordedAnswers {
 public:
  explicit RecordedAnswers(std::map<std::string, std::int64_t> numbers)
      : numbers_(std::move(numbers)) {}
  Result<void> read(const std::string& path) {
    Result<TextLines> lines = TextLines::open(path, std::numeric_limits<std::int64_t>::max());
    if (!lines) return tl::unexpected(lines.error());
    LineReader reader(PointParts::all);
    open_.clear();
    while (const auto line = lines->next()) {
      if (line->empty()) continue;
      Result<Message> message = reader.read(*line);
      if (message) take(*message);
    }
    return {};
  }
  std::map<std::int64_t, std::vector<Message>> found;
  std::optional<Hello> hello;  // of the first engine whose answers are taken
  std::set<std::string> toolkits;

 private:
  struct Open {
    std::int64_t number = 0;
    std::vector<Message> messages;
  };
  void take(const Message& message) {
    if (const auto* engine = std::get_if<Hello>(&message)) current_ = *engine;
    if (const auto* job = std::get_if<Job>(&message)) {
      const auto number = numbers_.find(job->tag);
      open_.erase(job->job);
      if (number != numbers_.end() && current_ && current_->build == build_stamp())
        open_[job->job].number = number->second;
    }
    if (const auto* trace = std::get_if<Trace>(&message)) keep(*trace);
    if (const auto* made = std::get_if<Compilation>(&message)) keep(*made);
    const auto* done = std::get_if<Done>(&message);
    if (done == nullptr || !open_.contains(done->job)) return;
    Open& open = open_.at(done->job);
    if (done->status == DoneStatus::finished && !open.messages.empty()) {
      found[open.number] = std::move(open.messages);
      if (!hello) hello = current_;
      toolkits.insert(current_->toolkit);
    }
    open_.erase(done->job);
  }
  template <typename Answer>
  void keep(Answer answer) {
    const auto open = open_.find(answer.job);
    if (open == open_.end()) return;
    answer.job = open->second.number;
    open->second.messages.push_back(std::move(answer));
  }

  std::map<std::string, std::int64_t> numbers_;
  std::map<std::int64_t, Open> open_;  // by the session's number of the job
  std::optional<Hello> current_;
};

}  // namespace

Result<std::set<std::int64_t>> take_recorded(Catalogue& catalogue, const std::string& path,
                                             const std::vector<GateJob>& jobs,
                                             const std::vector<std::string>& sessions,
                                             GateAnswers& answers) {
  const Result<Plan> plan = plan_of_gate(catalogue, path);
  if (!plan) return tl::unexpected(plan.error());
  RecordedAnswers recorded(numbers_by_tag(*plan, jobs));
  for (const std::string& session : sessions) {
    if (const auto read = recorded.read(session); !read) return tl::unexpected(read.error());
  }
  if (recorded.toolkits.size() > 1)
    return failure(ErrorKind::environment,
                   "the sessions were emulated with CUDA " + *recorded.toolkits.begin() + " and " +
                       *recorded.toolkits.rbegin() + ", whose counts may differ",
                   sessions.front(), "install one toolkit on all machines, and emulate again");
  std::set<std::int64_t> numbers;
  if (recorded.hello) answers.take(*recorded.hello);
  for (auto& [number, messages] : recorded.found) {
    numbers.insert(number);
    for (const Message& message : messages) answers.take(message);
  }
  return numbers;
}

bool PlannedGates::is_gate_line(std::string_view words) { return words.starts_with(kGateWord); }

Result<std::vector<Job>> PlannedGates::jobs_of(Catalogue& catalogue, const std::string& words,
                                               const EngineChoice& engine) {
  const Result<PlannedKernel> line = planned_kernel(words);
  if (!line) return tl::unexpected(line.error());
  std::unique_ptr<Gate>& gate = gates_[line->path];
  if (gate == nullptr) {
    Result<GateFile> file = gate_file_at(line->path);
    if (!file) return tl::unexpected(file.error());
    auto made = std::make_unique<Gate>();
    made->file = std::move(*file);
    Result<std::vector<GateJob>> jobs = gate_jobs(catalogue, made->file, line->path, engine);
    if (!jobs) return tl::unexpected(jobs.error());
    made->jobs = std::move(*jobs);
    gate = std::move(made);
  }
  std::vector<Job> jobs;
  for (const GateJob& job : gate->jobs) {
    if (job.kernel == line->kernel) jobs.push_back(job.job);
  }
  if (jobs.empty())
    return failure(ErrorKind::input, "the gate has no kernel of this name any more", line->kernel,
                   "make the plan again with `warpscope plan --gate " + line->path + "`");
  return jobs;
}

}  // namespace warpscope
