// scenes/opened_scenes.cpp: the scenes that this process opened besides the built-in ones: folders,
// and texts that came by message.
#include "scenes/opened_scenes.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

#include "scenes/base/carried_sources.h"
#include "scenes/catalogue.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

struct Opened {
  Scene scene;
  std::shared_ptr<const SceneText> text;
};
struct Name {
  std::string name;
  fs::path folder;  // empty: of messages alone
  const Opened* newest = nullptr;
};
struct Shelf {
  std::mutex mutex;
  std::deque<Opened> all;  // never moved, never let go of
  std::vector<Name> names;

  Name* find(std::string_view name) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [name](const Name& row) { return row.name == name; });
    return found == names.end() ? nullptr : &*found;
  }
  const Opened* find(std::string_view name, std::string_view hash) const {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Opened& opened) {
      return opened.text->hash == hash && opened.scene.name == name;
    });
    return found == all.end() ? nullptr : &*found;
  }
};
Shelf& shelf() {
  static Shelf opened;
  return opened;
}

bool is_built_in(std::string_view name) {
  const auto& scenes = built_in_catalogue().scenes();
  return std::any_of(scenes.begin(), scenes.end(),
                     [name](const Scene& scene) { return scene.name == name; });
}

// `folder`: empty for a message.
Result<const Scene*> open(const SceneText& text, const fs::path& folder) {
  if (is_built_in(text.name)) {
    return failure(ErrorKind::usage, "a built-in scene is called " + text.name, text.file,
                   "rename the folder, or write name = \"…\" in its description");
  }
  Shelf& kept = shelf();
  {
    const std::lock_guard lock(kept.mutex);
    const Name* known = kept.find(text.name);
    if (known != nullptr && !folder.empty() && !known->folder.empty() && known->folder != folder) {
      return failure(
          ErrorKind::usage,
          "another folder already has the scene " + text.name + ": " + known->folder.string(),
          text.file, "write name = \"…\" in one of the two descriptions");
    }
  }
  const Opened* opened = nullptr;
  {
    const std::lock_guard lock(kept.mutex);
    opened = kept.find(text.name, text.hash);
  }
  if (opened == nullptr) {
    Result<Scene> scene =
        scene_of(text, folder.empty() ? UnusedKeys::accepted : UnusedKeys::refused);
    if (!scene) return tl::unexpected(scene.error());
    const std::lock_guard lock(kept.mutex);
    opened =
        &kept.all.emplace_back(Opened{std::move(*scene), std::make_shared<const SceneText>(text)});
  }
  const std::lock_guard lock(kept.mutex);
  Name* row = kept.find(text.name);
  if (row == nullptr) row = &kept.names.emplace_back(Name{text.name, folder, nullptr});
  const bool stays = folder.empty() && !row->folder.empty() && row->newest != nullptr;
  if (!folder.empty()) row->folder = folder;
  if (!stays) {
    row->newest = opened;
    carry_sources(text.name, opened->text->sources, opened->scene.fork_of);
  }
  return &opened->scene;
}

}  // namespace

Result<const Scene*> open_scene_folder(const fs::path& path) {
  Result<SceneText> text = read_scene_folder(path);
  if (!text) return tl::unexpected(text.error());
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored);
  if (folder.filename() == kDescriptionFile) folder = folder.parent_path();
  folder = fs::weakly_canonical(folder, ignored);
  return open(*text, folder);
}

std::vector<Error> open_user_scenes() {
  std::vector<Error> wrong;
  for (const fs::path& folder : folders_of_user()) {
    if (const Result<const Scene*> opened = open_scene_folder(folder); !opened)
      wrong.push_back(opened.error());
  }
  return wrong;
}

Result<const Scene*> open_scene_text(const SceneText& text) { return open(text, {}); }

const Scene* opened_scene(std::string_view name) {
  const std::lock_guard lock(shelf().mutex);
  const Name* row = shelf().find(name);
  return row == nullptr ? nullptr : &row->newest->scene;
}

const Scene* opened_scene(std::string_view name, std::string_view hash) {
  const std::lock_guard lock(shelf().mutex);
  const Opened* opened = shelf().find(name, hash);
  return opened == nullptr ? nullptr : &opened->scene;
}

std::vector<const Scene*> opened_scenes() {
  const std::lock_guard lock(shelf().mutex);
  std::vector<const Scene*> scenes;
  for (const Name& row : shelf().names) scenes.push_back(&row.newest->scene);
  return scenes;
}

std::shared_ptr<const SceneText> opened_text(std::string_view name) {
  const std::lock_guard lock(shelf().mutex);
  const Name* row = shelf().find(name);
  return row == nullptr ? nullptr : row->newest->text;
}

std::shared_ptr<const SceneText> opened_text(std::string_view name, std::string_view hash) {
  const std::lock_guard lock(shelf().mutex);
  const Opened* opened = shelf().find(name, hash);
  return opened == nullptr ? nullptr : opened->text;
}

std::shared_ptr<const SceneText> opened_text_among(std::string_view name,
                                                   const std::vector<KernelSource>& sources) {
  std::set<std::pair<std::string_view, std::string_view>> there;
  for (const KernelSource& source : sources) there.emplace(source.path, source.hash);
  const std::lock_guard lock(shelf().mutex);
  for (auto opened = shelf().all.rbegin(); opened != shelf().all.rend(); ++opened) {
    const std::vector<KernelSource>& own = opened->text->sources;
    if (opened->scene.name == name &&
        std::all_of(own.begin(), own.end(), [&there](const KernelSource& source) {
          return there.count({source.path, source.hash}) != 0;
        }))
      return opened->text;
  }
  return nullptr;
}

fs::path folder_of_scene(std::string_view name) {
  const std::lock_guard lock(shelf().mutex);
  const Name* row = shelf().find(name);
  return row == nullptr ? fs::path() : row->folder;
}

}  // namespace warpscope
