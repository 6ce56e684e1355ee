// tests/workbench/lessons/lesson_play_test.cpp: lessons played: what they quote is there, or says
// why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/lessons/lesson_outline.h"
#include "workbench/window/lesson_player.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

std::unique_ptr<Workspace> with_engine(const std::vector<std::string>& command) {
  auto workspace = std::make_unique<Workspace>(command);
  const auto start = Clock::now();
  const auto waits = [&] {
    return workspace->view().recorded() && !workspace->view().engines.trouble();
  };
  while (waits() && Clock::now() - start < std::chrono::seconds(20)) {
    workspace->wait(0.02);
    workspace->update();
    if (workspace->view().engines.engine_ready() && !workspace->view().has_device()) break;
  }
  return workspace;
}
std::unique_ptr<Workspace> with_fake_engine(const std::string& mode) {
  auto workspace = with_engine({built_program("fake_engine"), mode});
  EXPECT_FALSE(workspace->view().recorded()) << "the engine did not start";
  return workspace;
}

void frame(Workspace& workspace, LessonPlayer& player, FrameState& state) {
  workspace.update();
  player.update(state);
  workspace.wait(0.002);
}

// The text of every step once it is settled, as `play` takes it; or (`hasty`) once nothing that it
// quotes is on its way, while the rest of the step is still being measured.
std::vector<std::string> texts_of(const Lesson& lesson, Workspace& workspace, bool hasty = false) {
  LessonPlayer player(lesson, workspace);
  FrameState state;
  std::vector<std::string> texts;
  do {
    constexpr int kSettledFrames = 4;
    const auto start = Clock::now();
    for (int settled = 0;
         settled < kSettledFrames && Clock::now() - start < std::chrono::seconds(130);) {
      frame(workspace, player, state);
      const bool said = hasty && state.lesson_text.find("…") == std::string::npos &&
                        Clock::now() - start > std::chrono::seconds(1);
      settled = said || player.settled() ? settled + 1 : 0;
    }
    texts.push_back(state.lesson_text);
  } while (player.next());
  return texts;
}

// Nothing missing: no dash with a reason, nothing on its way, no braces left.
void expect_whole(const std::vector<std::string>& texts, const std::string& where) {
  for (std::size_t at = 0; at < texts.size(); ++at) {
    for (const char* sign : {"–", "…", "measured without", "not collected", "{", "}"})
      EXPECT_THAT(texts[at], Not(HasSubstr(sign))) << where << ", step " << at + 1;
  }
}

Lesson lesson_of(const std::string& steps) {
  const Result<Lesson> lesson =
      parse_lesson(R"({"title": "t", "scene": "csrmm", "steps": [)" + steps + "]}", "l.json");
  EXPECT_TRUE(lesson) << sentence(lesson.error());
  return lesson ? *lesson : Lesson{};
}

std::set<std::string> scenes_of(const Session& session) {
  std::set<std::string> scenes;
  for (const Measurement* point : session.all_points()) scenes.insert(point->scene);
  return scenes;
}

// A session is read once, and each lesson begins where the session was opened.
TEST(LessonPlay, EveryShippedLessonIsWholeOnEveryRecordedSessionOfItsScene) {
  const auto catalogue = program_catalogue();
  std::map<std::filesystem::path, Lesson> lessons;
  std::map<std::filesystem::path, int> sessions_of;
  for (const std::filesystem::path& path : shipped_lesson_paths()) {
    const Result<Lesson> lesson = read_lesson(path, catalogue);
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    lessons.emplace(path, *lesson);
  }
  int played = 0;
  for (const std::filesystem::path& session : recorded_sessions()) {
    Workspace workspace({}, {}, catalogue);
    ASSERT_TRUE(workspace.open(session));
    workspace.update();
    const Selection opened = workspace.selection;
    const std::set<std::string> scenes = scenes_of(workspace.session());
    for (const auto& [path, lesson] : lessons) {
      if (scenes.count(lesson.scene) == 0) continue;
      workspace.selection = opened;
      workspace.update();
      expect_whole(texts_of(lesson, workspace),
                   path.filename().string() + " on " + session.filename().string());
      ++sessions_of[path];
      ++played;
    }
  }
  for (const auto& [path, lesson] : lessons)
    EXPECT_GT(sessions_of[path], 0) << path << " has no recorded session of " << lesson.scene;
  EXPECT_GE(played, 5);
}

