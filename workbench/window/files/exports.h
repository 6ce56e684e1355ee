// workbench/window/files/exports.h: the tables, timelines and reports that are written as files.
#pragma once

#include <span>

#include "workbench/workspace/workspace.h"

namespace warpscope {

struct FrameState;

// The menu “export” and the command palette offer the same rows.
struct Export {
  const char* name;
  const char* words;                       // "report in Markdown …"
  bool (*offered)(const Workspace&);       // whether this workspace has it
  void (*start)(Workspace&, FrameState&);  // asks where to write it
};
std::span<const Export> all_exports();

}  // namespace warpscope
