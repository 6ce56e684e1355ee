// profiling/plans/merged_lines.h: lines of sessions kept where they lie, and the number of the job
// in each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

namespace warpscope {

// Where a line of a session has the number of its job: the digits are [begin, end).
struct JobNumber {
  std::size_t begin = 0, end = 0;
  std::int64_t job = 0;
};
// No value if the line is not an object with a whole number `job`; members of members do not count.
std::optional<JobNumber> job_number_in(std::string_view line);
// The line without the digits, so that equal answers to jobs of other numbers are equal.
std::string without_job(std::string_view line);
// The line with another number in their place.
std::string with_job(std::string_view line, std::int64_t job);

// Places of lines in files that are read again. Packed files and pipes are copied, unpacked, into a
// nameless file.
class KeptLines {
 public:
  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0, file = 0;
  };
  KeptLines() = default;
  KeptLines(const KeptLines&) = delete;
  KeptLines& operator=(const KeptLines&) = delete;
  ~KeptLines();

  // The next file; `copied`: its lines have to be copied, into the folder. error: input,
  // environment.
  Result<void> begin_file(const std::filesystem::path& path, bool copied,
                          const std::filesystem::path& folder);
  // The next line of that file. `offset`: where it lies in it, unless it is copied. error:
  // environment.
  Result<Place> keep(std::string_view line, std::uint64_t offset);
  // error: input: the file changed meanwhile.
  Result<std::string> read(const Place& place) const;

 private:
  struct File {
    std::string name;
    int descriptor = -1;
    bool copied = false;
    std::uint64_t bytes = 0;  // copied until now
  };
  std::vector<File> files_;
};

}  // namespace warpscope