// A step that swept a term that nothing records any more had an empty plot.
TEST(LessonPlay, EveryShippedSweepHasPointsOnItsRecording) {
  NullWindow window;
  int swept = 0;
  for (const std::filesystem::path& path : shipped_lesson_paths()) {
    const auto catalogue = program_catalogue();
    const Result<Lesson> lesson = read_lesson(path, catalogue);
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    Workspace workspace({}, {}, catalogue);
    const auto session = recorded_session_of(lesson->scene);
    ASSERT_TRUE(session) << path;
    ASSERT_TRUE(workspace.open(*session));
    LessonPlayer player(*lesson, workspace);
    FrameState state;
    int number = 0;
    do {
      ++number;
      frame(workspace, player, state);
      const LessonStep& step = lesson->steps[static_cast<std::size_t>(number) - 1];
      if (step.panel != "sweep") continue;
      ++swept;
      const std::string where = path.filename().string() + ", step " + std::to_string(number);
      const std::string words = window.panel(workspace, "sweep");
      const std::string& focus = workspace.selection.variant;
      EXPECT_THAT(words, HasSubstr(find_variant(workspace.scene(), focus)->label)) << where;
      for (const char* nothing : {"No points yet", "has no points along this axis"})
        EXPECT_THAT(words, Not(HasSubstr(nothing))) << where;
      std::set<double> along;
      const std::string& axis = workspace.selection.sweep_axis;
      for (const Measurement* point : workspace.session().points(lesson->scene, focus)) {
        Configuration there = workspace.selection.axes;
        there.set(axis, point->axes.at(axis));
        if (point->key == configuration_key(workspace.scene().axes, there, focus) &&
            value_of(point->metrics, workspace.selection.sweep_metric))
          along.insert(point->axes.real(axis));
      }
      // A curve, or all that its axis stops at.
      const std::vector<double>& stops = find_axis(workspace.scene().axes, axis)->stops;
      const std::size_t least = stops.size() < 2 ? 5 : std::min<std::size_t>(5, stops.size());
      EXPECT_GE(along.size(), least) << where;
    } while (player.next());
  }
  EXPECT_GE(swept, 1);
}

class LessonLive : public testing::TestWithParam<std::string> {};

