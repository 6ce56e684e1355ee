// tests/workbench/client/hot_reload_test.cpp: diagrams and lines follow the kernel's file while the
// window is open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "scenes/base/texts/text_hash.h"
#include "scenes/catalogue.h"
#include "scenes/host/paths.h"
#include "tests/folders.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/scenes/own_home.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPath = "csrmm/float4_columns.cu";

class HotReload : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::filesystem::path> real = home_folder();
    ASSERT_TRUE(real);
    home_ = std::make_unique<OwnHome>("hot-reload");
    home_->copy_kernels(*real / "kernels");
    text_ = read_kernel(kPath)->text;
  }
  static std::string text_hash() { return text_hash_of(*sources_on_disk()(kPath)); }
  // A point whose step is of the text as it stands, with counters of one step.
  static Measurement point() {
    Measurement m = sample::correct(sample::focus, 120e3);
    m.steps.front().text_hash = text_hash();
    m.metrics.push_back({"l1.sectors_load", 4800.0, Origin::measured, "", ""});
    m.metrics.push_back({"l1.requests_load", 1200.0, Origin::measured, "", ""});
    return m;
  }
  static Trace trace() {
    Trace t = synthetic_trace();
    t.key = sample::key_at_n(128);
    return t;
  }
  void edit() const { home_->write(kPath, "// another comment\n" + text_); }
  static bool until(Workspace& workspace, const std::function<bool()>& enough) {
    const auto start = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      workspace.update();
    }
    return enough();
  }
  static std::size_t traces_asked_for(const Workspace& workspace) {
    const auto& jobs = workspace.session().jobs();
    return static_cast<std::size_t>(std::count_if(jobs.begin(), jobs.end(), [](const auto& job) {
      return job.second.kind() == JobKind::trace;
    }));
  }

  std::unique_ptr<OwnHome> home_;
  std::string text_;
  NullWindow window_;
};

TEST_F(HotReload, AnEditedKernelIsEmulatedAgain) {
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = sample::focus;
  const auto traced = [&](std::size_t times) {
    return until(workspace, [&] {
      const TraceState state = trace_state(workspace.view(), sample::focus);
      return traces_asked_for(workspace) == times && state.freshness == Freshness::fresh;
    });
  };
  ASSERT_TRUE(traced(1));
  for (int i = 0; i < 5; ++i) workspace.update();
  EXPECT_EQ(traces_asked_for(workspace), 1u) << "nothing changed";
  edit();
  EXPECT_TRUE(traced(2));
  // Another kernel of the scene is not this diagram's.
  home_->write("csrmm/warp_row.cu",
               "// another comment\n" + read_kernel("csrmm/warp_row.cu")->text);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  for (int i = 0; i < 5; ++i) workspace.update();
  EXPECT_EQ(traces_asked_for(workspace), 2u);
}

TEST_F(HotReload, AMistakeThatIsTakenBackIsNoLongerNamed) {
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = sample::focus;
  const auto state = [&] { return trace_state(workspace.view(), sample::focus); };
  ASSERT_TRUE(until(workspace, [&] { return state().freshness == Freshness::fresh; }));
  home_->write(kPath, "#error not finished\n" + text_);
  ASSERT_TRUE(until(workspace, [&] { return state().failure.has_value(); }));
  EXPECT_EQ(state().failure->what, "the text has an #error");
  home_->write(kPath, text_);
  EXPECT_TRUE(until(workspace, [&] {
    return !state().failure && state().freshness == Freshness::fresh;
  })) << "its trace from before the mistake stands again";
}

TEST_F(HotReload, ATraceOfAnEarlierTextSaysSoUntilANewOneComes) {
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = sample::focus;
  ASSERT_TRUE(until(workspace, [&] {
    return trace_state(workspace.view(), sample::focus).freshness == Freshness::fresh;
  }));
  edit();
  ASSERT_TRUE(until(workspace, [&] {
    const TraceState state = trace_state(workspace.view(), sample::focus);
    return state.freshness == Freshness::pending && !state.why_stale.empty();
  }));
  EXPECT_EQ(trace_state(workspace.view(), sample::focus).why_stale,
            "of an earlier text of kernels/csrmm/float4_columns.cu");
  for (const char* panel : {"coalescing", "banks", "warp_map", "divergence"})
    EXPECT_THAT(window_.panel(workspace, panel), HasSubstr("a newer trace is on its way")) << panel;
  EXPECT_THAT(
      window_.panel(workspace, "source"),
      AllOf(HasSubstr("○ figures by line are of an earlier text"), Not(HasSubstr("heat:"))));
}

TEST_F(HotReload, ARecordedTraceIsOfTheTextThatWasMeasuredBesideIt) {
  auto workspace = sample::recorded({point(), trace()});
  EXPECT_EQ(trace_state(workspace->view(), sample::focus).freshness, Freshness::fresh);
  EXPECT_THAT(window_.panel(*workspace, "source"), HasSubstr("heat:"));
  edit();
  EXPECT_TRUE(until(*workspace, [&] {
    return trace_state(workspace->view(), sample::focus).freshness == Freshness::stale;
  }));
  EXPECT_THAT(window_.panel(*workspace, "source"), Not(HasSubstr("heat:")));
}

