// workbench/drawing/notices.h: what the window has to say for some seconds, above its status line.
#pragma once

#include <deque>
#include <filesystem>
#include <string>

#include "workbench/drawing/style.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

struct Notice {
  std::string words;
  double until = 0;  // ImGui's time; 0: it has not been shown yet
};

// They stand above the right end of the status line, the newest lowest. They take no click and no
// key, and nothing moves for them. All of them stay in the log, which Engine lists.
struct Notices {
  std::deque<Notice> shown;
  // Says the same as the last one no second time while that is shown.
  void say(std::string words);
};

// `bottom`: the y of the status line's upper edge, in pixels.
void draw_notices(Notices& notices, Workspace& workspace, float bottom, const Style& style);

// The path itself where nothing is there, else the first of "name-2.csv", "name-3.csv" … that is
// free.
std::filesystem::path unused_path(const std::filesystem::path& path);

// "wrote warpscope-metrics.csv to runs/today": a file that was written, with its whole folder.
std::string wrote_words(const std::filesystem::path& path);

}  // namespace warpscope