TEST_P(LessonLive, IsWholeOnADevice) {
  const auto workspace = with_fake_engine("counts");
  const Result<Lesson> lesson =
      read_lesson(lesson_file(GetParam()).value(), workspace->catalogue());
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  expect_whole(texts_of(*lesson, *workspace), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shipped, LessonLive, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& path : shipped_lesson_paths())
                             names.push_back(path.stem().string());
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

class LessonOnGpu : public testing::TestWithParam<std::string> {};

TEST_P(LessonOnGpu, IsWhole) {
  const auto workspace = with_engine(engine_command({}));
  if (!workspace->view().has_device()) GTEST_SKIP() << "the engine has no device here";
  const Result<Lesson> lesson =
      read_lesson(lesson_file(GetParam()).value(), workspace->catalogue());
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  expect_whole(texts_of(*lesson, *workspace, true), GetParam());
  if (!HasFailure()) return;
  for (const auto& [number, job] : workspace->session().jobs()) {
    const auto* asked = job.as<MeasureJob>();
    if (asked == nullptr) continue;
    const auto done = workspace->session().done(number);
    std::printf("job %d %s, time %d, counters %s, ends %s\n", static_cast<int>(number),
                job.tag.c_str(), asked->time, asked->counters.c_str(),
                done ? std::to_string(static_cast<int>(done->status)).c_str() : "never");
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, LessonOnGpu,
                         testing::Values("coalescing", "csrmm", "csrmm_beyond", "led", "esmm",
                                         "deform", "autoencoder", "autoencoder_beyond",
                                         "first_look", "threads_warps_lanes", "divergence",
                                         "shared_memory_banks", "reading_a_roofline",
                                         "occupancy_and_latency", "why_it_waits", "atomics",
                                         "async_copies", "tensor_cores", "eight_iterations"),
                         [](const auto& info) { return info.param; });

TEST(LessonPlay, AsksForExactlyWhatAStepQuotesAndSaysThatItIsOnItsWay) {
  const auto workspace = with_fake_engine("counts");
  workspace->selection.counters = "none";
  const Lesson lesson = lesson_of(
      R"({"text": "{occupancy.achieved:float4_columns} of {l1.hit_ratio:float4_columns}"})");
  LessonPlayer player(lesson, *workspace);
  FrameState state;
  frame(*workspace, player, state);
  EXPECT_EQ(state.lesson_text, "… (being counted) of … (being counted)");
  EXPECT_FALSE(player.settled());
  const auto texts = texts_of(lesson, *workspace);
  // The fake's two steps take 4 and 8 cycles at 4 and 8 percent: (4 · 4 + 8 · 8) / 12.
  EXPECT_EQ(texts.at(0), "6.67 % (mean of 2 steps, weighted by their time) of 100.0 %");
  std::vector<std::string> asked;
  for (const auto& [number, job] : workspace->session().jobs()) {
    if (job.tag == "quoted counters/float4_columns") asked.push_back(counters_of(job));
  }
  ASSERT_FALSE(asked.empty());
  EXPECT_EQ(asked.front(), "occupancy.achieved,cycles.sm,l1.sectors_load_hit,l1.sectors_load");
}

// The roofs follow the first times: `play` takes no picture of a text that waits for them.
TEST(LessonPlay, WaitsForTheRoofsThatAStepQuotes) {
  const auto workspace = with_fake_engine("slow");
  const Lesson lesson = lesson_of(R"({"text": "a copy reaches {roof.dram.copy}"})");
  EXPECT_THAT(texts_of(lesson, *workspace).at(0),
              testing::MatchesRegex("a copy reaches [0-9.]+ [GT]B/s"));
}

TEST(LessonPlay, MeasuresAVariantThatIsHiddenWhereAStepQuotesIt) {
  const auto workspace = with_fake_engine("counts");
  const auto start = Clock::now();
  while (workspace->view().progress().busy && Clock::now() - start < std::chrono::seconds(20)) {
    workspace->wait(0.01);
    workspace->update();
  }
  workspace->selection.hidden["float4_columns"] = true;
  const Lesson lesson = lesson_of(R"({"text": "{time.cold:float4_columns}", "axes": {"n": "96"}})");
  EXPECT_EQ(texts_of(lesson, *workspace).at(0), "2.00 µs");
}

// The roofs of a new device come after its first time: a step that quotes a roof waits for them.
TEST(LessonPlay, WaitsForTheRoofsThatAFirstStepQuotes) {
  const Lesson lesson = lesson_of(R"({"text": "A copy moves {roof.dram.copy}."})");
  for (const bool hasty : {false, true}) {
    const auto workspace = with_fake_engine("counts");
    LessonPlayer player(lesson, *workspace);
    FrameState state;
    frame(*workspace, player, state);
    EXPECT_EQ(state.lesson_text, "A copy moves … (being measured).");
    EXPECT_FALSE(player.settled());
    EXPECT_EQ(texts_of(lesson, *workspace, hasty).at(0), "A copy moves 2.00 TB/s.");
  }
}

// The synthetic trace, in a session at the configuration of a new workspace.
std::unique_ptr<Workspace> with_trace() {
  Trace trace = synthetic_trace();
  trace.key = Workspace({}).view().key();
  trace.source_hash = "";  // not recorded: nothing says that the text is another one
  Measurement point = sample::correct(sample::focus, 120e3);
  point.steps.clear();  // the same: they name a text of their own
  return sample::recorded({point, trace});
}

TEST(LessonPlay, AStepShowsTheRequestThatItNames) {
  const auto lesson = parse_lesson(
      R"({"title": "t", "scene": "csrmm", "steps": [
          {"text": "a", "variant": "float4_columns", "panel": "banks",
           "request": {"worst": "wavefronts"}},
          {"text": "b", "variant": "float4_columns", "panel": "coalescing",
           "request": {"worst": "sectors"}}]})",
      "t.json");
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  auto workspace = with_trace();
  LessonPlayer player(*lesson, *workspace);
  FrameState state;
  const auto site = [&] {
    const Trace& trace = *trace_state(workspace->view(), "float4_columns").trace;
    return trace.requests.at(workspace->selection.trace.request).site;
  };
  frame(*workspace, player, state);
  frame(*workspace, player, state);
  EXPECT_EQ(site(), static_cast<std::uint32_t>(traced_by_hand::unstage));
  EXPECT_TRUE(player.settled());
  ASSERT_TRUE(player.next());
  frame(*workspace, player, state);
  frame(*workspace, player, state);
  EXPECT_EQ(site(), static_cast<std::uint32_t>(traced_by_hand::add_c));
}

// The steps of a run are emulated one after the other: the request is chosen in the one that stays.
TEST(LessonPlay, AStepShowsTheRequestOfTheLaunchThatTheDiagramsTurnTo) {
  Workspace workspace({}, {built_program("fake_engine"), "steps"});
  const Lesson lesson = lesson_of(
      R"({"text": "a", "variant": "float4_columns", "panel": "banks",
          "request": {"worst": "wavefronts"}})");
  LessonPlayer player(lesson, workspace);
  FrameState state;
  const auto shown = [&] { return trace_state(workspace.view(), "float4_columns").trace; };
  const auto until = [&](const auto& there) {
    const auto start = std::chrono::steady_clock::now();
    while (!there() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
      frame(workspace, player, state);
    return there();
  };
  ASSERT_TRUE(until([&] { return shown() != nullptr && shown()->step == "prepare"; }));
  ASSERT_TRUE(until([&] { return player.settled(); }));
  ASSERT_EQ(shown()->step, "multiply");
  EXPECT_EQ(shown()->requests.at(workspace.selection.trace.request).site,
            static_cast<std::uint32_t>(traced_by_hand::unstage));
}

