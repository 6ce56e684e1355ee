// tests/workbench/workspace/finish_work.h: waits until a workspace's engines have answered.
#pragma once

#include <chrono>

#include "workbench/workspace/workspace.h"

namespace warpscope {

// Until nothing is under way, or for a minute.
inline void finish_work(Workspace& workspace) {
  workspace.update();
  const auto start = std::chrono::steady_clock::now();
  while (workspace.view().progress().busy &&
         std::chrono::steady_clock::now() - start < std::chrono::minutes(1)) {
    workspace.wait(0.05);
    workspace.update();
  }
}

}  // namespace warpscope
