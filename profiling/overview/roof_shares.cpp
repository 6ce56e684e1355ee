// profiling/overview/roof_shares.cpp: how much of its memory roof and of its arithmetic roof a
// point uses.
#include "profiling/overview/roof_shares.h"

namespace warpscope {
namespace {

RoofShare memory_share(const RooflineStanding* standing, double time_ns) {
  RoofShare share{{"roof.memory", std::nullopt, Origin::derived, "", ""},
                  "memory, of its roof",
                  "Bytes per second at the memory level that is nearest to its measured roof, as a "
                  "share of that roof."};
  if (standing == nullptr) return share;
  for (const RooflinePoint& p : standing->points) {
    if (!p.floor_ns || !p.ceiling) continue;
    const double ratio = *p.floor_ns / time_ns;
    if (share.value.value && ratio <= *share.value.value) continue;
    share.value.value = ratio;
    share.value.origin = p.bytes_origin == Origin::measured ? Origin::derived : Origin::modelled;
    share.label = std::string("memory, of the ") + to_text(p.level) + " roof";
  }
  if (!share.value.value) {
    share.value.reason = "no level of memory has both its bytes and a measured roof";
    share.value.remedy = "collect the counters “standard”, and measure the roofs";
  }
  return share;
}

RoofShare compute_share(const Measurement& point, const RooflineStanding* standing,
                        const RoofSet& roofs, double time_ns) {
  RoofShare share{
      {"roof.compute", std::nullopt, Origin::derived, "", ""},
      "compute, of its roof",
      "Arithmetic per second by the scene's model, as a share of the measured roof of its pipe."};
  if (standing == nullptr) return share;
  const Roof* pipe = find_roof(roofs, standing->pipe);
  const auto flops = value_of(point.metrics, "model.flops");
  share.label = std::string("compute, of the ") + to_text(standing->pipe) + " roof";
  if (!flops) {
    share.value.reason = "the scene's model does not count its arithmetic";
  } else if (*flops > 0 && (pipe == nullptr || pipe->value <= 0)) {
    share.value.reason = std::string("no roof of ") + to_text(standing->pipe) + " was measured";
    share.value.remedy = "measure the roofs";
  } else {
    share.value.value = *flops > 0 ? *flops / (time_ns * 1e-9) / pipe->value : 0;
  }
  return share;
}

}  // namespace

std::vector<RoofShare> roof_shares(const Measurement& point, CacheState cache,
                                   const RooflineStanding* standing, const RoofSet& roofs,
                                   const std::string& without) {
  const std::optional<Timing>& timing = cache == CacheState::cold ? point.cold : point.warm;
  const double time_ns = timing ? timing->median_ns : 0;
  if (!(time_ns > 0)) standing = nullptr;
  std::vector<RoofShare> shares = {memory_share(standing, time_ns),
                                   compute_share(point, standing, roofs, time_ns)};
  for (RoofShare& share : shares) {
    if (standing == nullptr)
      share.value.reason = without.empty() ? "there is no time, and so no rate" : without;
  }
  return shares;
}

}  // namespace warpscope
