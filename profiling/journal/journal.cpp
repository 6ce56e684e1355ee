// profiling/journal/journal.cpp: the iterations of an optimisation as a tree, with what the session
// at hand says of each.
#include "profiling/journal/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "profiling/claims/claim_text.h"
#include "profiling/points/point.h"
#include "profiling/session/session.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

const std::optional<Timing>& timing_at(const Measurement& point, CacheState cache) {
  return cache == CacheState::cold ? point.cold : point.warm;
}

// Iterations by number, and the children of each.
class Tree {
 public:
  explicit Tree(std::vector<Iteration> iterations) {
    for (Iteration& i : iterations) all_.insert_or_assign(i.number, std::move(i));
    for (const auto& [number, iteration] : all_) {
      // A parent has a smaller number, so that there is no circle.
      const bool known = iteration.parent < number && all_.count(iteration.parent) != 0;
      children_[known ? iteration.parent : kNone].push_back(number);
      parents_[number] = known ? iteration.parent : kNone;
    }
    mark_path();
  }

  // Every iteration with its depth, depth first.
  template <typename Visit>
  void walk(const Visit& visit) const {
    const auto beginnings = children_.find(kNone);
    if (beginnings == children_.end()) return;
    for (const std::int64_t number : beginnings->second) walk_from(number, 0, visit);
  }
  const Iteration& at(std::int64_t number) const { return all_.at(number); }
  std::int64_t parent(std::int64_t number) const { return parents_.at(number); }
  bool on_path(std::int64_t number) const { return path_.count(number) != 0; }

  static constexpr std::int64_t kNone = 0;  // no iteration has it

 private:
  // From the last one kept of each beginning back to it.
  void mark_path() {
    std::set<std::int64_t> marked;  // beginnings
    for (auto last = all_.rbegin(); last != all_.rend(); ++last) {
      if (last->second.decision != Decision::kept) continue;
      std::int64_t beginning = last->first;
      while (parents_.at(beginning) != kNone) beginning = parents_.at(beginning);
      if (!marked.insert(beginning).second) continue;
      for (std::int64_t at = last->first; at != kNone; at = parents_.at(at)) path_.insert(at);
    }
  }
  // Which child goes on: that on the path, else the last that was not reverted, else none.
  std::int64_t goes_on(const std::vector<std::int64_t>& children) const {
    std::int64_t chosen = kNone;
    for (const std::int64_t child : children) {
      if (path_.count(child) != 0) return child;
      if (all_.at(child).decision != Decision::reverted) chosen = child;
    }
    return chosen;
  }
  template <typename Visit>
  void walk_from(std::int64_t number, int depth, const Visit& visit) const {
    while (number != kNone) {
      visit(number, depth);
      const auto found = children_.find(number);
      if (found == children_.end()) return;
      const std::int64_t next = goes_on(found->second);
      for (const std::int64_t child : found->second) {
        if (child != next) walk_from(child, depth + 1, visit);
      }
      number = next;
    }
  }

  std::map<std::int64_t, Iteration> all_;
  std::map<std::int64_t, std::vector<std::int64_t>> children_;
  std::map<std::int64_t, std::int64_t> parents_;
  std::set<std::int64_t> path_;
};

const Measurement* usable(const Measurement* point, CacheState cache) {
  const bool correct = point != nullptr && point->verdict.outcome == Outcome::correct;
  return correct && timing_at(*point, cache) ? point : nullptr;
}

// What was predicted at one configuration is compared with no point of another.
void judge_predictions(JournalEntry& entry) {
  const bool there = entry.point != nullptr && (entry.iteration.problem.empty() ||
                                                entry.iteration.problem == entry.point->problem);
  for (const MetricValue& predicted : entry.iteration.predicted) {
    if (!predicted.value) continue;
    ++entry.predicted;
    auto measured = value_of(entry.iteration.measured, predicted.id);
    if (!measured && there) measured = value_of(entry.point->metrics, predicted.id);
    if (!measured) continue;
    ++entry.judged;
    if (std::abs(*predicted.value - *measured) <= kPredictionBound * std::abs(*measured))
      ++entry.right;
  }
}

}  // namespace

