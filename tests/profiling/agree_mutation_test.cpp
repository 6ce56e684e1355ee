// tests/profiling/agree_mutation_test.cpp: a counter that is bent is a finding in every recorded
// session.
#include <gtest/gtest.h>

#include "tests/profiling/mutated_session.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

// By what they count; the work model is held to one of each.
const std::vector<std::set<std::string>>& levels() {
  static const std::vector<std::set<std::string>> sets = {
      {"dram.bytes_read", "dram.bytes_write"},
      {"l2.bytes", "l2.bytes_to_sm", "l2.sectors", "l2.sectors_sm", "l2.sectors_hit",
       "l2.requests_sm"},
      {"l1.bytes", "l1.sectors_load", "l1.sectors_load_hit", "l1.requests_load", "l1.sectors_store",
       "l1.requests_store"}};
  return sets;
}

class RecordedSession : public testing::TestWithParam<const char*> {
 protected:
  Session session() const {
    Result<SessionReading> reading = read_session(recorded_session(GetParam()));
    EXPECT_TRUE(reading);
    return reading ? std::move(reading->session) : Session();
  }
};

TEST_P(RecordedSession, NoticesAnyCounterThatIsBentAlone) {
  const Session recorded = session();
  for (const std::set<std::string>& level : levels()) {
    for (const std::string& counter : level) {
      for (const double factor : {1.5, 0.01}) {
        for (const std::string& missed : unnoticed(recorded, agree_with_model, {counter}, factor))
          ADD_FAILURE() << counter << " × " << factor << " goes unnoticed: " << missed;
      }
    }
  }
}

TEST_P(RecordedSession, NoticesALevelThatIsBentAsAWhole) {
  const Session recorded = session();
  for (const std::set<std::string>& level : levels()) {
    for (const double factor : {1.5, 0.01}) {
      for (const std::string& missed : unnoticed(recorded, agree_with_model, level, factor))
        ADD_FAILURE() << *level.begin() << " … × " << factor << " goes unnoticed: " << missed;
    }
  }
}

// The mutations above compare something: a test that can't fail would be none.
TEST_P(RecordedSession, HasFiguresThatTheMutationsConcern) {
  int concerned = 0;
  for (const FigureMatch& pair : agree_with_model(session())) {
    if (pair.match == Match::not_comparable) continue;
    ++concerned;
    EXPECT_TRUE(enters(pair, "dram.bytes_read") || enters(pair, "l2.bytes_to_sm")) << pair.counter;
  }
  EXPECT_GT(concerned, 20);
}

INSTANTIATE_TEST_SUITE_P(Scenes, RecordedSession, testing::Values("patterns", "csrmm", "led"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace warpscope
