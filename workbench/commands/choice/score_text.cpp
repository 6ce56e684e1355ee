// workbench/commands/choice/score_text.cpp: how a choice does, as words and as JSON.
#include "workbench/commands/choice/score_text.h"

#include <fmt/format.h>

#include "scenes/base/plural.h"

namespace warpscope {
namespace {

double share(int count, int of) { return of > 0 ? static_cast<double>(count) / of : 0; }

}  // namespace

std::string score_text(const ChoiceScore& score) {
  const int known = score.known();
  std::string text = fmt::format(
      "{}: {} ({:.0f} %) within 3 % of the best variant, {} ({:.0f} %) within 5 %, geometric mean "
      "of "
      "best / taken {:.3f}, worst {:.3f}",
      plural(known, "point"), score.within_3, 100 * share(score.within_3, known), score.within_5,
      100 * share(score.within_5, known), score.geometric_mean, score.worst);
  if (score.refused > 0)
    text += fmt::format("; at {} more the taken variant was wrong or did not run", score.refused);
  if (score.unknown > score.refused)
    text += fmt::format("; at {} more the taken variant was not measured",
                        score.unknown - score.refused);
  return text;
}

nlohmann::json score_json(const ChoiceScore& score) {
  return {{"points", score.known()},
          {"unknown", score.unknown},
          {"refused", score.refused},
          {"within_3_percent", score.within_3},
          {"within_5_percent", score.within_5},
          {"geometric_mean", score.geometric_mean},
          {"worst", score.worst}};
}

bool reaches(const ChoiceScore& score, const ChoiceGoals& goals) {
  return score.known() > 0 && score.refused == 0 && score.geometric_mean >= goals.geometric_mean &&
         share(score.within_5, score.known()) >= goals.within_5_share && score.worst >= goals.worst;
}

}  // namespace warpscope
