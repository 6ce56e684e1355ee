// profiling/emulator/ptx/provenance.cpp: which shared array an address of PTX was made from.
#include "profiling/emulator/ptx/provenance.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>
#include <vector>

namespace warpscope {
namespace {

// What a register holds, as far as its definitions were looked at.
struct Origin {
  enum class Kind { unseen, integer, symbol, unknown };
  Kind kind = Kind::unseen;
  std::string_view symbol;
  bool operator==(const Origin&) const = default;
};
constexpr Origin kInteger{Origin::Kind::integer, {}};
constexpr Origin kUnknown{Origin::Kind::unknown, {}};

// The origin of a register with two definitions.
Origin either(const Origin& a, const Origin& b) {
  if (a.kind == Origin::Kind::unseen) return b;
  if (b.kind == Origin::Kind::unseen) return a;
  return a == b ? a : kUnknown;
}

bool is_address(const Origin& o) {
  return o.kind == Origin::Kind::symbol || o.kind == Origin::Kind::unknown;
}

class Analysis {
 public:
  Analysis(const PtxModule& module, const PtxFunction& function)
      : module_(module), function_(function) {
    for (const PtxVariable& v : module.variables) {
      if (v.space == PtxSpace::shared) symbols_.insert(v.name);
    }
    for (const PtxStatement& s : function.body) {
      if (gives_result(s)) remember(module.operands[s.first]);
    }
  }

  std::unordered_map<std::string_view, std::string_view> run() {
    std::unordered_map<std::string_view, std::string_view> found;
    if (symbols_.empty()) return found;
    // As many as real kernels never need; of a text that does nothing is known.
    constexpr std::size_t kMostSteps = 5'000'000;
    std::size_t steps = 0;
    while (pass()) {
      steps += function_.body.size();
      if (steps > kMostSteps) return found;
    }
    for (const auto& [name, origin] : origins_) {
      if (origin.kind == Origin::Kind::symbol) found.emplace(name, origin.symbol);
    }
    return found;
  }

 private:
  Origin of(const PtxOperand& o) const {
    if (o.kind == PtxOperand::Kind::integer || o.kind == PtxOperand::Kind::real) return kInteger;
    if (o.kind != PtxOperand::Kind::name) return kUnknown;
    if (symbols_.contains(o.name)) return {Origin::Kind::symbol, o.name};
    if (const auto known = origins_.find(o.name); known != origins_.end()) return known->second;
    // Special registers are integers; a register without a definition yet is not seen.
    return defined_.contains(o.name) ? Origin{} : kInteger;
  }

  // An address and integers give an address of the same array; two addresses give nothing.
  static Origin sum(const std::vector<Origin>& parts) {
    Origin result = kInteger;
    for (const Origin& part : parts) {
      if (part.kind == Origin::Kind::unseen) return {};
      if (!is_address(part)) continue;
      if (is_address(result)) return kUnknown;
      result = part;
    }
    return result;
  }

  Origin result_of(const PtxStatement& s, std::string_view base) const {
    std::vector<Origin> parts;
    for (std::uint32_t k = 1; k < s.count; ++k) parts.push_back(of(module_.operands[s.first + k]));
    const bool any_address = std::any_of(parts.begin(), parts.end(), is_address);
    if (base == "ld" || base == "atom") return kInteger;
    if ((base == "mov" || base == "cvta" || base == "cvt") && parts.size() == 1) return parts[0];
    if (base == "add" || base == "or") return sum(parts);
    // What is taken off an address is an integer.
    if (base == "sub" && parts.size() == 2) return is_address(parts[1]) ? kUnknown : sum(parts);
    if (base == "mad" && parts.size() == 3) {
      if (is_address(parts[0]) || is_address(parts[1])) return kUnknown;
      return sum(parts);
    }
    if (base == "selp" && parts.size() == 3) return either(parts[0], parts[1]);
    const bool unseen = std::any_of(parts.begin(), parts.end(),
                                    [](const Origin& p) { return p.kind == Origin::Kind::unseen; });
    return any_address ? kUnknown : unseen ? Origin{} : kInteger;
  }

  static std::string_view base_of(const PtxStatement& s) {
    return s.name.substr(0, s.name.find('.'));
  }
  static bool gives_result(const PtxStatement& s) {
    constexpr std::array<std::string_view, 5> kNoResult = {"st", "red", "bra", "cp", "call"};
    return s.kind == PtxStatement::Kind::instruction && s.count > 0 &&
           std::find(kNoResult.begin(), kNoResult.end(), base_of(s)) == kNoResult.end();
  }
  void remember(const PtxOperand& o) {
    if (!o.name.empty()) defined_.insert(o.name);
    for (std::uint32_t k = 0; o.kind == PtxOperand::Kind::vector && k < o.count; ++k)
      remember(module_.operands[o.first + k]);
  }

  bool pass() {
    bool changed = false;
    for (const PtxStatement& s : function_.body) {
      if (!gives_result(s)) continue;
      changed = define(module_.operands[s.first], result_of(s, base_of(s))) || changed;
    }
    return changed;
  }

  bool define(const PtxOperand& o, const Origin& origin) {
    if (o.kind == PtxOperand::Kind::vector) {
      bool changed = false;
      for (std::uint32_t k = 0; k < o.count; ++k)
        changed = define(module_.operands[o.first + k], origin) || changed;
      return changed;
    }
    if (o.kind != PtxOperand::Kind::name || o.name.empty()) return false;
    Origin& now = origins_[o.name];
    const Origin then = either(now, origin);
    if (now == then) return false;
    now = then;
    return true;
  }

  const PtxModule& module_;
  const PtxFunction& function_;
  std::unordered_set<std::string_view> symbols_, defined_;
  std::unordered_map<std::string_view, Origin> origins_;
};

}  // namespace

std::unordered_map<std::string_view, std::string_view> shared_provenance(
    const PtxModule& module, const PtxFunction& function) {
  return Analysis(module, function).run();
}

}  // namespace warpscope