std::vector<JournalEntry> journal_entries(
    std::vector<Iteration> iterations,
    const std::function<const Measurement*(const Iteration&)>& point_of, CacheState cache) {
  const Tree tree(std::move(iterations));
  std::vector<JournalEntry> entries;
  std::map<std::int64_t, const Measurement*> points;
  tree.walk([&](std::int64_t number, int depth) {
    JournalEntry entry;
    entry.iteration = tree.at(number);
    entry.depth = depth;
    entry.on_path = tree.on_path(number);
    entry.point = points[number] = usable(point_of(entry.iteration), cache);
    if (entry.point != nullptr) entry.time_ns = timing_at(*entry.point, cache)->median_ns;
    const auto parent = points.find(tree.parent(number));
    if (entry.point != nullptr && parent != points.end() && parent->second != nullptr &&
        parent->second != entry.point) {
      entry.against_parent = compare_times(*parent->second, *entry.point, cache).sentence;
      if (comparable(*parent->second, *entry.point))
        entry.gain_ratio = timing_at(*parent->second, cache)->median_ns / *entry.time_ns;
    }
    judge_predictions(entry);
    entries.push_back(std::move(entry));
  });
  return entries;
}

Result<Configuration> axes_of(const Scene& scene, const Iteration& iteration,
                              const Configuration& at_hand) {
  Configuration axes = default_configuration(scene.axes);
  for (const Axis& axis : scene.axes) {
    if (of_problem(axis) && at_hand.has(axis.name)) axes.set(axis.name, at_hand.at(axis.name));
  }
  return with_values(scene.axes, axes, iteration.axes);
}

std::string axes_text(const Scene& scene, const Iteration& iteration) {
  const auto axes = with_values(scene.axes, default_configuration(scene.axes), iteration.axes);
  if (!axes) return "";
  const Configuration usual =
      for_variant(scene.axes, default_configuration(scene.axes), iteration.variant);
  std::string text;
  for (const Axis& axis : scene.axes) {
    if (iteration.axes.count(axis.name) == 0) continue;
    if (usual.has(axis.name) && usual.at(axis.name) == axes->at(axis.name)) continue;
    text += (text.empty() ? "" : ", ") + axis.name + "=" + to_text(axes->at(axis.name));
  }
  return text;
}

void fill_words(std::vector<JournalEntry>& entries, const ClaimContext& at_hand) {
  for (JournalEntry& entry : entries) {
    const Result<Configuration> axes = axes_of(*at_hand.scene, entry.iteration, at_hand.axes);
    if (!axes) continue;
    ClaimContext there = at_hand;
    there.axes = *axes;
    for (std::string* words :
         {&entry.iteration.hypothesis, &entry.iteration.said, &entry.iteration.verdict})
      *words = resolve(
          *words, there, [](const QuotedFigure&) { return std::optional<std::string>("–"); },
          [](const ClaimFigureText&) { return std::string("–"); });
  }
}

std::string prediction_score(const std::vector<JournalEntry>& entries) {
  int judged = 0, right = 0;
  for (const JournalEntry& entry : entries) {
    judged += entry.judged;
    right += entry.right;
  }
  if (judged == 0) return "";
  return fmt::format("{} of {} predictions lie within {:.0f} % of what was measured", right, judged,
                     100 * kPredictionBound);
}

Result<std::vector<Iteration>> shipped_journal(const std::string& scene) {
  const Result<std::filesystem::path> home = home_folder();
  if (!home) return tl::unexpected(home.error());
  const std::filesystem::path file = *home / "assets" / "journals" / (scene + ".wsj");
  if (!std::filesystem::exists(file)) return std::vector<Iteration>{};
  const Result<SessionReading> reading = read_session(file);
  if (!reading) return tl::unexpected(reading.error());
  std::vector<Iteration> iterations;
  for (const Iteration* each : reading->session.outcomes().iterations()) {
    if (each->scene == scene) iterations.push_back(*each);
  }
  return iterations;
}

std::string decision_text(Decision decision) {
  const char* mark = decision == Decision::kept       ? "● "
                     : decision == Decision::reverted ? "× "
                                                      : "○ ";
  return mark + std::string(to_text(decision));
}

}  // namespace warpscope
