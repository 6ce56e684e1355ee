// tests/workbench/lessons/lesson_errors_test.cpp: lessons say what is wrong with them, and show
// measured figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <regex>

#include "profiling/claims/claim_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/write_file.h"
#include "tests/folders.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/lessons/lesson_outline.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

std::string lesson_with(const std::string& step) {
  return R"({"title": "t", "scene": "csrmm", "steps": [{"text": "one"}, )" + step + "]}";
}

// The axis that lets the variant run stands in no configuration of the problem.
TEST(Lesson, RefusesAnExhibitThatTheStepDoesNotAskFor) {
  const Result<Lesson> lesson = parse_lesson(
      R"({"title": "t", "scene": "led", "steps": [
          {"text": "one", "variant": "frames_per_warp_early_exit"}]})",
      "bad.json");
  ASSERT_FALSE(lesson);
  EXPECT_THAT(sentence(lesson.error()),
              testing::AllOf(HasSubstr("does not compute"), HasSubstr("set broken to on")));
}

TEST(Lesson, RefusesEveryBrokenStepNamingItsNumber) {
  const std::vector<std::pair<std::string, std::string>> broken = {
      {R"({"colour": "red"})", "colour"},
      {R"({"text": 7})", "must be"},
      {R"({"variant": "warp_row_zero_tset"})", "warp_row_zero_tset"},
      {R"({"baseline": "nobody"})", "nobody"},
      {R"({"axes": {"q": "3"}})", "q"},
      {R"({"axes": {"q": null}})", "q"},
      {R"({"axes": {"n": 7}})", "must be"},
      {R"({"axes": "n"})", "a value that it cannot have"},
      {R"({"drag": {"axis": "n", "from": "1"}})", "“to” is missing"},
      {R"({"drag": {"axis": "z", "from": "1", "to": "2"}})", "z"},
      {R"({"drag": {"axis": "n", "from": "32", "to": "64", "steps": 1}})", "2 to 10000"},
      {R"({"capture": "../elsewhere.png"})", "without a folder"},
      {R"({"spotlight": "roofline"})", "one thing"},
      {R"({"spotlight": {}})", "one thing"},
      {R"({"spotlight": {"panel": "roofline", "metric": "time.warm"}})", "one thing"},
      {R"({"spotlight": {"line": 31}})", "must be a text"},
      {R"({"spotlight": {"metric": ""}})", "must be a text"},
      {R"({"request": "worst"})", "named by a line, or is the worst"},
      {R"({"request": {"worst": "wavefront"}})", "wavefronts"},
      {R"({"request": {"row": "x"}})", "row"},
      {R"({"maximise": 1})", "must be"},
      {R"({"show": "auto"})", "must be"},
      {R"({"show": ["nobody"]})", "nobody"},
      {R"({"show": ["t_csc_gather"]})", "does not compute"},
      {R"({"variant": "auto", "train": {"epochs": "2"}})", "needs a variant that can be trained"},
      {"3", "object"}};
  for (const auto& [step, words] : broken) {
    const Result<Lesson> lesson = parse_lesson(lesson_with(step), "bad.json");
    ASSERT_FALSE(lesson) << step;
    EXPECT_EQ(lesson.error().kind, ErrorKind::input) << step;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr(words)) << step;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr("step 2")) << step;
  }
}

