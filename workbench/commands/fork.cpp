// workbench/commands/fork.cpp: a variant of any scene copied into a folder, to be edited there.
#include "scenes/folder/fork/fork.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/journal/fork_journal.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

struct ForkOptions {
  std::string what, to, hypothesis;
  std::vector<std::string> axes;
  bool json = false;
};

Result<Fork> fork(const ForkOptions& options, std::string& scene) {
  const auto catalogue = std::make_shared<Catalogue>();
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue, options.what);
  if (!chosen) return tl::unexpected(chosen.error());
  if (chosen->variants.size() != 1) {
    return failure(ErrorKind::usage, "a fork copies one variant", options.what,
                   "write SCENE/VARIANT; `warpscope list " + chosen->scene->name + "` names them");
  }
  const auto axes = axis_arguments(options.axes);
  if (!axes) return tl::unexpected(axes.error());
  if (Result<void> own = admit_own_axes(*chosen, *axes); !own) return tl::unexpected(own.error());
  Result<Fork> made =
      write_fork(*catalogue, *chosen->scene, *chosen->variants.front(), {options.to, *axes});
  if (!made) return made;
  const Result<const Scene*> opened = catalogue->open_folder(made->folder);
  Result<void> noted = opened.map([](const Scene*) {});
  if (opened) {
    scene = (*opened)->name;
    noted = note_fork(catalogue, made->folder, scene, made->variant, options.hypothesis);
  }
  if (noted) return made;
  take_back(*made);
  return tl::unexpected(noted.error());
}

int run_fork(const ForkOptions& options) {
  std::string scene;
  const Result<Fork> made = fork(options, scene);
  if (!made) return fail(made.error());
  const std::string folder = made->folder.string(), copy = folder + "/" + made->variant;
  if (options.json) {
    const nlohmann::json said = {
        {"folder", folder}, {"scene", scene}, {"variant", made->variant}, {"files", made->files}};
    std::printf("%s\n", said.dump(2).c_str());
    return 0;
  }
  std::printf("%s is now a copy of %s. Edit these files:\n", copy.c_str(), options.what.c_str());
  for (const std::string& file : made->files)
    std::printf("  %s\n", (made->folder / file).string().c_str());
  std::printf(
      "`warpscope verify %s` compares it with the reference, `warpscope trace %s` shows its "
      "memory\naccesses, `warpscope %s` opens it: each save is compiled, checked and noted in its "
      "journal.\n",
      copy.c_str(), copy.c_str(), folder.c_str());
  return 0;
}

}  // namespace

void declare_fork(CLI::App& command, int& status) {
  auto options = std::make_shared<ForkOptions>();
  command.add_option("variant", options->what, "SCENE/VARIANT, or FOLDER/VARIANT: what to copy")
      ->required();
  command.add_option("axes", options->axes, "axis=value: the fork's first values of its axes");
  command.add_option("--to", options->to,
                     "the folder to make; by default one in the user's scene folder; a folder's "
                     "variant becomes one more variant of that folder");
  command.add_option("--hypothesis", options->hypothesis,
                     "what you expect from the change, for the journal");
  declare_folders(command);
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_fork(*options); });
}

}  // namespace warpscope
