// profiling/text/fuzzy_match.cpp: how well typed words fit names, as a search box ranks them.
#include "profiling/text/fuzzy_match.h"

#include <algorithm>
#include <string>
#include <vector>

namespace warpscope {
namespace {

constexpr int kWhole = 100, kWordStart = 40, kTextStart = 20, kTextEnd = 20, kInitial = 6;
constexpr int kScattered = 50, kLetterGap = 4, kMostGap = 2, kFurtherText = 25;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (static_cast<unsigned char>(c) >> 7);
}

std::string lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return low;
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_letter(text[at - 1]);
}

// The word as it stands in the text, at its best place.
std::optional<int> as_it_stands(std::string_view word, std::string_view text) {
  std::optional<int> best;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const int score = kWhole + (begins_word(text, at) ? kWordStart : 0) +
                      (at == 0 ? kTextStart : 0) +
                      (end == text.size() || !is_letter(text[end]) ? kTextEnd : 0);
    best = std::max(best.value_or(score), score);
  }
  return best;
}

// The letters of the word in their order: each next one follows, begins a word, or leaves out at
// most two letters. The first one begins a word.
std::optional<int> scattered(std::string_view word, std::string_view text) {
  if (word.size() < 2) return std::nullopt;
  // By place in the text: the best score of the letters so far, the last of them here.
  std::vector<std::optional<int>> here(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == word[0] && begins_word(text, at)) here[at] = kScattered;
  }
  for (std::size_t letter = 1; letter < word.size(); ++letter) {
    std::vector<std::optional<int>> next(text.size());
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (text[at] != word[letter]) continue;
      for (std::size_t from = 0; from < at; ++from) {
        if (!here[from]) continue;
        const int gap = static_cast<int>(at - from) - 1;
        const bool initial = begins_word(text, at);
        if (gap > kMostGap && !initial) continue;
        const int score = *here[from] + (initial ? kInitial : -kLetterGap * gap);
        next[at] = std::max(next[at].value_or(score), score);
      }
    }
    here = std::move(next);
  }
  std::optional<int> best;
  for (const std::optional<int>& score : here) best = std::max(best, score);
  return best;
}

std::optional<int> word_score(std::string_view word, std::string_view text) {
  const auto whole = as_it_stands(word, text);
  return whole ? whole : scattered(word, text);
}

std::vector<std::string> words_of(std::string_view typed) {
  std::vector<std::string> words(1);
  for (const char c : lowered(typed)) {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::span<const std::string_view> texts) {
  std::vector<std::string> low;
  low.reserve(texts.size());
  for (const std::string_view text : texts) low.push_back(lowered(text));
  int sum = 0;
  for (const std::string& word : words_of(typed)) {
    std::optional<int> best;
    for (std::size_t i = 0; i < low.size(); ++i) {
      const std::optional<int> score = word_score(word, low[i]);
      if (score) best = std::max(best, std::optional(*score - (i > 0 ? kFurtherText : 0)));
    }
    if (!best) return std::nullopt;
    sum += *best;
  }
  return sum;
}

}  // namespace warpscope
