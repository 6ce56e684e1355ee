// workbench/workspace/scene/exercise_run.cpp: an exercise while a student works on it: its text,
// its hints, and the grade of its kernel as it was saved last.
#include "workbench/workspace/scene/exercise_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "scenes/host/build_stamp.h"
#include "scenes/host/input_file.h"
#include "workbench/client/child_process.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kMostKernelBytes = 1 << 20;
constexpr std::string_view kProgress = "progress ";

// What is there to be read now. False: the other side has closed it.
bool read_some(int& descriptor, std::string& text) {
  char part[4096];
  while (descriptor >= 0) {
    const ssize_t bytes = ::read(descriptor, part, sizeof part);
    if (bytes > 0) {
      text.append(part, static_cast<std::size_t>(bytes));
    } else if (bytes < 0 && errno == EINTR) {
      continue;
    } else if (bytes < 0 && errno == EAGAIN) {
      return true;
    } else {
      ::close(std::exchange(descriptor, -1));
    }
  }
  return false;
}

std::string program_beside_this_one() {
  std::error_code failed;
  return (fs::read_symlink("/proc/self/exe", failed).parent_path() / product_name()).string();
}

// Lines of a paragraph are joined: the panel has its own width.
std::string in_paragraphs(const std::string& text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool alone = text[i] == '\n' && i > 0 && text[i - 1] != '\n' && i + 1 < text.size() &&
                       text[i + 1] != '\n';
    joined += alone ? ' ' : text[i];
  }
  while (joined.ends_with('\n')) joined.pop_back();
  return joined;
}

GoalStanding standing_of(const json& row) {
  GoalStanding goal;
  goal.goal = row.value("goal", "");
  goal.outcome = row.value("outcome", "");
  goal.found = row.value("found", "");
  goal.reason = row.value("reason", "");
  goal.file = row.value("file", "");
  goal.text = row.value("text", "");
  goal.points = row.value("points", 0.0);
  goal.of = row.value("of", 0.0);
  goal.line = row.value("line", 0);
  return goal;
}

}  // namespace

Result<ShownGrade> parse_grade(std::string_view text) {
  const auto broken = [] {
    return failure(ErrorKind::input, "the grade cannot be read", "warpscope grade",
                   "see whether `warpscope grade` ends well in a terminal");
  };
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object() || all.value("type", json()) != "grade" || !all.contains("goals"))
    return broken();
  try {
    ShownGrade grade;
    grade.verdict = all.value("verdict", "");
    grade.reason = all.value("reason", "");
    grade.points = all.value("points", 0.0);
    grade.of = all.value("of", 0.0);
    for (const json& row : all["goals"]) grade.goals.push_back(standing_of(row));
    return grade;
  } catch (const json::exception&) {
    return broken();
  }
}

Result<std::unique_ptr<ExerciseRun>> ExerciseRun::open(const fs::path& folder,
                                                       const std::string& program) {
  const std::string file = (folder / kExerciseFile).string();
  const Result<std::string> text = read_input(file, kMostKernelBytes);
  if (!text) return tl::unexpected(text.error());
  Result<Exercise> exercise = parse_exercise(*text, file);
  if (!exercise) return tl::unexpected(exercise.error());
  std::unique_ptr<ExerciseRun> run(new ExerciseRun);
  run->folder_ = folder;
  run->program_ = program.empty() ? program_beside_this_one() : program;
  run->exercise_ = std::move(*exercise);
  run->exercise_.text = in_paragraphs(run->exercise_.text);
  return run;
}

void ExerciseRun::update() {
  take();
  constexpr std::chrono::milliseconds kLook(200);
  const auto now = std::chrono::steady_clock::now();
  if (looked_ && now - *looked_ < kLook) return;
  looked_ = now;
  const Result<std::string> text = read_input(kernel().string(), kMostKernelBytes);
  if (text && *text != seen_) begin();
}

void ExerciseRun::begin() {
  end();
  trouble_.clear();
  progress_ = {0, "beginning"};
  // An editor may be writing the file: what was graded is what is there now.
  seen_ = read_input(kernel().string(), kMostKernelBytes).value_or("");
  const ChildProcess child = start_child({program_, "grade", folder_.string(), "--kernel",
                                          kernel().string(), "--emulated", "--json", "--progress"});
  if (child.process < 0) {
    trouble_ = std::string("no process can be started to grade in: ") + std::strerror(child.error);
    return;
  }
  ::close(child.to_child);
  ::close(child.start_failure);
  process_ = child.process;
  out_ = child.from_child;
  errors_ = child.errors;
}

void ExerciseRun::end() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
  for (int* descriptor : {&out_, &errors_}) {
    if (*descriptor >= 0) ::close(std::exchange(*descriptor, -1));
  }
  said_.clear();
  told_.clear();
}

void ExerciseRun::take() {
  if (process_ < 0) return;
  const bool open = read_some(out_, said_), heard = read_some(errors_, told_);
  take_progress();
  if (!open && !heard) finish();
}

// Whole lines "progress 3 14 n=1023" are taken off; others are errors.
void ExerciseRun::take_progress() {
  std::string rest;
  for (std::size_t at = 0; at < told_.size();) {
    const std::size_t end = told_.find('\n', at);
    const std::string line = told_.substr(at, end == std::string::npos ? end : end - at + 1);
    at += line.size();
    int done = 0, of = 0, words = 0;
    const bool whole = end != std::string::npos && line.starts_with(kProgress);
    if (whole && std::sscanf(line.c_str(), "progress %d %d %n", &done, &of, &words) == 2) {
      progress_.ratio = of > 0 ? static_cast<double>(done) / of : 0;
      progress_.words = line.substr(static_cast<std::size_t>(words));
      progress_.words.pop_back();
    } else {
      rest += line;
    }
  }
  told_ = std::move(rest);
}

void ExerciseRun::finish() {
  Result<ShownGrade> grade = parse_grade(said_);
  if (grade) {
    grade_ = std::move(*grade);
  } else {
    trouble_ = told_.empty() ? sentence(grade.error()) : told_.substr(0, told_.find('\n'));
  }
  end();
}

}  // namespace warpscope