TEST(LessonPlay, ASweepDoesNotStayInFrontOfLaterSteps) {
  const auto lesson = parse_lesson(
      R"({"title": "t", "scene": "csrmm", "steps": [
          {"text": "a", "panel": "coalescing"}, {"text": "b", "panel": "sweep"},
          {"text": "c", "panel": "coalescing"}]})",
      "t.json");
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  auto workspace = with_trace();
  LessonPlayer player(*lesson, *workspace);
  FrameState state;
  using testing::Contains;
  frame(*workspace, player, state);
  EXPECT_THAT(state.more_tabs, Not(Contains("overview"))) << "a person's own tab stays";
  player.next();
  frame(*workspace, player, state);
  EXPECT_THAT(state.more_tabs, Not(Contains("overview")));
  player.next();
  frame(*workspace, player, state);
  EXPECT_THAT(state.more_tabs, Contains("overview"));
}

// After the step, what a person had hidden is hidden again.
TEST(LessonPlay, AStepHidesTheRowsThatItDoesNotShow) {
  const auto workspace = with_fake_engine("counts");
  workspace->selection.hidden["auto"] = true;
  const Lesson lesson = lesson_of(
      R"({"text": "a", "variant": "float4_columns", "baseline": "row_queue", "show": ["k_tiles"]},
         {"text": "b", "variant": "auto", "show": ["k_tiles"]}, {"text": "c"})");
  LessonPlayer player(lesson, *workspace);
  FrameState state;
  const auto shown = [&] {
    frame(*workspace, player, state);
    std::set<std::string> names;
    for (const Variant& variant : workspace->scene().variants) {
      if (!workspace->selection.hidden[variant.name]) names.insert(variant.name);
    }
    return names;
  };
  EXPECT_EQ(shown(), (std::set<std::string>{"float4_columns", "row_queue", "k_tiles"}));
  ASSERT_TRUE(player.next());
  EXPECT_EQ(shown(), (std::set<std::string>{"auto", "row_queue", "k_tiles"}));
  ASSERT_TRUE(player.next());
  EXPECT_EQ(shown().size(), workspace->scene().variants.size() - 1);
  EXPECT_TRUE(workspace->selection.hidden["auto"]);
}

// What no time and no counter brings: without it these panels are empty on a device.
TEST(LessonPlay, AStepOfATimelineCapturesItAndOneThatTrainsTrains) {
  const auto workspace = with_fake_engine("counts");
  const auto lesson = parse_lesson(
      R"({"scene": "autoencoder", "steps": [
          {"text": "a", "axes": {"part": "step"}, "variant": "step_nchw", "panel": "timeline"},
          {"text": "b", "panel": "curves", "train": {"samples": "128", "epochs": "2"},
           "variant": "step_nchw"}]})",
      "l.json");
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  LessonPlayer player(*lesson, *workspace);
  FrameState state;
  const auto asked_for = [&](JobKind kind) {
    for (int i = 0; i < 3; ++i) frame(*workspace, player, state);
    const auto& jobs = workspace->session().jobs();
    return std::count_if(jobs.begin(), jobs.end(), [&](const auto& numbered) {
      return numbered.second.kind() == kind && numbered.second.variant == "step_nchw";
    });
  };
  EXPECT_EQ(asked_for(JobKind::timeline), 1);
  EXPECT_EQ(asked_for(JobKind::train), 0);
  ASSERT_TRUE(player.next());
  EXPECT_EQ(asked_for(JobKind::train), 1);
  EXPECT_EQ(workspace->selection.training.at("samples"), "128");
}

TEST(LessonPlay, SaysWhyACounterCannotBeHad) {
  const auto workspace = with_fake_engine("forbidden");
  const Lesson lesson = lesson_of(R"({"text": "{dram.bytes_read:float4_columns}"})");
  EXPECT_EQ(texts_of(lesson, *workspace).at(0), "– (only root may read counters)");
}

TEST(LessonPlay, DoesNotQuoteTheNearestPointForTheOneThatWasChosen) {
  Workspace workspace({});
  const auto session = recorded_session_of("csrmm");
  ASSERT_TRUE(session);
  ASSERT_TRUE(workspace.open(*session));
  const Lesson lesson = lesson_of(R"({"text": "{time.warm:float4_columns}", "axes": {"n": "44"}})");
  EXPECT_EQ(texts_of(lesson, workspace).at(0),
            "– (float4 columns is not recorded at this configuration; the nearest stop is n=33)");
}

}  // namespace
}  // namespace warpscope
