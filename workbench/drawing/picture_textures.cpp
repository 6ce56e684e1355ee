// workbench/drawing/picture_textures.cpp: pictures of a session as textures of the OpenGL that
// draws them.
#include "workbench/drawing/picture_textures.h"

#include <GL/gl.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

namespace warpscope {
namespace {

constexpr std::int64_t kMostBytes = 64 << 20;
// A name that is free again may not stand for other pixels in the next frame: frames are compared
// by the names of their textures.
constexpr std::uint64_t kUsesToRest = 64;

std::uint64_t hash_of(const std::vector<std::uint8_t>& bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

unsigned texture_of(const Picture& picture) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (picture.width > most || picture.height > most) return 0;
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, picture.width, picture.height, 0, GL_RGB, GL_UNSIGNED_BYTE,
               picture.rgb.data());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
  return texture;
}

}  // namespace

PictureTextures::~PictureTextures() {
  for (const Kept& kept : kept_) glDeleteTextures(1, &kept.texture);
}

void PictureTextures::let_go() {
  std::int64_t sum = 0;
  for (const Kept& kept : kept_) sum += kept.bytes;
  while (sum > kMostBytes) {
    const auto oldest = std::min_element(
        kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
    if (oldest->used + kUsesToRest > uses_) return;
    sum -= oldest->bytes;
    glDeleteTextures(1, &oldest->texture);
    kept_.erase(oldest);
  }
}

ImTextureID PictureTextures::of(const Picture& picture, std::uint64_t revision) {
  ++uses_;
  std::optional<std::uint64_t> pixels;
  // The newest first: pixels that were seen at this revision are not looked at again.
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    if (kept->name != picture.name || kept->point != picture.point) continue;
    if (kept->revision != revision && !pixels) pixels = hash_of(picture.rgb);
    if (kept->revision != revision && kept->pixels != *pixels) continue;
    kept->revision = revision;
    kept->used = uses_;
    return kept->texture;
  }
  let_go();
  Kept made{picture.point,        picture.name, revision,
            hash_of(picture.rgb), uses_,        static_cast<std::int64_t>(picture.rgb.size()),
            texture_of(picture)};
  if (made.texture == 0) return ImTextureID_Invalid;
  kept_.push_back(std::move(made));
  return kept_.back().texture;
}

}  // namespace warpscope
