// scenes/folder/scene_text.h: a scene that is a folder, as a value: its description, its kernels
// and its data.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/base/source.h"

// The program that reads the files makes one of these (read_folder.h). It goes to engines and into
// sessions unchanged, and every program makes the same scene from it.
//
//   Result<SceneText> text = read_scene_folder("saxpy");
//   Result<Scene> scene = scene_of(*text);

namespace warpscope {

// The bytes of a file. Copies share them, because those of a capture may take 128 MB.
class FileBytes {
 public:
  FileBytes() : FileBytes(std::string()) {}
  FileBytes(std::string bytes) : bytes_(std::make_shared<const std::string>(std::move(bytes))) {}
  const std::string& text() const { return *bytes_; }
  std::size_t size() const { return bytes_->size(); }
  bool operator==(const FileBytes& other) const {
    return bytes_ == other.bytes_ || *bytes_ == *other.bytes_;
  }

 private:
  std::shared_ptr<const std::string> bytes_;
};

// A .npy file that a buffer or the reference begins as.
struct SceneData {
  std::string path;  // as the description names it
  FileBytes bytes;   // of the whole file
  bool operator==(const SceneData&) const = default;
};

struct SceneText {
  std::string name;                   // "saxpy": the folder's, unless the description says another
  std::string file;                   // of the description, for errors
  std::string description;            // TOML
  std::vector<KernelSource> sources;  // "saxpy/saxpy.cu", and headers as includes name them
  std::vector<SceneData> data;
  std::string hash;  // scene_hash of all but `file`
  bool operator==(const SceneText&) const = default;
};

// 32 hex digits of name, description, sources and data.
std::string scene_hash(const SceneText& text);

// What a description asks for besides its kernels: names of .npy files, each once. Empty where it
// cannot be read: scene_of says why.
std::vector<std::string> data_files_of(const std::string& description);

// Keys that have a meaning elsewhere but that nothing reads where they stand, such as `source`
// beside `steps`. Texts of sessions may be of a version that passed over them.
enum class UnusedKeys { refused, accepted };

// error: input: what is wrong, with file, line, key and remedy; never throws. The scene keeps what
// it needs of the text.
Result<Scene> scene_of(const SceneText& text, UnusedKeys unused = UnusedKeys::refused);

}  // namespace warpscope