// What is unknown, and the name that was probably meant.
TEST(Lesson, NamesTheNearestKnownNameOfWhatItDoesNotKnow) {
  const std::vector<std::array<std::string, 3>> broken = {
      {R"({"variant": "float4_column"})", "float4_column", "float4_columns"},
      {R"({"baseline": "cusparse_alg33"})", "cusparse_alg33", "cusparse_alg3"},
      {R"({"text": "{time.warn:float4_columns}"})", "time.warn", "time.warm"},
      {R"({"text": "{ratoi:a/b}"})", "ratoi", "ratio"},
      {R"({"text": "{time.warm:float4_column}"})", "float4_column", "float4_columns"},
      {R"({"text": "{ratio:float4_columns/warp_row_zero}"})", "warp_row_zero", "warp_row_zero_"},
      {R"({"text": "{model.dram_byte:float4_columns}"})", "model.dram_byte", "model.dram_bytes"},
      {R"({"counters": "standart"})", "standart", "standard"},
      {R"({"counters": "live,l1.byte"})", "l1.byte", "l1.bytes"},
      {R"({"cache": "warn"})", "warn", "warm"},
      {R"({"columns": ["cuda", "sas"]})", "sas", "sass"},
      {R"({"sweep_axis": "nn"})", "nn", "n"},
      {R"({"sweep_metric": "time.cool"})", "time.cool", "time.cold"},
      {R"({"axes": {"dtpe": "f32"}})", "dtpe", "dtype"},
      {R"({"spotlight": {"metric": "occupancy.achived"}})", "occupancy.achived",
       "occupancy.achieved"},
      {R"({"spotlight": {"metirc": "time.warm"}})", "metirc", "metric"},
      {R"({"spotlight": {"axis": "dn"}})", "dn", "n"},
      {R"({"maximize": "coalescing"})", "maximize", "maximise"},
      {R"({"varient": "float4_columns"})", "varient", "variant"}};
  for (const auto& [step, unknown, meant] : broken) {
    const Result<Lesson> lesson = parse_lesson(lesson_with(step), "bad.json");
    ASSERT_FALSE(lesson) << step;
    EXPECT_EQ(exit_status(lesson.error().kind), 2) << step;
    for (const std::string& words : {unknown, "did you mean " + meant, std::string("step 2")})
      EXPECT_THAT(sentence(lesson.error()), HasSubstr(words)) << step;
  }
}

// Such a plot would stay empty, whatever is measured.
TEST(Lesson, RefusesToSweepWhatNoPointOfItsSceneHas) {
  for (const std::string id : {"model.sectors_per_load",       // of earlier versions
                               "model.window_reuse",           // of another scene
                               "emulated.l1.sectors_load"}) {  // of traces
    ASSERT_NE(find_metric(id), nullptr) << id << " is not the name of a metric";
    const Result<Lesson> lesson =
        parse_lesson(lesson_with(R"({"sweep_metric": ")" + id + R"("})"), "bad.json");
    ASSERT_FALSE(lesson) << id;
    EXPECT_EQ(exit_status(lesson.error().kind), 2) << id;
    EXPECT_EQ(lesson.error().what, "no point of csrmm has the metric “" + id + "”");
    EXPECT_THAT(sentence(lesson.error()),
                HasSubstr("sweep a time, a counter or a term of the scene's own"))
        << id;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr("step 2")) << id;
  }
  const Result<Lesson> own =
      parse_lesson(lesson_with(R"({"sweep_metric": "model.dram_bytes"})"), "good.json");
  EXPECT_TRUE(own) << sentence(own.error());
}

TEST(Lesson, NamesTheNearestSceneAndFieldOfTheWhole) {
  const auto said = [](const char* text) {
    const Result<Lesson> lesson = parse_lesson(text, "bad.json");
    EXPECT_FALSE(lesson) << text;
    return lesson ? "" : sentence(lesson.error());
  };
  const std::string scene = said(R"({"scene": "csrm", "steps": [{"text": "a"}]})");
  EXPECT_THAT(scene, HasSubstr("csrm”"));
  EXPECT_THAT(scene, HasSubstr("did you mean csrmm?"));
  EXPECT_THAT(said(R"({"sceen": "csrmm", "steps": [{"text": "a"}]})"),
              HasSubstr("did you mean scene?"));
}

TEST(Lesson, RefusesFiguresThatNoTextCanHold) {
  const std::vector<std::pair<std::string, std::string>> broken = {
      {R"({"text": "no end {time.warm:float4_columns"})", "has no }"},
      {R"({"text": "{time.warm}"})", "is not a figure"},
      {R"({"text": "{ratio:float4_columns}"})", "is not a figure"},
      {R"({"text": "{emulated.l1.sectors_load:float4_columns}"})", "is emulated, but a text"},
      // The product of a transposed matrix is another one than the lesson's default.
      {R"({"variant": "t_scatter_atomics"})", "set op to T"},
      {R"({"text": "{time.warm:t_k_tiles}"})", "set op to T"}};
  for (const auto& [step, words] : broken) {
    const Result<Lesson> lesson = parse_lesson(lesson_with(step), "bad.json");
    ASSERT_FALSE(lesson) << step;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr(words)) << step;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr("step 2")) << step;
  }
}

Result<Lesson> lesson_in_a_file(const std::string& step) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("warpscope-lesson-" + std::to_string(::getpid()) + ".json");
  EXPECT_TRUE(write_file(path, lesson_with(step)));
  Result<Lesson> lesson = read_lesson(path);
  std::filesystem::remove(path);
  return lesson;
}

