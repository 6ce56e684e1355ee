// profiling/grading/goal.cpp: sentences of goals, read.
#include "profiling/grading/goal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "profiling/gate/gate_record.h"

namespace warpscope {
namespace {

constexpr const char* kForms =
    "write “right at every size”, “no fault”, “no bank conflict”, “at most 4 sectors per request "
    "for every global access”, “at most 24576 sectors of global memory”, “at most 50 % of the "
    "starter's warp instructions” or “at least 1.5x as fast as the starter on a GPU”";

// Takes a beginning off the text, if it has it.
bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  take(text, " ");
  return value;
}

const GateCountRow* count_named(std::string_view name) {
  const auto rows = gate_counts();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const GateCountRow& row) {
    return name == row.id || name == row.label;
  });
  return found == rows.end() ? nullptr : &*found;
}

class Sentence {
 public:
  explicit Sentence(std::string_view text) : all_(text), text_(text) { goal_.text = text; }

  Result<Goal> read() {
    if (text_ == "right at every size") return of(GoalKind::right, "right");
    if (text_ == "no fault") return of(GoalKind::no_fault, "no fault");
    take_step();
    if (take(text_, "no ")) return finding();
    const bool most = take(text_, "at most ");
    if (!most && !take(text_, "at least ")) return unknown();
    const std::optional<double> limit = take_number(text_);
    if (!limit) return unknown();
    goal_.limit = *limit;
    if (!most && text_ == "x as fast as the starter on a GPU") return of(GoalKind::speed, "speed");
    if (most && take(text_, "% of the starter's ")) return of_starter();
    for (const auto& [space, beginning] :
         {std::pair(Space::global, "sectors per request for every global "),
          std::pair(Space::shared, "wavefronts per request for every shared ")}) {
      if (most && take(text_, beginning)) return per_request(space);
    }
    return count(most);
  }

 private:
  Result<Goal> of(GoalKind kind, std::string name) {
    goal_.kind = kind;
    goal_.name = std::move(name);
    return std::move(goal_);
  }

  tl::unexpected<Error> unknown() const {
    return failure(ErrorKind::input, "“" + std::string(all_) + "” is not a goal", "", kForms);
  }

  // A kernel's name is one word, after the last "in".
  void take_step() {
    constexpr std::string_view kIn = " in ";
    const std::size_t at = text_.rfind(kIn);
    if (at == std::string_view::npos) return;
    const std::string_view step = text_.substr(at + kIn.size());
    if (step.empty() || step.find(' ') != std::string_view::npos) return;
    goal_.step = step;
    text_ = text_.substr(0, at);
  }

  Result<Goal> finding() {
    std::string known;
    for (const FindingRule& rule : finding_rules()) {
      if (rule.kind == FindingKind::stopped_at_limit) continue;
      if (text_ == rule.title || text_ == rule.id) {
        goal_.finding = rule.kind;
        return of(GoalKind::no_finding, std::string("no ") + rule.title);
      }
      known += (known.empty() ? "" : ", ") + std::string(rule.title);
    }
    return failure(ErrorKind::input, "there is no finding “" + std::string(text_) + "”", "",
                   "write “no fault”, or “no” and one of: " + known);
  }

  Result<Goal> of_starter() {
    const GateCountRow* row = count_named(text_);
    if (row == nullptr || row->more) return no_count();
    constexpr double kWhole = 100;
    goal_.limit /= kWhole;
    goal_.count = row->id;
    return of(GoalKind::of_starter, row->label);
  }

  Result<Goal> per_request(Space space) {
    constexpr std::pair<std::string_view, GoalAccess> kWords[] = {{"access", GoalAccess::any},
                                                                  {"load", GoalAccess::load},
                                                                  {"store", GoalAccess::store},
                                                                  {"atomic", GoalAccess::atomic}};
    for (const auto& [word, access] : kWords) {
      if (text_ != word) continue;
      goal_.space = space;
      goal_.access = access;
      return of(GoalKind::per_request,
                space == Space::global ? "sectors per request" : "wavefronts per request");
    }
    return unknown();
  }

  Result<Goal> count(bool most) {
    const GateCountRow* row = count_named(text_);
    if (row == nullptr) return no_count();
    if (row->more == most)
      return failure(ErrorKind::input, "“" + std::string(all_) + "” limits the wrong side", "",
                     row->more ? "write “at least”: more of it is better"
                               : "write “at most”: less of it is better");
    goal_.count = row->id;
    return of(GoalKind::count, row->label);
  }

  tl::unexpected<Error> no_count() const {
    return failure(ErrorKind::input, "there is no count “" + std::string(text_) + "” to limit", "",
                   "choose from " + gate_count_names());
  }

  std::string_view all_, text_;
  Goal goal_;
};

}  // namespace

Result<Goal> parse_goal(std::string_view sentence) { return Sentence(sentence).read(); }

bool needs_compiler(const Goal& goal) {
  const GateCountRow* row = find_gate_count(goal.count);
  return row != nullptr && !row->lines;
}

bool is_about(const Goal& goal, const AccessSite& site) {
  if (site.space != goal.space || site.totals.requests == 0) return false;
  const bool atomic = site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
  const bool store = site.kind == AccessKind::store || site.kind == AccessKind::matrix_store;
  switch (goal.access) {
    case GoalAccess::any:
      return true;
    case GoalAccess::load:
      return !atomic && !store;
    case GoalAccess::store:
      return store;
    case GoalAccess::atomic:
      return atomic;
  }
  return false;
}

}  // namespace warpscope
