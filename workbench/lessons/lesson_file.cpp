// workbench/lessons/lesson_file.cpp: a lesson from a file, with every name in it checked.
#include "scenes/host/input_file.h"
#include "scenes/host/nearest.h"
#include "workbench/lessons/lesson.h"
#include "workbench/panels/panels.h"

namespace warpscope {

Result<Lesson> read_lesson(const std::filesystem::path& path) {
  const Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const std::string name = path.filename().string();
  Result<Lesson> lesson = parse_lesson(*text, name);
  if (!lesson) return lesson;
  std::vector<std::string> panels;
  for (const PanelRow& row : all_panels()) panels.emplace_back(row.name);
  for (std::size_t at = 0; at < lesson->steps.size(); ++at) {
    const std::string& panel = lesson->steps[at].panel;
    if (panel.empty() || find_panel(panel) != nullptr) continue;
    return failure(ErrorKind::input, "there is no panel “" + panel + "”",
                   name + ", step " + std::to_string(at + 1), suggest(panel, panels));
  }
  return lesson;
}

}  // namespace warpscope
