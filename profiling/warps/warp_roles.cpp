// profiling/warps/warp_roles.cpp: which warps of a block do something else than others.
#include "profiling/access/warp_roles.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "profiling/warps/warp_spans.h"

namespace warpscope {
namespace {

using Passed = std::set<std::uint32_t>;

bool within(const Passed& a, const Passed& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

// What warps of each number pass, in any block: one that finds no work passes little. A place whose
// probes were dropped counts as well.
std::vector<Passed> passed_by_warp(const WarpTimeline& timeline) {
  std::vector<Passed> passed(static_cast<std::size_t>(std::max(1, timeline.warps_per_block)));
  for (std::uint32_t k = 0; k < timeline.spans.size(); ++k) {
    const ProbedSpan& span = timeline.spans[k];
    if (!is_wait(span.kind) && !is_moment(span.kind)) continue;
    for (std::size_t w = 0; w < passed.size() && w < 32; ++w) {
      if ((span.warps >> w & 1U) != 0) passed[w].insert(k);
    }
  }
  for (const WarpRow& row : timeline.rows) {
    for (const WarpRecord& at : row.records) {
      if (at.span() >= timeline.spans.size()) continue;
      const SpanKind kind = timeline.spans[at.span()].kind;
      if (is_wait(kind) || is_moment(kind))
        passed[static_cast<std::size_t>(row.warp)].insert(at.span());
    }
  }
  return passed;
}

bool passes(const WarpTimeline& timeline, const RecordedRole& role, SpanKind kind) {
  return std::any_of(role.spans.begin(), role.spans.end(),
                     [&](std::uint32_t span) { return timeline.spans[span].kind == kind; });
}

std::string lines_words(const std::set<int>& lines) {
  std::string text = lines.size() == 1 ? "line " : "lines ";
  std::size_t k = 0;
  for (const int line : lines) {
    text += (k == 0 ? "" : k + 1 == lines.size() ? " and " : ", ") + std::to_string(line);
    ++k;
  }
  return text;
}

// The waits that no other role has: they tell roles apart.
std::set<int> own_lines(const WarpTimeline& timeline, const RecordedRoles& roles,
                        const RecordedRole& role) {
  std::set<int> lines;
  for (const std::uint32_t span : role.spans) {
    if (!is_wait(timeline.spans[span].kind)) continue;
    const bool shared =
        std::any_of(roles.roles.begin(), roles.roles.end(), [&](const RecordedRole& other) {
          return &other != &role &&
                 std::find(other.spans.begin(), other.spans.end(), span) != other.spans.end();
        });
    if (!shared) lines.insert(timeline.spans[span].position.line);
  }
  return lines;
}

// As of an emulated run (profiling/access/warp_roles.h). What warps do in shared memory has no
// probe: those that neither copy nor store consume what producers copy, or produce what a writer
// stores.
void name_roles(const WarpTimeline& timeline, RecordedRoles& roles) {
  const auto products = [&](const RecordedRole& role) {
    return passes(timeline, role, SpanKind::products) ||
           passes(timeline, role, SpanKind::issue_product);
  };
  const auto stores = [&](const RecordedRole& role) {
    return passes(timeline, role, SpanKind::bulk_copies);
  };
  const auto copies = [&](const RecordedRole& role) {
    return passes(timeline, role, SpanKind::issue_copy);
  };
  const bool copied = std::any_of(roles.roles.begin(), roles.roles.end(), copies);
  const bool stored = std::any_of(roles.roles.begin(), roles.roles.end(), stores);
  std::vector<std::string> names;
  for (RecordedRole& role : roles.roles) {
    names.emplace_back(products(role) ? "consumer"
                       : stores(role) ? "writer"
                       : copies(role) ? "producer"
                       : copied       ? "consumer"
                       : stored       ? "producer"
                                      : "role");
    role.sentence = products(role) ? "multiplies on tensor cores"
                    : stores(role) ? "stores by bulk copies"
                    : copies(role) ? "starts copies"
                                   : "starts no copies";
    const std::set<int> lines = own_lines(timeline, roles, role);
    if (!lines.empty()) role.sentence += "; waits alone in " + lines_words(lines);
  }
  names = distinct_role_names(std::move(names));
  for (std::size_t k = 0; k < names.size(); ++k) roles.roles[k].name = std::move(names[k]);
}

}  // namespace

RecordedRoles roles_of(const WarpTimeline& timeline) {
  const std::vector<Passed> passed = passed_by_warp(timeline);
  RecordedRoles roles;
  for (const Passed& a : passed) {
    for (const Passed& b : passed)
      roles.specialised = roles.specialised || (!within(a, b) && !within(b, a));
  }
  std::map<Passed, int> known;
  for (std::size_t w = 0; w < passed.size(); ++w) {
    const Passed key = roles.specialised ? passed[w] : Passed{};
    const auto [at, fresh] = known.emplace(key, static_cast<int>(roles.roles.size()));
    if (fresh) roles.roles.emplace_back();
    RecordedRole& role = roles.roles[static_cast<std::size_t>(at->second)];
    role.warps.push_back(static_cast<int>(w));
    for (const std::uint32_t span : passed[w]) {
      if (std::find(role.spans.begin(), role.spans.end(), span) == role.spans.end())
        role.spans.push_back(span);
    }
    roles.of_warp.push_back(at->second);
  }
  if (!roles.specialised) {
    roles.roles.front().name = "warps";
    roles.roles.front().sentence = "all warps pass the same waits";
    return roles;
  }
  name_roles(timeline, roles);
  return roles;
}

}  // namespace warpscope
