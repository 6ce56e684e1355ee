// workbench/commands/exercises/grader.h: runs a student's kernel in an exercise, and collects what
// its grade is made of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/grading/grade.h"
#include "scenes/catalogue.h"
#include "workbench/client/engine_command.h"
#include "workbench/commands/gate/gate_jobs.h"

namespace warpscope {

// An exercise's folder, read, with the kernel that is graded in place of the folder's own.
struct GradedExercise {
  Exercise exercise;
  SceneText scene;
  std::string file;                     // of the exercise, for errors
  std::string kernel;                   // what the graded file is called where it lies
  std::string text;                     // of the graded file
  std::vector<std::string> references;  // other kernel files of the folder
};

// `kernel`: the file to grade; empty: the folder's own. error: input: no such file; the exercise
// or its scene is wrong, with the line.
Result<GradedExercise> read_exercise(const std::string& folder, const std::string& kernel);

class Grader {
 public:
  // Both must outlive it. `emulated`: no times, although there may be a GPU.
  Grader(const GradedExercise& graded, const EngineChoice& engine, bool emulated);
  // Writes "progress 3 14 n=1023" to standard error after each run that ended, as far as it is
  // known how many there will be.
  void tell_progress() { tells_ = true; }

  // error: input: of the exercise; environment; resource (cancelled).
  Result<GradeEvidence> run();
  // Whether the error stands on standard error already: that of a job does.
  bool said() const { return said_; }

 private:
  struct Asked {
    CheckKind kind = CheckKind::named;
    std::string where;
    Job job;
  };
  using Seen = std::function<void(const Message&)>;
  // The numbers that the jobs ran under, in their order. error: also a job's own.
  Result<std::vector<std::int64_t>> run_all(const std::vector<Job>& jobs, const Seen& seen,
                                            bool on_device = false);
  Job job(const std::string& variant, const AxisTexts& axes, JobWork work) const;
  Result<void> check_axes() const;
  Result<std::vector<Asked>> other_checks() const;
  Result<void> check(const std::vector<Asked>& asked);
  Result<void> find_fault(const Asked& failed);
  Result<void> count();
  Result<void> keep_counts(const Result<GateRecords>& records);
  Result<void> time();
  bool asks(bool (*wanted)(const Goal&)) const;
  void tell(const Message& message);

  const GradedExercise& graded_;
  const EngineChoice& engine_;
  bool emulated_, said_ = false, tells_ = false;
  std::size_t ended_ = 0, expected_ = 0, checks_ = 0;  // runs; those that compare outputs
  std::shared_ptr<Catalogue> catalogue_;
  const Scene* scene_ = nullptr;
  GradeEvidence evidence_;
};

}  // namespace warpscope
