// tests/profiling/claims/claim_session.h: a session of csrmm with figures that a test plants.
#pragma once

#include <string>

#include "profiling/claims/claim.h"
#include "scenes/catalogue.h"

namespace warpscope {

// A device that does not exist, with what a test measures on it.
class ClaimSession {
 public:
  explicit ClaimSession(const std::string& device = "GPU-a") : device_(device) {
    describe(60 << 20);
  }

  const Scene& scene() const { return *built_in_catalogue().find("csrmm").value(); }
  Configuration axes(const std::map<std::string, std::string>& changes = {}) const {
    return with_values(scene().axes, default_configuration(scene().axes), changes).value();
  }

  void describe(std::int64_t l2_bytes) {
    Hello hello;
    hello.role = "measure";
    hello.device = DeviceDescription{};
    hello.device->name = "device " + device_;
    hello.device->uuid = device_;
    hello.device->l2_bytes = l2_bytes;
    hello.device->multiprocessors = 20;
    hello.device->compute_capability = 90;
    session.apply(hello);
  }

  // Times of one median, their samples within `spread` of it.
  void measure(const std::string& variant, double warm_ns,
               const std::map<std::string, double>& metrics = {},
               const std::map<std::string, std::string>& changes = {}, double spread = 0.001,
               const std::string& device = "") {
    Measurement m;
    m.scene = "csrmm";
    m.variant = variant;
    m.axes = for_variant(scene().axes, axes(changes), variant);
    m.key = configuration_key(scene().axes, m.axes, variant);
    m.problem = problem_key(scene().axes, m.axes);
    m.facts = {{"nnz", 2e6}};
    m.verdict.outcome = Outcome::correct;
    m.warm = Timing{};
    m.warm->cache = CacheState::warm;
    for (int i = -10; i <= 10; ++i) m.warm->samples_ns.push_back(warm_ns * (1 + spread * i / 10));
    summarise(*m.warm);
    m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""}};
    for (const auto& [id, value] : metrics)
      m.metrics.push_back({id, value, Origin::measured, "", ""});
    m.conditions.device_uuid = device.empty() ? device_ : device;
    m.conditions.device = "device " + m.conditions.device_uuid;
    m.conditions.toolkit = "13.0";
    session.apply(m);
  }

  ClaimContext context(const std::map<std::string, std::string>& changes = {}) const {
    return {&scene(), &session, axes(changes), "", {}};
  }

  Session session;

 private:
  std::string device_;
};

}  // namespace warpscope
