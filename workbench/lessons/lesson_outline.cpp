// workbench/lessons/lesson_outline.cpp: the shipped lessons, one line each: title, scene, minutes.
#include "workbench/lessons/lesson_outline.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "profiling/claims/claim_text.h"
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
  constexpr double kWordsAMinute = 150, kLookS = 3, kMovesAS = 10;
  double seconds = 0;
  for (const LessonStep& step : lesson.steps) {
    seconds += words_in(spoken(step.text)) * 60 / kWordsAMinute + kLookS;
    if (step.drag) seconds += step.drag->steps / kMovesAS;
  }
  return std::max(1, static_cast<int>(std::lround(seconds / 60)));
}

std::vector<LessonOutline> shipped_lessons() {
  const auto home = home_folder();
  if (!home) return {};
  std::vector<LessonOutline> outlines;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(*home / "assets" / "lessons", ignored), end;
       entry != end; entry.increment(ignored)) {
    if (entry->path().extension() != ".json") continue;
    LessonOutline outline{entry->path(), entry->path().filename().string(), "", 0, 0, ""};
    if (const Result<Lesson> lesson = read_lesson(entry->path(), program_catalogue())) {
      outline = {entry->path(),        lesson->title,       lesson->scene,
                 lesson->steps.size(), minutes_of(*lesson), ""};
    } else {
      outline.broken = sentence(lesson.error());
    }
    outlines.push_back(std::move(outline));
  }
  std::sort(outlines.begin(), outlines.end(), [](const auto& a, const auto& b) {
    return std::pair(!a.broken.empty(), a.title) < std::pair(!b.broken.empty(), b.title);
  });
  return outlines;
}

}  // namespace warpscope
