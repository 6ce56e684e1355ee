// scenes/choice/built_in.cpp: the fitted choices that are compiled in.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "scenes/choice/model.h"

namespace warpscope {
namespace {

struct ChoiceText {
  std::string_view scene, text;
};
constexpr ChoiceText kTexts[] = {
    {"", ""},  // the list may be empty otherwise
#include "choice_texts.inc"
};

// Models that were read once. They stay where they are.
class KeptModels {
 public:
  // What `text_of` makes of the scene's text, as a model. Null: there is no such scene.
  template <typename TextOf>
  const ChoiceModel* of(std::string_view scene, TextOf text_of) {
    const std::lock_guard lock(mutex_);
    if (const auto known = models_.find(scene); known != models_.end()) return &known->second;
    for (const ChoiceText& each : kTexts) {
      if (each.scene != scene || each.text.empty()) continue;
      Result<ChoiceModel> model = parse_choice_model(text_of(each.text), std::string(scene));
      if (model) return &models_.emplace(scene, std::move(*model)).first->second;
    }
    return nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, ChoiceModel, std::less<>> models_;
};

// The lines that are not trees.
std::string without_trees(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, newline + 1);
    if (!line.starts_with("tree ") && !line.starts_with("time_tree ")) rest += line;
    text.remove_prefix(line.size());
  }
  return rest;
}

}  // namespace

const ChoiceModel* built_in_choice(std::string_view scene) {
  static KeptModels models;
  return models.of(scene, [](std::string_view text) { return text; });
}

const ChoiceModel* built_in_outline(std::string_view scene) {
  static KeptModels outlines;
  return outlines.of(scene, without_trees);
}

}  // namespace warpscope
