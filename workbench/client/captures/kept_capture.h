// workbench/client/captures/kept_capture.h: a launch that was taken, as the file that a person
// keeps: packed, with its PTX and its sources.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "profiling/capture/reports.h"
#include "scenes/host/result.h"

namespace warpscope {

// A folder beside the files to be kept, so that the disk has room; it goes with the object.
class SpoolFolder {
 public:
  explicit SpoolFolder(const std::filesystem::path& beside);
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;
  ~SpoolFolder();
  const std::string& path() const { return path_; }  // empty: it cannot be made

 private:
  std::string path_;
};

// "norm.wcap" after the kernel's name, or `out`; from the second one on "norm-2.wcap".
std::filesystem::path capture_name(const std::string& symbol, const std::string& out,
                                   std::size_t index);
// The first of these in a folder that is not there yet.
std::filesystem::path free_capture_name(const std::filesystem::path& folder,
                                        const std::string& symbol);

struct KeptCapture {
  std::string path, words;         // words: words_of_capture
  std::vector<std::string> notes;  // what could not be kept, a sentence each
};
// error: as CaptureFile::open and copy_packed.
Result<KeptCapture> keep_capture(const std::string& taken_file,
                                 const std::vector<std::string>& program, const std::string& path);

}  // namespace warpscope
