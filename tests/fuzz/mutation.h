// tests/fuzz/mutation.h: broken variations of good texts, the same ones in every run.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

//   for_mutations(seeds, words, [](const std::string& text) { parse(text); });
//
// Case number i is always the same text, so a failure comes back when the test runs again. A test
// lasts 3 s, or $WARPSCOPE_FUZZ_SECONDS, and at least kLeastCases.

namespace warpscope {

inline constexpr int kLeastCases = 500;

// `text` after one to four changes: bytes changed, parts cut, doubled or cut off at the end,
// `words` put in, or the rest of another of `seeds` appended.
inline std::string mutated(std::string text, const std::vector<std::string>& seeds,
                           const std::vector<std::string>& words, std::mt19937_64& random) {
  const auto below = [&](std::size_t count) {
    return count == 0 ? 0 : static_cast<std::size_t>(random() % count);
  };
  for (std::size_t turn = 1 + below(4); turn > 0; --turn) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.replace(at, below(2) == 0 ? 0 : length, words[below(words.size())]);
        break;
      default: {
        const std::string& other = seeds[below(seeds.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }
  return text;
}

// Calls `check` with each of `seeds`, then with mutations until the time is up. Returns how many
// there were.
inline std::int64_t for_mutations(const std::vector<std::string>& seeds,
                                  const std::vector<std::string>& words,
                                  const std::function<void(const std::string&)>& check) {
  const char* asked = std::getenv("WARPSCOPE_FUZZ_SECONDS");
  const std::chrono::duration<double> limit(asked == nullptr ? 3.0 : std::atof(asked));
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& seed : seeds) check(seed);
  std::int64_t cases = 0;
  while (cases < kLeastCases || std::chrono::steady_clock::now() - start < limit) {
    std::mt19937_64 random(static_cast<std::uint64_t>(cases));
    check(mutated(seeds[random() % seeds.size()], seeds, words, random));
    ++cases;
  }
  return cases;
}

}  // namespace warpscope
