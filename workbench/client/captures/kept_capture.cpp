// workbench/client/captures/kept_capture.cpp: a launch that was taken, as the file that a person
// keeps.
#include "workbench/client/captures/kept_capture.h"

#include <cctype>
#include <cstdlib>
#include <system_error>

#include "profiling/capture/beside_program.h"
#include "profiling/capture/reader.h"
#include "profiling/listings/kernel_name.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"

namespace warpscope {

namespace fs = std::filesystem;

SpoolFolder::SpoolFolder(const fs::path& beside) {
  std::string path = (beside / ".warpscope-capture-XXXXXX").string();
  if (::mkdtemp(path.data()) != nullptr) path_ = path;
}

SpoolFolder::~SpoolFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path capture_name(const std::string& symbol, const std::string& out, std::size_t index) {
  constexpr std::size_t kMostCharacters = 60;
  fs::path path = out;
  if (path.empty()) {
    std::string name = without_template_arguments(kernel_name_of(symbol).name);
    name = name.substr(name.find_last_of(": ") + 1);
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    path = (name.empty() ? "kernel" : name.substr(0, kMostCharacters)) + ".wcap";
  }
  if (index == 0) return path;
  return path.parent_path() /
         (path.stem().string() + "-" + std::to_string(index + 1) + path.extension().string());
}

fs::path free_capture_name(const fs::path& folder, const std::string& symbol) {
  std::error_code ignored;
  std::size_t index = 0;
  while (fs::exists(folder / capture_name(symbol, "", index), ignored)) ++index;
  return folder / capture_name(symbol, "", index);
}

Result<KeptCapture> keep_capture(const std::string& taken_file,
                                 const std::vector<std::string>& program, const std::string& path) {
  const Result<CaptureFile> raw = CaptureFile::open(taken_file);
  if (!raw) return tl::unexpected(raw.error());
  CaptureAdditions additions = found_beside(*raw);
  additions.made_by = build_stamp();
  additions.time = now_utc();
  additions.program = program;
  const Result<std::uint64_t> bytes = copy_packed(*raw, additions, path);
  if (!bytes) return tl::unexpected(bytes.error());
  const Result<CaptureFile> kept = CaptureFile::open(path);
  if (!kept) return tl::unexpected(kept.error());
  return KeptCapture{path, words_of_capture(*kept), kept->capture().notes};
}

}  // namespace warpscope
