// workbench/commands/fork.cpp: a variant of any scene copied into a folder, to be edited there.
#include "scenes/folder/fork/fork.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/capture/capture_fork.h"
#include "profiling/journal/fork_journal.h"
#include "scenes/file_scene.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

struct ForkOptions {
  std::string what, to, hypothesis;
  std::vector<std::string> axes;
  CaptureForkWish capture;
  std::string block_axis;
  bool json = false;
};

// norm.wcap of “norm.wcap” and “norm.wcap/as_captured”; empty: it is not a capture.
std::string capture_named(const std::string& what) {
  const std::filesystem::path path = what;
  if (is_capture_file(path)) return what;
  return is_capture_file(path.parent_path()) ? path.parent_path().string() : "";
}

Result<Fork> fork_of_capture(const std::string& file, const ForkOptions& options) {
  CaptureForkWish wish = options.capture;
  wish.to = options.to;
  wish.block = options.block_axis == "threads"  ? BlockAxis::threads
               : options.block_axis == "blocks" ? BlockAxis::blocks
                                                : BlockAxis::none;
  if (!options.axes.empty())
    return failure(ErrorKind::usage, "a capture has no axes: " + options.axes.front(), file,
                   "add one with --define NAME=VALUE or --block-axis");
  return fork_capture(file, wish);
}

// Begins the fork's journal. Where it cannot be opened there is no fork.
Result<Fork> noted(const std::shared_ptr<Catalogue>& catalogue, const ForkOptions& options,
                   Fork made, std::string& scene) {
  const Result<const Scene*> opened = catalogue->open_folder(made.folder);
  Result<void> done = opened.map([](const Scene*) {});
  if (opened) {
    scene = (*opened)->name;
    done =
        note_fork(catalogue, made.folder, scene, made.variant, options.hypothesis, "as_captured");
  }
  if (done) return made;
  take_back(made);
  return tl::unexpected(done.error());
}

Result<Fork> fork(const ForkOptions& options, std::string& scene) {
  const auto catalogue = program_catalogue();
  if (const std::string capture = capture_named(options.what); !capture.empty()) {
    Result<Fork> made = fork_of_capture(capture, options);
    if (!made) return made;
    return noted(catalogue, options, std::move(*made), scene);
  }
  if (!options.capture.source.empty())
    return failure(ErrorKind::usage, "--source replaces the kernel of a capture", options.what,
                   "fork a .wcap file, or edit the copy of this variant");
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
  return noted(catalogue, options, std::move(*made), scene);
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
  command.add_option(
      "--to", options->to,
      "the folder to make. Without it, a built-in variant is copied into a new folder "
      "in the user's scene folder, and a folder's variant is added to its own folder");
  CaptureForkWish& capture = options->capture;
  command.add_option("--source", capture.source,
                     "of a capture: the file with the kernel's text, .cu or .ptx; without it, the "
                     "capture's own PTX");
  command.add_option(
      "--entry", capture.entry,
      "of a capture: the kernel in that file, if its name is not that of the captured kernel");
  command.add_option("--define", capture.defines,
                     "of a capture: NAME=VALUE is a slider of the copy, NAME=A,B a choice");
  command
      .add_option(
          "--block-axis", options->block_axis,
          "of a capture: a slider for the block's size. threads: the grid keeps the captured "
          "number of threads; blocks: it keeps the captured number of blocks")
      ->check(CLI::IsMember({"threads", "blocks"}));
  command.add_option("--elements", capture.elements,
                     "of a capture: compare results as f16, bf16, f32 or f64 within the tolerance");
  check_range(
      *command.add_option("--tolerance", capture.relative,
                          "with --elements: relative to the captured value; without --tolerance "
                          "and --absolute, as torch.testing.assert_close for the type"),
      0, 1);
  check_range(*command.add_option("--absolute", capture.absolute,
                                  "with --elements: absolute tolerance, added to the relative one"),
              0, 1e30);
  command.add_option("--hypothesis", options->hypothesis,
                     "what you expect from the change, for the journal");
  declare_folders(command);
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_fork(*options); });
}

}  // namespace warpscope
