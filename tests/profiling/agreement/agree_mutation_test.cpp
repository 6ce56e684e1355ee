// tests/profiling/agreement/agree_mutation_test.cpp: a counter that is bent is a finding in every
// recorded session.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/profiling/agreement/mutated_session.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

// A counter that the work model, or other counters, hold: bent alone by any of the factors it is a
// finding, at every point where it is compared.
struct Held {
  const char* session;
  const char* counter;
  std::vector<double> factors;
};

// Where L2 keeps what a kernel reads, or is asked for more than all of it, DRAM may have been asked
// for any part of it again: half as much more is noticed only where neither is so.
const std::vector<Held>& held() {
  static const std::vector<Held> all = {
      {"patterns", "dram.bytes_read", {1.5, 0.01}}, {"patterns", "l2.bytes_to_sm", {1.5, 0.01}},
      {"csrmm", "dram.bytes_read", {0.01}},         {"csrmm", "l2.bytes_to_sm", {1.5, 0.01}},
      {"led", "dram.bytes_read", {0.01}},           {"led", "l2.bytes_to_sm", {1.5, 0.01}}};
  return all;
}

class RecordedSession : public testing::TestWithParam<const char*> {
 protected:
  static Session session(const std::string& scene) {
    Result<SessionReading> reading = read_session(recorded_session(scene));
    EXPECT_TRUE(reading);
    return reading ? std::move(reading->session) : Session();
  }
};

// What the pairs hold something to.
constexpr const char* kHeldCounters[] = {"dram.bytes_read", "l2.bytes_to_sm", "l2.bytes",
                                         "l2.sectors_sm"};

int findings(const std::vector<FigureMatch>& pairs) { return count_matches(pairs).differ; }

class HeldCounter : public testing::TestWithParam<Held> {};

TEST_P(HeldCounter, IsAFindingWhereItIsBentAlone) {
  const Held& each = GetParam();
  const Result<SessionReading> reading = read_session(recorded_session(each.session));
  ASSERT_TRUE(reading);
  const std::vector<FigureMatch> before = agree_with_model(reading->session);
  const auto concerned = std::count_if(before.begin(), before.end(), [&](const FigureMatch& pair) {
    return enters(pair, each.counter);
  });
  EXPECT_GT(concerned, 0) << "nothing holds " << each.counter;
  for (const double factor : each.factors) {
    const auto bent = mutated(
        reading->session, [&](const std::string& id) { return id == each.counter; }, factor);
    EXPECT_GT(findings(agree_with_model(bent)), findings(before)) << factor;
    for (const std::string& missed :
         unnoticed(reading->session, agree_with_model, {each.counter}, factor))
      ADD_FAILURE() << each.counter << " × " << factor << " goes unnoticed: " << missed;
  }
}

INSTANTIATE_TEST_SUITE_P(Counters, HeldCounter, testing::ValuesIn(held()), [](const auto& each) {
  std::string name = std::string(each.param.session) + "_" + each.param.counter;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

// All that is counted of a level, wrong by one factor: no other counter contradicts it, the work
// model does.
struct HeldLevel {
  const char* session;
  std::set<std::string> counters;
  std::vector<double> factors;
};

TEST(AgreeWithModel, NoticesALevelThatIsBentAsAWhole) {
  const std::set<std::string> dram = {"dram.bytes_read", "dram.bytes_write"},
                              l2 = {"l2.bytes",      "l2.bytes_to_sm", "l2.sectors",
                                    "l2.sectors_sm", "l2.sectors_hit", "l2.requests_sm"};
  const auto of_model = [](const Session& session) {
    std::vector<FigureMatch> pairs = agree_with_model(session);
    std::erase_if(pairs, [](const auto& pair) { return !pair.figure.starts_with("model."); });
    return pairs;
  };
  for (const HeldLevel& each :
       {HeldLevel{"patterns", dram, {1.5, 0.01}}, HeldLevel{"csrmm", dram, {0.01}},
        HeldLevel{"csrmm", l2, {1.5, 0.01}}, HeldLevel{"led", dram, {0.01}},
        HeldLevel{"led", l2, {1.5, 0.01}}}) {
    const Result<SessionReading> reading = read_session(recorded_session(each.session));
    ASSERT_TRUE(reading);
    const int before = findings(of_model(reading->session));
    for (const double factor : each.factors) {
      const auto bent = mutated(
          reading->session, [&](const std::string& id) { return each.counters.count(id) != 0; },
          factor);
      EXPECT_GT(findings(of_model(bent)), before) << each.session << " × " << factor;
      for (const std::string& missed : unnoticed(reading->session, of_model, each.counters, factor))
        ADD_FAILURE() << *each.counters.begin() << " … × " << factor
                      << " goes unnoticed: " << missed;
    }
  }
}

// What other counters say of one that is bent: at how many points it must be noticed.
struct Contradicted {
  const char* session;
  const char* counter;
  double factor;
  int least;
};

TEST(AgreeWithModel, NoticesACounterThatOthersContradict) {
  const auto of_counters = [](const Session& session) {
    std::vector<FigureMatch> pairs = agree_with_model(session);
    std::erase_if(pairs, [](const auto& pair) { return !pair.figure.starts_with("counted."); });
    return findings(pairs);
  };
  std::vector<Contradicted> all;
  for (const char* session : {"patterns", "csrmm", "led"}) {
    for (const char* counter : {"l2.sectors_sm", "l2.bytes", "l2.sectors"}) {
      for (const double factor : {1.5, 0.01}) all.push_back({session, counter, factor, 20});
    }
    all.push_back({session, "l2.sectors_fabric", 1.5, 3});
  }
  for (const Contradicted& each : all) {
    SCOPED_TRACE(each.session);
    const Result<SessionReading> reading = read_session(recorded_session(each.session));
    ASSERT_TRUE(reading);
    EXPECT_EQ(of_counters(reading->session), 0);
    const auto bent = mutated(
        reading->session, [&](const std::string& id) { return id == each.counter; }, each.factor);
    EXPECT_GE(of_counters(bent), each.least) << each.counter << " × " << each.factor;
  }
}

// The mutations above compare something: a test that can't fail would be none.
TEST_P(RecordedSession, HasFiguresThatTheMutationsConcern) {
  int concerned = 0;
  for (const FigureMatch& pair : agree_with_model(session(GetParam()))) {
    if (pair.match == Match::not_comparable) continue;
    ++concerned;
    const bool known = std::any_of(std::begin(kHeldCounters), std::end(kHeldCounters),
                                   [&](const char* counter) { return enters(pair, counter); });
    EXPECT_TRUE(known) << pair.counter;
  }
  EXPECT_GT(concerned, 20);
}

// No counter that is bent takes a figure out of what is compared.
TEST_P(RecordedSession, KeepsComparingWhateverCounterIsBent) {
  const Session recorded = session(GetParam());
  const std::vector<FigureMatch> before = agree_with_model(recorded);
  for (const char* counter :
       {"dram.bytes_read", "dram.bytes_write", "l2.bytes_to_sm", "l2.sectors_sm", "l1.sectors_load",
        "l1.sectors_load_hit", "l1.sectors_store"}) {
    for (const double factor : {1.5, 0.01}) {
      const auto bent = agree_with_model(mutated(
          recorded, [&](const std::string& id) { return id == counter; }, factor));
      for (const std::string& lost : no_longer_compared(before, bent))
        ADD_FAILURE() << counter << " × " << factor << " switches off " << lost;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, RecordedSession, testing::Values("patterns", "csrmm", "led"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace warpscope
