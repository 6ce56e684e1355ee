// workbench/commands/exercises/grade.cpp: a student's kernel against the goals of an exercise.
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <utility>

#include "profiling/grading/grade_export.h"
#include "profiling/listings/kernel_text.h"
#include "scenes/base/plural.h"
#include "scenes/base/source.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/exercises/grader.h"

namespace warpscope {
namespace {

struct GradeOptions {
  EngineChoice engine;
  std::string folder, kernel, gradescope, html;
  bool emulated = false, json = false, progress = false;
  std::optional<int> hint;
};

// Blocks that meet in memory do so in one order only if one thread emulates them, and the emulator
// takes as many threads as there are processors. The process's number chooses one of them, so that
// runs side by side have different ones.
class OneProcessor {
 public:
  OneProcessor() {
    had_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && CPU_COUNT(&before_) > 1;
    if (!had_) return;
    int skipped = getpid() % CPU_COUNT(&before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &before_) || skipped-- > 0) continue;
      CPU_SET(cpu, &one);
      break;
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  ~OneProcessor() {
    if (had_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool had_ = false;
};

// Names and lines as the person who wrote the file knows them.
void name_places(const GradedExercise& graded, Grade& grade) {
  grade.kernel = graded.kernel;
  grade.hash = hash_of(graded.text);
  const std::vector<std::string> lines = lines_of(graded.text);
  const std::string prefix = graded.scene.name + "/";
  for (GoalResult& result : grade.results) {
    SourcePosition& at = result.position;
    if (at.file == prefix + graded.exercise.kernel) {
      at.file = graded.kernel;
      const auto index = static_cast<std::size_t>(at.line - 1);
      if (at.line > 0 && index < lines.size()) {
        const std::string& line = lines[index];
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin != std::string::npos) result.line_text = visible_name(line.substr(begin));
      }
    } else if (at.file.starts_with(prefix)) {
      at.file.erase(0, prefix.size());
    }
  }
}

// The text of an exercise, or one of its hints.
int print_hint(const Exercise& exercise, const std::string& file, int number) {
  const auto count = static_cast<int>(exercise.hints.size());
  if (number > count)
    return fail({ErrorKind::usage, "the exercise has " + plural(count, "hint"), file,
                 "write --hint with a number up to " + std::to_string(count)});
  const std::string& text =
      number == 0 ? exercise.text : exercise.hints[static_cast<std::size_t>(number - 1)];
  std::printf("%s\n", text.c_str());
  return 0;
}

int run_grade(const GradeOptions& options) {
  const Result<GradedExercise> graded = read_exercise(options.folder, options.kernel);
  if (!graded) return fail(graded.error());
  if (options.hint) return print_hint(graded->exercise, graded->file, *options.hint);
  Grader grader(*graded, options.engine, options.emulated);
  if (options.progress) grader.tell_progress();
  const Result<GradeEvidence> evidence = [&] {
    const OneProcessor one;
    return grader.run();
  }();
  if (!evidence && grader.said()) return exit_status(evidence.error().kind);
  if (!evidence) return fail(evidence.error());
  Grade grade = grade_of(graded->exercise, *evidence);
  name_places(*graded, grade);
  for (const auto& [file, text] :
       {std::pair(&options.gradescope, &grade_gradescope), std::pair(&options.html, &grade_html)}) {
    if (file->empty()) continue;
    if (Result<void> written = write_file(*file, text(grade)); !written)
      return fail(written.error());
  }
  std::fputs((options.json ? grade_json(grade) : grade_text(grade)).c_str(), stdout);
  return grade.verdict == GradeVerdict::met ? 0 : 1;
}

}  // namespace

void declare_grade(CLI::App& command, int& status) {
  auto options = std::make_shared<GradeOptions>();
  command.add_option("folder", options->folder, "the exercise: a folder with an exercise.toml")
      ->required();
  command.add_option("--kernel", options->kernel,
                     "the .cu file to grade, in place of the folder's own");
  constexpr double kMostHints = 1000;
  check_range(*command.add_option("--hint", options->hint,
                                  "print hint 1, 2, … and grade nothing; 0: the exercise's text"),
              0, kMostHints);

  command.add_flag("--emulated", options->emulated, "measure no times, even if there is a GPU");
  command.add_option("--gradescope", options->gradescope,
                     "write the results.json of a Gradescope autograder");
  command.add_option("--html", options->html, "write a page for the student");
  command.add_flag("--progress", options->progress,
                   "say on standard error how many of its runs ended, a line after each");
  declare_engine_options(command, options->engine);
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_grade(*options); });
}

}  // namespace warpscope
