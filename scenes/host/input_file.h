// scenes/host/input_file.h: files that are read: regular ones of a bounded size, opened in one
// place, and which of them a person lets this process open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scenes/host/result.h"

// Whatever a person names as an input is opened here, so that a pipe never hangs a program, a
// device never fills its memory, and every such mistake has the same sentence and status.
//
//   Result<std::string> text = read_input("matrix.mtx", 1 << 30);

namespace warpscope {

// The largest text that people write or tools print for them: sources, lessons, CSV of ncu. It is
// hundreds of times the longest one known. A text takes a few times its size in memory once it is
// read.
inline constexpr std::int64_t kMostTextFileBytes = 64 << 20;

class InputFile {
 public:
  // error: input: there is no such file, it may not be read, it is a folder, a pipe, a socket or a
  // device (what `<(…)` gives is a pipe), it is longer than the limit.
  static Result<InputFile> open(const std::filesystem::path& path, std::int64_t maximum_bytes);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  std::int64_t bytes() const { return bytes_; }  // when it was opened
  // The next bytes, at most `count` of them; 0 at the end. error: input.
  Result<std::size_t> read(char* to, std::size_t count);

 private:
  InputFile() = default;
  std::filesystem::path path_;
  std::int64_t bytes_ = 0;
  int descriptor_ = -1;
};

// All of a file; an empty one is an empty text. error: as InputFile; resource (memory).
Result<std::string> read_input(const std::filesystem::path& path, std::int64_t maximum_bytes);

// --- which files are read for somebody else ---
//
// A kernel's folder may come from anybody. What it includes or names is read from that folder and
// from those that were allowed here, for the rest of the run; links count as where they lead.
//
//   allow_folder("../common");                             // -I, or the window's question
//   if (lies_in(file, folder) || lies_in_allowed(file)) …

// error: usage: there is no such folder.
Result<void> allow_folder(const std::filesystem::path& folder);
// In the order in which they were allowed, each once, with links followed. From any thread.
std::vector<std::filesystem::path> allowed_folders();

// Whether a file that is there lies in or below a folder, with the links of both followed.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);
bool lies_in_allowed(const std::filesystem::path& file);

// A file that a kernel or a description names and that was not read, since it lies elsewhere.
struct MissedFile {
  std::string name;              // as it is named: "../common/half.cuh"
  std::filesystem::path folder;  // that would have to be allowed, with links followed
  bool operator==(const MissedFile&) const = default;
};
// Keeps it, once, so that the window can ask the person.
MissedFile note_missed(const std::string& name, const std::filesystem::path& file);
// What was noted and is in no folder that was allowed or declined since.
std::vector<MissedFile> missed_files();
void decline_folder(const std::filesystem::path& folder);

// Values of axes may be paths, and a session that came from somebody else holds such values. As
// long as a process has read no session, every path was given by its person. Afterwards only what
// was named here is opened, or what lies in a folder that was allowed.
//
//   name_path("bcsstk.mtx");            // a word of the command line, a choice in the window
//   only_named_paths();                 // a session was read
//   admit_path(axes.text("file"));      // before it is opened

// A path, or several with ';' or ',' between them. A folder stands for what is in it.
void name_path(const std::string& value);
void only_named_paths();
// Whether a person named it, or a folder that it lies in.
bool is_named(const std::string& path);

// error: input: a session gave the path, and nobody here.
Result<void> admit_path(const std::string& value);

}  // namespace warpscope
