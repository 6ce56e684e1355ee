// scenes/folder/fork/copied_variants.h: variants that are edited copies of others, as a description
// has them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scenes/folder/folder_model.h"

// A variant with `parent = "…"` takes everything from that variant except the texts of the kernels
// that it names and, if it says so, their launch shapes and constants. It is compared with the
// parent's reference within the parent's tolerance.
//
//   [variants.warp_row_fork]
//   parent = "warp_row"
//   sources = { "csrmm/warp_row.cu" = "warp_row.cu" }
//   launch."warp_row" = { block = 512 }                 # of a step, by its name

namespace warpscope::folder {

bool is_copy(const Node& variant);

// Adds the copies of the description to the scene, each below its parent. What a scene says of a
// variant by its name also applies to the copy: axes, work, hard cases. Two things do not: that it
// is wrong on purpose, and that it has the same bits as another variant. `own_prefix`: the
// beginning of the paths of this folder's kernels, "csrmm_fork/".
void read_copies(const Fields& root, const std::shared_ptr<const FolderModel>& model, Scene& scene);

// `[defaults]`: where axes stand at first, in place of their own defaults.
void read_defaults(const Fields& root, std::vector<Axis>& axes);

// With `fork = "csrmm"`: the built-in scene of that name, all but its article. error by `root`.
void read_forked_scene(const Fields& root, const std::string& name, FolderModel& model,
                       Scene& scene);

}  // namespace warpscope::folder
