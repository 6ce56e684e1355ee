// tests/profiling/agreement/mutated_session.h: a session with some counters multiplied, to see what
// notices.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "profiling/agreement/agree.h"
#include "profiling/session/session.h"

namespace warpscope {

using Mutated = std::function<bool(const std::string& id)>;

inline void multiply(std::vector<MetricValue>& metrics, const Mutated& which, double factor) {
  for (MetricValue& value : metrics) {
    if (value.value && value.origin == Origin::measured && which(value.id)) *value.value *= factor;
  }
}

// Every point, with the traces that stand beside it.
inline Session mutated(const Session& session, const Mutated& which, double factor) {
  Session made;
  if (session.engine() != nullptr) made.apply(*session.engine());
  for (const Measurement* point : session.all_points()) {
    Measurement copy = *point;
    multiply(copy.metrics, which, factor);
    for (StepRecord& step : copy.steps) multiply(step.metrics, which, factor);
    made.apply(copy);
  }
  for (const Trace* trace : session.traces()) made.apply(*trace);
  return made;
}

inline std::string name_of(const FigureMatch& pair) {
  return pair.figure + " of " + pair.scene + "/" + pair.variant +
         (pair.step.empty() ? "" : ", " + pair.step) + " at " + pair.key;
}

// The pairs that are compared before and are not afterwards: in order, as a session of two cards
// has a pair of each, which have one name.
inline std::vector<std::string> no_longer_compared(const std::vector<FigureMatch>& before,
                                                   const std::vector<FigureMatch>& after) {
  std::vector<std::string> lost;
  if (before.size() != after.size()) lost.emplace_back("some: there are other pairs than before");
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].match != Match::not_comparable && after[i].match == Match::not_comparable)
      lost.push_back(name_of(before[i]));
  }
  return lost;
}

// Whether a figure is compared with something made from this counter.
inline bool enters(const FigureMatch& pair, const std::string& counter) {
  std::size_t at = pair.counter.find(counter);
  while (at != std::string::npos) {
    const std::size_t end = at + counter.size();
    const bool whole = end == pair.counter.size() ||
                       (pair.counter[end] != '_' &&
                        std::isalnum(static_cast<unsigned char>(pair.counter[end])) == 0);
    if (whole) return true;
    at = pair.counter.find(counter, end);
  }
  return false;
}

// The pairs that a mutation of these counters must turn into findings and does not.
inline std::vector<std::string> unnoticed(
    const Session& session, const std::function<std::vector<FigureMatch>(const Session&)>& agree,
    const std::set<std::string>& counters, double factor) {
  const auto is_mutated = [&](const std::string& id) { return counters.count(id) != 0; };
  std::vector<std::string> missed;
  const std::vector<FigureMatch> before = agree(session),
                                 after = agree(mutated(session, is_mutated, factor));
  // In order: a session of two cards has a pair of each, which have one name.
  if (before.size() != after.size()) missed.emplace_back("there are other pairs than before");
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const FigureMatch &was = before[i], &is = after[i];
    bool concerned = false;
    for (const std::string& counter : counters) concerned = concerned || enters(was, counter);
    if (was.match == Match::not_comparable || was.match == Match::differs || !concerned) continue;
    if (name_of(is) != name_of(was) || is.match != Match::differs)
      missed.push_back(name_of(was) + ": " + to_text(was.match) + ", then " + to_text(is.match));
  }
  return missed;
}

}  // namespace warpscope
