// workbench/workspace/selection/code_change.cpp: what is chosen of a trace, when machine code takes
// the place of PTX.
#include "workbench/workspace/selection/code_change.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "profiling/access/trace_view.h"
#include "workbench/workspace/selection/trace_steps.h"

namespace warpscope {
namespace {

// The request of the same warp, memory and line that is about as far among those as `request` is
// among its own: one of machine code may stand for several of PTX. No value: there is none.
std::optional<std::size_t> same_place(const Trace& from, std::size_t request, const Trace& to) {
  const WarpRequest& here = from.requests[request];
  const AccessSite& site = from.sites[here.site];
  const auto alike = [&](const Trace& trace) {
    std::vector<std::size_t> found;
    const auto [first, last] = requests_of_warp(trace, here.warp);
    for (std::size_t i = first; i < last; ++i) {
      const AccessSite& other = trace.sites[trace.requests[i].site];
      if (other.space == site.space && other.kind == site.kind && other.position == site.position)
        found.push_back(i);
    }
    return found;
  };
  const std::vector<std::size_t> ours = alike(from), theirs = alike(to);
  if (ours.empty() || theirs.empty()) return std::nullopt;
  const auto at =
      static_cast<std::size_t>(std::lower_bound(ours.begin(), ours.end(), request) - ours.begin());
  return theirs[at * theirs.size() / ours.size()];
}

}  // namespace

void follow_code(TraceSelection& selection, const Trace* from, const Trace& to) {
  const bool same_launch = from != nullptr && from->scene == to.scene &&
                           from->variant == to.variant && from->key == to.key &&
                           from->step == to.step && from->scope.block == to.scope.block;
  if (!same_launch || from->machine_code.has_value() == to.machine_code.has_value() ||
      !selection.looked_at || selection.request >= from->requests.size())
    return;
  const std::optional<std::size_t> place = same_place(*from, selection.request, to);
  if (!place) return turn_to(selection, from, to);
  const bool one_instruction = selection.site >= 0;
  selection.request = *place;
  selection.site = one_instruction ? static_cast<std::int64_t>(to.requests[*place].site) : -1;
}

}  // namespace warpscope
