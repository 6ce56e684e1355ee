// profiling/overview/roof_shares.cpp: how much of its roofs of memory, arithmetic and instruction
// issue a point uses.
#include "profiling/overview/roof_shares.h"

#include "profiling/overview/roof_use.h"
#include "profiling/points/level_bytes.h"

namespace warpscope {
namespace {

constexpr const char* kLimits = "This roof limits the variant. ";

RoofShare memory_share(const RooflineStanding* standing, double time_ns,
                       std::optional<Level> level) {
  RoofShare share{
      {"roof.memory", std::nullopt, Origin::derived, "", ""},
      "memory, of its roof",
      "Bytes per second at the memory level that limits, else at the one nearest to its "
      "measured roof, as a share of that roof."};
  if (level) share.label = std::string("memory, of the ") + to_text(*level) + " roof";
  if (standing == nullptr) return share;
  const std::vector<RoofUse> uses = roof_uses(*standing, time_ns);
  const RoofUse* use = level ? find_use(uses, *level) : named_use(uses, *standing);
  if (use == nullptr || !use->roof_ratio) {
    share.value.reason = use != nullptr ? use->no_ratio
                         : level        ? std::string("its bytes at this level are not known")
                                 : "no level of memory has both its bytes and a measured roof";
    share.value.remedy = "collect the counters “standard”, and measure the roofs";
    return share;
  }
  share.level = use->level;
  share.value.value = use->roof_ratio;
  share.value.origin = use->origin == Origin::measured ? Origin::derived : Origin::modelled;
  share.label = std::string("memory, of the ") + to_text(use->level) + " roof";
  if (use->limits) share.sentence = kLimits + share.sentence;
  if (!use->of.empty()) share.sentence += " The bytes are those of " + use->of + ".";
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
    if (is_limited(*standing) && standing->binding == Level::pipe)
      share.sentence = kLimits + share.sentence;
  }
  return share;
}

RoofShare issue_share(const Measurement& point, const RooflineStanding* standing,
                      const RoofSet& roofs, double time_ns) {
  RoofShare share{{"roof.issue", std::nullopt, Origin::derived, "", ""},
                  "instructions, of the issue roof",
                  "Warp instructions per second, as a share of the measured rate at which the "
                  "schedulers issue them."};
  if (standing == nullptr) return share;
  const Roof* issue = find_roof(roofs, Level::issue);
  const MetricValue* executed = find_value(point.metrics, "inst.executed");
  if (executed == nullptr || !executed->value) {
    share.value.reason = executed != nullptr && !executed->reason.empty()
                             ? executed->reason.string()
                             : "its instructions were not counted";
    share.value.remedy = "collect the counters “standard”";
  } else if (issue == nullptr || issue->value <= 0) {
    share.value.reason = "no roof of instruction issue was measured";
    share.value.remedy = "measure the roofs";
  } else {
    share.value.value = *executed->value / (time_ns * 1e-9) / issue->value;
    if (is_limited(*standing) && standing->binding == Level::issue)
      share.sentence = kLimits + share.sentence;
  }
  return share;
}

}  // namespace

std::vector<RoofShare> roof_shares(const Measurement& point, CacheState cache,
                                   const RooflineStanding* standing, const RoofSet& roofs,
                                   const std::string& without, std::optional<Level> level) {
  const std::optional<Timing>& timing = cache == CacheState::cold ? point.cold : point.warm;
  const double time_ns = timing ? timing->median_ns : 0;
  if (!(time_ns > 0)) standing = nullptr;
  std::vector<RoofShare> shares = {memory_share(standing, time_ns, level),
                                   compute_share(point, standing, roofs, time_ns),
                                   issue_share(point, standing, roofs, time_ns)};
  for (RoofShare& share : shares) {
    if (standing == nullptr)
      share.value.reason = without.empty() ? "there is no time, and so no rate" : without;
  }
  return shares;
}

}  // namespace warpscope