TEST(Lesson, RefusesAFileThatNamesAnUnknownPanel) {
  for (const char* step : {R"({"panel": "rooflines"})", R"({"maximise": "rooflines"})",
                           R"({"spotlight": {"panel": "rooflines"}})"}) {
    const Result<Lesson> lesson = lesson_in_a_file(step);
    ASSERT_FALSE(lesson) << step;
    EXPECT_EQ(exit_status(lesson.error().kind), 2);
    for (const char* words : {"rooflines", "step 2", "did you mean roofline?"})
      EXPECT_THAT(sentence(lesson.error()), HasSubstr(words)) << step;
  }
}

TEST(Lesson, RefusesASpotlightOnALineThatNoKernelOfTheSceneHas) {
  const Result<Lesson> lesson = lesson_in_a_file(R"({"spotlight": {"line": "no such words"}})");
  ASSERT_FALSE(lesson);
  EXPECT_EQ(exit_status(lesson.error().kind), 2);
  for (const char* words : {"no such words", "csrmm", "step 2", "from the kernel's file"})
    EXPECT_THAT(sentence(lesson.error()), HasSubstr(words));
  EXPECT_TRUE(lesson_in_a_file(R"({"spotlight": {"line": "extern \"C\" __global__"}})"));
}

TEST(Lesson, RefusesWhatIsNoLesson) {
  for (const char* text : {"", "[]", "{", R"({"steps": 3})", R"({"scene": "csrmm", "steps": []})",
                           R"({"scene": 3, "steps": []})", R"({"scene": "cs", "steps": [{}]})"}) {
    const Result<Lesson> lesson = parse_lesson(text, "bad.json");
    ASSERT_FALSE(lesson) << text;
    EXPECT_FALSE(lesson.error().what.empty()) << text;
  }
}

TEST(Lesson, ReadsWhatAStepHolds) {
  const Result<Lesson> lesson =
      parse_lesson(lesson_with(R"({"text": "two", "variant": "float4_columns", "axes": {"n": "64"},
                   "drag": {"axis": "n", "from": "32", "to": "512", "steps": 100}})"),
                   "good.json");
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  ASSERT_EQ(lesson->steps.size(), 2u);
  EXPECT_EQ(lesson->steps[1].variant, "float4_columns");
  EXPECT_EQ(lesson->steps[1].axes.at("n"), "64");
  ASSERT_TRUE(lesson->steps[1].drag);
  EXPECT_EQ(lesson->steps[1].drag->steps, 100);
  EXPECT_EQ(lesson->steps[1].drag->to, "512");
}

TEST(Lesson, ReadsWhichRowsAreShownAndWhatLearns) {
  const auto read = [](const std::string& step) {
    return parse_lesson(R"({"scene": "autoencoder", "steps": [{"axes": {"part": "step"},
                            "variant": "step_nchw", )" +
                            step + "}]}",
                        "good.json");
  };
  const Result<Lesson> lesson =
      read(R"("show": ["step_naive"], "train": {"samples": "128", "epochs": "2"})");
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  EXPECT_EQ(lesson->steps[0].show, std::vector<std::string>{"step_naive"});
  EXPECT_EQ(lesson->steps[0].train.at("samples"), "128");
  EXPECT_EQ(lesson->steps[0].train.at("epochs"), "2");
  const Result<Lesson> rate = read(R"("train": {"rate": "1"})");
  ASSERT_FALSE(rate);
  EXPECT_THAT(sentence(rate.error()), HasSubstr("rate"));
}

TEST(Lesson, ReadsWhereAStepPointsAndHowLongTheWholeTakes) {
  const Result<Lesson> lesson = parse_lesson(
      R"({"title": "t", "scene": "csrmm", "minutes": 7.5, "steps": [
          {"maximise": "banks", "spotlight": {"panel": "banks"}},
          {"spotlight": {"line": "float sum"}}, {"spotlight": {"metric": "time.warm"}}]})",
      "good.json");
  ASSERT_TRUE(lesson) << sentence(lesson.error());
  EXPECT_EQ(lesson->steps[0].maximise, "banks");
  EXPECT_EQ(lesson->steps[0].spotlight.panel, "banks");
  EXPECT_EQ(lesson->steps[1].spotlight.line, "float sum");
  EXPECT_EQ(lesson->steps[2].spotlight.metric, "time.warm");
  EXPECT_EQ(minutes_of(*lesson), 8);
  for (const char* minutes : {"-1", "601", "\"two\""}) {
    const std::string text = R"({"scene": "csrmm", "minutes": )" + std::string(minutes) +
                             R"(, "steps": [{"text": "a"}]})";
    EXPECT_FALSE(parse_lesson(text, "bad.json")) << minutes;
  }
}

