// scenes/choice/built_in.cpp: the fitted choices that are compiled in.
#include <map>
#include <string>

#include "scenes/choice/model.h"

namespace warpscope {
namespace {

struct ChoiceText {
  const char *scene, *text;
};
constexpr ChoiceText kTexts[] = {
    {"", ""},  // the list may be empty otherwise
#include "choice_texts.inc"
};

}  // namespace

const ChoiceModel* built_in_choice(std::string_view scene) {
  static const std::map<std::string, ChoiceModel, std::less<>> models = [] {
    std::map<std::string, ChoiceModel, std::less<>> all;
    for (const ChoiceText& each : kTexts) {
      Result<ChoiceModel> model = parse_choice_model(each.text, each.scene);
      if (model) all.emplace(each.scene, std::move(*model));
    }
    return all;
  }();
  const auto found = models.find(scene);
  return found == models.end() ? nullptr : &found->second;
}

}  // namespace warpscope
