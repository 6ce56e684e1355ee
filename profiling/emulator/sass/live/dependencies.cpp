// profiling/emulator/sass/live/dependencies.cpp: which instructions of machine code each one has to
// wait for.
#include "profiling/emulator/sass/live/dependencies.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

#include "profiling/emulator/sass/live/live_registers.h"

namespace warpscope {
namespace {

// A search backward passes over no more instructions than that.
constexpr std::size_t kMostPassed = 1 << 14;
constexpr int kNoScoreboard = 7;  // in the encoding

bool has(const MachineInstruction& i, std::string_view modifier) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), modifier) != i.modifiers.end();
}

bool loads_into_shared(const MachineInstruction& i) {
  return i.name == "UTMALDG" || (i.name == "UBLKCP" && has(i, "S") && i.modifiers.front() == "S");
}

// What is waited for at a barrier in shared memory.
bool waits_at_mbarrier(const MachineInstruction& i) {
  return i.name == "SYNCS" && (has(i, "PHASECHK") || has(i, "TRYWAIT"));
}

bool is_depbar(const MachineInstruction& i) { return i.name == "DEPBAR"; }

enum class Walk { on, stop };

class Dependencies {
 public:
  explicit Dependencies(const MachineFunction& function)
      : function_(function),
        next_(next_instructions(function)),
        before_(function.code.size()),
        seen_(function.code.size(), 0) {
    for (std::uint32_t k = 0; k < next_.size(); ++k) {
      for (const std::uint32_t to : next_[k]) before_[to].push_back(k);
    }
    for (const MachineInstruction& i : function.code) {
      uses_.push_back(register_uses(i));
      fields_.push_back(fields_of(i));
    }
    find_stretches();
    find_routines();
  }

  void put(std::vector<MachineRow>& rows) {
    const std::size_t count = std::min(rows.size(), function_.code.size());
    for (std::uint32_t k = 0; k < count; ++k) {
      rows[k].issue_cycles = fields_[k].issue_cycles;
      rows[k].needs = needs_of(k);
      const bool straight = next_[k].size() == 1 && next_[k].front() == k + 1;
      rows[k].next = straight ? std::vector<std::uint32_t>{} : next_[k];
      if (next_[k].empty()) rows[k].next = {k};
    }
  }

 private:
  const MachineInstruction& at(std::uint32_t k) const { return function_.code[k]; }

  // DEPBAR names its scoreboard as an operand.
  static ControlFields fields_of(const MachineInstruction& i) {
    ControlFields fields = control_fields(i);
    if (i.name == "DEPBAR" && !i.operands.empty()) {
      const std::string& text = i.operands.front().text;
      if (text.size() == 3 && text.starts_with("SB") && text[2] >= '0' && text[2] <= '5')
        fields.waits = static_cast<std::uint8_t>(fields.waits | 1U << (text[2] - '0'));
    }
    return fields;
  }

  // Visits what can come before `from`, nearest first, until `visit` stops on each path.
  template <typename Visit>
  void walk_back(std::uint32_t from, const Visit& visit) {
    ++mark_;
    std::vector<std::uint32_t> open = before_[from], further;
    std::size_t passed = 0;
    while (!open.empty() && passed < kMostPassed) {
      further.clear();
      for (const std::uint32_t k : open) {
        if (seen_[k] == mark_) continue;
        seen_[k] = mark_;
        ++passed;
        if (visit(k) == Walk::stop) continue;
        further.insert(further.end(), before_[k].begin(), before_[k].end());
      }
      std::swap(open, further);
    }
  }

  std::vector<MachineNeed> needs_of(std::uint32_t k) {
    std::vector<MachineNeed> needs = scoreboard_needs(k);
    add_register_needs(k, needs);
    for (const std::uint32_t row : asynchronous_needs(k))
      needs.push_back({row, NeedKind::asynchronous, -1});
    std::stable_sort(needs.begin(), needs.end(), [](const MachineNeed& a, const MachineNeed& b) {
      return (a.kind == NeedKind::order) < (b.kind == NeedKind::order);
    });
    return needs;
  }

  // All that set a scoreboard since somebody last waited for it.
  std::vector<MachineNeed> scoreboard_needs(std::uint32_t k) {
    std::vector<MachineNeed> needs;
    for (int s = 0; s < 6; ++s) {
      const auto bit = static_cast<std::uint8_t>(1U << s);
      if ((fields_[k].waits & bit) == 0) continue;
      walk_back(k, [&](std::uint32_t earlier) {
        const ControlFields& fields = fields_[earlier];
        if (fields.set_by_result == s || fields.set_by_reads == s)
          needs.push_back({earlier, kind_between(earlier, k, s), static_cast<std::int8_t>(s)});
        return (fields.waits & bit) != 0 ? Walk::stop : Walk::on;
      });
    }
    return needs;
  }

