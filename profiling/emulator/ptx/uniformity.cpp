// profiling/emulator/ptx/uniformity.cpp: which registers of PTX can differ between the lanes of a
// warp.
#include "profiling/emulator/ptx/uniformity.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpscope {
namespace {

using Names = std::unordered_set<std::string_view>;

std::string_view base_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool has(std::string_view opcode, std::string_view part) {
  return opcode.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Instructions without a result in their first operand.
bool gives_nothing(std::string_view opcode) {
  constexpr std::string_view kNone[] = {
      "st",    "red", "bra",      "brx",       "ret",      "exit",      "trap",  "call",   "membar",
      "fence", "cp",  "stmatrix", "nanosleep", "prefetch", "prefetchu", "brkpt", "pmevent"};
  const std::string_view base = base_of(opcode);
  if (base == "bar" || base == "barrier") return !has(opcode, ".red");
  return is_one_of(base, kNone) || has(opcode, "wmma.store");
}

// Special registers that differ between lanes.
bool is_lane_register(std::string_view name) {
  return name.starts_with("%tid") || name.starts_with("%laneid") || name.starts_with("%lanemask");
}

// Statements looked at, far beyond the few passes over a real kernel. A text that was made to need
// more is not analysed: everything in it may differ.
constexpr std::size_t kMostSteps = 10'000'000;

class Analysis {
 public:
  Analysis(const PtxModule& module, const PtxFunction& function)
      : module_(module), function_(function), parted_(function.body.size(), false) {
    const auto& body = function.body;
    for (std::size_t k = 0; k < body.size(); ++k) {
      if (body[k].kind == PtxStatement::Kind::label) labels_[body[k].name] = k;
      if (body[k].kind != PtxStatement::Kind::instruction) continue;
      for_results(body[k], [&](std::string_view name) { ++definitions_[name]; });
    }
  }

  Names run() {
    std::size_t before = 0;
    do {
      before = dependent_.size();
      for (std::size_t k = 0; k < function_.body.size(); ++k) {
        if (function_.body[k].kind == PtxStatement::Kind::instruction) visit(k);
        if (++steps_ > kMostSteps) return all_names();
      }
    } while (dependent_.size() != before || std::exchange(parted_more_, false));
    return std::move(dependent_);
  }

 private:
  Names all_names() const {
    Names all;
    for (const auto& [name, count] : definitions_) all.insert(name);
    return all;
  }
  template <typename F>
  void for_names(const PtxOperand& o, F function) const {
    if (o.kind == PtxOperand::Kind::vector) {
      for (std::uint32_t k = 0; k < o.count; ++k)
        for_names(module_.operands[o.first + k], function);
      return;
    }
    if (!o.name.empty()) function(o.name);
    if (!o.second.empty()) function(o.second);
  }
  template <typename F>
  void for_results(const PtxStatement& s, F function) const {
    if (s.count > 0 && !gives_nothing(s.name)) for_names(module_.operands[s.first], function);
  }
  bool differs(const PtxOperand& o) const {
    bool found = false;
    for_names(o, [&](std::string_view name) {
      found = found || is_lane_register(name) || dependent_.contains(name);
    });
    return found;
  }
  const PtxOperand* operand(const PtxStatement& s, std::uint32_t k) const {
    return k < s.count ? &module_.operands[s.first + k] : nullptr;
  }

  // Whether a load of a parameter reads one of the kernel, not one of a call.
  bool of_the_kernel(const PtxStatement& s) const {
    const PtxOperand* from = operand(s, 1);
    return function_.entry && from != nullptr &&
           std::any_of(function_.parameters.begin(), function_.parameters.end(),
                       [&](const PtxVariable& p) { return p.name == from->name; });
  }

  // Whether the result of an instruction differs between lanes, by its opcode and operands.
  bool result_differs(const PtxStatement& s) const {
    const std::string_view base = base_of(s.name);
    constexpr std::string_view kAlways[] = {"atom",    "match", "elect",    "bar",
                                            "barrier", "mma",   "ldmatrix", "wmma"};
    constexpr std::string_view kNever[] = {"vote", "redux", "activemask"};
    if (is_one_of(base, kAlways)) return true;
    if (is_one_of(base, kNever)) return false;
    if (base == "shfl") {
      // From one lane to all of the warp: the operands are value, lane and clamp.
      const PtxOperand *lane = operand(s, 2), *clamp = operand(s, 3);
      constexpr std::int64_t kWholeWarp = 31;
      return !has(s.name, ".idx") || lane == nullptr || clamp == nullptr || differs(*lane) ||
             clamp->kind != PtxOperand::Kind::integer || clamp->value != kWholeWarp;
    }
    if (base == "ld" && has(s.name, ".local")) return true;
    if (base == "ld" && has(s.name, ".param") && !of_the_kernel(s)) return true;
    for (std::uint32_t k = 1; k < s.count; ++k) {
      if (differs(module_.operands[s.first + k])) return true;
    }
    return false;
  }

  void visit(std::size_t at) {
    const PtxStatement& s = function_.body[at];
    const bool guarded = !s.guard.empty() && dependent_.contains(s.guard);
    const std::string_view base = base_of(s.name);
    if (base == "bra" || base == "brx") return branch(at, guarded);
    const bool differ = guarded || result_differs(s);
    for_results(s, [&](std::string_view name) {
      if (differ || (parted_[at] && definitions_[name] > 1)) dependent_.insert(name);
    });
  }

  // Lanes part at a branch that some of them take, up to where it leads; those that it leads out of
  // the kernel leave the others together.
  void branch(std::size_t at, bool some) {
    const PtxStatement& s = function_.body[at];
    const PtxOperand* first = operand(s, 0);
    if (first == nullptr) return;
    if (base_of(s.name) == "brx") {
      if (differs(*first)) part(at, function_.body.size());
      return;
    }
    const auto target = labels_.find(first->name);
    if (target == labels_.end()) return;
    const bool leaves = target->second > at && ends(target->second);
    if (some && !leaves) part(std::min(at, target->second), std::max(at, target->second));
    // The code that the jump skips, the other path, is divergent too.
    if (parted_[at] && s.guard.empty() && target->second > at) part(at, target->second);
  }
  bool ends(std::size_t label) const {
    for (std::size_t k = label; k < function_.body.size(); ++k) {
      if (function_.body[k].kind != PtxStatement::Kind::instruction) continue;
      const std::string_view base = base_of(function_.body[k].name);
      return base == "ret" || base == "exit";
    }
    return true;
  }
  void part(std::size_t first, std::size_t last) {
    constexpr std::size_t kMarksAStep = 16;  // to mark one takes less than to look at one
    steps_ += (last - std::min(first, last)) / kMarksAStep;
    for (std::size_t k = first; k < last; ++k) {
      if (!parted_[k]) parted_more_ = true;
      parted_[k] = true;
    }
  }

  const PtxModule& module_;
  const PtxFunction& function_;
  std::unordered_map<std::string_view, std::size_t> labels_;
  std::unordered_map<std::string_view, int> definitions_;
  std::vector<bool> parted_;  // by statement: lanes may have parted here
  bool parted_more_ = false;
  std::size_t steps_ = 0;
  Names dependent_;
};

}  // namespace

Names lane_dependent_registers(const PtxModule& module, const PtxFunction& function) {
  return Analysis(module, function).run();
}

}  // namespace warpscope
