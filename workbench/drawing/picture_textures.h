// workbench/drawing/picture_textures.h: pictures of a session as textures of the OpenGL that draws
// them.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/points/outcome_messages.h"

namespace warpscope {

// An OpenGL context is current from the first picture to the end.
class PictureTextures {
 public:
  PictureTextures() = default;
  PictureTextures(const PictureTextures&) = delete;
  PictureTextures& operator=(const PictureTextures&) = delete;
  ~PictureTextures();

  // The texture of a picture, made when it is first asked for or its pixels differ. `revision` is
  // the session's: pixels are looked at again when it has grown. What was not asked for lately goes
  // where all take more than some 64 MB. ImTextureID_Invalid where OpenGL has no room for it.
  ImTextureID of(const Picture& picture, std::uint64_t revision);

 private:
  struct Kept {
    PointId point;
    std::string name;  // of the picture
    std::uint64_t revision = 0, pixels = 0, used = 0;
    std::int64_t bytes = 0;
    unsigned texture = 0;
  };
  void let_go();
  std::vector<Kept> kept_;
  std::uint64_t uses_ = 0;
};

}  // namespace warpscope
