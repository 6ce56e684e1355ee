// tests/workbench/panels/emulated_figures_test.cpp: emulated figures stand beside counters, fresh
// or stale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Trace traced(std::int64_t n, bool grid) {
  Trace trace = synthetic_trace();
  trace.key = sample::key_at_n(n);
  trace.scope.grid = grid;
  trace.unique_load_sectors = 4711;
  return trace;
}

std::unique_ptr<Workspace> at_256(std::vector<Message> more) {
  more.insert(more.begin(), {sample::roofs(), sample::correct(sample::focus, 120e3, 128),
                             sample::correct(sample::focus, 240e3, 256)});
  auto workspace = sample::recorded(more);
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  return workspace;
}

constexpr const char* kStale = "stale, of n=128";

class EmulatedFigures : public testing::Test {
 protected:
  std::string metrics(Workspace& workspace, const char* filter = "emulated.l2.asked") {
    std::snprintf(window.panels.metrics.filter.text, sizeof window.panels.metrics.filter.text, "%s",
                  filter);
    return window.panel(workspace, "metrics");
  }
  NullWindow window;
};

TEST_F(EmulatedFigures, AreNotThereWhereNothingWasTraced) {
  const auto workspace = at_256({});
  EXPECT_THAT(metrics(*workspace), HasSubstr("No metric passes the filter"));
}

TEST_F(EmulatedFigures, OfAnotherConfigurationStandMarkedStaleWithTheirKey) {
  const auto workspace = at_256({traced(128, true)});
  EXPECT_THAT(metrics(*workspace),
              AllOf(HasSubstr("○ "), HasSubstr("modelled, stale"), HasSubstr(kStale)));
  EXPECT_THAT(metrics(*workspace, "time.warm"), Not(HasSubstr("stale"))) << "a measured figure";
}

TEST_F(EmulatedFigures, StandWhileOneBlockIsTracedHere) {
  const auto workspace = at_256({traced(128, true), traced(256, false)});
  EXPECT_THAT(metrics(*workspace), AllOf(HasSubstr(kStale), HasSubstr("only block 3")));
}

TEST_F(EmulatedFigures, SayThatNewerOnesAreOnTheirWay) {
  const auto workspace =
      at_256({traced(128, true), sample::job(40, JobKind::trace, sample::focus)});
  EXPECT_THAT(metrics(*workspace),
              AllOf(HasSubstr(kStale), HasSubstr("newer ones are on their way")));
}

TEST_F(EmulatedFigures, SayWhyNewerOnesFailed) {
  const Done failed{40, DoneStatus::failed,
                    Error{ErrorKind::input, "the PTX has no entry", "trace", "press run"}, false};
  const auto workspace =
      at_256({traced(128, true), sample::job(40, JobKind::trace, sample::focus), failed});
  EXPECT_THAT(metrics(*workspace), AllOf(HasSubstr(kStale), HasSubstr("the PTX has no entry")));
}

TEST_F(EmulatedFigures, OfTheConfigurationItselfAreFresh) {
  const auto workspace = at_256({traced(128, true), traced(256, true)});
  EXPECT_THAT(metrics(*workspace),
              AllOf(HasSubstr("modelled"), Not(HasSubstr("stale")), Not(HasSubstr("○"))));
}

TEST_F(EmulatedFigures, AreExportedWithTheirOwnConfiguration) {
  const auto workspace = at_256({traced(128, true)});
  workspace->selection.wish = {ExportWish::Kind::rows, "metrics"};
  static_cast<void>(metrics(*workspace));
  const std::string& csv = workspace->selection.wish.text;
  EXPECT_THAT(csv, HasSubstr("emulated.l2.asked_sectors"));
  EXPECT_THAT(csv, HasSubstr(sample::key_at_n(128)));
  EXPECT_THAT(csv, Not(HasSubstr(sample::key_at_n(256))));
}

// The counter of inst.lanes includes lanes whose predicate is off, so it does not measure the lanes
// that act.
TEST_F(EmulatedFigures, LanesThatActStandBesideTheCounterOfLanesThatAct) {
  const auto with = [](std::vector<MetricValue> more) {
    Measurement point = sample::correct(sample::focus, 240e3, 256);
    point.metrics.insert(point.metrics.end(), more.begin(), more.end());
    return at_256({traced(256, true), point});
  };
  const MetricValue path{"inst.lanes", 31.7, Origin::measured, "", ""},
      acting{"inst.lanes_acting", 20.7, Origin::measured, "", ""};
  EXPECT_THAT(window.panel(*with({path, acting}), "divergence"),
              AllOf(HasSubstr(", measured 20.7"),
                    HasSubstr("with lanes whose predicate is off: measured 31.7")));
  EXPECT_THAT(window.panel(*with({path}), "divergence"),
              AllOf(HasSubstr("not in this recording"), Not(HasSubstr("20.7"))));
  EXPECT_THAT(window.panel(*with({}), "divergence"), Not(HasSubstr("lanes that act")));
}

}  // namespace
}  // namespace warpscope
