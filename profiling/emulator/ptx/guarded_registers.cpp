// profiling/emulator/ptx/guarded_registers.cpp: registers whose value matters only under a
// condition.
#include "profiling/emulator/ptx/guarded_registers.h"

#include <algorithm>

namespace warpscope {
namespace {

using Names = std::unordered_set<std::string_view>;

// What a statement does with its operands, the first of which is its result.
enum class Use { compares, chooses, combines, loads, other };

Use use_of(const PtxStatement& s) {
  const std::string_view base = s.name.substr(0, s.name.find('.'));
  if (base == "setp" && s.count == 3) return Use::compares;
  if (base == "selp") return Use::chooses;
  if (s.name == "and.pred" || s.name == "or.pred" || s.name == "not.pred") return Use::combines;
  return base == "ld" ? Use::loads : Use::other;
}

class Uses {
 public:
  Uses(const PtxModule& module, const PtxFunction& function) : module_(module) {
    for (const PtxStatement& s : function.body) {
      if (s.kind == PtxStatement::Kind::instruction) take(s);
    }
  }

  Names guarded(const PtxFunction& function) const {
    Names names;
    for (const std::string_view name : loaded_) {
      if (compared_.count(name) != 0 && other_.count(name) == 0) names.insert(name);
    }
    if (names.empty()) return names;
    return results_go_elsewhere(function, names) ? Names{} : names;
  }

 private:
  void take(const PtxStatement& s) {
    const Use use = use_of(s);
    for (std::uint32_t k = 0; k < s.count; ++k) {
      const PtxOperand& o = module_.operands[s.first + k];
      const bool result = k == 0 && o.kind == PtxOperand::Kind::name;
      if (result && use == Use::loads) {
        loaded_.insert(o.name);
      } else if ((use == Use::compares || use == Use::chooses) && (k == 1 || k == 2)) {
        compared_.insert(o.name);
      } else if (use != Use::combines && (!result || use == Use::other)) {
        take_other(o, use == Use::chooses && k == 3);
      }
    }
  }
  void take_other(const PtxOperand& o, bool decides) {
    if (o.kind == PtxOperand::Kind::vector || o.kind == PtxOperand::Kind::address) {
      for (std::uint32_t c = 0; c < o.count; ++c) other_.insert(module_.operands[o.first + c].name);
    }
    if (decides) return;
    other_.insert(o.name);
    other_.insert(o.second);
  }
  // Whether a predicate that such a register is compared into, or one made of it, is used
  // otherwise.
  bool results_go_elsewhere(const PtxFunction& function, const Names& names) const {
    Names results;
    for (std::size_t before = 1; before != results.size();) {
      before = results.size();
      for (const PtxStatement& s : function.body) {
        const Use use = s.kind == PtxStatement::Kind::instruction ? use_of(s) : Use::other;
        if (use != Use::compares && use != Use::combines) continue;
        const Names& from = use == Use::compares ? names : results;
        for (std::uint32_t k = 1; k < s.count; ++k) {
          if (from.count(module_.operands[s.first + k].name) == 0) continue;
          results.insert(module_.operands[s.first].name);
          results.insert(module_.operands[s.first].second);
        }
      }
    }
    return std::any_of(results.begin(), results.end(), [&](std::string_view name) {
      return !name.empty() && other_.count(name) != 0;
    });
  }

  const PtxModule& module_;
  Names loaded_, compared_, other_;
};

}  // namespace

Names guarded_registers(const PtxModule& module, const PtxFunction& function) {
  return Uses(module, function).guarded(function);
}

}  // namespace warpscope
