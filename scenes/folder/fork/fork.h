// scenes/folder/fork/fork.h: a variant of any scene copied into a folder, to be edited there.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenes/catalogue.h"

// Makes a folder from a built-in scene. Its description names the kernels whose texts differ;
// everything else stays the scene's own, so every command that takes a scene also takes the folder.
// If the scene is already a folder, the copy becomes a variant of it, or (with a place of its own)
// of a copy of the folder.
//
//   Result<Fork> fork = write_fork(catalogue, csrmm, warp_row, {});  // …/scenes/csrmm_warp_row
//   catalogue.open_folder(fork->folder);                     // its variant warp_row_fork

namespace warpscope {

struct ForkWish {
  std::filesystem::path to;                 // empty: see fork_folder
  std::map<std::string, std::string> axes;  // where the new scene's axes stand at first, typed
  const char* to_words = "--to";            // what the asker calls `to`, for remedies
};

struct Fork {
  std::filesystem::path folder;
  std::string variant;             // the copy's name: "warp_row_fork"
  std::vector<std::string> files;  // to be edited, in the folder: kernels, then their headers
  bool own_folder = false;         // that was made for it
};

// Where a copy goes that nobody named a place for: into the scene's own folder, else into one of
// the user's scene folder.
std::filesystem::path fork_folder(const Catalogue& catalogue, const Scene& scene,
                                  const Variant& variant);
// The same, or with a number appended if that folder exists.
std::filesystem::path free_fork_folder(const Catalogue& catalogue, const Scene& scene,
                                       const Variant& variant);

// Writes the kernels first and the description last: what is there is whole. error: usage: nothing
// to edit (a library's or a host's variant), the folder is there, its name is none; environment.
// Nothing is left of a folder that it could not write whole.
Result<Fork> write_fork(const Catalogue& catalogue, const Scene& scene, const Variant& variant,
                        const ForkWish& wish);

// Removes the folder of a fork that came to nothing, where it was made for it.
void take_back(const Fork& fork);

// Where every kernel text stands that a variant launches at some configurations drawn at random and
// at the scene's defaults: "csrmm/warp_row.cu"; and the steps that do, by name, with one launch
// each. error: as the scene's inputs.
struct LaunchedKernels {
  std::vector<std::string> paths;
  std::map<std::string, KernelLaunch> steps;
};
Result<LaunchedKernels> launched_kernels(const Scene& scene, const Variant& variant);

// The names of all steps that launch kernels, of any variant of a built-in scene at 64 random
// configurations. Drawn once per process and scene.
const std::vector<std::string>& launch_names(const Scene& scene);
// Whether `name` is one of these, or made of parts of these: numbers are not compared, and the
// parts of "Conv2 dgrad: add up" each by themselves.
bool is_launch_name(const std::string& name, const std::vector<std::string>& names);

// What the steps of a variant launch at one configuration, by name. Steps that the values of the
// inputs decide are none of them: none are made.
std::map<std::string, Launch> launches_at(const Variant& variant, const Configuration& axes);

}  // namespace warpscope
