// profiling/session/seal.cpp: a line of a session that says what the lines before it were.
#include "profiling/session/seal.h"

#include <nlohmann/json.hpp>

#include "profiling/text/json_text.h"
#include "scenes/base/source.h"

namespace warpscope {
namespace {

constexpr std::string_view kMark = "\"type\":\"seal\"";

std::string chained(const std::string& before, const std::string& line) {
  return hash_of(before + line);
}

}  // namespace

std::string line_hash(std::string_view line) { return hash_of(line); }

std::string sealed_hash(const std::vector<std::string>& line_hashes, std::size_t from) {
  std::string hash;
  for (std::size_t k = from; k < line_hashes.size(); ++k) hash = chained(hash, line_hashes[k]);
  return hash;
}

void LineSeal::add(std::string_view line) {
  if (line.empty()) return;
  hash_ = chained(hash_, line_hash(line));
  ++lines_;
}

std::string LineSeal::line() {
  const std::string text = R"({"hash":")" + hash_ + R"(","lines":)" + std::to_string(lines_) + "," +
                           std::string(kMark) + "}";
  *this = {};
  return text;
}

std::optional<SealClaim> seal_in(std::string_view line) {
  constexpr std::size_t kLongest = 200;
  if (line.size() > kLongest || line.find(kMark) == std::string_view::npos) return std::nullopt;
  const auto object = parse_json(line, "");
  if (!object || !object->is_object()) return std::nullopt;
  const auto lines = object->find("lines"), hash = object->find("hash");
  if (lines == object->end() || hash == object->end() || !lines->is_number_unsigned() ||
      !hash->is_string())
    return std::nullopt;
  return SealClaim{lines->get<std::int64_t>(), hash->get<std::string>()};
}

}  // namespace warpscope
