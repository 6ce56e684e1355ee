// scenes/catalogue.h: the scenes there are, and how a scene and its variants are found by name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/folder/form/description_edits.h"
#include "scenes/folder/scene_text.h"

// The built-in scenes are constant; a catalogue has them and what was opened in it: folders,
// kernels' files, and texts that came by message. Two catalogues are independent. A program makes
// one and passes it on; a test makes its own. To keep a scene for longer than a call, keep its name
// and look it up.
//
//   const auto catalogue = std::make_shared<Catalogue>();
//   Result<const Scene*> scene = catalogue->open_folder("saxpy");         // a person's, from disk
//   catalogue->open_text(text);                                     // an engine's or a session's
//   Result<KernelSource> kernel = catalogue->kernel("saxpy/saxpy.cu");   // the folder's text
//   Result<const Variant*> row = find_variant_or_explain(**scene, "naive");
//
// Opening a name again makes a new Scene, which is found from then on; older ones live as long as
// the catalogue, so that pointers to them stay good. From any thread.

namespace warpscope {

struct FileReaders;  // file_scene.h

// Those that scenes/built_in.inc lists, in the order of the scene menu.
const std::vector<Scene>& built_in_scenes();

class Catalogue : public std::enable_shared_from_this<Catalogue> {
 public:
  Catalogue();                                     // the built-in scenes
  explicit Catalogue(const FileReaders& readers);  // that also opens the files they read
  explicit Catalogue(std::vector<Scene> scenes);   // others in their place
  Catalogue(const Catalogue&) = delete;            // scenes are pointed to
  Catalogue& operator=(const Catalogue&) = delete;
  ~Catalogue();

  // Without those that were opened; never moved while the catalogue lives.
  const std::vector<Scene>& scenes() const { return *scenes_; }
  // With those that were opened: the newest of each, in the order first opened.
  std::vector<const Scene*> all() const;
  std::vector<const Scene*> opened() const;
  // An opened one too. error: usage, with the nearest name or all there are.
  Result<const Scene*> find(std::string_view name) const;
  // The opened one of this name and text. Null: it was not opened.
  const Scene* find(std::string_view name, std::string_view hash) const;

  // A name that a built-in scene has is refused, and so is one that another folder has here. A
  // folder that has not changed since is not read into a new Scene. error: input, usage.
  Result<const Scene*> open_folder(const std::filesystem::path& path);
  // A kernel's file as a scene by itself (file_scene.h): nothing is written. Where its name is
  // taken it has another. error: input: it has no kernel that a scene can launch.
  Result<const Scene*> open_file(const std::filesystem::path& path);
  // The same file with other fields of its description, which stay until others are given: the file
  // is read with them again when it is saved. If only a session carries the file, it is the
  // session's text. error: as open_file and scene_of: all is as it was; usage: it is not a file.
  Result<const Scene*> edit_file(const std::string& scene, const DescriptionEdits& edits);
  DescriptionEdits edits_of(std::string_view scene) const;  // empty where it is not a file
  // The folders of the user's scene folder; what is wrong with some is returned.
  std::vector<Error> open_user_folders();
  // For a message: a scene that is a folder here keeps the folder's text as its newest. error: as
  // scene_of; usage, the name of a built-in scene.
  Result<const Scene*> open_text(const SceneText& text);

  // What the newest was made of; null: no scene of that name was opened.
  std::shared_ptr<const SceneText> text(std::string_view name) const;
  // The text with this hash: what a folder was before a save. Null: it was not opened.
  std::shared_ptr<const SceneText> text(std::string_view name, std::string_view hash) const;
  // The newest whose kernels are all among these; null: none is.
  std::shared_ptr<const SceneText> text_among(std::string_view name,
                                              const std::vector<KernelSource>& sources) const;
  // Where a scene was opened from; empty: by message, or not at all.
  std::filesystem::path folder_of(std::string_view name) const;
  // The same of a scene that is a file.
  std::filesystem::path file_of(std::string_view name) const;
  // Whether the scene is a kernel's file, here or where a session was recorded.
  bool is_of_file(std::string_view name) const;

  // A kernel's text or a header's by its path below kernels/, as if what was opened lay there.
  // error: as read_kernel.
  Result<KernelSource> kernel(const std::string& path) const;
  // Every kernel that a scene may launch, with its headers; never null, empty if the scene has
  // none. error: environment.
  Result<std::shared_ptr<const std::vector<KernelSource>>> sources_of(
      const std::string& scene) const;
  // What one kernel is compiled from. It must not outlive the catalogue.
  SourceLookup source_lookup() const;
  // The folder of kernels/ that a scene launches from: of a copy its parent's; empty: none.
  std::string built_in_folder_of(std::string_view scene) const;

  // Null for one that no shared_ptr owns.
  std::shared_ptr<const Catalogue> shared() const { return weak_from_this().lock(); }

 private:
  struct Opened;
  struct Shelf;
  struct Place;
  Result<const Scene*> open(const SceneText& text, const Place& place);
  Result<const Scene*> edit_carried(const std::string& scene, const DescriptionEdits& edits);
  std::shared_ptr<const std::vector<KernelSource>> carried(std::string_view scene) const;
  std::shared_ptr<const KernelSource> carried_file(const std::string& path) const;

  std::vector<Scene> own_;
  const std::vector<Scene>* scenes_;
  std::unique_ptr<Shelf> shelf_;
};

// Only the built-in scenes, with nothing opened.
const Catalogue& built_in_catalogue();

// What a variant is compared with: the baseline of its league where that applies at this
// configuration, else the first of its league in the ladder that does, but for those that are
// measured once. In a scene without leagues the scene's, as variant_at has it. Null: none applies.
const Variant* baseline_at(const Scene& scene, const Configuration& axes, std::string_view variant);

// error: usage, with the nearest names of the scene's variants.
Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name);

}  // namespace warpscope
