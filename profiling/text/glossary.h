// profiling/text/glossary.h: the terms of the glossary, and where a sentence uses them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// The one list is the table "Glossary" of tests/README.md; the window reads it at its first frame.
//
//   for (const TermMark& mark : glossary().find("speed-up against the baseline"))
//     underline(mark.at, mark.length, glossary().terms()[mark.term].meaning);

namespace warpscope {

struct Term {
  std::string name;     // "cold, warm"
  std::string meaning;  // without links and other marks of Markdown
};

// A place of a text that uses a term, in bytes.
struct TermMark {
  std::size_t at = 0, length = 0;
  std::size_t term = 0;  // index into Glossary::terms()
};

class Glossary {
 public:
  // The rows of the table that follows the heading "## Glossary"; without one it is empty.
  static Glossary of_page(std::string_view page);

  std::span<const Term> terms() const { return terms_; }
  // The first place of each term that the text uses, in order. A term is found in singular and
  // plural, as whole words, the longest term first. A verb ("to stop") is not a term.
  std::vector<TermMark> find(std::string_view text) const;

 private:
  struct Form {
    std::string words;  // in lower case
    std::size_t term = 0;
  };
  void add(Term term);
  std::vector<Term> terms_;
  // By their first word, the longest first.
  std::unordered_map<std::string, std::vector<Form>> forms_;
};

// The glossary of Warpscope's own folder, read once; empty if the page is not there.
const Glossary& glossary();

}  // namespace warpscope
