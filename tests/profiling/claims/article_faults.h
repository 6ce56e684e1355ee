// tests/profiling/claims/article_faults.h: what is wrong with a row of a card or an entry of a
// journal that retells an article.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "profiling/claims/claim.h"
#include "profiling/points/outcome_messages.h"

namespace warpscope {

// The numbers that the article of a scene states, as it writes them: "0.36", "32". Its text is not
// part of the project; a card may quote only these numbers. Empty: the scene retells no article.
std::set<std::string> figures_of_article(const std::string& scene);

// The numbers of a text, as written, but for those that belong to a name: FP32, sm_90, 64-bit.
std::vector<std::string> numbers_in(const std::string& text);

// A saying that names its origin, which is not the article.
bool is_from_elsewhere(const std::string& said);

// Each a sentence; empty: none. A row quotes numbers of its article alone, tests each of them,
// takes averages, bests and ranges over points, says which points those are, and computes every
// number of its answer.
std::vector<std::string> faults_of(const ArticleClaim& row, const std::set<std::string>& article);
// An entry quotes numbers of its article alone, computes those of its verdict, and brings no figure
// of its own beside those of the session.
std::vector<std::string> faults_of(const Iteration& entry, const std::set<std::string>& article);

}  // namespace warpscope
