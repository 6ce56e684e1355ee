// workbench/commands/choice/score_text.h: how a choice does, as words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "profiling/tuning/choice_table.h"

namespace warpscope {

// "40 points: 31 (78 %) within 3 % of the best variant, 34 (85 %) within 5 %, geometric mean of
// best / taken 0.981, worst 0.71"
std::string score_text(const ChoiceScore& score);
nlohmann::json score_json(const ChoiceScore& score);

// What an automatic row should reach on points that it has not seen.
struct ChoiceGoals {
  double geometric_mean = 0.985, within_5_share = 0.95, worst = 0.85;
};
bool reaches(const ChoiceScore& score, const ChoiceGoals& goals = {});

}  // namespace warpscope
