// profiling/engine/compile/steps/nvcc_folder.h: the folder that nvcc works in, and what it may
// read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/engine/compile/nvcc.h"

// Texts lie in a folder of their own under names of ours. Compilers read that folder, the toolkit's
// and the system's headers alone; what they read is checked again afterwards.

namespace warpscope {

inline constexpr std::int64_t kMostCompilerBytes = 3ll << 30;
inline constexpr const char* kMainText = "text/warpscope_kernel.cu";
inline constexpr const char* kMainPtx = "text/warpscope_kernel.ptx";

// Removed with all that is in it.
class PrivateFolder {
 public:
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  const std::filesystem::path& path() const { return path_; }
  // A name that leads out of the folder is not written: the compiler does not find it.
  bool write(const std::filesystem::path& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

// Removes what engines left that were killed.
void remove_old_folders();

// A task's texts in the folder. error: usage (a define of several lines), environment.
Result<void> write_texts(const NvccTask& task, const PrivateFolder& folder);
// "#line 1 "norm.cu"" with its end of line.
std::string line_directive(const std::string& name, int line = 1);
// nvcc and its options for the texts, without what it is to make.
std::vector<std::string> words_of(const NvccTask& task, const std::string& nvcc);

// Files and folders that nvcc's programs need.
std::vector<std::filesystem::path> readable_places(const std::string& nvcc);
// A file that was read and that nobody allowed.
std::optional<Error> foreign_file(const std::filesystem::path& folder, const std::string& nvcc,
                                  const std::string& source);
Error outside(std::string file, const std::string& source);

// A directive that preprocessing made, for the second compiler to follow: "#define H #", then
// "H include …". `text` is what the preprocessor wrote.
bool makes_directives(std::string_view text);

}  // namespace warpscope
