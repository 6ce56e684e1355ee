// tests/workbench/window/every_text.h: every text of scenes and lessons that may state a relation.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/lessons/course.h"
#include "workbench/lessons/lesson.h"

namespace warpscope {

struct NamedText {
  std::string where;  // "csrmm/k_tiles look at", "led.json step 3"
  const Scene* scene = nullptr;
  std::string text;
  Configuration axes;  // where it stands
};

// The texts of a lesson, each at the axes that the steps up to it have set.
inline std::vector<NamedText> texts_of_lesson(const std::filesystem::path& path) {
  static const auto catalogue = program_catalogue();  // the texts point into it
  const Lesson lesson = read_lesson(path, catalogue).value();
  const Scene* scene = catalogue->find(lesson.scene).value();
  Configuration axes = default_configuration(scene->axes);
  std::vector<NamedText> texts;
  for (const LessonStep& step : lesson.steps) {
    axes = axes_at(step, *scene, axes).value();
    const std::string where =
        path.filename().string() + " step " + std::to_string(&step - lesson.steps.data() + 1);
    texts.push_back({where, scene, with_ones(step.text), axes});
    if (!step.question) continue;
    const LessonQuestion& question = *step.question;
    for (const std::string* said : {&question.ask, &question.hint, &question.explain}) {
      if (!said->empty()) texts.push_back({where + " question", scene, with_ones(*said), axes});
    }
  }
  return texts;
}

// Those of a scene at `axes`; presets at their own.
inline std::vector<NamedText> texts_of_scene(const Scene& scene, const Configuration& axes) {
  std::vector<NamedText> texts = {{scene.name + " story", &scene, scene.story, axes}};
  for (const Preset& preset : scene.presets)
    texts.push_back({scene.name + " preset " + preset.name, &scene, preset.sentence,
                     with_values(scene.axes, axes, preset.values).value()});
  for (const Variant& variant : scene.variants) {
    const std::string where = scene.name + "/" + variant.name;
    texts.push_back({where + " sentence", &scene, variant.sentence, axes});
    texts.push_back({where + " look at", &scene, variant.look_at, axes});
  }
  return texts;
}

inline std::vector<NamedText> every_text() {
  std::vector<NamedText> texts;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (NamedText& text : texts_of_scene(scene, default_configuration(scene.axes)))
      texts.push_back(std::move(text));
  }
  for (const auto& path : shipped_lesson_paths()) {
    for (NamedText& text : texts_of_lesson(path)) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace warpscope