TEST_F(HotReload, CountedLinesStandBesideNoOtherText) {
  Measurement measured = point();
  LineCount row;
  row.position = {kPath, 2, 0};
  row.machine_instructions = 1;
  row.figures[LineMetric::sectors] = 77;
  measured.steps.front().lines.rows = {row};
  auto workspace = sample::recorded({measured});
  EXPECT_THAT(window_.panel(*workspace, "source"), HasSubstr("77"));
  edit();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  std::string words = window_.panel(*workspace, "source");
  // The folder's name has the number of this process, which may hold the figure.
  const std::string process = std::to_string(::getpid());
  for (std::size_t at = words.find(process); at != std::string::npos; at = words.find(process))
    words.erase(at, process.size());
  EXPECT_THAT(words, AllOf(HasSubstr("○ figures by line are of an earlier text of kernels/csrmm/"),
                           Not(HasSubstr("77"))));
}

TEST_F(HotReload, CountedLinesStayBesideTheirCodeWhenACommentIsReworded) {
  Measurement measured = point();
  LineCount row;
  row.position = {kPath, 2, 0};
  row.machine_instructions = 1;
  row.figures[LineMetric::sectors] = 77;
  measured.steps.front().lines.rows = {row};
  auto workspace = sample::recorded({measured, trace()});
  ASSERT_EQ(text_.substr(0, 3), "// ");
  const std::string before = workspace->view().files.all_hash();
  home_->write(kPath, "// another comment" + text_.substr(text_.find('\n')));
  ASSERT_TRUE(until(*workspace, [&] { return workspace->view().files.all_hash() != before; }));
  EXPECT_THAT(window_.panel(*workspace, "source"),
              AllOf(HasSubstr("77"), HasSubstr("heat:"), Not(HasSubstr("of an earlier text"))));
  EXPECT_EQ(trace_state(workspace->view(), sample::focus).freshness, Freshness::fresh);
}

TEST_F(HotReload, ASessionOfAnEarlierVersionIsOfATextThatHasNotChangedAtAll) {
  Measurement measured = point();
  measured.steps.front().text_hash = text_hashes_of(*sources_on_disk()(kPath)).of_text;
  auto workspace = sample::recorded({measured, trace()});
  EXPECT_THAT(window_.panel(*workspace, "source"),
              AllOf(HasSubstr("heat:"), Not(HasSubstr("of an earlier text"))));
  // Its hash is of the comments too.
  home_->write(kPath, "// another comment" + text_.substr(text_.find('\n')));
  EXPECT_TRUE(until(*workspace, [&] {
    return window_.panel(*workspace, "source").find("of an earlier text") != std::string::npos;
  }));
}

TEST_F(HotReload, CountersOfAnEarlierSourceAreNotHeldToTodaysTrace) {
  auto workspace = sample::recorded({point(), trace()});
  EXPECT_EQ(value_of(counters_of(workspace->view(), trace()), "l1.sectors_load"), 4800.0);
  Measurement earlier = point();
  earlier.conditions.code_id = "0123456789abcdef";
  workspace = sample::recorded({earlier, trace()});
  std::string why;
  const std::vector<MetricValue> counters = counters_of(workspace->view(), trace(), &why);
  EXPECT_THAT(why, HasSubstr("measured with an earlier source: 0123456789ab then"));
  ASSERT_NE(find_value(counters, "l1.sectors_load"), nullptr);
  EXPECT_FALSE(find_value(counters, "l1.sectors_load")->value);
  EXPECT_THAT(find_value(counters, "l1.sectors_load")->reason, HasSubstr("earlier source"));
  for (const char* panel : {"coalescing", "banks", "divergence"}) {
    EXPECT_THAT(window_.panel(*workspace, panel),
                HasSubstr("○ no counters beside it: measured with an earlier source"))
        << panel;
  }
}

TEST_F(HotReload, ARecordedTraceOfAnEarlierSourceSaysSo) {
  Trace earlier = trace();
  earlier.source_hash = std::string(32, '0');
  auto workspace = sample::recorded({point(), earlier});
  EXPECT_THAT(window_.panel(*workspace, "coalescing"),
              HasSubstr("stale: of an earlier source of kernels/csrmm/float4_columns.cu"));
  // A hash of compiling says nothing of it.
  earlier.source_hash = std::string(16, '0');
  workspace = sample::recorded({point(), earlier});
  EXPECT_THAT(window_.panel(*workspace, "coalescing"), Not(HasSubstr("stale")));
}

TEST_F(HotReload, CountersOfAnotherSourceAreNotHeldToATrace) {
  const Variant& variant = *find_variant(**built_in_catalogue().find("csrmm"), sample::focus);
  Measurement today = point();
  today.conditions.code_id =
      SourceStandings(built_in_catalogue())
          .current_code_id(**built_in_catalogue().find("csrmm"), variant, {today.axes, {}})
          .value();
  Trace of_today = trace(), other = trace();
  of_today.source_hash = today.conditions.code_id;
  other.source_hash = std::string(32, '0');
  auto workspace = sample::recorded({today});
  std::string why;
  EXPECT_EQ(value_of(counters_of(workspace->view(), of_today, &why), "l1.sectors_load"), 4800.0);
  EXPECT_EQ(why, "");
  EXPECT_EQ(value_of(counters_of(workspace->view(), other, &why), "l1.sectors_load"), std::nullopt);
  EXPECT_THAT(why, HasSubstr("traced from a different source than the counters"));
}

}  // namespace
}  // namespace warpscope
