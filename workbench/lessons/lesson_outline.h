// workbench/lessons/lesson_outline.h: the lessons that ship, each in a line: title, scene, minutes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workbench/lessons/lesson.h"

namespace warpscope {

struct LessonOutline {
  std::filesystem::path path;
  std::string title, scene;
  std::size_t steps = 0;
  int minutes = 0;
  std::string broken;  // why it cannot be played; empty: it can
};

// assets/lessons/*.json by title; a file that is no lesson stands at the end, with its sentence.
std::vector<LessonOutline> shipped_lessons();

// The one of them that a first start plays; empty: it is not there.
std::filesystem::path tour_lesson();

// A file, or a lesson that ships by its name: "coalescing". error: usage, with the nearest name;
// input, where a path leads nowhere.
Result<std::filesystem::path> lesson_file(const std::string& text);

// How long a lesson takes, whole minutes: as it says itself, else its words read aloud at 150 a
// minute, three seconds to look at each step, and the moves of its drags at ten a second.
int minutes_of(const Lesson& lesson);

// A step's text about as long as it is read: claims in their first words, a figure for each brace.
std::string spoken(const std::string& text);

}  // namespace warpscope
