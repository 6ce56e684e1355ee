// tests/recorded_session.h: where the recorded session of a scene lies, packed or not.
#pragma once

#include <filesystem>
#include <string>

#include "tests/folders.h"

namespace warpscope {

// assets/sessions/h200-SCENE.wsj.gz where it is there, else h200-SCENE.wsj.
inline std::filesystem::path recorded_session(const std::string& scene) {
  const std::filesystem::path plain =
      source_folder() / "assets/sessions" / ("h200-" + scene + ".wsj");
  const std::filesystem::path packed = plain.string() + ".gz";
  return std::filesystem::exists(packed) ? packed : plain;
}

}  // namespace warpscope
