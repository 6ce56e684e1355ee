// tests/sass/instructions/cases.h: small PTX kernels that make ptxas emit the forms of machine
// code.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

// Each case is a kernel of a few instructions. Lane i of the grid loads four words into %a … %d and
// stores %r0 and what follows it. Texts and inputs are the same in every run.

namespace warpscope::instructions {

inline constexpr int kBlocks = 8, kBlockLanes = 64, kLanes = kBlocks * kBlockLanes;
// The words of memory that kernels may change: four belong to each lane.
inline constexpr int kMemoryWords = 4 * kLanes;

// What the inputs are: edges of this type with each other, then random ones.
enum class Inputs { words, longs, floats, doubles, halves, bfloats, shifts, sweep, bytes };

struct Case {
  std::string family, name, body;
  Inputs inputs = Inputs::words;
  int results = 1;           // words that a lane stores
  bool memory = false;       // what is in memory afterwards is a result too
  bool approximate = false;  // PTX does not fix the bits
};

// The cases of all families, in a fixed order. Names are unique.
const std::vector<Case>& cases();
std::vector<std::string> families();
// Words of a result: those of lanes, then those of memory.
int words_of(const Case& c);

std::set<std::string> names_of(const std::string& family);
// The PTX module of some cases.
std::string module_of(const std::set<std::string>& names);
// The four words of each lane.
std::vector<std::uint32_t> inputs_of(Inputs kind);
std::vector<std::uint32_t> memory_before();

// Where families add theirs.
class CaseList {
 public:
  explicit CaseList(std::vector<Case>& all) : all_(all) {}
  void family(const std::string& name) { family_ = name; }
  // `body` without its last ";". What it writes says how many words are stored: %p and %q, %h0, %r0
  // to %r3, or %R0 and %R1.
  Case& add(const std::string& name, const std::string& body, Inputs inputs = Inputs::words);

 private:
  std::vector<Case>& all_;
  std::string family_;
};
// Replaces "$1" to "$4".
std::string with(std::string text, const std::string& first, const std::string& second = {},
                 const std::string& third = {}, const std::string& fourth = {});

void add_integer_cases(CaseList& list);
void add_float_cases(CaseList& list);
void add_half_cases(CaseList& list);
void add_conversion_cases(CaseList& list);
void add_warp_cases(CaseList& list);
void add_memory_cases(CaseList& list);
void add_matrix_cases(CaseList& list);

}  // namespace warpscope::instructions
