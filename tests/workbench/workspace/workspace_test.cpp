// tests/workbench/workspace/workspace_test.cpp: selection, session and engine together.
#include "workbench/workspace/workspace.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "profiling/messages/packed_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/write_file.h"
#include "tests/folders.h"
#include "tests/recorded_session.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/jobs/sweep_places.h"

namespace warpscope {
namespace {

std::vector<std::string> fake(const std::string& mode) {
  return {built_program("fake_engine"), mode};
}

// Updates until `enough` or ten seconds are over.
void until(Workspace& workspace, const std::function<bool()>& enough) {
  const auto start = std::chrono::steady_clock::now();
  while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    workspace.wait(0.02);
    workspace.update();
  }
}

void until_idle(Workspace& workspace) {
  until(workspace, [&] {
    return workspace.view().has_device() && !workspace.view().recorded() &&
           !workspace.view().progress().busy;
  });
}

TEST(Workspace, ShowsARecordedPointWhereThereIsNoEngineAndNoOtherInItsPlace) {
  Workspace workspace({});
  const auto sessions = recorded_sessions();
  ASSERT_FALSE(sessions.empty());
  ASSERT_TRUE(workspace.open(sessions.back()));
  EXPECT_TRUE(workspace.view().recorded());
  const std::string at_default = workspace.view().key();
  ASSERT_NE(workspace.view().state("float4_columns").point, nullptr);
  EXPECT_EQ(workspace.view().state("float4_columns").freshness, Freshness::fresh);
  workspace.selection.axes.set("n", std::int64_t{130});
  workspace.update();
  EXPECT_NE(workspace.view().key(), at_default);
  EXPECT_EQ(workspace.view().state("float4_columns").point, nullptr);
  ASSERT_NE(workspace.view().points.stops(), nullptr);
  EXPECT_FALSE(workspace.view().points.stops()->recorded);
  ASSERT_TRUE(workspace.view().points.stops()->nearest);
  workspace.selection.axes = workspace.view().points.stops()->nearest->axes;
  EXPECT_EQ(workspace.view().key(), at_default);
}

TEST(Workspace, TakesAChoiceBackAndMakesItAgain) {
  Workspace workspace({});
  workspace.selection.variant = "float4_columns";
  workspace.update();
  workspace.selection.axes.set("n", std::int64_t{64});
  workspace.update();
  workspace.undo();
  EXPECT_EQ(workspace.selection.axes.integer("n"), 128);
  EXPECT_EQ(workspace.selection.variant, "float4_columns");
  workspace.undo();
  EXPECT_EQ(workspace.selection.variant, "warp_row_zero_test");
  workspace.redo();
  workspace.redo();
  EXPECT_EQ(workspace.selection.axes.integer("n"), 64);
}

TEST(Workspace, MeasuresASavedTextBrieflyAndNoOtherFirst) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  workspace.selection.live = false;  // of sliders: a save is asked for
  workspace.selection.variant = "float4_columns";
  workspace.update();
  const std::size_t before = workspace.session().jobs().size();
  workspace.requests.ask(request::Saved{});
  workspace.update();
  ASSERT_GT(workspace.session().jobs().size(), before + 1) << "the others follow";
  EXPECT_EQ(workspace.session().jobs()[before].second.tag, "live/float4_columns");
  for (std::size_t i = before; i < workspace.session().jobs().size(); ++i)
    EXPECT_TRUE(is_live(workspace.session().jobs()[i].second)) << i;
}

TEST(Workspace, MeasuresTheVariantInFocusFirstWhenASliderMoves) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  ASSERT_FALSE(workspace.view().recorded());
  const std::size_t before = workspace.session().jobs().size();
  workspace.selection.variant = "float4_columns";
  workspace.selection.axes.set("n", std::int64_t{256});
  workspace.update();
  ASSERT_GT(workspace.session().jobs().size(), before);
  EXPECT_EQ(workspace.session().jobs()[before].second.variant, "float4_columns");
  EXPECT_EQ(workspace.session().jobs()[before].second.tag, "live/float4_columns");
  EXPECT_TRUE(is_live(workspace.session().jobs()[before].second));
}

