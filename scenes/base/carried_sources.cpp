// scenes/base/carried_sources.cpp: kernels of scenes that are no files below kernels/.
#include "scenes/base/carried_sources.h"

#include <map>
#include <mutex>
#include <utility>

namespace warpscope {
namespace {

using Texts = std::shared_ptr<const std::vector<KernelSource>>;

struct Carried {
  Texts texts;
  std::string besides;
};
struct Shelf {
  std::mutex mutex;
  std::map<std::string, Carried, std::less<>> scenes;
};
Shelf& shelf() {
  static Shelf carried;
  return carried;
}

}  // namespace

void carry_sources(const std::string& scene, std::vector<KernelSource> sources,
                   std::string besides) {
  auto texts = std::make_shared<const std::vector<KernelSource>>(std::move(sources));
  const std::lock_guard lock(shelf().mutex);
  shelf().scenes[scene] = {std::move(texts), std::move(besides)};
}

std::string launched_besides(std::string_view scene) {
  const std::lock_guard lock(shelf().mutex);
  const auto found = shelf().scenes.find(scene);
  return found == shelf().scenes.end() ? std::string() : found->second.besides;
}

Texts carried_sources(std::string_view scene) {
  const std::lock_guard lock(shelf().mutex);
  const auto found = shelf().scenes.find(scene);
  return found == shelf().scenes.end() ? nullptr : found->second.texts;
}

std::shared_ptr<const KernelSource> carried_source(const std::string& path) {
  const std::lock_guard lock(shelf().mutex);
  for (const auto& [scene, carried] : shelf().scenes) {
    for (const KernelSource& source : *carried.texts) {
      if (source.path == path) return {carried.texts, &source};
    }
  }
  return nullptr;
}

}  // namespace warpscope
