// workbench/commands/gate/gate_jobs.h: the jobs of a gate's kernels, and what is kept of their
// answers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/gate/gate_file.h"
#include "profiling/gate/gate_measured.h"
#include "scenes/catalogue.h"
#include "workbench/options/shared_options.h"

namespace warpscope {

struct GateJob {
  Job job;
  std::string kernel;                 // as it is recorded: of a whole scene with its variant
  std::string what;                   // the scene, its folder or its file; empty: a launch file
  const GateKernel* asked = nullptr;  // in the gate's file
  bool whole_scene = false;           // nobody named the variant: one that cannot run is left out
};

// The folder that paths of the file begin in.
std::string folder_of_gate(const std::string& path);

// A trace and a compilation per variant. Kernels are emulated on one thread: blocks that meet in
// memory do so in one order, on every machine. error: with the file's line: as scene_argument,
// axes, launch files.
Result<std::vector<GateJob>> gate_jobs(Catalogue& catalogue, const GateFile& file,
                                       const std::string& path, const EngineChoice& engine);

// What is kept of the engine's messages: traces are large, and a gate may have hundreds.
class GateAnswers {
 public:
  // The catalogue must outlive it.
  GateAnswers(const Catalogue& catalogue, std::string folder)
      : catalogue_(catalogue), folder_(std::move(folder)) {}
  void take(const Message& message);

  // The records of all jobs, by architecture; `jobs` by the numbers that they ran under. error:
  // resource: a run that reached its limit; environment: a job without an answer.
  Result<GateRecords> records(const std::map<std::int64_t, const GateJob*>& jobs,
                              const std::vector<int>& architectures);
  // Sentences: what cannot be recorded on an architecture.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Stopped {
    std::int64_t job = 0;
    std::string sentence;
  };
  std::string text_of_line(const std::string& scene, const std::string& file, int line);
  bool is_answered(std::int64_t number, const Job& job) const;
  std::vector<GateRecord> emulated(const std::map<std::int64_t, const GateJob*>& jobs) const;
  std::vector<GateRecord> compiled(const std::map<std::int64_t, const GateJob*>& jobs,
                                   int architecture);

  const Catalogue& catalogue_;
  std::string folder_, toolkit_;
  std::vector<std::pair<std::int64_t, GateRecord>> traced_;
  std::vector<Compilation> compilations_;
  std::vector<Stopped> stopped_;
  std::vector<std::string> notes_;
  std::map<std::string, std::vector<std::string>> lines_;  // of sources, by scene and file
};

}  // namespace warpscope