// The window draws nothing new from the moment on at which they are asked for.
TEST(Workspace, CountsFirstFromTheSlidersRestUntilTheSelectedVariantsCountersAreThere) {
  Workspace workspace(fake("slow"));
  until_idle(workspace);
  workspace.selection.counters = "standard";
  workspace.selection.variant = "float4_columns";
  workspace.selection.axes.set("n", std::int64_t{256});
  workspace.update();
  EXPECT_FALSE(workspace.view().jobs.counts_first()) << "the slider has only just moved";
  until(workspace, [&] { return workspace.view().jobs.counts_first(); });
  const auto& jobs = workspace.session().jobs();
  EXPECT_EQ(counters_of(jobs.back().second), "standard");
  const auto focus =
      std::find_if(jobs.rbegin(), jobs.rend(), [](const auto& job) { return job.second.first; });
  ASSERT_NE(focus, jobs.rend());
  EXPECT_EQ(focus->second.tag, "counters/float4_columns");
  until(workspace, [&] { return workspace.session().done(focus->first).has_value(); });
  EXPECT_FALSE(workspace.view().jobs.counts_first()) << "nobody waits for the others' counters";
}

TEST(Workspace, LetsTheRoofsWaitUntilASliderRests) {
  Workspace workspace(fake("slow"));
  workspace.selection.hidden["warp_row_zero_test"] = true;
  workspace.selection.variant = "float4_columns";
  until(workspace, [&] { return workspace.view().last_job(JobKind::roofs).progress.has_value(); });
  workspace.selection.axes.set("n", std::int64_t{256});
  workspace.update();
  EXPECT_TRUE(workspace.view().live.roofs_due());
  until(workspace,
        [&] { return workspace.view().state("float4_columns").freshness == Freshness::fresh; });
  EXPECT_EQ(workspace.session().roofs(), nullptr) << "the point waited for the roofs";
  until(workspace, [&] { return workspace.session().roofs() != nullptr; });
  EXPECT_NE(workspace.session().roofs(), nullptr);
  EXPECT_FALSE(workspace.view().live.roofs_due());
}

// A window that has just met its device: roofs take seconds, and the first figure is waited for.
// Whoever waits for all that a step needs waits for the roofs as well.
TEST(Workspace, MeasuresTheVariantInFocusBeforeTheRoofsAndIsBusyUntilTheyAreThere) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  ASSERT_NE(workspace.session().roofs(), nullptr) << "idle before the roofs were there";
  EXPECT_FALSE(workspace.view().live.roofs_due());
  const auto& jobs = workspace.session().jobs();
  const auto place = [&](const auto& is) {
    return std::find_if(jobs.begin(), jobs.end(), is) - jobs.begin();
  };
  const auto roofs = place([](const auto& job) { return job.second.kind() == JobKind::roofs; });
  const auto first = place(
      [&](const auto& job) { return job.second.tag == "run/" + workspace.selection.variant; });
  ASSERT_LT(roofs, static_cast<std::ptrdiff_t>(jobs.size()));
  EXPECT_LT(first, roofs);
}

TEST(Workspace, SweepsEveryPointWithTheVariantsThatApplyToIt) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  const std::size_t before = workspace.session().jobs().size();
  workspace.selection.sweep_axis = "op";
  workspace.requests.ask(request::Sweep{});
  workspace.update();
  const Scene& scene = workspace.scene();
  std::set<std::pair<std::string, std::string>> expected, submitted;
  for (const std::string& op : find_axis(scene.axes, "op")->choices) {
    Configuration axes = default_configuration(scene.axes);
    axes.set("op", op);
    for (const Variant& variant : scene.variants) {
      if (!variant.applies || variant.applies(axes)) expected.emplace(op, variant.name);
    }
  }
  const auto& jobs = workspace.session().jobs();
  for (std::size_t i = before; i < jobs.size(); ++i)
    submitted.emplace(jobs[i].second.axes.at("op"), jobs[i].second.variant);
  EXPECT_EQ(submitted, expected);
  EXPECT_EQ(jobs.size() - before, expected.size());
}

// A sweep of a counter had times alone, and the plot no points.
TEST(Workspace, CollectsTheCountersBehindTheSweptMetric) {
  Workspace workspace(fake("counts"));
  until_idle(workspace);
  workspace.selection.live = false;
  workspace.selection.counters = "none";
  for (const Variant& variant : workspace.scene().variants)
    workspace.selection.hidden[variant.name] = variant.name != "float4_columns";
  workspace.selection.variant = "float4_columns";
  workspace.selection.sweep_axis = "n";
  const auto swept = [&](const std::string& metric) {
    workspace.selection.sweep_metric = metric;
    workspace.requests.ask(request::Sweep{});
    workspace.update();
    const std::size_t jobs = workspace.view().jobs.sweep_progress().of;
    until(workspace, [&] { return !workspace.view().jobs.sweep_progress().running(); });
    EXPECT_FALSE(workspace.view().jobs.sweep_progress().running());
    return jobs;
  };
  const std::size_t places = swept("time.warm");
  EXPECT_GE(places, 5u);
  EXPECT_EQ(swept("l1.sectors_per_request_load"), 2 * places) << "times, and counters after them";
  const Session& session = workspace.session();
  std::size_t counted = 0, timed = 0;
  for (const Measurement* point : session.points("csrmm", "float4_columns")) {
    counted += value_of(point->metrics, "l1.sectors_per_request_load") ? 1 : 0;
    timed += value_of(point->metrics, "time.warm") ? 1 : 0;
  }
  EXPECT_GE(counted, places);
  EXPECT_GE(timed, places);
  std::set<std::string> asked;
  for (const auto& [number, job] : session.jobs()) {
    if (job.tag.starts_with("sweep/")) asked.insert(counters_of(job));
  }
  EXPECT_EQ(asked, (std::set<std::string>{"none", "l1.sectors_per_request_load,l1.requests_load"}));
}