  NeedKind kind_between(std::uint32_t earlier, std::uint32_t k, int scoreboard) const {
    const RegisterUses &a = uses_[earlier], &b = uses_[k];
    const bool result = fields_[earlier].set_by_result == scoreboard;
    if (result && (a.writes & b.reads).any()) return NeedKind::value;
    const bool reads = fields_[earlier].set_by_reads == scoreboard;
    if ((result && (a.writes & b.writes).any()) || (reads && (a.reads & b.writes).any()))
      return NeedKind::overwritten;
    return NeedKind::order;
  }

  // Who writes a register that is read: where the latency is fixed, the nearest first, then those
  // whose scoreboard an instruction before this one has waited for.
  void add_register_needs(std::uint32_t k, std::vector<MachineNeed>& needs) {
    std::vector<MachineNeed> fixed, settled;
    const auto is_among = [](const std::vector<MachineNeed>& all, std::uint32_t row) {
      return std::any_of(all.begin(), all.end(),
                         [&](const MachineNeed& need) { return need.row == row; });
    };
    for (std::size_t r = uses_[k].reads._Find_first(); r < kRegisterPlaces;
         r = uses_[k].reads._Find_next(r)) {
      for (const std::uint32_t earlier : writers_of(static_cast<std::uint16_t>(r), k)) {
        if (fields_[earlier].set_by_result < 0) {
          if (!is_among(fixed, earlier)) fixed.push_back({earlier, NeedKind::fixed, -1});
        } else if (!is_among(needs, earlier) && !is_among(settled, earlier)) {
          settled.push_back({earlier, NeedKind::value, -1});
        }
      }
    }
    needs.insert(needs.end(), fixed.begin(), fixed.end());
    needs.insert(needs.end(), settled.begin(), settled.end());
  }

  // Code from one place that something leads to up to the next.
  struct Stretch {
    std::uint32_t first = 0, last = 0;
    std::map<std::uint16_t, std::vector<std::uint32_t>> writers;  // by register, in order
  };

  void find_stretches() {
    const auto count = static_cast<std::uint32_t>(function_.code.size());
    stretch_of_.resize(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      const bool joined = k > 0 && before_[k].size() == 1 && before_[k].front() == k - 1 &&
                          next_[k - 1].size() == 1;
      if (!joined) stretches_.push_back({k, k, {}});
      Stretch& stretch = stretches_.back();
      stretch.last = k;
      stretch_of_[k] = static_cast<std::uint32_t>(stretches_.size() - 1);
      const RegisterSet& writes = uses_[k].writes;
      for (std::size_t r = writes._Find_first(); r < kRegisterPlaces; r = writes._Find_next(r))
        stretch.writers[static_cast<std::uint16_t>(r)].push_back(k);
    }
  }

  // A routine that calls lead to, such as the slow path of a division.
  struct Routine {
    std::set<std::uint32_t> rows;  // calls within it are stepped over
    RegisterSet writes;
  };

  void find_routines() {
    for (std::uint32_t k = 0; k < next_.size(); ++k) {
      if (at(k).name != "CALL" || next_[k].empty() || next_[k].back() == k + 1) continue;
      entry_of_call_[k] = next_[k].back();
    }
    for (const auto& [call, entry] : entry_of_call_) {
      const auto [known, fresh] = routines_.emplace(entry, Routine{});
      if (!fresh) continue;
      Routine& routine = known->second;
      std::vector<std::uint32_t> open = {entry};
      routine.rows = {entry};
      while (!open.empty()) {
        const std::uint32_t k = open.back();
        open.pop_back();
        routine.writes |= uses_[k].writes;
        if (at(k).name == "RET") continue;
        for (const std::uint32_t to :
             at(k).name == "CALL" ? std::vector<std::uint32_t>{k + 1} : next_[k]) {
          if (to < next_.size() && routine.rows.insert(to).second) open.push_back(to);
        }
      }
    }
  }

  // What can come before an instruction when one looks from `origin` for who writes a register. A
  // routine that does not write it is stepped over, and nobody leaves one through its entry who
  // came in by its return: other callers than this one lie there.
  std::vector<std::uint32_t> before_for(std::uint16_t r, std::uint32_t k,
                                        std::uint32_t origin) const {
    std::vector<std::uint32_t> found;
    const auto call = k > 0 ? entry_of_call_.find(k - 1) : entry_of_call_.end();
    const bool over = call != entry_of_call_.end() && !routines_.at(call->second).writes[r];
    if (over) found.push_back(k - 1);
    const auto entered = routines_.find(k);
    const bool outside = entered != routines_.end() && entered->second.rows.count(origin) == 0;
    for (const std::uint32_t from : before_[k]) {
      const bool returns = over && at(from).name == "RET";
      const bool leaves = outside && entry_of_call_.count(from) != 0;
      if (!returns && !leaves) found.push_back(from);
    }
    return found;
  }

