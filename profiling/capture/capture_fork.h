// profiling/capture/capture_fork.h: a folder in which a captured kernel is edited, and its copy is
// compared with what the program computed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/folder/fork/fork.h"

namespace warpscope {

// What the copy's grid does where the block's size is an axis.
enum class BlockAxis {
  none,     // the size is the captured one
  threads,  // as many blocks as have the captured number of threads: one thread per element
  blocks    // the captured grid: one block per row
};

struct CaptureForkWish {
  std::string source;  // a .cu or .ptx file; empty: the capture's own PTX, to be edited
  std::string entry;   // the kernel in it; empty: the captured one, by its name
  std::vector<std::string> defines;  // "N=256": a slider; "T=float,half": a choice
  BlockAxis block = BlockAxis::none;
  std::string elements;  // "f32": results are such numbers, within the tolerance; empty: every bit
  double relative = 0, absolute = 0;
  std::filesystem::path to;  // empty: in the user's scene folder
};

// The folder has the capture itself, the kernel's text, and a description of what is added
// (scenes/captured_folder.h). error: input: as the capture's scene; usage: the folder is there, the
// text has no such kernel, the capture has no PTX and no text is named; environment.
Result<Fork> fork_capture(const std::string& capture, const CaptureForkWish& wish);

}  // namespace warpscope
