// profiling/agreement/agree_verdict.cpp: whether a figure agrees with its counter, and what
// explains it if not.
#include "profiling/agreement/agree_verdict.h"

#include <cmath>

#include "scenes/host/enumerators.h"

namespace warpscope {

void judge(FigureMatch& pair, bool within, Subject of, const Cause& cause) {
  pair.difference_ratio =
      *pair.counted != 0 ? *pair.ours / *pair.counted - 1 : (*pair.ours == 0 ? 0 : 1);
  pair.match = within ? Match::agrees : Match::differs;
  if (within) return;
  const Side side = *pair.ours > *pair.counted ? Side::above : Side::below;
  const KnownDifference* known =
      of.variant != nullptr ? known_difference(*of.variant, pair.figure, side, *of.axes) : nullptr;
  const std::string where = side == Side::above ? " above" : " below";
  if (known != nullptr) {
    const std::string most = format_value(known->most_ratio, "ratio");
    const std::string bound =
        (known->least_ratio > 0 ? format_value(known->least_ratio, "ratio") + " to " + most
                                : "at most " + most) +
        where + " the counter";
    const double apart = std::abs(pair.difference_ratio);
    if (apart >= known->least_ratio && apart <= known->most_ratio) {
      pair.match = Match::explained;
      pair.reason = known->reason + " (" + bound + ")";
    } else {
      pair.reason = "the known reason explains " + bound + ": " + known->reason;
    }
  } else if (cause.holds) {
    pair.match = Match::explained;
    pair.reason = cause.sentence;
  } else if (!cause.sentence.empty()) {
    pair.reason = "it is more than the known reason explains: " + cause.sentence;
  } else {
    pair.reason = "no reason is known: the figure or its counter is wrong";
  }
}

const char* to_text(Match match) {
  return named(match, {"agrees", "explained", "DIFFERS", "not comparable"});
}

MatchCounts count_matches(const std::vector<FigureMatch>& list) {
  MatchCounts counts;
  for (const FigureMatch& pair : list) {
    counts.compared += pair.match == Match::not_comparable ? 0 : 1;
    counts.agree += pair.match == Match::agrees ? 1 : 0;
    counts.explained += pair.match == Match::explained ? 1 : 0;
    counts.differ += pair.match == Match::differs ? 1 : 0;
  }
  return counts;
}

}  // namespace warpscope
