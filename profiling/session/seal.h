// profiling/session/seal.h: a line of a session that says what the lines before it were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A recording ends with {"type":"seal","lines":120,"hash":"…"}: so many lines before it, without
// empty ones and other seals, had this hash. Readers of sessions keep it as a message that they do
// not know. Whoever changes a line can write another seal: it tells of damage and of careless
// edits, and is not a signature.
//
//   LineSeal seal;
//   for (const std::string& line : lines) seal.add(line);
//   file << seal.line() << '\n';

namespace warpscope {

class LineSeal {
 public:
  void add(std::string_view line);  // whole, without its newline
  std::int64_t lines() const { return lines_; }
  const std::string& hash() const { return hash_; }
  // The seal of what was added. What is added afterwards belongs to the next one.
  std::string line();

 private:
  std::int64_t lines_ = 0;
  std::string hash_;
};

// What a line of a file claims, if it is a seal.
struct SealClaim {
  std::int64_t lines = 0;
  std::string hash;
};
std::optional<SealClaim> seal_in(std::string_view line);

// The hash of single lines (line_hash), the later ones last, as a seal of them has it.
std::string line_hash(std::string_view line);
std::string sealed_hash(const std::vector<std::string>& line_hashes, std::size_t from);

}  // namespace warpscope
