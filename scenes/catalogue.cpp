// scenes/catalogue.cpp: the built-in scenes, those that were opened, and names that are looked up.
#include "scenes/catalogue.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "scenes/file_scene.h"
#include "scenes/folder/scene_of.h"
#include "scenes/host/nearest.h"
#include "scenes/host/paths.h"
#include "scenes/read_folder.h"

namespace warpscope {

namespace fs = std::filesystem;

#define SCENE(name) Scene name##_scene();
#include "scenes/built_in.inc"
#undef SCENE

const std::vector<Scene>& built_in_scenes() {
  static const std::vector<Scene> scenes = {
#define SCENE(name) name##_scene(),
#include "scenes/built_in.inc"
#undef SCENE
  };
  return scenes;
}

const Catalogue& built_in_catalogue() {
  static const Catalogue catalogue;
  return catalogue;
}

namespace {

using Texts = std::shared_ptr<const std::vector<KernelSource>>;

bool is_built_in(std::string_view name) {
  const auto& scenes = built_in_scenes();
  return std::any_of(scenes.begin(), scenes.end(),
                     [name](const Scene& scene) { return scene.name == name; });
}

// Files that are the same in both are kept once.
void share_data(SceneText& text, const SceneText& older) {
  for (SceneData& data : text.data) {
    for (const SceneData& before : older.data) {
      if (before.path == data.path && before.bytes == data.bytes) data.bytes = before.bytes;
    }
  }
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

}  // namespace

struct Catalogue::Opened {
  Scene scene;
  std::shared_ptr<const SceneText> text;
};

// Both are empty if it came by messages alone.
struct Catalogue::Place {
  fs::path folder, file;
  bool on_disk() const { return !folder.empty() || !file.empty(); }
  fs::path path() const { return folder.empty() ? file : folder; }
};

struct Catalogue::Shelf {
  struct Name {
    std::string name;
    Place place;
    const Opened* newest = nullptr;
    DescriptionEdits edits;  // of a file
    // What they are of, of a file that a session carries; null: nothing was edited.
    std::shared_ptr<const SceneText> unedited = nullptr;
    std::string edits_made = {};  // the hash of the text that they made
  };
  FileReaders readers;  // never changed later
  std::mutex mutex;
  std::deque<Opened> all;  // never moved, never removed
  std::vector<Name> names;
  // A copy's kernels with its parent's, while these are the same texts.
  std::map<std::pair<Texts, Texts>, Texts> joined;

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
  // Both, each path once, those of `first` where both have it; the same texts for the same two.
  Texts join(const Texts& first, const Texts& second) {
    constexpr std::size_t kMost = 16;  // what a person saved before is not asked for again
    if (joined.size() > kMost) joined.clear();
    Texts& both = joined[{first, second}];
    if (both != nullptr) return both;
    std::vector<KernelSource> all_sources = *first;
    std::set<std::string> paths;
    for (const KernelSource& source : all_sources) paths.insert(source.path);
    for (const KernelSource& source : *second) {
      if (paths.insert(source.path).second) all_sources.push_back(source);
    }
    return both = std::make_shared<const std::vector<KernelSource>>(std::move(all_sources));
  }
};

Catalogue::Catalogue() : Catalogue(FileReaders()) {}
Catalogue::Catalogue(const FileReaders& readers)
    : scenes_(&built_in_scenes()), shelf_(std::make_unique<Shelf>()) {
  shelf_->readers = readers;
}
Catalogue::Catalogue(std::vector<Scene> scenes)
    : own_(std::move(scenes)), scenes_(&own_), shelf_(std::make_unique<Shelf>()) {}
Catalogue::~Catalogue() = default;

Result<const Scene*> Catalogue::find(std::string_view name) const {
  for (const Scene& scene : *scenes_) {
    if (scene.name == name) return &scene;
  }
  {
    const std::lock_guard lock(shelf_->mutex);
    if (const Shelf::Name* row = shelf_->find(name)) return &row->newest->scene;
  }
  std::vector<std::string> names;
  for (const Scene* scene : all()) names.push_back(scene->name);
  return failure(ErrorKind::usage, "there is no scene of this name", "scene " + std::string(name),
                 suggest(name, names));
}

const Scene* Catalogue::find(std::string_view name, std::string_view hash) const {
  const std::lock_guard lock(shelf_->mutex);
  const Opened* opened = shelf_->find(name, hash);
  return opened == nullptr ? nullptr : &opened->scene;
}

std::vector<const Scene*> Catalogue::opened() const {
  const std::lock_guard lock(shelf_->mutex);
  std::vector<const Scene*> scenes;
  for (const Shelf::Name& row : shelf_->names) scenes.push_back(&row.newest->scene);
  return scenes;
}

std::vector<const Scene*> Catalogue::all() const {
  std::vector<const Scene*> all;
  for (const Scene& scene : *scenes_) all.push_back(&scene);
  for (const Scene* scene : opened()) all.push_back(scene);
  return all;
}

Result<const Scene*> Catalogue::open(const SceneText& text, const Place& place) {
  const auto is_taken = [&text](const Scene& scene) { return scene.name == text.name; };
  if (is_built_in(text.name) || std::any_of(scenes_->begin(), scenes_->end(), is_taken)) {
    return failure(ErrorKind::usage, "a built-in scene is called " + text.name, text.file,
                   "rename the folder, or write name = \"…\" in its description");
  }
  const Opened* opened = nullptr;
  std::shared_ptr<const SceneText> older;
  {
    const std::lock_guard lock(shelf_->mutex);
    const Shelf::Name* known = shelf_->find(text.name);
    // A file gives its name to the folder that was made of it.
    const bool from_file = known != nullptr && known->place.folder.empty() && place.file.empty();
    if (known != nullptr && place.on_disk() && known->place.on_disk() && !from_file &&
        known->place.path() != place.path()) {
      return failure(ErrorKind::usage,
                     std::string("another ") + (known->place.folder.empty() ? "file" : "folder") +
                         " already has the scene " + text.name + ": " +
                         known->place.path().string(),
                     text.file, "write name = \"…\" in one of the two descriptions");
    }
    opened = shelf_->find(text.name, text.hash);
    if (known != nullptr) older = known->newest->text;
  }
  if (opened == nullptr) {
    auto kept = std::make_shared<SceneText>(text);
    if (older != nullptr) share_data(*kept, *older);
    Result<Scene> scene =
        scene_of(kept, place.on_disk() ? UnusedKeys::refused : UnusedKeys::accepted);
    if (!scene) return tl::unexpected(scene.error());
    const std::lock_guard lock(shelf_->mutex);
    opened = &shelf_->all.emplace_back(Opened{std::move(*scene), std::move(kept)});
  }
  const std::lock_guard lock(shelf_->mutex);
  Shelf::Name* row = shelf_->find(text.name);
  if (row == nullptr) row = &shelf_->names.emplace_back(Shelf::Name{text.name, place, nullptr, {}});
  const bool stays = !place.on_disk() && row->place.on_disk() && row->newest != nullptr;
  if (place.on_disk()) row->place = place;
  if (place.file.empty() && place.on_disk()) row->edits.clear();
  if (place.on_disk()) row->unedited = nullptr;
  if (!stays) row->newest = opened;
  return &opened->scene;
}

Result<const Scene*> Catalogue::open_folder(const fs::path& path) {
  Result<SceneText> text = read_scene_folder(path, shelf_->readers);
  if (!text) return tl::unexpected(text.error());
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored);
  if (folder.filename() == kDescriptionFile) folder = folder.parent_path();
  folder = fs::weakly_canonical(folder, ignored);
  return open(*text, {folder, {}});
}

Result<const Scene*> Catalogue::open_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  const std::string base = scene_name_of(file);
  const auto is_free = [&](const std::string& name) {
    if (is_built_in(name)) return false;
    const std::lock_guard lock(shelf_->mutex);
    const Shelf::Name* row = shelf_->find(name);
    return row == nullptr || !row->place.on_disk() || row->place.file == file;
  };
  std::string name = base;
  for (int number = 2; !is_free(name); ++number) name = base + "_" + std::to_string(number);
  Result<SceneText> text = read_scene_file(file, name, edits_of(name), shelf_->readers);
  if (!text) return tl::unexpected(text.error());
  return open(*text, {{}, file});
}

