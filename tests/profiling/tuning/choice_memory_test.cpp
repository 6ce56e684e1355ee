// tests/profiling/tuning/choice_memory_test.cpp: times of candidates are remembered by device and
// workload, and what damages a file damages no choice.
#include "profiling/tuning/choice_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/profiling/tuning/own_cache.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ChoicePlace place(double nnz = 7) {
  return {"Card B", 90, "580.1", "csrmm", "auto", "m=10,n=4", {{"nnz", nnz}}, "a 12\nb 34\n"};
}

KnownChoice choice(double ns = 1500.25) {
  return {{{{"a", {{"turns", "2"}}}, 1000, ns, ""}, {{"b", {}}, 1200, std::nullopt, "wrong: x"}},
          true};
}

class ChoiceMemoryTest : public OwnCache {};

TEST_F(ChoiceMemoryTest, KnowsInALaterProcessWhatWasTimed) {
  ChoiceMemory().keep(place(), choice());
  ChoiceMemory later;
  const auto known = later.recall(place());
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->finished);
  ASSERT_EQ(known->tried.size(), 2u);
  EXPECT_EQ(known->tried[0].row, (ChosenRow{"a", {{"turns", "2"}}}));
  EXPECT_EQ(known->tried[0].ns, 1500.25);
  EXPECT_EQ(known->tried[0].expected_ns, 1000);
  EXPECT_EQ(known->tried[1].ns, std::nullopt);
  EXPECT_EQ(known->tried[1].left_out, "wrong: x");
  EXPECT_THAT(later.take_notes(), IsEmpty());
}

TEST_F(ChoiceMemoryTest, KnowsNothingOfAnotherDeviceDriverInputOrCandidate) {
  ChoiceMemory().keep(place(), choice());
  std::vector<ChoicePlace> others(7, place());
  others[0].device = "Card C";
  others[1].compute_capability = 89;
  others[2].driver = "580.2";
  others[3].row = "other";
  others[4].problem = "m=10,n=8";
  others[5].facts["nnz"] = 8;
  others[6].candidates = "a 12\nb 35\n";
  for (const ChoicePlace& other : others)
    EXPECT_FALSE(ChoiceMemory().recall(other)) << to_text(other);
  EXPECT_TRUE(ChoiceMemory().recall(place()));
}

TEST_F(ChoiceMemoryTest, PutsADamagedFileAsideAndSaysSo) {
  ChoiceMemory().keep(place(), choice());
  const auto files = files_in("choices");
  ASSERT_EQ(files.size(), 1u);
  std::ifstream in(files.front());
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("hello"),
                                  std::string(), std::string("{\"place\":7}"), std::string("[]")}) {
    std::ofstream(files.front(), std::ios::trunc) << text;
    ChoiceMemory memory;
    EXPECT_FALSE(memory.recall(place())) << text;
    EXPECT_THAT(memory.take_notes(), ElementsAre(HasSubstr("is damaged")));
    EXPECT_THAT(files_in("choices"), ElementsAre(files.front() + ".damaged"));
    memory.keep(place(), choice(2));
    EXPECT_EQ(ChoiceMemory().recall(place())->tried[0].ns, 2);
  }
}

TEST_F(ChoiceMemoryTest, OfTwoProcessesAtOnceIsNeverDamaged) {
  constexpr int kTimes = 150;
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t id = ::fork();
    ASSERT_GE(id, 0);
    if (id == 0) {
      bool good = true;
      for (int n = 0; n < kTimes; ++n) {
        ChoiceMemory memory;
        const CacheTurn turn = memory.turn(place());
        memory.keep(place(), choice(1 + child));
        ChoiceMemory other;
        good = good && other.recall(place()) && other.take_notes().empty();
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(id);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(ChoiceMemoryTest, IsBounded) {
  ChoiceMemory memory;
  KnownChoice large = choice();
  large.tried[1].left_out = std::string(500'000, 'x');
  for (int n = 0; n < 20; ++n) memory.keep(place(n), large);
  std::uintmax_t bytes = 0;
  for (const std::string& file : files_in("choices")) bytes += std::filesystem::file_size(file);
  EXPECT_LE(bytes, static_cast<std::uintmax_t>(ChoiceMemory::kMostBytes));
  EXPECT_GT(bytes, 0u);
}

TEST_F(ChoiceMemoryTest, WithoutACacheKnowsWhatItWasToldAndSaysWhy) {
  forbid();
  ChoiceMemory memory;
  EXPECT_FALSE(memory.recall(place()));
  EXPECT_THAT(memory.take_notes(), ElementsAre(HasSubstr("no cache is used")));
  memory.keep(place(), choice());
  EXPECT_TRUE(memory.recall(place()));
  EXPECT_THAT(memory.take_notes(), IsEmpty());
}

}  // namespace
}  // namespace warpscope
