// scenes/folder/form/described_fill.h: what a buffer of a description begins as, in the words of a
// launch.
#pragma once

#include <string>
#include <vector>

#include "scenes/folder/form/description_edits.h"

// A form has the fills of a launch (user_argument.h). A description has fewer words and expressions
// of the index: a range and a byte become an element, and the comment beside it says which.

namespace warpscope {

// "unset", "zero", "one", "iota", "random", "range", "byte", "expression", "file".
const std::vector<std::string>& fill_kinds();

struct DescribedFill {
  std::string kind;
  std::string words;  // of a range "0:10", a byte "0xff", an expression "2*i", a file "x.npy"
  bool operator==(const DescribedFill&) const = default;
};

// What the buffer begins as; an output is unset.
DescribedFill fill_of(const std::vector<DescribedField>& fields, const std::string& buffer);

// Makes the buffer begin as this. An input that is to be unset becomes an output; an output that is
// filled becomes a state.
void set_fill(DescriptionEdits& edits, const std::vector<DescribedField>& fields,
              const std::string& buffer, const DescribedFill& fill);

// The fill as launch files write it: "range 0:10", "0xff", "=2*i". A file has none.
std::string fill_words(const DescribedFill& fill);

// What an element of the type is whose bytes are all this one: "nothing" is NaN.
std::string element_of_bytes(const std::string& type, unsigned byte);

}  // namespace warpscope