Result<const Scene*> Catalogue::edit_file(const std::string& scene, const DescriptionEdits& edits) {
  const fs::path file = file_of(scene);
  if (file.empty()) return edit_carried(scene, edits);
  Result<SceneText> text = read_scene_file(file, scene, edits, shelf_->readers);
  if (!text) return tl::unexpected(text.error());
  Result<const Scene*> opened = open(*text, {{}, file});
  if (!opened) return opened;
  const std::lock_guard lock(shelf_->mutex);
  if (Shelf::Name* row = shelf_->find(scene)) row->edits = edits;
  return opened;
}

Result<const Scene*> Catalogue::edit_carried(const std::string& scene,
                                             const DescriptionEdits& edits) {
  if (!is_of_file(scene))
    return failure(ErrorKind::usage, "the scene is not a kernel's file", "scene " + scene,
                   "open a .cu file, or edit the scene's description");
  std::shared_ptr<const SceneText> base;
  {
    const std::lock_guard lock(shelf_->mutex);
    const Shelf::Name* row = shelf_->find(scene);
    base = row->unedited != nullptr ? row->unedited : row->newest->text;
  }
  SceneText text = *base;
  if (!edits.empty()) text.description = edited(base->description, edits);
  text.hash = scene_hash(text);
  Result<const Scene*> opened = open(text, Place{});
  if (!opened) return opened;
  const std::lock_guard lock(shelf_->mutex);
  if (Shelf::Name* row = shelf_->find(scene)) {
    row->edits = edits;
    row->unedited = base;
    row->edits_made = text.hash;
  }
  return opened;
}

