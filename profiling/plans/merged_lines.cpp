// profiling/plans/merged_lines.cpp: lines of sessions kept where they lie, and the number of the
// job in each.
#include "profiling/plans/merged_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace warpscope {
namespace {

// The position after the text that begins at the quotation mark `at`.
std::size_t end_of_text(std::string_view line, std::size_t at) {
  for (++at; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      return at + 1;
    }
  }
  return line.size();
}

std::size_t after_blanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(" \t", at), line.size());
}

}  // namespace

std::optional<JobNumber> job_number_in(std::string_view line) {
  constexpr std::string_view kKey = "\"job\"";
  int depth = 0;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') {
      ++at;
      continue;
    }
    const std::size_t end = end_of_text(line, at);
    const bool key = depth == 1 && line.substr(at, end - at) == kKey;
    at = end;
    if (!key) continue;
    at = after_blanks(line, at);
    if (at >= line.size() || line[at] != ':') continue;  // a value, of a list
    at = after_blanks(line, at + 1);
    JobNumber number{at};
    const auto [last, wrong] =
        std::from_chars(line.data() + at, line.data() + line.size(), number.job);
    if (wrong != std::errc()) return std::nullopt;
    number.end = static_cast<std::size_t>(last - line.data());
    return number;
  }
  return std::nullopt;
}

std::string without_job(std::string_view line) {
  const auto number = job_number_in(line);
  if (!number) return std::string(line);
  return std::string(line.substr(0, number->begin)) + std::string(line.substr(number->end));
}

std::string with_job(std::string_view line, std::int64_t job) {
  const auto number = job_number_in(line);
  if (!number) return std::string(line);
  return std::string(line.substr(0, number->begin)) + std::to_string(job) +
         std::string(line.substr(number->end));
}

KeptLines::~KeptLines() {
  for (const File& file : files_) {
    if (file.descriptor >= 0) ::close(file.descriptor);
  }
}

Result<void> KeptLines::begin_file(const std::filesystem::path& path, bool copied,
                                   const std::filesystem::path& folder) {
  File file{path.string(), -1, copied};
  if (copied) {
    std::string name = ((folder.empty() ? "." : folder) / ".merge-XXXXXX").string();
    file.descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (file.descriptor < 0)
      return failure(ErrorKind::environment,
                     std::string("no temporary file can be made: ") + std::strerror(errno),
                     folder.string(), "choose a folder that you may write to");
    ::unlink(name.c_str());
  } else {
    file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file.descriptor < 0)
      return failure(ErrorKind::input,
                     std::string("the file cannot be opened: ") + std::strerror(errno),
                     path.string(), "check the path");
  }
  files_.push_back(std::move(file));
  return {};
}

Result<KeptLines::Place> KeptLines::keep(std::string_view line, std::uint64_t offset) {
  File& file = files_.back();
  const auto index = static_cast<std::uint32_t>(files_.size() - 1);
  if (!file.copied) return Place{offset, static_cast<std::uint32_t>(line.size()), index};
  const Place place{file.bytes, static_cast<std::uint32_t>(line.size()), index};
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t step = ::write(file.descriptor, rest.data(), rest.size());
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0)
      return failure(ErrorKind::environment,
                     std::string("the unpacked copy cannot be written: ") +
                         std::strerror(step == 0 ? ENOSPC : errno),
                     file.name, "free some space beside the output");
    rest.remove_prefix(static_cast<std::size_t>(step));
  }
  file.bytes += line.size();
  return place;
}

Result<std::string> KeptLines::read(const Place& place) const {
  const File& file = files_[place.file];
  std::string line(place.bytes, '\0');
  std::size_t have = 0;
  while (have < line.size()) {
    const ssize_t step = ::pread(file.descriptor, line.data() + have, line.size() - have,
                                 static_cast<off_t>(place.offset + have));
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0)
      return failure(ErrorKind::input, "the file changed while it was merged", file.name,
                     "merge again when nobody writes to it");
    have += static_cast<std::size_t>(step);
  }
  return line;
}

}  // namespace warpscope
