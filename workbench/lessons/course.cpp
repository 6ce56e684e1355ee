// workbench/lessons/course.cpp: the order and the levels of the shipped lessons.
#include "workbench/lessons/course.h"

#include <algorithm>
#include <set>

#include "scenes/folder/description_node.h"
#include "scenes/host/input_file.h"
#include "scenes/host/nearest.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostBytes = 1 << 16;

tl::unexpected<Error> wrong_course(const std::string& file, int line, std::string what,
                                   std::string remedy) {
  return failure(ErrorKind::input, std::move(what), file + ":" + std::to_string(line),
                 std::move(remedy));
}

// Takes one entry of a level.
Result<void> take_entry(const Node& node, const std::string& file, std::set<std::string>& known,
                        CourseLevel& level) {
  if (node.key == "name" || node.key == "about") {
    if (node.kind != Node::Kind::text)
      return wrong_course(file, node.line, "“" + node.key + "” of a level must be a text",
                          "put it in quotes");
    (node.key == "name" ? level.name : level.about) = node.text;
    return {};
  }
  if (node.key != "lessons")
    return wrong_course(file, node.line, "a level has no key “" + node.key + "”",
                        suggest(node.key, {"name", "about", "lessons"}));
  for (const Node& item : node.items) {
    if (item.kind != Node::Kind::text)
      return wrong_course(file, item.line, "the lessons of a level must be names of files",
                          R"(write them as "coalescing")");
    if (!known.insert(item.text).second)
      return wrong_course(file, item.line, "the lesson “" + item.text + "” is in the course twice",
                          "leave it out once");
    level.lessons.push_back(item.text);
  }
  return {};
}

}  // namespace

CoursePlace Course::place_of(const std::string& lesson) const {
  int number = 0;
  for (const CourseLevel& level : levels) {
    for (const std::string& each : level.lessons) {
      ++number;
      if (each == lesson) return {level.name, number};
    }
  }
  return {};
}

Result<Course> parse_course(const std::string& text, const std::string& file) {
  const Result<Node> root = parse_description(text, file);
  if (!root) return tl::unexpected(root.error());
  Course course;
  std::set<std::string> known;
  for (const Node& list : root->items) {
    if (list.key != "level" || list.kind != Node::Kind::list)
      return wrong_course(file, list.line, "a course has no key “" + list.key + "”",
                          "begin each level with [[level]]");
    for (const Node& table : list.items) {
      CourseLevel level;
      for (const Node& entry : table.items) {
        if (Result<void> taken = take_entry(entry, file, known, level); !taken)
          return tl::unexpected(taken.error());
      }
      if (level.name.empty() || level.lessons.empty())
        return wrong_course(file, table.line, "a level needs a name and lessons", "add them");
      course.levels.push_back(std::move(level));
    }
  }
  return course;
}

Result<Course> shipped_course() {
  const auto home = home_folder();
  if (!home) return tl::unexpected(home.error());
  const std::filesystem::path path = *home / "assets" / "lessons" / "course.toml";
  const Result<std::string> text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_course(*text, path.filename().string());
}

std::vector<std::filesystem::path> shipped_lesson_paths() {
  std::vector<std::filesystem::path> paths;
  const auto home = home_folder();
  if (!home) return paths;
  const std::filesystem::path folder = *home / "assets" / "lessons";
  std::error_code ignored;
  for (const std::filesystem::path& each : {folder, folder / "course"}) {
    for (std::filesystem::directory_iterator entry(each, ignored), end; entry != end;
         entry.increment(ignored)) {
      if (entry->path().extension() == ".json") paths.push_back(entry->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace warpscope
