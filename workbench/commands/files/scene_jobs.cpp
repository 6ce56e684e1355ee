// workbench/commands/files/scene_jobs.cpp: jobs of a scene: a variant, or a file's launches as
// traces.
#include "workbench/commands/files/scene_jobs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "profiling/listings/kernel_name.h"
#include "scenes/base/user_argument.h"
#include "workbench/commands/commands.h"
#include "workbench/panels/launch/launch_form.h"
#include "workbench/panels/launch/launch_text.h"

namespace warpscope {
namespace {

// The fill of a launch as a description has it.
DescribedFill described(const UserArgument& argument) {
  constexpr std::string_view kRange = "range ";
  const std::string& fill = argument.fill;
  if (!argument.file.empty()) return {"file", argument.file};
  if (fill.starts_with(kRange)) return {"range", fill.substr(kRange.size())};
  if (fill.starts_with('=')) return {"expression", fill.substr(1)};
  if (argument.byte >= 0) return {"byte", fill};
  return {fill, ""};
}

class Described {
 public:
  Described(Catalogue& catalogue, const Scene& scene)
      : catalogue_(catalogue),
        scene_(scene.name),
        description_(catalogue.text(scene.name)->description) {
    for (const Variant& variant : scene.variants) variants_.push_back(variant.name);
  }

  // The first variant of the kernel that has no launch yet. No value: there is none.
  std::optional<std::string> add(const UserLaunch& launch) {
    const auto found = std::find_if(variants_.begin(), variants_.end(), [&](const auto& name) {
      const std::string entry = entry_of(description_, name);
      const bool meant = launch.entry.empty() || entry == launch.entry ||
                         is_called(entry, launch.entry) || is_called(launch.entry, entry) ||
                         name == launch.entry;
      return meant && !taken_.contains(name);
    });
    if (found == variants_.end()) return std::nullopt;
    taken_.insert(*found);
    const Dim3 &grid = launch.launch.grid, &block = launch.launch.block;
    const std::int64_t extents[2][3] = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
    for (int i = 0; i < 3; ++i) {
      set_extent(edits_, form(*found), "grid", i, std::to_string(extents[0][i]));
      set_extent(edits_, form(*found), "block", i, std::to_string(extents[1][i]));
    }
    set_shared(edits_, form(*found), std::to_string(launch.launch.dynamic_shared_bytes));
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) set(*found, i, launch.arguments[i]);
    return *found;
  }

  // Makes the scene so; where its description takes only the shapes, with those.
  bool open() {
    if (catalogue_.edit_file(scene_, edits_)) return true;
    DescriptionEdits shapes;
    for (const auto& [place, edit] : edits_) {
      if (place.second == "grid" || place.second == "block" || place.second == "shared")
        shapes[place] = edit;
    }
    return catalogue_.edit_file(scene_, shapes).has_value();
  }

 private:
  LaunchForm form(const std::string& variant) const {
    return launch_form(edited(description_, edits_), variant);
  }

  void set(const std::string& variant, std::size_t place, const std::string& words) {
    const LaunchForm now = form(variant);
    if (place >= now.arguments.size()) return;
    const Result<UserArgument> argument = parse_user_argument(words, kMostPagedBytes);
    if (!argument || argument->kind != UserArgument::Kind::element) return;  // as the file says
    const FormBuffer* buffer = now.buffer(now.arguments[place].words);
    if (!argument->buffer) return set_argument(edits_, now, place, words);
    if (buffer == nullptr || !argument->file.empty()) return;
    set_type(edits_, *buffer, to_text(argument->type));
    set_count(edits_, *buffer, std::to_string(argument->count));
    set_fill(edits_, described_fields(edited(description_, edits_)), buffer->name,
             described(*argument));
  }

  Catalogue& catalogue_;
  std::string scene_, description_;
  std::vector<std::string> variants_;
  std::set<std::string> taken_;
  DescriptionEdits edits_;
};

}  // namespace

std::vector<Job> scene_jobs(Catalogue& catalogue, const Job& job) {
  if (!job.user) return {};
  const Result<const Scene*> scene = catalogue.open_file(job.user->path);
  if (!scene) return {};
  std::vector<UserLaunch> launches = job.user->launches;
  if (launches.empty()) {
    UserLaunch& only = launches.emplace_back();
    only.entry = job.user->entry;
    only.launch = job.user->launch;
    only.arguments = job.user->arguments;
  }
  Described described(catalogue, **scene);
  std::vector<Job> jobs;
  for (const UserLaunch& launch : launches) {
    const std::optional<std::string> variant = described.add(launch);
    if (!variant) continue;
    Job& one = jobs.emplace_back(job);
    one.user.reset();
    one.scene = (*scene)->name;
    one.variant = *variant;
  }
  if (!described.open()) return {};
  return jobs;
}

Result<Job> job_of_variant(Catalogue& catalogue, const std::string& what,
                           const std::vector<std::string>& words, const EngineChoice& engine) {
  Result<SceneAndVariants> chosen = scene_argument(catalogue, what);
  if (!chosen) return tl::unexpected(chosen.error());
  if (chosen->variants.size() != 1)
    return failure(ErrorKind::usage, "a trace needs exactly one variant", what,
                   "write SCENE/VARIANT; `warpscope list` names them");
  const auto axes = axis_arguments(words);
  if (!axes) return tl::unexpected(axes.error());
  if (const Result<void> admitted = admit_own_axes(*chosen, *axes); !admitted)
    return tl::unexpected(admitted.error());
  const Scene& scene = *chosen->scene;
  Result<Configuration> configuration =
      with_values(scene.axes, default_configuration(scene.axes), *axes);
  if (!configuration) return tl::unexpected(configuration.error());
  Job job;
  job.hang_limit_s = engine.limit_s.value_or(job.hang_limit_s);
  job.scene = scene.name;
  job.variant = chosen->variants.front()->name;
  job.axes = *axes;
  // A variant of another operation is traced where it applies.
  if (const Variant& variant = *chosen->variants.front(); !applies(variant, *configuration)) {
    if (const auto elsewhere = where_applies(scene, variant, *configuration)) {
      const auto& here = configuration->values();  // without the variant's own axes
      for (const auto& [name, value] : elsewhere->values()) {
        const auto known = here.find(name);
        if ((known == here.end() || known->second != value) && axes->count(name) == 0)
          job.axes[name] = to_text(value);
      }
    }
  }
  return job;
}

}  // namespace warpscope
