// profiling/export/hard_verdicts.cpp: how variants stood the hard cases of their scenes, as
// sentences and tables.
#include "profiling/export/hard_verdicts.h"

#include <nlohmann/json.hpp>

#include "profiling/figures/csv_text.h"
#include "profiling/messages/json_codec.h"

namespace warpscope {

std::string sentence_of(const HardVerdict& v) {
  std::string text = v.point.scene + "/" + v.point.variant + " at " + v.hard_case + " (" +
                     v.point.key + "): " + to_text(v.verdict.outcome);
  if (v.first_wrong) {
    text += "; the first wrong element, " + v.first_wrong->at + ", is " + v.first_wrong->found +
            ", " + v.first_wrong->expected + " expected";
  }
  return v.verdict.sentence.empty() ? text : text + "; " + v.verdict.sentence;
}

std::string hard_verdicts_csv(const std::vector<const HardVerdict*>& verdicts) {
  std::string csv = csv_row({"scene", "variant", "case", "configuration", "verdict", "finding",
                             "first_wrong", "found", "expected", "elements_checked",
                             "elements_beyond_bound", "sentence", "remedy", "toolkit"});
  for (const HardVerdict* v : verdicts) {
    const WrongElement wrong = v->first_wrong.value_or(WrongElement{});
    const bool checked = v->verdict.checked_elements > 0;
    csv += csv_row({v->point.scene, v->point.variant, v->hard_case, v->point.key,
                    to_text(v->verdict.outcome), v->finding ? "yes" : "no", wrong.at, wrong.found,
                    wrong.expected, checked ? std::to_string(v->verdict.checked_elements) : "",
                    checked ? std::to_string(v->verdict.mismatches) : "", v->verdict.sentence,
                    v->verdict.remedy, v->conditions.toolkit});
  }
  return csv;
}

std::string hard_verdicts_json(const std::vector<const HardVerdict*>& verdicts) {
  nlohmann::json list = nlohmann::json::array();
  for (const HardVerdict* verdict : verdicts) list.push_back(encode(*verdict));
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace warpscope