DescriptionEdits Catalogue::edits_of(std::string_view scene) const {
  const std::lock_guard lock(shelf_->mutex);
  const Shelf::Name* row = shelf_->find(scene);
  return row == nullptr ? DescriptionEdits() : row->edits;
}

std::vector<Error> Catalogue::open_user_folders() {
  std::vector<Error> wrong;
  for (const fs::path& folder : folders_of_user()) {
    if (const Result<const Scene*> opened = open_folder(folder); !opened)
      wrong.push_back(opened.error());
  }
  return wrong;
}

Result<const Scene*> Catalogue::open_text(const SceneText& text) {
  Result<const Scene*> opened = open(text, Place{});
  const std::lock_guard lock(shelf_->mutex);
  Shelf::Name* row = opened ? shelf_->find(text.name) : nullptr;
  // What was edited is another text's.
  const bool other = row != nullptr && row->unedited != nullptr && row->edits_made != text.hash;
  if (other) row->edits.clear(), row->unedited = nullptr;
  return opened;
}

std::shared_ptr<const SceneText> Catalogue::text(std::string_view name) const {
  const std::lock_guard lock(shelf_->mutex);
  const Shelf::Name* row = shelf_->find(name);
  return row == nullptr ? nullptr : row->newest->text;
}

std::shared_ptr<const SceneText> Catalogue::text(std::string_view name,
                                                 std::string_view hash) const {
  const std::lock_guard lock(shelf_->mutex);
  const Opened* opened = shelf_->find(name, hash);
  return opened == nullptr ? nullptr : opened->text;
}

std::shared_ptr<const SceneText> Catalogue::text_among(
    std::string_view name, const std::vector<KernelSource>& sources) const {
  std::set<std::pair<std::string_view, std::string_view>> there;
  for (const KernelSource& source : sources) there.emplace(source.path, source.hash);
  const std::lock_guard lock(shelf_->mutex);
  for (auto opened = shelf_->all.rbegin(); opened != shelf_->all.rend(); ++opened) {
    const std::vector<KernelSource>& own = opened->text->sources;
    if (opened->scene.name == name &&
        std::all_of(own.begin(), own.end(), [&there](const KernelSource& source) {
          return there.count({source.path, source.hash}) != 0;
        }))
      return opened->text;
  }
  return nullptr;
}

fs::path Catalogue::folder_of(std::string_view name) const {
  const std::lock_guard lock(shelf_->mutex);
  const Shelf::Name* row = shelf_->find(name);
  return row == nullptr ? fs::path() : row->place.folder;
}

