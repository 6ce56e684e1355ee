// tests/engine/line_table_test.cpp: where machine instructions stand, by the cubin's line table and
// by CUPTI.
#include "profiling/engine/compile/line_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/measure/sass_counters.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

using testing::EndsWith;

constexpr std::uint64_t kInstructionBytes = 16;  // CC 7.0 and later

// The number of the only line that holds `words`; 0 when there is none or more than one.
int line_with(const std::string& source, const std::string& words) {
  std::istringstream text(read_kernel_source(source).value());
  int number = 0, found = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.find(words) == std::string::npos) continue;
    if (found != 0) return 0;
    found = number;
  }
  return found;
}

struct Case {
  CompileRequest request;
  std::string entry;
};
const std::vector<Case> kCases = {
    {{"engine/selftest.cu", {}, 90}, "selftest_copy"},
    {{"csrmm/warp_row.cu", {{"UNROLL", "1"}, {"HOMO", "1"}, {"READ_ONLY", "1"}}, 90}, "warp_row"},
    {{"patterns/reduction_shuffle.cu", {}, 90}, "reduction_shuffle"},
    {{"csrmm/gather_add.cu", {}, 90}, "scatter_add"},  // one of four entries of a source
    {{"csrmm/gather_add.cu", {}, 90}, "gather_multiply"},
};

class Correlation : public testing::Test {
 protected:
  void SetUp() override {
    if (Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
  }
  void need_cupti() {
    if (Result<const CuptiLibrary*> cupti = load_cupti(); !cupti)
      GTEST_SKIP() << sentence(cupti.error());
  }
};

TEST_F(Correlation, NamesTheLinesOfTheSourceAsTheCompilerWasGivenIt) {
  need_cupti();
  if (IsSkipped()) return;
  const Result<Compiled> code = compile(kCases[0].request);
  ASSERT_TRUE(code) << sentence(code.error());
  std::set<int> lines;
  for (std::uint64_t offset = 0; offset < 0x180; offset += kInstructionBytes) {
    const Result<SourcePosition> at =
        correlate(code->cubin, {"engine/selftest.cu"}, "selftest_copy", offset);
    ASSERT_TRUE(at) << sentence(at.error());
    EXPECT_EQ(at->file, "engine/selftest.cu");
    lines.insert(at->line);
  }
  const int load = line_with("engine/selftest.cu", "from[i]");
  const int add = line_with("engine/selftest.cu", "fmaf(");
  const int store = line_with("engine/selftest.cu", "to[i] =");
  ASSERT_TRUE(load > 0 && add > 0 && store > 0);
  for (const int line : {load, add, store}) EXPECT_TRUE(lines.contains(line)) << line;
}

TEST_F(Correlation, OfAnEntryThatIsNotThereNamesTheCallThatRefused) {
  need_cupti();
  if (IsSkipped()) return;
  const Result<Compiled> code = compile(kCases[0].request);
  ASSERT_TRUE(code) << sentence(code.error());
  const auto at = correlate(code->cubin, {"engine/selftest.cu"}, "no_such_entry", 0);
  ASSERT_FALSE(at);
  EXPECT_NE(at.error().where.find("cuptiGetSassToSourceCorrelation"), std::string::npos);
  EXPECT_NE(at.error().where.find("no_such_entry"), std::string::npos);
}

TEST_F(Correlation, ByCuptiAndByTheLineTableIsTheSameForEveryInstruction) {
  need_cupti();
  if (IsSkipped()) return;
  for (const Case& c : kCases) {
    const Result<Compiled> code = compile(c.request);
    ASSERT_TRUE(code) << sentence(code.error());
    const Result<LineTable> table = LineTable::read(code->cubin);
    ASSERT_TRUE(table) << sentence(table.error());
    int instructions = 0;
    for (std::uint64_t offset = 0; !table->at(c.entry, offset).empty();
         offset += kInstructionBytes) {
      const Result<CallChain> chain =
          call_chain(*table, code->cubin, {c.request.source}, c.entry, offset);
      ASSERT_TRUE(chain) << c.entry << ": " << sentence(chain.error());
      EXPECT_EQ(chain->back().file, c.request.source) << c.entry << "+" << offset;
      ++instructions;
    }
    EXPECT_GT(instructions, 8) << c.entry;
    EXPECT_TRUE(table->at("no_such_entry", 0).empty());
  }
}

TEST_F(Correlation, WalksFromAHeaderOutToTheCallInTheSource) {
  const Case& c = kCases[1];
  const Result<Compiled> code = compile(c.request);
  ASSERT_TRUE(code) << sentence(code.error());
  const Result<LineTable> table = LineTable::read(code->cubin);
  ASSERT_TRUE(table) << sentence(table.error());
  // The only call of row_of when nothing is unrolled, and the load that it makes the address for.
  const int call = line_with(c.request.source, "load_b(row_of(b_column, indices[j], row_bytes))");
  const int load = line_with(c.request.source, "return to_float(__ldg(b));");
  ASSERT_TRUE(call > 0 && load > 0);
  int in_header = 0, in_load = 0;
  CallChain chain = table->at(c.entry, 0);
  for (std::uint64_t offset = 0; !chain.empty();
       offset += kInstructionBytes, chain = table->at(c.entry, offset)) {
    const bool header = chain.front().file.ends_with("csrmm/rows_of_b.cuh");
    if (!header && chain.front().line != load) continue;
    ASSERT_EQ(chain.size(), 2u) << offset;
    EXPECT_THAT(chain[1].file, EndsWith(c.request.source));
    EXPECT_EQ(chain[1].line, call);
    ++(header ? in_header : in_load);
  }
  EXPECT_GT(in_header, 0);
  EXPECT_GT(in_load, 0);
}

TEST(LineTable, OfBytesThatAreNoCubinIsRefused) {
  for (const std::string& bytes : {std::string(), std::string("ELF"), std::string(4096, 'x')}) {
    const Result<LineTable> table = LineTable::read(bytes);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().kind, ErrorKind::input);
    EXPECT_NE(table.error().remedy, "");
  }
}

TEST_F(Correlation, SurvivesATornOrMutatedCubin) {
  const Result<Compiled> code = compile(kCases[1].request);
  ASSERT_TRUE(code) << sentence(code.error());
  // No expectation but to return: with a table or a sentence.
  for (std::size_t length = 0; length < code->cubin.size(); length += 97)
    static_cast<void>(LineTable::read(std::string_view(code->cubin).substr(0, length)));
  std::uint32_t state = 12345;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = code->cubin;
    for (int flips = 0; flips < 8; ++flips) {
      state = state * 1664525u + 1013904223u;
      bytes[state % bytes.size()] = static_cast<char>(state >> 24);
    }
    if (const Result<LineTable> table = LineTable::read(bytes))
      static_cast<void>(table->at("warp_row", 0x100));
  }
}

}  // namespace
}  // namespace warpscope
