// workbench/client/job_sources.cpp: the kernel texts that go to an engine with a job.
#include "workbench/client/job_sources.h"

#include <iterator>
#include <memory>
#include <utility>

#include "scenes/base/texts/kernel_files.h"
#include "scenes/base/texts/machine_code.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "workbench/client/own_binary.h"

namespace warpscope {

Result<void> admit_files(const Catalogue& catalogue, const Job& job) {
  const Result<const Scene*> scene = catalogue.find(job.scene);
  if (!scene) return {};
  for (const Axis& axis : (*scene)->axes) {
    const auto value = job.axes.find(axis.name);
    if (axis.kind != AxisKind::file || value == job.axes.end()) continue;
    if (Result<void> admitted = admit_path(value->second); !admitted) return admitted;
  }
  return {};
}

namespace {

// The compute capability of the machine code that a job is about; 0: it takes what a file has.
int wanted_machine_code(const Job& job) {
  const auto* trace = job.as<TraceJob>();
  if (trace != nullptr && trace->code == TracedCode::machine_code) return kCheckedMachineCode;
  const auto* listing = job.as<ListingJob>();
  return listing != nullptr && !listing->architectures.empty() ? listing->architectures.front() : 0;
}

}  // namespace

Result<std::vector<KernelSource>> sources_for(const Catalogue& catalogue, const Job& job) {
  if (job.user) {
    if (auto inside = sources_in_binary(*job.user, wanted_machine_code(job)))
      return std::move(*inside);
    return read_own_kernel(job.user->path);
  }
  if (job.is<SelftestJob>()) return std::vector<KernelSource>{};  // a kernel of the engine's
  if (!job.is<RoofsJob>()) {
    return catalogue.sources_of(job.scene).map([](const auto& texts) { return *texts; });
  }
  std::vector<KernelSource> all;
  for (const Scene& scene : built_in_scenes()) {
    if (scene.roofs.empty()) continue;
    Result<std::vector<KernelSource>> sources = sources_of_scene(scene.name);
    if (!sources) return sources;
    all.insert(all.end(), std::make_move_iterator(sources->begin()),
               std::make_move_iterator(sources->end()));
  }
  return all;
}

namespace {

// As sources_for; a scene's own are not copied.
Result<std::shared_ptr<const std::vector<KernelSource>>> kept_sources_for(
    const Catalogue& catalogue, const Job& job, bool of_scene) {
  if (of_scene) return catalogue.sources_of(job.scene);
  return sources_for(catalogue, job).map([](std::vector<KernelSource> sources) {
    return std::make_shared<const std::vector<KernelSource>>(std::move(sources));
  });
}

}  // namespace

Result<void> check_sources(const Catalogue& catalogue, const std::vector<Job>& jobs) {
  std::set<std::string> seen;
  for (const Job& job : jobs) {
    if (job.is<SelftestJob>()) continue;
    const bool of_scene = !job.user && !job.is<RoofsJob>();
    if (!seen.insert(job.user ? job.user->path : of_scene ? job.scene : "").second) continue;
    const auto texts = kept_sources_for(catalogue, job, of_scene);
    if (!texts) return tl::unexpected(texts.error());
    // A built-in scene always has some; one that is a folder may call libraries alone.
    if ((*texts)->empty() && catalogue.text(job.scene) == nullptr) {
      return failure(ErrorKind::environment, "the kernels of this scene are missing",
                     of_scene ? "kernels/" + job.scene : "kernels/",
                     "install Warpscope's kernels/ again, or set WARPSCOPE_HOME to the folder that "
                     "holds them");
    }
    if (job.user) continue;
    std::vector<std::string> scenes = {job.scene};
    if (!of_scene) {
      scenes.clear();
      for (const Scene& scene : built_in_scenes())
        if (!scene.roofs.empty()) scenes.push_back(scene.name);
    }
    for (const std::string& scene : scenes)
      if (Result<void> whole = check_kernel_files(catalogue.built_in_folder_of(scene)); !whole)
        return whole;
  }
  return {};
}

Job JobSources::with_sources(const Job& job, std::vector<Message>& messages) {
  Job whole = job;
  if (const auto text = catalogue_->text(job.scene); text && !job.user)
    whole.scene_text = text->hash;
  const bool of_scene = !job.user && !job.is<SelftestJob>() && !job.is<RoofsJob>();
  if (of_scene && looked_ && looked_->scene == job.scene) {
    whole.source_set = looked_->set;
    return whole;
  }
  if (const auto sources = kept_sources_for(*catalogue_, job, of_scene)) {
    trouble_.clear();
    std::string names;
    for (const KernelSource& source : **sources) names += source.hash + " " + source.path + "\n";
    if (!names.empty()) whole.source_set = hash_of(names);
    if (names.empty() || sets_.insert(whole.source_set).second) whole.sources = **sources;
    if (in_round_ && of_scene && !names.empty()) looked_ = Looked{job.scene, whole.source_set};
  } else if (std::string why = sentence(sources.error()); why != trouble_) {
    messages.emplace_back(LogLine{"warning", why, job.job});
    trouble_ = std::move(why);
  }
  for (KernelSource& source : whole.sources) {
    if (!sent_.insert(source.hash).second) source.text.clear();
  }
  return whole;
}

std::optional<SceneText> JobSources::scene_before(const Job& job) {
  const auto text = job.user ? nullptr : catalogue_->text(job.scene);
  if (!text || !scenes_.insert(text->hash).second) return std::nullopt;
  return *text;
}

void JobSources::begin_round() {
  in_round_ = true;
  looked_.reset();
}

}  // namespace warpscope
