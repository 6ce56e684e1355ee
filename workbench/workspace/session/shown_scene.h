// workbench/workspace/session/shown_scene.h: the catalogue at hand, and which of its scenes is
// shown.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "scenes/catalogue.h"
#include "workbench/workspace/selection/memo.h"

namespace warpscope {

class ShownScene {
 public:
  explicit ShownScene(std::shared_ptr<const Catalogue> catalogue)
      : catalogue_(std::move(catalogue)) {}
  const Catalogue& catalogue() const { return *catalogue_; }
  const std::string& name() const { return name_; }
  const Scene& scene() const { return *catalogue_->find(name_).value(); }
  const Scene* find(const std::string& name) const;  // null: the catalogue does not have it
  // Where the scene lies; empty: it is not a folder of this machine.
  const std::filesystem::path& folder() const;

  // Also to a scene of the same name that lies elsewhere now.
  void turn_to(const Scene& scene) {
    name_ = scene.name;
    folder_.forget();
  }

 private:
  std::shared_ptr<const Catalogue> catalogue_;
  std::string name_;  // which the catalogue has
  mutable Memo<std::string, std::filesystem::path> folder_;
};

}  // namespace warpscope
