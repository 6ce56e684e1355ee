// tests/workbench/panels/stand_ins_test.cpp: diagrams say what stood in for inputs of a step traced
// alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

constexpr const char* kDiagrams[] = {"coalescing", "banks", "warp_map", "divergence"};
const std::vector<std::string> kSentences = {
    "A is the adjacency of a ring of 10000 nodes: the real one needs the step before",
    "bias is all ones: it changes no address"};

// Two steps of one launch, of which "shade" was traced alone.
std::unique_ptr<Workspace> of_two_steps() {
  Trace whole = synthetic_trace(), alone = synthetic_trace();
  whole.key = alone.key = sample::key_at_n(128);
  alone.step = "shade";
  alone.stand_ins = kSentences;
  return sample::recorded({alone, whole});
}

// The columns that diagrams stand in, of windows of 1280×720 and 1600×900.
class StandIns : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  NullWindow window{GetParam().first, GetParam().second};
};

TEST_P(StandIns, AreSaidWholeAtTheirStepAlone) {
  const auto workspace = of_two_steps();
  for (const char* panel : kDiagrams) {
    for (const std::string step : {"shade", "multiply"}) {
      workspace->selection.step = step;
      const std::string words = window.panel(*workspace, panel);
      for (const std::string& each : kSentences) {
        const bool said = words.find("stand-in: " + each) != std::string::npos;
        EXPECT_EQ(said, step == "shade") << panel << ": " << words;
      }
    }
  }
}

TEST_P(StandIns, MoveNothingWhenAnotherStepIsChosen) {
  const auto workspace = of_two_steps();
  for (const char* panel : kDiagrams) {
    std::map<std::string, std::vector<Hovered>> under;
    for (const std::string step : {"shade", "multiply"}) {
      workspace->selection.step = step;
      for (int y = 20; y < GetParam().second; y += 23) {
        for (int x = 20; x < GetParam().first; x += 97) {
          window.move_mouse(static_cast<float>(x), static_cast<float>(y));
          workspace->selection.trace.hovering = {};
          static_cast<void>(window.panel(*workspace, panel));
          under[step].push_back(workspace->selection.trace.hovering);
        }
      }
    }
    EXPECT_EQ(under["shade"], under["multiply"]) << panel << " moved";
    EXPECT_TRUE(std::any_of(under["shade"].begin(), under["shade"].end(),
                            [](const Hovered& h) { return !(h == Hovered{}); }))
        << panel << " has nothing under the pointer";
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, StandIns,
                         testing::Values(std::pair(512, 460), std::pair(640, 576)),
                         [](const auto& info) {
                           return "Wide" + std::to_string(info.param.first);
                         });

}  // namespace
}  // namespace warpscope
