// workbench/panels/warps/kept_warps.h: what the panel Warps keeps between frames.
#pragma once

#include <cstdint>
#include <string>

#include "profiling/warps/warp_picture.h"
#include "workbench/drawing/plot.h"
#include "workbench/workspace/selection/memo.h"

namespace warpscope {

struct WarpsPanel {
  struct Of {
    std::string variant, key, step, date;
    std::int64_t job = 0;
    bool operator==(const Of&) const = default;
  };
  Memo<Of, WarpPicture> picture;
  LastKey<Of> shown;
  PlotView view;
  std::size_t multiprocessor = 0;  // its place among those that have rows
  bool all = false;                // rows of all multiprocessors
  bool table = false;              // sums of spans in place of rows
};

}  // namespace warpscope
