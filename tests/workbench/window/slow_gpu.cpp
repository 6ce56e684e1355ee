// tests/workbench/window/slow_gpu.cpp: a recorded session as another, slower device might have
// recorded it.
#include "tests/workbench/window/slow_gpu.h"

#include <functional>

namespace warpscope {
namespace {

// Evenly spread in [0, 1) by the words and the random seed.
double share(const std::string& words, std::uint64_t seed) {
  std::uint64_t hash = 1469598103934665603u ^ (seed * 0x9E3779B97F4A7C15u);
  for (const unsigned char c : words) hash = (hash ^ c) * 1099511628211u;
  hash ^= hash >> 33;
  hash *= 0xFF51AFD7ED558CCDu;
  hash ^= hash >> 33;
  return static_cast<double>(hash >> 11) / 9007199254740992.0;
}

void scale(std::optional<Timing>& timing, double factor) {
  if (!timing) return;
  timing->samples_ns.scale(factor);
  summarise(*timing);
}

void scale_times(Measurement& point, double factor) {
  scale(point.cold, factor);
  scale(point.warm, factor);
  if (point.prepare_ns) *point.prepare_ns *= factor;
  for (MetricValue& value : point.metrics) {
    if (!value.value) continue;
    if (value.id.starts_with("time.")) *value.value *= factor;
    if (value.id.starts_with("rate.")) *value.value /= factor;
  }
}

template <typename Change>
Session changed(const Session& recorded, Change change) {
  Session session;
  if (const Hello* hello = recorded.engine()) session.apply(change(*hello));
  for (const RoofSet& roofs : recorded.roof_sets()) session.apply(change(roofs));
  for (const Measurement* point : recorded.all_points()) session.apply(change(*point));
  return session;
}

struct Slower {
  std::uint64_t seed;

  Hello operator()(Hello hello) const {
    if (!hello.device) return hello;
    hello.device->name = "Synthetic slow GPU";
    hello.device->uuid = "GPU-slow";
    hello.device->l2_bytes = 8 << 20;
    hello.device->multiprocessors = 20;
    return hello;
  }
  static void rename(Conditions& conditions) {
    conditions.device = "Synthetic slow GPU";
    conditions.device_uuid = "GPU-slow";
  }
  RoofSet operator()(RoofSet roofs) const {
    rename(roofs.conditions);
    for (Roof& roof : roofs.roofs) roof.value /= 10;
    return roofs;
  }
  Measurement operator()(Measurement point) const {
    rename(point.conditions);
    // One factor a variant, and another, smaller one a configuration.
    scale_times(point, (3 + 12 * share(point.variant, seed)) *
                           (0.8 + 0.4 * share(point.variant + point.key, seed)));
    for (MetricValue& value : point.metrics) {
      const bool counted = value.origin == Origin::measured && !value.id.starts_with("time.");
      if (value.value && counted)
        *value.value *= 0.6 + share(point.variant + value.id + point.key, seed);
    }
    return point;
  }
};

}  // namespace

Session slow_gpu(const Session& recorded, std::uint64_t seed) {
  return changed(recorded, Slower{seed});
}

Session with_times_of(const Session& recorded, const std::string& variant, double factor) {
  return changed(recorded, [&](auto message) {
    if constexpr (std::is_same_v<decltype(message), Measurement>) {
      if (message.variant == variant) scale_times(message, factor);
    }
    return message;
  });
}

}  // namespace warpscope
