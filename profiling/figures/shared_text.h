// profiling/figures/shared_text.h: a text that many figures have, kept once.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

// Ids of metrics, reasons and compilers' words are the same in thousands of points. A SharedText
// reads as a constant std::string; its copies have the same characters in memory. A SharedTexts
// gives out copies of the texts that it knows; it lives as long as a file is read.
//
//   SharedTexts texts;
//   value.id = texts.of("time.warm");                          // the same memory in every point
//   value.reason = "it needs " + part;                         // one of its own

namespace warpscope {

class SharedText {
 public:
  SharedText() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands wherever a std::string does
  SharedText(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(std::string_view text) : SharedText(std::string(text)) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}
  operator const std::string&() const { return string(); }
  operator std::string_view() const { return string(); }
  // NOLINTEND(google-explicit-constructor)

  const std::string& string() const {
    static const std::string none;
    return text_ == nullptr ? none : *text_;
  }
  bool empty() const { return text_ == nullptr; }
  std::size_t size() const { return string().size(); }
  std::size_t capacity() const { return string().capacity(); }
  const char* c_str() const { return string().c_str(); }
  bool starts_with(std::string_view beginning) const { return string().starts_with(beginning); }
  std::size_t find(std::string_view part) const { return string().find(part); }
  std::string substr(std::size_t first, std::size_t count = std::string::npos) const {
    return string().substr(first, count);
  }
  void clear() { text_.reset(); }
  // Whether both are one text in memory.
  bool shares_with(const SharedText& other) const { return text_ == other.text_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): version 14 takes a comparison's 0 for a pointer
  friend auto operator<=>(const SharedText& a, const SharedText& b) {
    return a.string() <=> b.string();
  }
  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.string() == b.string();
  }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.string() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.string() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.string() == b; }
  friend std::string operator+(const SharedText& a, const SharedText& b) {
    return a.string() + b.string();
  }
  friend std::string operator+(std::string a, const SharedText& b) {
    return std::move(a) + b.string();
  }
  friend std::string operator+(const SharedText& a, const std::string& b) { return a.string() + b; }
  friend std::string operator+(const char* a, const SharedText& b) { return a + b.string(); }
  friend std::string operator+(const SharedText& a, const char* b) { return a.string() + b; }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) {
    return out << text.string();
  }

 private:
  std::shared_ptr<const std::string> text_;
};

class SharedTexts {
 public:
  SharedText of(std::string_view text) {
    if (text.empty()) return {};
    const auto found = known_.find(text);
    return found != known_.end() ? *found : *known_.emplace(text).first;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_set<SharedText, Hash, std::equal_to<>> known_;
};

}  // namespace warpscope
