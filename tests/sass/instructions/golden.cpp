// tests/sass/instructions/golden.cpp: golden rows to text and back.
#include "tests/sass/instructions/golden.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace warpscope::instructions {
namespace {

using u32 = std::uint32_t;

constexpr std::size_t kHashedWords = 128;
constexpr u32 kBasis = 2166136261U, kPrime = 16777619U;  // of FNV-1a

u32 hash_of_words(const u32* words, std::size_t count) {
  u32 hash = kBasis;
  for (std::size_t k = 0; k < count; ++k) {
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (words[k] >> shift & 255)) * kPrime;
  }
  return hash;
}

std::string hexadecimal(u32 x) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", x);
  return text;
}

u32 number_of(const std::string& text) {
  return static_cast<u32>(std::strtoul(text.c_str(), nullptr, 16));
}

}  // namespace

u32 hash_of(const std::string& bytes) {
  u32 hash = kBasis;
  for (const char x : bytes) hash = (hash ^ static_cast<unsigned char>(x)) * kPrime;
  return hash;
}

u32 hash_of(const Case& c) {
  return hash_of(c.body + ":" + std::to_string(static_cast<int>(c.inputs)) +
                 std::to_string(words_of(c)) + (c.approximate ? "~" : ""));
}

std::vector<u32> kept_words(const Case& c, const std::vector<u32>& results) {
  if (c.approximate) return results;
  std::vector<u32> kept;
  for (std::size_t at = 0; at < results.size(); at += kHashedWords)
    kept.push_back(hash_of_words(&results[at], std::min(kHashedWords, results.size() - at)));
  return kept;
}

std::int64_t distance(const std::vector<u32>& a, const std::vector<u32>& b) {
  // Floats of both signs in their order.
  const auto place = [](u32 x) {
    const auto size = static_cast<std::int64_t>(x & 0x7fffffff);
    return x >> 31 != 0 ? -size : size;
  };
  constexpr std::int64_t kInfinity = 0x7f800000;
  std::int64_t most = a.size() == b.size() ? 0 : std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) {
    const std::int64_t x = place(a[k]), y = place(b[k]);
    if (a[k] == b[k]) continue;
    if (std::abs(x) > kInfinity || std::abs(y) > kInfinity)
      return std::numeric_limits<std::int64_t>::max();
    most = std::max(most, std::abs(x - y));
  }
  return most;
}

std::string text_of(const Golden& golden) {
  std::string text;
  for (const auto& [what, value] : golden.origin) text += what + " " + value + "\n";
  for (const Case& c : cases()) {
    const auto found = golden.rows.find(c.name);
    if (found == golden.rows.end()) continue;
    text += (found->second.quick ? "quick " : "case ") + c.name + " " +
            hexadecimal(found->second.text) + " ";
    for (const u32 word : found->second.words) text += hexadecimal(word);
    text += "\n";
  }
  return text;
}

Golden golden_of(const std::string& text) {
  Golden golden;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what, name, hash, words;
    in >> what;
    if (what != "case" && what != "quick") {
      if (line.size() > what.size()) golden.origin[what] = line.substr(what.size() + 1);
      continue;
    }
    in >> name >> hash >> words;
    Golden::Row row;
    row.quick = what == "quick";
    row.text = number_of(hash);
    for (std::size_t at = 0; at + 8 <= words.size(); at += 8)
      row.words.push_back(number_of(words.substr(at, 8)));
    golden.rows[name] = std::move(row);
  }
  return golden;
}

std::map<std::string, std::string> known_cases(const std::string& text) {
  std::map<std::string, std::string> known;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (!line.starts_with("#") && blank != std::string::npos)
      known[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return known;
}

std::set<std::string> quick_cases(const Golden& golden) {
  std::set<std::string> names;
  for (const auto& [name, row] : golden.rows) {
    if (row.quick) names.insert(name);
  }
  return names;
}

}  // namespace warpscope::instructions
