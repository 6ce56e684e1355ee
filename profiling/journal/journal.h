// profiling/journal/journal.h: the iterations of an optimisation as a tree, with what the session
// at hand says of each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiling/claims/claim.h"
#include "profiling/points/measurement.h"
#include "profiling/points/outcome_messages.h"
#include "scenes/host/result.h"

//   const Result<std::vector<Iteration>> shipped = shipped_journal("csrmm");
//   const auto entries = journal_entries(*shipped, [&](const Iteration& i) { return point_of(i); },
//                                        CacheState::warm);

namespace warpscope {

struct JournalEntry {
  Iteration iteration;
  // How far it is from the main line: the child on the path keeps its parent's depth, or, without
  // one, the last child that was not reverted; other attempts are one level deeper.
  int depth = 0;
  bool on_path = false;  // between its beginning and the last one kept of what came of that
  // From the session at hand:
  const Measurement* point = nullptr;  // with a correct output and a time; null: none
  std::optional<double> time_ns;
  // Against the parent, where both have a time: "1.42× faster", and the parent's time by its own.
  std::string against_parent;
  std::optional<double> gain_ratio;
  // How many figures were predicted, how many of these were measured, and how many of those lie
  // within kPredictionBound.
  int predicted = 0, judged = 0, right = 0;
};

// A prediction is right if it is within this share of the measured figure.
inline constexpr double kPredictionBound = 0.05;

// Depth first: of a parent's children those that led nowhere come before the one that went on.
// Parents that are not there make a beginning. `point_of`: the session's point of an iteration's
// variant, or null.
std::vector<JournalEntry> journal_entries(
    std::vector<Iteration> iterations,
    const std::function<const Measurement*(const Iteration&)>& point_of, CacheState cache);

// Where an iteration stands: the problem at hand, but for the axes that the iteration names, of the
// problem or of its variant; axes of variants that it does not name stand at their defaults. error:
// usage.
Result<Configuration> axes_of(const Scene& scene, const Iteration& iteration,
                              const Configuration& at_hand);
// The axes that differ from the defaults: "p=0.05, rows=fixed"; empty if none does.
std::string axes_text(const Scene& scene, const Iteration& iteration);

// Fills the figures and relations (profiling/claims/claim_text.h) in the words of iterations that
// ship, each at the axes where it stands; a dash where a figure is missing.
void fill_words(std::vector<JournalEntry>& entries, const ClaimContext& at_hand);

// "2 of 3 predictions lie within 5 % of what was measured"; empty: nothing was predicted and
// measured.
std::string prediction_score(const std::vector<JournalEntry>& entries);

// The iterations of the article that a scene retells, as they ship; empty: none do. error:
// environment, input.
Result<std::vector<Iteration>> shipped_journal(const std::string& scene);

// What became of it, as a mark and a word: "● kept", "× reverted", "○ open".
std::string decision_text(Decision decision);

}  // namespace warpscope
