// workbench/client/job_sources.h: the kernel texts that go to an engine with a job.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"

namespace warpscope {

// All that the job's scene may launch: which of its kernels a variant takes can depend on inputs
// that only the engine makes. For roofs those of every scene with roofs of its own; of a kernel of
// the person's own its file. As the files stand now. error: environment, input.
Result<std::vector<KernelSource>> sources_for(const Catalogue& catalogue, const Job& job);

// Whether the kernels' texts are there that these jobs need of this machine: asked before an engine
// is, because without them every answer would be "cannot run". error: environment, input.
Result<void> check_sources(const Catalogue& catalogue, const std::vector<Job>& jobs);
// That every file which the job's axes name may be opened for it (input_file.h). error: input.
Result<void> admit_files(const Catalogue& catalogue, const Job& job);

// What one engine process was sent of them: a text goes once, later ones of its hash without it,
// and a set that went before by its name alone.
class JobSources {
 public:
  // Texts of scenes that are folders are the catalogue's.
  explicit JobSources(std::shared_ptr<const Catalogue> catalogue = std::make_shared<Catalogue>())
      : catalogue_(std::move(catalogue)) {}
  const Catalogue& catalogue() const { return *catalogue_; }
  // Another process was sent nothing yet.
  void forget() { *this = JobSources(catalogue_); }

  // The job as it goes to the engine; what is outstanding, recorded or shown of it has no texts.
  // Why texts could not be read is added to `messages`, once; the engine then answers that it lacks
  // them.
  Job with_sources(const Job& job, std::vector<Message>& messages);

  // What has to go before the job: the text of its scene, where that is a folder and this process
  // was not sent it.
  std::optional<SceneText> scene_before(const Job& job);

  // From here to the next call the files of a scene are looked at once: the jobs that one frame
  // submits, one a variant, go with the same texts. Without a call every job looks.
  void begin_round();

 private:
  struct Looked {
    std::string scene, set;
  };
  std::shared_ptr<const Catalogue> catalogue_;
  bool in_round_ = false;
  std::optional<Looked> looked_;  // in this round, and sent
  std::set<std::string> sent_;    // hashes
  std::set<std::string> sets_;    // Job::source_set
  std::set<std::string> scenes_;  // SceneText::hash
  std::string trouble_;           // why the last job's texts could not be read; empty: they could
};

}  // namespace warpscope
