// profiling/export/hard_verdicts.h: how variants stood the hard cases of their scenes, as sentences
// and tables.
#pragma once

#include <string>
#include <vector>

#include "profiling/points/outcome_messages.h"

namespace warpscope {

// "csrmm/row_cache at one_odd_weight (m=33,…): wrong; first c[0, 0] is 2, 1.5 expected; …"
std::string sentence_of(const HardVerdict& verdict);

// CSV, a row a variant and case: scene, variant, case, configuration, verdict, finding (yes or no),
// first_wrong, found, expected, elements_checked, elements_beyond_bound, sentence, remedy, toolkit.
std::string hard_verdicts_csv(const std::vector<const HardVerdict*>& verdicts);
// The messages themselves, as a list.
std::string hard_verdicts_json(const std::vector<const HardVerdict*>& verdicts);

}  // namespace warpscope
