// workbench/lessons/lesson_outline.cpp: the shipped lessons, one line each: place in the course,
// title, scene, minutes.
#include "workbench/lessons/lesson_outline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "profiling/claims/claim_text.h"
#include "profiling/text/json_text.h"
#include "scenes/host/input_file.h"
#include "scenes/host/nearest.h"
#include "scenes/host/paths.h"
#include "workbench/client/program_catalogue.h"

namespace warpscope {
namespace {

constexpr const char* kFigure = "123.4 µs";

int words_in(const std::string& text) {
  std::istringstream words(text);
  int count = 0;
  for (std::string word; words >> word;) ++count;
  return count;
}

// Outside of the course: after it.
int order_of(const LessonOutline& lesson) {
  return lesson.place.number > 0 ? lesson.place.number : std::numeric_limits<int>::max();
}

}  // namespace

std::string spoken(const std::string& text) {
  std::string words;
  for (const ClaimPart& part : parts_of(text))
    words += part.is_claim() ? part.cases.front().words : part.plain;
  std::string read;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t open = std::min(words.find('{', at), words.size());
    read += words.substr(at, open - at);
    if (open == words.size()) break;
    read += kFigure;
    at = std::min(words.find('}', open), words.size() - 1) + 1;
  }
  return read;
}

std::filesystem::path tour_lesson() {
  const auto home = home_folder();
  if (!home) return {};
  std::filesystem::path path = *home / "assets" / "lessons" / "first_look.json";
  std::error_code unknown;
  return std::filesystem::exists(path, unknown) ? path : std::filesystem::path();
}

Result<std::filesystem::path> lesson_file(const std::string& text) {
  std::error_code unknown;
  if (std::filesystem::exists(text, unknown)) return text;
  if (std::filesystem::path(text).has_parent_path())
    return failure(ErrorKind::input, "there is no such file", text, "check the path");
  std::vector<std::string> names;
  for (const LessonOutline& lesson : shipped_lessons()) {
    names.push_back(lesson.path.stem().string());
    if (text == names.back() || text == names.back() + ".json") return lesson.path;
  }
  return failure(ErrorKind::usage, "there is no lesson of this name and no such file", text,
                 suggest(text, names));
}

int minutes_of(const Lesson& lesson) {
  if (lesson.minutes > 0) return static_cast<int>(std::ceil(lesson.minutes));
  constexpr double kWordsAMinute = 150, kLookS = 3, kMovesAS = 10, kAnswerS = 10;
  double seconds = 0;
  for (const LessonStep& step : lesson.steps) {
    seconds += words_in(spoken(step.text)) * 60 / kWordsAMinute + kLookS;
    if (step.question) {
      const int words =
          words_in(spoken(step.question->ask)) + words_in(spoken(step.question->explain));
      seconds += words * 60 / kWordsAMinute + kAnswerS;
    }
    if (step.drag) seconds += step.drag->steps / kMovesAS;
  }
  return std::max(1, static_cast<int>(std::lround(seconds / 60)));
}

std::vector<LessonOutline> shipped_lessons() {
  std::vector<LessonOutline> outlines;
  const Result<Course> course = shipped_course();
  for (const std::filesystem::path& path : shipped_lesson_paths()) {
    LessonOutline outline{path, path.filename().string(), "", 0, 0};
    if (const Result<Lesson> lesson = read_lesson(path, program_catalogue())) {
      outline.title = lesson->title;
      outline.scene = lesson->scene;
      outline.steps = lesson->steps.size();
      outline.minutes = minutes_of(*lesson);
      for (const LessonStep& step : lesson->steps) outline.questions += step.question ? 1U : 0U;
      if (course) outline.place = course->place_of(path.stem().string());
    } else {
      outline.broken = sentence(lesson.error());
    }
    outlines.push_back(std::move(outline));
  }
  std::sort(outlines.begin(), outlines.end(), [](const auto& a, const auto& b) {
    return std::tuple(!a.broken.empty(), order_of(a), a.title) <
           std::tuple(!b.broken.empty(), order_of(b), b.title);
  });
  return outlines;
}

std::vector<LessonOutline> lesson_titles() {
  constexpr std::int64_t kMostBytes = 1 << 20;
  std::vector<LessonOutline> outlines;
  for (const std::filesystem::path& path : shipped_lesson_paths()) {
    const Result<std::string> text = read_input(path, kMostBytes);
    const auto lesson = text ? parse_json(*text, "") : tl::unexpected(text.error());
    if (!lesson || !lesson->is_object() || !lesson->contains("title")) continue;
    const auto& title = (*lesson)["title"];
    if (!title.is_string()) continue;
    const std::string scene =
        lesson->contains("scene") && (*lesson)["scene"].is_string() ? (*lesson)["scene"] : "";
    outlines.push_back({path, title, scene, 0, 0});
  }
  std::sort(outlines.begin(), outlines.end(),
            [](const auto& a, const auto& b) { return a.title < b.title; });
  return outlines;
}

}  // namespace warpscope