  // The writers of a register within a stretch before `end`, the last first, up to one that writes
  // it for sure: then true.
  bool writers_within(const Stretch& stretch, std::uint16_t r, std::uint32_t end,
                      std::vector<std::uint32_t>& found) const {
    const auto known = stretch.writers.find(r);
    if (known == stretch.writers.end()) return false;
    const std::vector<std::uint32_t>& all = known->second;
    for (auto at = std::lower_bound(all.begin(), all.end(), end); at != all.begin();) {
      found.push_back(*--at);
      if (!uses_[*at].conditional) return true;
    }
    return false;
  }

  std::vector<std::uint32_t> writers_of(std::uint16_t r, std::uint32_t k) const {
    std::vector<std::uint32_t> found;
    const std::uint32_t own = stretch_of_[k];
    if (writers_within(stretches_[own], r, k, found)) return found;
    std::vector<std::uint32_t> open;
    std::set<std::uint32_t> seen;
    const auto go_before = [&](std::uint32_t stretch) {
      for (const std::uint32_t from : before_for(r, stretches_[stretch].first, k)) {
        if (seen.insert(stretch_of_[from]).second) open.push_back(stretch_of_[from]);
      }
    };
    go_before(own);
    for (std::size_t at = 0; at < open.size(); ++at) {
      if (!writers_within(stretches_[open[at]], r, stretches_[open[at]].last + 1, found))
        go_before(open[at]);
    }
    return found;
  }

  // Copies that arrive at a barrier in shared memory, copies of cp.async and products of a
  // warpgroup: those before it; where the copies are issued by other warps, all of the kernel.
  std::vector<std::uint32_t> asynchronous_needs(std::uint32_t k) {
    const MachineInstruction& i = at(k);
    if (waits_at_mbarrier(i)) {
      const auto copies = [&](std::uint32_t e) {
        return loads_into_shared(at(e)) || at(e).name == "LDGSTS";
      };
      std::vector<std::uint32_t> found = before(k, copies, waits_at_mbarrier);
      return found.empty() ? among_all(loads_into_shared) : found;
    }
    if (i.name == "DEPBAR")
      return before(
          k, [&](std::uint32_t e) { return at(e).name == "LDGSTS"; }, is_depbar);
    const bool products = i.name == "WARPGROUP" && has(i, "DEPBAR");
    if (!products) return {};
    return before(
        k, [&](std::uint32_t e) { return at(e).name.ends_with("GMMA"); },
        [](const MachineInstruction& e) { return e.name == "WARPGROUP" && has(e, "DEPBAR"); });
  }

  template <typename Wanted, typename Last>
  std::vector<std::uint32_t> before(std::uint32_t k, const Wanted& wanted, const Last& last) {
    std::vector<std::uint32_t> found;
    walk_back(k, [&](std::uint32_t earlier) {
      if (wanted(earlier)) found.push_back(earlier);
      return last(at(earlier)) && !found.empty() ? Walk::stop : Walk::on;
    });
    return found;
  }

  std::vector<std::uint32_t> among_all(bool (*wanted)(const MachineInstruction&)) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t k = 0; k < function_.code.size(); ++k) {
      if (wanted(at(k))) found.push_back(k);
    }
    return found;
  }

  const MachineFunction& function_;
  const std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<RegisterUses> uses_;
  std::vector<ControlFields> fields_;
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> stretch_of_;  // by instruction
  std::map<std::uint32_t, std::uint32_t> entry_of_call_;
  std::map<std::uint32_t, Routine> routines_;  // by entry
  std::vector<std::uint32_t> seen_;            // by instruction: the last search that passed it
  std::uint32_t mark_ = 0;
};

}  // namespace

ControlFields control_fields(const MachineInstruction& instruction) {
  constexpr int kFirstBit = 105 - 64;  // in the upper half
  const auto bits = [&](int from, unsigned count) {
    return static_cast<int>(instruction.high >> (kFirstBit + from) & ((1U << count) - 1));
  };
  const auto scoreboard = [](int value) { return value == kNoScoreboard ? -1 : value; };
  return {bits(0, 4), scoreboard(bits(5, 3)), scoreboard(bits(8, 3)),
          static_cast<std::uint8_t>(bits(11, 6))};
}

void add_dependencies(const MachineFunction& function, std::vector<MachineRow>& rows) {
  Dependencies(function).put(rows);
}

}  // namespace warpscope
