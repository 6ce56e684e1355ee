// profiling/access/warp_roles.cpp: warps of a block that run different code, and what each kind
// does.
#include "profiling/access/warp_roles.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace warpscope {
namespace {

using Instructions = std::vector<std::uint32_t>;  // distinct, rising

constexpr double kOwnRatio = 0.1;     // of a warp's distinct instructions
constexpr std::size_t kOwnCount = 4;  // and at least this many

Instructions distinct(const std::vector<IssuedInstruction>& issued) {
  std::uint32_t last = 0;
  for (const IssuedInstruction& i : issued) last = std::max(last, i.instruction);
  std::vector<char> seen(std::size_t{last} + 1, 0);
  for (const IssuedInstruction& i : issued) seen[i.instruction] = 1;
  Instructions list;
  for (std::uint32_t k = 0; k <= last; ++k) {
    if (seen[k] != 0) list.push_back(k);
  }
  return list;
}

Instructions without(const Instructions& a, const Instructions& b) {
  Instructions own;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(own));
  return own;
}

bool has_own_code(const Instructions& a, const Instructions& b) {
  const std::size_t own = without(a, b).size();
  return own >= kOwnCount && static_cast<double>(own) >= kOwnRatio * static_cast<double>(a.size());
}

// What the code of a role does that some other role never runs.
struct Deeds {
  bool copies = false;  // bulk or asynchronous copies
  bool fills = false;   // stores to shared memory
  bool reads_shared = false;
  bool stores_global = false;
  bool arrives = false, waits = false;
};

Deeds deeds_of(const Trace& trace, const Instructions& own, const WarpRole& role) {
  Deeds d;
  const auto is_own = [&](std::uint32_t instruction) {
    return std::binary_search(own.begin(), own.end(), instruction);
  };
  for (const AccessSite& site : trace.sites) {
    if (!is_own(site.instruction)) continue;
    const bool shared = site.space == Space::shared;
    const bool copy = site.kind == AccessKind::bulk_copy || site.kind == AccessKind::async_copy;
    d.copies = d.copies || copy;
    d.fills =
        d.fills || (shared && !copy &&
                    (site.kind == AccessKind::store || site.kind == AccessKind::matrix_store));
    d.reads_shared =
        d.reads_shared ||
        (shared && (site.kind == AccessKind::load || site.kind == AccessKind::matrix_load));
    d.stores_global =
        d.stores_global || (site.space == Space::global &&
                            (site.kind == AccessKind::store || site.kind == AccessKind::reduction));
  }
  for (const BarrierEvent& e : trace.barrier_events) {
    if (!is_own(e.instruction)) continue;
    if (std::find(role.warps.begin(), role.warps.end(), static_cast<int>(e.warp)) ==
        role.warps.end()) {
      continue;
    }
    const bool both = e.mark == BarrierMark::arrive_and_wait;
    d.arrives = d.arrives || both || e.mark == BarrierMark::arrive;
    d.waits = d.waits || both || e.mark == BarrierMark::wait;
  }
  return d;
}

std::string words_of(const Deeds& d) {
  std::vector<const char*> parts;
  if (d.waits) parts.push_back("waits at barriers");
  if (d.copies) parts.push_back("copies to shared memory");
  if (d.fills) parts.push_back("stores to shared memory");
  if (d.reads_shared) parts.push_back("reads shared memory");
  if (d.stores_global) parts.push_back("stores results");
  if (d.arrives) parts.push_back("arrives at barriers");
  std::string text;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ") + std::string(parts[k]);
  }
  return text.empty() ? "runs code of its own" : text;
}

// Names by what the roles do beside each other.
void name_roles(std::vector<WarpRole>& roles, const std::vector<Deeds>& deeds) {
  const bool copies =
      std::any_of(deeds.begin(), deeds.end(), [](const Deeds& d) { return d.copies; });
  const auto produces = [&](const Deeds& d) {
    return copies ? d.copies : d.fills && !d.reads_shared;
  };
  const bool produced = std::any_of(deeds.begin(), deeds.end(), produces);
  for (std::size_t k = 0; k < roles.size(); ++k) {
    const Deeds& d = deeds[k];
    const bool consumes = produced && (d.reads_shared || d.waits);
    roles[k].name = produces(d)                                        ? "producer"
                    : consumes && (d.reads_shared || !d.stores_global) ? "consumer"
                    : produced && d.stores_global                      ? "writer"
                                                                       : "role";
    roles[k].does = words_of(d);
  }
  std::vector<std::string> names;
  for (const WarpRole& role : roles) names.push_back(role.name);
  names = distinct_role_names(std::move(names));
  for (std::size_t k = 0; k < roles.size(); ++k) roles[k].name = std::move(names[k]);
}

}  // namespace

std::vector<std::string> distinct_role_names(std::vector<std::string> names) {
  std::map<std::string, int> all, given;
  for (const std::string& name : names) ++all[name];
  for (std::string& name : names) {
    if (all[name] < 2 && name != "role") continue;
    const int number = given[name]++;
    name += " " + std::string(1, static_cast<char>('A' + number % 26));
  }
  return names;
}

std::string BlockRoles::suffix(int warp) const {
  if (!any() || warp < 0 || warp >= static_cast<int>(of.size())) return {};
  const int role = of[static_cast<std::size_t>(warp)];
  return role < 0 ? std::string() : " · " + roles[static_cast<std::size_t>(role)].name;
}

BlockRoles warp_roles(const Trace& trace) {
  BlockRoles block;
  std::vector<Instructions> code;  // of each role, of all its warps
  block.of.assign(trace.issued.size(), -1);
  for (std::size_t w = 0; w < trace.issued.size(); ++w) {
    if (trace.issued[w].empty()) continue;
    const Instructions own = distinct(trace.issued[w]);
    std::size_t role = 0;
    while (role < code.size() && has_own_code(own, code[role]) && has_own_code(code[role], own)) {
      ++role;
    }
    if (role == code.size()) {
      code.push_back(own);
      block.roles.emplace_back();
    } else {
      Instructions all;
      std::set_union(own.begin(), own.end(), code[role].begin(), code[role].end(),
                     std::back_inserter(all));
      code[role] = std::move(all);
    }
    block.of[w] = static_cast<int>(role);
    block.roles[role].warps.push_back(static_cast<int>(w));
  }
  if (!block.any()) return block;
  std::vector<Deeds> deeds;
  for (std::size_t role = 0; role < code.size(); ++role) {
    Instructions own;
    for (std::size_t other = 0; other < code.size(); ++other) {
      if (other == role) continue;
      const Instructions part = without(code[role], code[other]);
      Instructions all;
      std::set_union(own.begin(), own.end(), part.begin(), part.end(), std::back_inserter(all));
      own = std::move(all);
    }
    deeds.push_back(deeds_of(trace, own, block.roles[role]));
  }
  name_roles(block.roles, deeds);
  return block;
}

}  // namespace warpscope
