// scenes/folder_watch.h: a scene's folder that is edited while somebody looks at it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "scenes/catalogue.h"

// Looks at the folder of a scene: at names, sizes and times of its description, kernels and arrays,
// and of the headers and arrays that these take from other folders (-I). Where one was saved since
// the last look the scene is opened anew.
//
//   FolderWatch watch;
//   if (const auto saved = watch.look(catalogue, "saxpy")) …   // every time around; twenty times a
//   second

namespace warpscope {

class FolderWatch {
 public:
  // Empty: nothing was saved, the scene is not a folder, or it is looked at for the first time.
  // error: as Catalogue::open_folder: the scene is as it was.
  std::optional<Result<const Scene*>> look(Catalogue& catalogue, const std::string& scene);
  // The same at once, however short ago the last look was.
  std::optional<Result<const Scene*>> look_now(Catalogue& catalogue, const std::string& scene);

 private:
  using Clock = std::chrono::steady_clock;
  std::string scene_, stamp_, besides_;  // of what was looked at last
  Clock::time_point looked_;
};

}  // namespace warpscope
