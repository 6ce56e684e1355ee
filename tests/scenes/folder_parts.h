// tests/scenes/folder_parts.h: descriptions of scenes for tests, and folders to keep them in.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "scenes/folder/scene_text.h"
#include "tests/folders.h"

namespace warpscope {

// A scene of one kernel, y = 2 x, with every part that a description needs.
inline const char* const kDoublingDescription = R"__(title = "Twice"
axes.n = { range = [1, 65536], default = 1000, scale = "log" }

[buffers]
x = { type = "f32", count = "n" }
y = { type = "f32", count = "n", role = "output" }

[variants.twice]
grid = "ceil_div(n, 128)"
block = 128
arguments = ["x", "y", "i32:n"]

[reference]
entry = "exact"
grid = "ceil_div(n, 128)"
block = 128
arguments = ["x", "y.reference", "i32:n"]

[tolerance]
bit_exact = true
)__";

inline const char* const kDoublingKernel = R"__(
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void exact(const float* x, double* reference, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) reference[i] = 2.0 * x[i];
}
)__";

inline SceneText doubling_text(const std::string& name = "doubling") {
  SceneText text;
  text.name = name;
  text.file = name + "/scene.toml";
  text.description = kDoublingDescription;
  text.sources = {kernel_source(name + "/twice.cu", kDoublingKernel)};
  text.hash = scene_hash(text);
  return text;
}

// `text` with the first `from` as `to`; as it is where there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const std::size_t at = text.find(from); at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

// A folder of the test's own, for as long as it lasts.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("warpscope-" + std::to_string(::getpid())) / name) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::filesystem::path& path() const { return folder_; }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }
  std::string text(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path folder_;
};

// The built-in scene `patterns` as a folder, with its kernels.
inline void write_patterns_twin(const OwnFolder& folder) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(source_folder() / "kernels" / "patterns")) {
    if (entry.path().extension() == ".cu")
      fs::copy_file(entry.path(), folder.path() / entry.path().filename());
  }
  fs::copy_file(source_folder() / "tests" / "scenes" / "folders" / "patterns_twin.toml",
                folder.path() / "scene.toml");
}

}  // namespace warpscope
