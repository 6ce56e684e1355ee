// workbench/window/files/kernel_list.h: the kernels of a compiled file, in a dialog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/binaries/binary_file.h"
#include "workbench/drawing/style.h"

namespace warpscope {

// A kernel for one architecture, or one with PTX alone.
struct KernelLine {
  std::string kernel, target, registers, shared, occupancy, ptx, command;
};

struct KernelList {
  std::string path, title;  // title: "prog.o: an object file, 3 kernels"
  std::vector<KernelLine> lines;
  std::vector<std::string> not_read;
  char filter[64] = "";
};

// What the dialog shows of a file. error: as read_own_binary.
Result<KernelList> kernel_list_of(const std::string& path);

// Draws the dialog while there is a list; Esc empties it. A click on a line copies the command that
// traces the kernel, which is returned to be told.
std::optional<std::string> draw_kernel_list(std::optional<KernelList>& list, const Style& style);

}  // namespace warpscope
