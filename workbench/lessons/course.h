// workbench/lessons/course.h: the order and the levels of the shipped lessons.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/host/result.h"

// assets/lessons/course.toml: a list of [[level]] tables, each with a name, what it is about, and
// its lessons by the names of their files without “.json”. Lessons lie in assets/lessons and in
// assets/lessons/course.

namespace warpscope {

struct CourseLevel {
  std::string name, about;
  std::vector<std::string> lessons;
};

struct CoursePlace {
  std::string level;  // empty: the lesson is not in the course
  int number = 0;     // in the whole course, from 1
};

struct Course {
  std::vector<CourseLevel> levels;
  CoursePlace place_of(const std::string& lesson) const;
};

// error: input, with the line: a lesson that stands in it twice, a level without a name, an unknown
// key.
Result<Course> parse_course(const std::string& text, const std::string& file);
// The shipped one. error: environment; input.
Result<Course> shipped_course();

// The files of all shipped lessons, sorted by path; empty: there are none.
std::vector<std::filesystem::path> shipped_lesson_paths();

}  // namespace warpscope
