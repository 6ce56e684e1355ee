// profiling/access/counterpart.cpp: what stands in one trace where something stands in another one.
#include "profiling/access/counterpart.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "profiling/access/trace_view.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

RequestFamily family_of(const AccessSite& site) {
  return belongs(site, RequestFamily::shared) ? RequestFamily::shared : RequestFamily::global;
}

const char* memory_text(RequestFamily family) {
  return family == RequestFamily::shared ? "shared memory" : "global memory";
}

// The requests of a warp to one memory, and of those to one array, in order.
struct Alike {
  std::vector<std::size_t> of_memory, of_array;
};
Alike alike(const Trace& trace, std::uint32_t warp, RequestFamily family,
            const std::string& array) {
  Alike found;
  const auto [first, last] = requests_of_warp(trace, warp);
  for (std::size_t i = first; i < last; ++i) {
    const AccessSite& site = trace.sites[trace.requests[i].site];
    if (!belongs(site, family)) continue;
    found.of_memory.push_back(i);
    if (site.buffer == array) found.of_array.push_back(i);
  }
  return found;
}

std::size_t place_in(const std::vector<std::size_t>& requests, std::size_t request) {
  return static_cast<std::size_t>(std::lower_bound(requests.begin(), requests.end(), request) -
                                  requests.begin());
}

// "Warp 3 has only 2 requests to b: there is no request 5."
std::string too_few(const Trace& to, const std::string& warp, std::size_t count,
                    std::string_view what, std::size_t place) {
  return warp + " has only " + plural(static_cast<std::int64_t>(count), "request") + " to " +
         std::string(what) + (to.truncated ? " among those that were kept" : "") +
         ": there is no request " + std::to_string(place + 1) + ".";
}

}  // namespace

Counterpart counterpart(const Trace& from, std::size_t request, const Trace& to) {
  Counterpart found;
  const WarpRequest& here = from.requests[request];
  const AccessSite& site = from.sites[here.site];
  const RequestFamily family = family_of(site);
  const std::string warp = "Warp " + std::to_string(here.warp);
  if (here.warp >= static_cast<std::uint32_t>(std::max(0, warps_of(to.launch)))) {
    found.missing = "Its blocks have " + std::to_string(warps_of(to.launch)) +
                    " warps: there is no " + "warp " + std::to_string(here.warp) + ".";
    return found;
  }
  const Alike ours = alike(from, here.warp, family, site.buffer),
              theirs = alike(to, here.warp, family, site.buffer);
  if (theirs.of_memory.empty()) {
    found.missing = warp + " makes no request to " + memory_text(family) + ".";
    return found;
  }
  const bool by_array = !theirs.of_array.empty();
  const std::size_t place =
      by_array ? place_in(ours.of_array, request) : place_in(ours.of_memory, request);
  const std::vector<std::size_t>& among = by_array ? theirs.of_array : theirs.of_memory;
  const std::string what =
      by_array && !site.buffer.empty() ? site.buffer : std::string(memory_text(family));
  if (place >= among.size()) {
    found.missing = too_few(to, warp, among.size(), what, place);
    return found;
  }
  found.request = among[place];
  if (!by_array) {
    found.note = "The arrays differ: " +
                 (site.buffer.empty() ? ""
                                      : "warp " + std::to_string(here.warp) + " does not touch " +
                                            site.buffer + " here, so ") +
                 "this is its request " + std::to_string(place + 1) + " to " + what + ".";
  }
  return found;
}

std::string apart_text(const Trace& from, const Trace& to) {
  std::string text;
  const std::int64_t blocks = block_count(to.launch), block = to.scope.block;
  if (from.scope.block != block) {
    text = "This is block " + std::to_string(block) + ", not " + std::to_string(from.scope.block) +
           (from.scope.block >= blocks ? ": the grid has only " + plural(blocks, "block") : "") +
           ".";
  }
  if (from.step != to.step) {
    text += (text.empty() ? "" : " ") + ("The steps differ: " + to.step + " here, " + from.step) +
            " there.";
  }
  return text;
}

std::string name_of(const Trace& trace) {
  return trace.scene + "/" + trace.variant + "/" + trace.key + "/" + trace.step;
}

}  // namespace warpscope
