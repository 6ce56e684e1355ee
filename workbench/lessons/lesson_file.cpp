// workbench/lessons/lesson_file.cpp: a lesson from a file, with every name in it checked.
#include "scenes/base/source.h"
#include "scenes/host/input_file.h"
#include "scenes/host/nearest.h"
#include "workbench/lessons/lesson.h"
#include "workbench/panels/panels.h"

namespace warpscope {

namespace {

Result<void> check_panel(const std::string& panel, const std::string& where) {
  if (panel.empty() || find_panel(panel) != nullptr) return {};
  std::vector<std::string> panels;
  for (const PanelRow& row : all_panels()) panels.emplace_back(row.name);
  return failure(ErrorKind::input, "there is no panel “" + panel + "”", where,
                 suggest(panel, panels));
}

// A spotlight or a request that names a line takes the first line with these words, in whichever
// kernel is shown.
Result<void> check_line(const Catalogue& catalogue, const std::string& words,
                        const std::string& scene, const std::string& where) {
  if (words.empty()) return {};
  const auto sources = catalogue.sources_of(scene);
  if (!sources) return tl::unexpected(sources.error());
  for (const KernelSource& source : **sources) {
    if (source.text.find(words) != std::string::npos) return {};
  }
  return failure(ErrorKind::input, "no kernel of " + scene + " has a line with “" + words + "”",
                 where, "copy some words of the line from the kernel's file");
}

}  // namespace

Result<Lesson> read_lesson(const std::filesystem::path& path,
                           const std::shared_ptr<Catalogue>& catalogue) {
  const Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const std::string name = path.filename().string();
  Result<Lesson> lesson = parse_lesson(*text, name, catalogue);
  if (!lesson) return lesson;
  for (std::size_t at = 0; at < lesson->steps.size(); ++at) {
    const LessonStep& step = lesson->steps[at];
    const std::string where = name + ", step " + std::to_string(at + 1);
    for (const std::string* panel :
         {&step.panel, &step.maximise, &step.spotlight.panel, &step.answer_spotlight.panel}) {
      if (Result<void> known = check_panel(*panel, where); !known)
        return tl::unexpected(known.error());
    }
    const std::string asked = step.question ? step.question->line : "";
    for (const std::string* line :
         {&step.spotlight.line, &step.request.line, &step.answer_spotlight.line, &asked}) {
      if (Result<void> known = check_line(*catalogue, *line, lesson->scene, where); !known)
        return tl::unexpected(known.error());
    }
  }
  return lesson;
}

}  // namespace warpscope
