// profiling/claims/claim_figures.h: the figures that a claim names, looked up in the session at
// hand.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "profiling/claims/claim.h"
#include "profiling/claims/claim_value.h"

namespace warpscope {

// Values refer to the points of the session, to the nodes that name them and to this.
class ClaimFigures {
 public:
  explicit ClaimFigures(const ClaimContext& context) : context_(context), scene_(*context.scene) {}

  OrMissing<ClaimValue> named(const ClaimNode& node) const;
  // The value of best() and fastest(): the shortest time, or whose it is.
  OrMissing<ClaimValue> best(const ClaimNode& node) const;

 private:
  // Why a point has no figures; no value if it has some.
  std::optional<MissingFigure> unusable(const ClaimName& name, const Variant& variant,
                                        const Measurement* point, const std::string& id) const;
  // "warpscope measure csrmm/k_tiles n=64 --counters standard", where that measures the figure.
  std::string command_of(const ClaimName& name, const std::string& id) const;
  OrMissing<ClaimValue> time_of(const ClaimName& name, const Variant& variant,
                                const Measurement* point, CacheState cache,
                                const std::map<std::string, std::string>* settings) const;
  OrMissing<ClaimValue> figure(const ClaimName& name, const Variant& variant) const;
  // A figure of a training at these axes.
  OrMissing<ClaimValue> of_epoch(const ClaimName& name, const Variant& variant,
                                 const Configuration& axes) const;
  OrMissing<ClaimValue> standing(const ClaimName& name, const Variant& variant,
                                 const Measurement& point) const;
  DeviceName name_at_hand() const;
  OrMissing<ClaimValue> device_fact(const std::string& path) const;
  OrMissing<ClaimValue> roof(const std::string& path) const;
  OrMissing<ClaimValue> fact(const ClaimName& name) const;
  // The fact of the problem of these axes, of any point; empty: none has it.
  std::optional<double> look_up(const std::string& fact, const Configuration& axes,
                                const std::string& problem) const;

  const ClaimContext& context_;
  const Scene& scene_;
  const std::map<std::string, std::string> nothing_set_;  // the settings of names without @
};

}  // namespace warpscope