// 150 words a minute and three seconds to look.
TEST(Lesson, TakesAsLongAsItsWordsAreReadAloud) {
  std::string words;
  for (int i = 0; i < 285; ++i) words += "word ";
  const auto lesson = [&](const std::string& more) {
    return parse_lesson(R"({"scene": "csrmm", "steps": [{"text": ")" + words + "\"" + more + "}]}",
                        "good.json")
        .value();
  };
  EXPECT_EQ(minutes_of(lesson("")), 2);  // 114 s and 3
  EXPECT_EQ(
      minutes_of(lesson(R"(, "drag": {"axis": "n", "from": "32", "to": "512", "steps": 600})")), 3);
  EXPECT_EQ(spoken("In [[a.time.warm < b.time.warm => fact | fiction || doubt]] {time.warm:a}."),
            "In fact 123.4 µs.");
}

TEST(Lesson, FillsFiguresFromTheSessionAndADashWithAReasonWhereThereAreNone) {
  const Result<const Scene*> scene = built_in_catalogue().find("csrmm");
  ASSERT_TRUE(scene);
  Session session;
  const Configuration here = default_configuration((*scene)->axes);
  const auto measured = [&](const char* variant, double warm_ns) {
    Measurement point;
    point.scene = "csrmm";
    point.variant = variant;
    point.axes = here;
    point.key = configuration_key((*scene)->axes, here, variant);
    point.verdict.outcome = Outcome::correct;
    set_value(point.metrics, {"time.warm", warm_ns, Origin::measured, "", ""});
    session.apply(point);
  };
  measured("block_row", 250e3);
  measured("float4_columns", 125e3);
  const auto filled = [&](const char* text) {
    return resolve(text, {*scene, &session, here, "", {}});
  };
  EXPECT_EQ(filled("{ratio:block_row/float4_columns} times"), "2.00 times");
  EXPECT_EQ(filled("in {time.warm:float4_columns}"), "in " + format_value(125e3, "ns"));
  const std::string unmeasured = "– (warp-row shuffle was not measured at this configuration)";
  EXPECT_EQ(filled("{time.warm:warp_row_shuffle}"), unmeasured);
  EXPECT_EQ(filled("{ratio:block_row/warp_row_shuffle}"), unmeasured);
  EXPECT_EQ(filled("{ratio:block_row}"), "– (a ratio needs two variants, a/b)");
  EXPECT_EQ(filled("no end {time.warm"), "no end {time.warm");
  const Configuration elsewhere = with_values((*scene)->axes, here, {{"n", "64"}}).value();
  EXPECT_EQ(resolve("{time.warm:block_row}", {*scene, &session, elsewhere, "", {}}),
            "– (block-row 8 warps was not measured at this configuration)");
}

TEST(Lesson, EveryShippedLessonIsReadAndNamesOnlyMetricsAndVariantsThatExist) {
  int lessons = 0;
  for (const std::filesystem::path& path : shipped_lesson_paths()) {
    const auto catalogue = program_catalogue();
    const Result<Lesson> lesson = read_lesson(path, catalogue);
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    ++lessons;
    const Scene& scene = **catalogue->find(lesson->scene);
    const std::regex figure("\\{([^:}]+):([^}/]+)(?:/([^}]+))?\\}");
    for (const LessonStep& step : lesson->steps) {
      for (std::sregex_iterator it(step.text.begin(), step.text.end(), figure), end; it != end;
           ++it) {
        const std::string id = (*it)[1];
        EXPECT_TRUE(id == "ratio" || find_metric(id) != nullptr) << path << ": " << id;
        for (const std::size_t group : {2u, 3u}) {
          const std::string variant = (*it)[group];
          EXPECT_TRUE(variant.empty() || find_variant_or_explain(scene, variant)) << variant;
        }
      }
    }
  }
  EXPECT_GE(lessons, 2);
}

}  // namespace
}  // namespace warpscope