// Three values of n with two of p are six places.
TEST(Workspace, SweepsEveryValueOfOneAxisWithEveryOneOfTheOther) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  workspace.selection.live = false;
  for (const Variant& variant : workspace.scene().variants)
    workspace.selection.hidden[variant.name] = variant.name != "float4_columns";
  workspace.selection.variant = "float4_columns";
  workspace.selection.sweep_axis = "n";
  workspace.selection.sweep_second_axis = "p";
  workspace.selection.sweep_values = {{"n", "32,64,128"}, {"p", "0.01,0.05"}};
  workspace.update();
  const std::size_t before = workspace.session().jobs().size();
  workspace.requests.ask(request::Sweep{});
  workspace.update();
  std::vector<std::pair<std::string, std::string>> asked;
  const auto& jobs = workspace.session().jobs();
  for (std::size_t i = before; i < jobs.size(); ++i)
    asked.emplace_back(jobs[i].second.axes.at("n"), jobs[i].second.axes.at("p"));
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"32", "0.01"}, {"64", "0.01"}, {"128", "0.01"},
      {"32", "0.05"}, {"64", "0.05"}, {"128", "0.05"}};
  EXPECT_EQ(asked, expected);
  EXPECT_EQ(workspace.view().jobs.sweep_progress().axis, "n × p");
  EXPECT_EQ(workspace.view().jobs.sweep_progress().of, 6u);
}

// m and k are linked: a map over both has places where they differ.
TEST(Workspace, SweepsTwoLinkedAxesOnTheirOwn) {
  Workspace workspace(fake("good"));
  workspace.selection.sweep_axis = "m";
  workspace.selection.sweep_second_axis = "k";
  workspace.selection.sweep_values = {{"m", "1000,2000"}, {"k", "1000,2000"}};
  const Result<SweepPlaces> places = sweep_places(workspace.scene(), workspace.selection);
  ASSERT_TRUE(places) << sentence(places.error());
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  for (const Configuration& axes : places->all) found.emplace(axes.integer("m"), axes.integer("k"));
  EXPECT_EQ(found, (std::set<std::pair<std::int64_t, std::int64_t>>{
                       {1000, 1000}, {1000, 2000}, {2000, 1000}, {2000, 2000}}));
}

TEST(Workspace, RefusesASweepOfTooManyPlacesOrAWrongValue) {
  Workspace workspace(fake("good"));
  workspace.selection.sweep_axis = "n";
  workspace.selection.sweep_second_axis = "p";
  workspace.selection.sweep_values = {{"n", "1:4000:100"}, {"p", "0.01:0.5:100"}};
  Result<SweepPlaces> places = sweep_places(workspace.scene(), workspace.selection);
  ASSERT_FALSE(places);
  EXPECT_NE(sentence(places.error()).find("name fewer values"), std::string::npos);
  workspace.selection.sweep_values = {{"n", "many"}};
  places = sweep_places(workspace.scene(), workspace.selection);
  ASSERT_FALSE(places);
  EXPECT_NE(sentence(places.error()).find("many"), std::string::npos) << sentence(places.error());
}

TEST(Workspace, LeavesPointsOfASweepOutThatAreNotAdmittedAndSaysWhy) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  // With 10 million rows of B more than 400 columns are over the limit of elements.
  workspace.selection.live = false;
  workspace.selection.axes.set("m", std::int64_t{10000000});
  workspace.selection.axes.set("k", std::int64_t{10000000});
  workspace.selection.axes.set("p", 1e-6);
  workspace.update();
  workspace.log.clear_notices();
  const std::size_t before = workspace.session().jobs().size();
  workspace.selection.sweep_axis = "n";
  workspace.requests.ask(request::Sweep{});
  workspace.update();
  const auto& jobs = workspace.session().jobs();
  ASSERT_GT(jobs.size(), before);
  for (std::size_t i = before; i < jobs.size(); ++i)
    EXPECT_LE(std::stoll(jobs[i].second.axes.at("n")), 400);
  ASSERT_EQ(workspace.view().log.notices().size(), 1u);
  EXPECT_NE(workspace.view().log.notices()[0].find("of the sweep are left out"), std::string::npos);
}

