// tests/sass/instruction_test.cpp: single instructions of machine code give what a device gave.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/folders.h"
#include "tests/sass/instructions/emulated.h"
#include "tests/sass/instructions/golden.h"

namespace warpscope::instructions {
namespace {

std::string file_of(const std::string& name) {
  std::ifstream file(source_folder() / "tests/sass/instructions" / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What is wrong with a case, of which `known` says something or nothing.
std::string difference(const Case& c, const EmulatedCases& emulated, const Golden& golden,
                       const std::string& known) {
  const auto row = golden.rows.find(c.name);
  if (row == golden.rows.end() || row->second.text != hash_of(c))
    return c.name + " has changed since it was recorded: run warpscope_sass_instructions record\n";
  const Emulated done = emulated.from_machine_code(c);
  if (!done.problem.empty())
    return known.starts_with("refused") ? "" : c.name + ": " + done.problem + "\n";
  if (kept_words(c, done.words) == row->second.words || known.starts_with("differs")) return {};
  long long most = -1;
  if (std::sscanf(known.c_str(), "within %lld", &most) == 1 &&
      distance(done.words, row->second.words) <= most)
    return {};
  return c.name + " differs from the device\n";
}

void expect_equal(const Golden& golden, const std::set<std::string>& names, int architecture = 90) {
  const Tools tools = find_tools(source_folder().string());
  if (!tools.missing.empty()) GTEST_SKIP() << tools.missing;
  std::map<std::string, std::string> known = known_cases(file_of("known.txt"));
  if (architecture > 90)
    known["matrix_k256_and"] = known["matrix_k256_xor"] = "refused: MOVM.U4TO8";
  if (architecture >= 120) known["bulk_load"] = "refused: it calls the driver";
  if (architecture == 103)
    known["approximate_ex2_f16x2"] = known["approximate_ex2_bf16x2"] = "refused: MUFU.EX2.F16x2";
  const EmulatedCases emulated(names, tools, architecture);
  EXPECT_EQ(emulated.problem(), "");
  for (const Case& c : cases()) {
    if (!names.contains(c.name)) continue;
    EXPECT_EQ(difference(c, emulated, golden, known[c.name]), "");
  }
}

TEST(SassInstructions, EachFormGivesWhatTheDeviceGave) {
  const Golden golden = golden_of(file_of("h200.txt"));
  ASSERT_FALSE(quick_cases(golden).empty());
  expect_equal(golden, quick_cases(golden));
}

TEST(SlowSassInstructions, EveryCaseGivesWhatTheDeviceGave) {
  const Golden golden = golden_of(file_of("h200.txt"));
  std::set<std::string> all;
  for (const Case& c : cases()) all.insert(c.name);
  expect_equal(golden, all);
}

// What PTX says of an instruction does not depend on the architecture, so its machine code for
// another one gives the same. Every check runs a few.
TEST(SassInstructions, OnLaterArchitecturesGiveWhatTheDeviceGave) {
  const Golden golden = golden_of(file_of("h200.txt"));
  std::set<std::string> few;
  int n = 0;
  for (const std::string& name : quick_cases(golden)) {
    if (n++ % 8 == 0) few.insert(name);
  }
  expect_equal(golden, few, 120);
}

TEST(SlowSassInstructions, OnLaterArchitecturesAllGiveWhatTheDeviceGave) {
  const Golden golden = golden_of(file_of("h200.txt"));
  std::set<std::string> all;
  for (const Case& c : cases()) all.insert(c.name);
  for (const int architecture : {100, 103, 120, 121}) expect_equal(golden, all, architecture);
}

TEST(SassInstructions, NamesAreUniqueAndEveryCaseStoresSomething) {
  std::set<std::string> names;
  for (const Case& c : cases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_GT(words_of(c), 0) << c.name;
  }
}

TEST(SassInstructions, DistancesOfFloatsAreUnitsOfTheLastPlace) {
  EXPECT_EQ(distance({0x3f800000, 0x00000001}, {0x3f800002, 0x80000001}), 2);
  EXPECT_EQ(distance({0x7f7fffff}, {0x7f800000}), 1) << "the largest number and infinity";
  EXPECT_EQ(distance({0x7fffffff}, {0x7fffffff}), 0);
  EXPECT_GT(distance({0x7fffffff}, {0x7fc00000}), 1LL << 40) << "two NaNs";
  EXPECT_GT(distance({0x3f800000}, {}), 1LL << 40);
}

TEST(SassInstructions, AGoldenFileIsReadAsItWasWritten) {
  const Case& c = cases().front();
  Golden golden;
  golden.origin["device"] = "a device";
  golden.rows[c.name] = {hash_of(c), true, {1, 0xffffffff}};
  const Golden again = golden_of(text_of(golden));
  EXPECT_EQ(again.origin, golden.origin);
  ASSERT_TRUE(again.rows.contains(c.name));
  EXPECT_EQ(again.rows.at(c.name).text, hash_of(c));
  EXPECT_EQ(again.rows.at(c.name).words, golden.rows[c.name].words);
  EXPECT_EQ(quick_cases(again), std::set<std::string>{c.name});
}

}  // namespace
}  // namespace warpscope::instructions
