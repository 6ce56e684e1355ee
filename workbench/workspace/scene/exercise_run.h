// workbench/workspace/scene/exercise_run.h: an exercise while a student works on it: its text, its
// hints, and the grade of its kernel as it was saved last.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/grading/exercise.h"
#include "scenes/host/result.h"

// Call `update` once a frame: it sees that the kernel was saved, grades it in a process beside this
// one, and takes the grade in. A save while that runs begins it anew.
//
//   auto run = ExerciseRun::open("assets/exercises/saxpy");
//   (*run)->update();
//   if (const ShownGrade* grade = (*run)->grade()) draw(*grade);

namespace warpscope {

// A goal as `warpscope grade --json` tells it, in the order of the exercise's goals.
struct GoalStanding {
  std::string goal, outcome, found, reason, file, text;
  double points = 0, of = 0;
  int line = 0;  // of the kernel; 0: none is known
  bool is_met() const { return outcome == "met"; }
  bool is_missed() const { return outcome == "missed"; }
};

struct ShownGrade {
  std::string verdict, reason;  // "met", "missed", "wrong", "refused"
  double points = 0, of = 0;
  std::vector<GoalStanding> goals;
  bool is_met() const { return verdict == "met"; }
};
// error: input: it is not what `warpscope grade --json` prints.
Result<ShownGrade> parse_grade(std::string_view json);

class ExerciseRun {
 public:
  struct Progress {
    double ratio = 0;  // of the runs that the grade is made of
    std::string words;
  };

  // `program`: warpscope; empty: the one beside this program. error: input: no such file; of the
  // exercise's file.
  static Result<std::unique_ptr<ExerciseRun>> open(const std::filesystem::path& folder,
                                                   const std::string& program = {});
  ExerciseRun(const ExerciseRun&) = delete;
  ExerciseRun& operator=(const ExerciseRun&) = delete;
  ~ExerciseRun() { end(); }

  void update();
  void begin();  // grades the kernel as it is on the disk

  const std::filesystem::path& folder() const { return folder_; }
  const Exercise& exercise() const { return exercise_; }
  std::filesystem::path kernel() const { return folder_ / exercise_.kernel; }
  bool is_grading() const { return process_ >= 0; }
  const Progress& progress() const { return progress_; }
  // The last grade, also while a newer state is graded. Null: there is none.
  const ShownGrade* grade() const { return grade_ ? &*grade_ : nullptr; }
  const std::string& trouble() const { return trouble_; }  // why there is none; a sentence
  std::size_t hints() const { return hints_; }             // those that were asked for
  void ask_hint() { hints_ += hints_ < exercise_.hints.size() ? 1 : 0; }

 private:
  ExerciseRun() = default;
  void end();
  void take();
  void take_progress();
  void finish();

  std::filesystem::path folder_;
  std::string program_;
  Exercise exercise_;
  std::size_t hints_ = 0;
  std::optional<ShownGrade> grade_;
  std::string trouble_, seen_;  // seen_: the text that was graded last
  Progress progress_;
  std::optional<std::chrono::steady_clock::time_point> looked_;
  pid_t process_ = -1;
  int out_ = -1, errors_ = -1;
  std::string said_, told_;  // its standard output, and its errors
};

}  // namespace warpscope