TEST(Workspace, SaysThatAnAxisToSweepMeansNothingHere) {
  Workspace workspace(fake("good"));
  until_idle(workspace);
  workspace.log.clear_notices();
  const std::size_t before = workspace.session().jobs().size();
  workspace.selection.sweep_axis = "alpha";
  workspace.requests.ask(request::Sweep{});
  workspace.update();
  EXPECT_EQ(workspace.session().jobs().size(), before);
  EXPECT_EQ(workspace.view().log.notices().size(), 1u);
}

TEST(Workspace, CancelsJobsInFlightWhenASessionIsOpened) {
  Workspace workspace(fake("slow"));
  until(workspace, [&] { return workspace.view().progress().waiting > 2; });
  ASSERT_GT(workspace.view().progress().waiting, 2u);
  const auto sessions = recorded_sessions();
  ASSERT_FALSE(sessions.empty());
  ASSERT_TRUE(workspace.open(sessions.back()));
  const std::size_t points = workspace.session().all_points().size();
  until(workspace, [&] { return !workspace.view().progress().busy; });
  EXPECT_FALSE(workspace.view().progress().busy);
  EXPECT_EQ(workspace.session().all_points().size(), points)
      << "an old answer is in the new session";
  for (const Measurement& m : workspace.session().history())
    EXPECT_NE(m.conditions.device, "synthetic device");
}

TEST(Workspace, KeepsItsJobsWhenASessionCannotBeOpened) {
  Workspace workspace(fake("slow"));
  until(workspace, [&] { return workspace.view().progress().waiting > 2; });
  const std::size_t waiting = workspace.view().progress().waiting;
  ASSERT_FALSE(workspace.open("/nonexistent/session.wsj"));
  EXPECT_EQ(workspace.view().progress().waiting, waiting);
}

TEST(Workspace, KeepsEverythingInMemoryWhenTheDiskIsFull) {
  // A limit for the size of files in place of a disk, and a session that has reached it but for
  // less than a message.
  constexpr std::size_t kLimit = 64 << 10;
  const std::filesystem::path full =
      std::filesystem::temp_directory_path() / ("warpscope-full-" + std::to_string(::getpid()));
  std::string before = to_line(Hello{}) + "\n";
  before.resize(kLimit - 10, '\n');
  ASSERT_TRUE(write_file(full, before));
  Workspace workspace(fake("good"));
  ASSERT_TRUE(workspace.record(full));
  rlimit limits{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limits), 0);
  const rlimit few{kLimit, limits.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
  std::vector<std::string> notices;
  until(workspace, [&] {
    notices.insert(notices.end(), workspace.view().log.notices().begin(),
                   workspace.view().log.notices().end());
    workspace.log.clear_notices();
    return workspace.view().has_device() && !workspace.view().recorded() &&
           !workspace.view().progress().busy;
  });
  ::setrlimit(RLIMIT_FSIZE, &limits);
  ::signal(SIGXFSZ, handler);
  std::filesystem::remove(full);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("File too large"), std::string::npos) << notices[0];
  std::size_t measured = 0;
  for (const auto& [number, job] : workspace.session().jobs()) measured += job.is<MeasureJob>();
  EXPECT_GE(measured, workspace.view().points.shown_variants().size());
  EXPECT_EQ(workspace.session().history().size(), measured);
}