fs::path Catalogue::file_of(std::string_view name) const {
  const std::lock_guard lock(shelf_->mutex);
  const Shelf::Name* row = shelf_->find(name);
  return row == nullptr ? fs::path() : row->place.file;
}

bool Catalogue::is_of_file(std::string_view name) const {
  if (!file_of(name).empty()) return true;
  const std::shared_ptr<const SceneText> of = text(name);
  return of != nullptr && folder_of(name).empty() && !of->file.ends_with(".toml");
}

// The kernels of an opened scene; null: its kernels are files.
Texts Catalogue::carried(std::string_view scene) const {
  const std::shared_ptr<const SceneText> of = text(scene);
  return of == nullptr ? nullptr : Texts(of, &of->sources);
}

// One by its path, or a header of any opened scene by the name it is included by.
std::shared_ptr<const KernelSource> Catalogue::carried_file(const std::string& path) const {
  const std::lock_guard lock(shelf_->mutex);
  const auto in = [&path](const Opened& opened) -> std::shared_ptr<const KernelSource> {
    for (const KernelSource& source : opened.text->sources) {
      if (source.path == path) return {opened.text, &source};
    }
    return nullptr;
  };
  if (const Shelf::Name* row = shelf_->find(first_folder(path))) {
    if (auto found = in(*row->newest)) return found;
  }
  for (const Shelf::Name& row : shelf_->names) {
    if (auto found = in(*row.newest)) return found;
  }
  return nullptr;
}

Result<KernelSource> Catalogue::kernel(const std::string& path) const {
  const auto found = carried_file(path);
  if (found == nullptr) return read_kernel(path);
  // A header of a folder's never takes the place of a built-in scene's of that name.
  const Result<fs::path> home = home_folder();
  std::error_code ignored;
  const bool built_in = home && carried(first_folder(path)) == nullptr &&
                        fs::is_regular_file(*home / "kernels" / path, ignored);
  return built_in ? read_kernel(path) : *found;
}

Result<Texts> Catalogue::sources_of(const std::string& scene) const {
  const Texts own = carried(scene);
  if (own == nullptr) return kept_sources_of_scene(scene);
  const std::string parent = built_in_folder_of(scene);
  if (parent.empty()) return own;
  const Result<Texts> built_in = kept_sources_of_scene(parent);
  if (!built_in) return built_in;
  const std::lock_guard lock(shelf_->mutex);
  return shelf_->join(own, *built_in);
}

SourceLookup Catalogue::source_lookup() const {
  return [this, on_disk = sources_on_disk()](const std::string& path) {
    // Carried texts come with all their headers.
    if (const Texts texts = carried(first_folder(path))) return sources_among(*texts)(path);
    return on_disk(path);
  };
}

std::string Catalogue::built_in_folder_of(std::string_view scene) const {
  const std::lock_guard lock(shelf_->mutex);
  const Shelf::Name* row = shelf_->find(scene);
  return row == nullptr ? std::string(scene) : row->newest->scene.fork_of;
}

const Variant* baseline_at(const Scene& scene, const Configuration& axes,
                           std::string_view variant) {
  const Variant* of = find_variant(scene, variant);
  const auto league =
      std::find_if(scene.leagues.begin(), scene.leagues.end(),
                   [of](const League& each) { return of != nullptr && each.name == of->league; });
  if (league == scene.leagues.end()) return variant_at(scene, axes, scene.baseline);
  const Variant* baseline = find_variant(scene, league->baseline);
  if (baseline != nullptr && applies(*baseline, axes)) return baseline;
  const Variant* slow = nullptr;
  for (const Variant& each : scene.variants) {
    if (each.league != league->name || !applies(each, axes)) continue;
    if (!each.measured_once) return &each;
    if (slow == nullptr) slow = &each;
  }
  return slow;
}

Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name) {
  if (const Variant* variant = find_variant(scene, name)) return variant;
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  return failure(ErrorKind::usage, "scene " + scene.name + " has no variant of this name",
                 "variant " + std::string(name), suggest(name, names));
}

}  // namespace warpscope