// A packed session is shown as the recorded ones are: nothing is measured into it.
TEST(Workspace, LeavesAnOpenedPackedSessionAsItIs) {
  namespace fs = std::filesystem;
  const fs::path packed =
      fs::temp_directory_path() / ("warpscope-packed-" + std::to_string(::getpid()) + ".wsj.gz");
  const fs::path recording = packed.string() + ".new.wsj";
  const std::string bytes = *pack(*session_text(recorded_session("csrmm")));
  ASSERT_TRUE(write_file(packed, bytes));
  const auto written = fs::last_write_time(packed);
  Workspace workspace(fake("good"));
  until_idle(workspace);
  ASSERT_TRUE(workspace.record(recording));
  ASSERT_TRUE(workspace.open(packed));
  EXPECT_TRUE(workspace.view().recorded());
  EXPECT_EQ(workspace.view().opened.recorded_name(), packed.filename().string());
  EXPECT_NE(workspace.view().state("float4_columns").point, nullptr);
  workspace.log.clear_notices();
  const std::size_t points = workspace.session().all_points().size();
  workspace.selection.axes.set("n", std::int64_t{256});
  workspace.requests.ask(request::Measure{});
  workspace.update();
  until(workspace, [&] { return !workspace.view().progress().busy; });
  ASSERT_EQ(workspace.view().log.notices().size(), 1u);
  EXPECT_NE(workspace.view().log.notices()[0].find("this is a recorded session"),
            std::string::npos);
  EXPECT_EQ(workspace.session().all_points().size(), points);
  const Result<void> refused = workspace.record(packed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_TRUE(fs::last_write_time(packed) == written);
  EXPECT_EQ(fs::file_size(packed), bytes.size());
  fs::remove(packed);
  fs::remove(recording);
}

// A folder of our own as Warpscope's, for as long as a test lasts.
class HomeWithSessions : public testing::Test {
 protected:
  void SetUp() override {
    home_ =
        std::filesystem::temp_directory_path() / ("warpscope-home-" + std::to_string(::getpid()));
    std::filesystem::create_directories(home_ / "kernels");
    std::filesystem::create_directories(sessions());
    ::setenv("WARPSCOPE_HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("WARPSCOPE_HOME");
    std::filesystem::remove_all(home_);
  }
  std::filesystem::path sessions() const { return home_ / "assets" / "sessions"; }

 private:
  std::filesystem::path home_;
};

TEST_F(HomeWithSessions, TakesThePackedSessionOfASceneWhereThereIsOne) {
  const std::string csrmm = *session_text(recorded_session("csrmm"));
  const std::string patterns = *session_text(recorded_session("patterns"));
  ASSERT_TRUE(write_file(sessions() / "h200-csrmm.wsj", csrmm));
  ASSERT_TRUE(write_file(sessions() / "h200-patterns.wsj", "an older one\n"));
  ASSERT_TRUE(write_file(sessions() / "h200-patterns.wsj.gz", *pack(patterns)));
  ASSERT_TRUE(write_file(sessions() / "h200-led.wsj.gz.partial-7", ""));
  ASSERT_TRUE(write_file(sessions() / "notes-csrmm.gz", ""));
  const std::vector<std::filesystem::path> expected = {sessions() / "h200-patterns.wsj.gz",
                                                       sessions() / "h200-csrmm.wsj"};
  EXPECT_TRUE(recorded_sessions() == expected);
  EXPECT_TRUE(recorded_session_of("patterns") == expected[0]);
  EXPECT_TRUE(recorded_session_of("csrmm") == expected[1]);
  EXPECT_FALSE(recorded_session_of("led"));
  // The window turns from one to the other with the scene, packed or not.
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(expected[1]));
  ASSERT_TRUE(workspace.choose_scene("patterns"));
  EXPECT_EQ(workspace.view().opened.recorded_name(), "h200-patterns.wsj.gz");
  ASSERT_TRUE(workspace.choose_scene("csrmm"));
  EXPECT_EQ(workspace.view().opened.recorded_name(), "h200-csrmm.wsj");
}

// What is kept of a session is not shown of another one, though both have as many messages.
TEST(Workspace, PointsAndComparisonsAreThoseOfTheSessionThatIsOpen) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("warpscope-kept-" + std::to_string(::getpid()) + ".wsj");
  const auto write = [&](double focus_ns) {
    ASSERT_TRUE(write_file(path, to_line(sample::correct(sample::focus, focus_ns)) + "\n" +
                                     to_line(sample::correct(sample::baseline, 120e3)) + "\n"));
  };
  Workspace workspace({});
  for (const double focus_ns : {60e3, 240e3}) {
    write(focus_ns);
    ASSERT_TRUE(workspace.open(path));
    workspace.update();
    const SelectedPoints& points = workspace.view().points;
    const Measurement *focus = points.state(sample::focus).point,
                      *base = points.state(sample::baseline).point;
    ASSERT_NE(focus, nullptr);
    ASSERT_NE(base, nullptr);
    EXPECT_EQ(focus->warm->median_ns, focus_ns);
    for (int asked = 0; asked < 2; ++asked)
      EXPECT_NEAR(points.compare(*base, *focus, CacheState::warm).ratio, 120e3 / focus_ns, 1e-6);
    EXPECT_FALSE(points.remedy(*focus));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace warpscope
