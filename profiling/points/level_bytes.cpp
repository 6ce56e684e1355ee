// profiling/points/level_bytes.cpp: the bytes that a point moved at each level, and how they are
// known.
#include "profiling/points/level_bytes.h"

#include <algorithm>
#include <utility>

#include "profiling/points/derive.h"
#include "scenes/base/device_units.h"

namespace warpscope {
namespace {

// In an interval where a part of the blocks stands for the grid.
LevelBytes emulated_bytes(const PointFigures& figures, double value,
                          std::initializer_list<const char*> ids, double bytes_each,
                          std::string of) {
  LevelBytes bytes{value * bytes_each, Origin::modelled, std::move(of)};
  const double spread = figures.spread(ids) * bytes_each;
  if (spread == 0) return bytes;
  bytes.least = std::max(0.0, bytes.value - spread);
  bytes.most = bytes.value + spread;
  bytes.between = "only some blocks were emulated";
  return bytes;
}

std::optional<LevelBytes> dram_bytes(const PointFigures& figures) {
  if (const auto counted = figures.sum({"dram.bytes_read", "dram.bytes_write"}))
    return LevelBytes{*counted};
  if (const auto model = figures("model.dram_bytes"))
    return LevelBytes{*model, Origin::modelled, "", false};
  return std::nullopt;
}

// Where they were not counted: the scene's expectation, which must stay within its bound, and what
// is stored; else what the addresses leave open.
std::optional<LevelBytes> l2_bytes(const PointFigures& figures, const Bounds& bounds) {
  if (const auto counted = counted_l2_bytes(figures.measured))
    return LevelBytes{counted->value, Origin::measured, counted->what};
  const auto expected = figures(kL2ReadTerm), unique = figures("emulated.l2.unique_sectors"),
             asked = figures("emulated.l2.asked_sectors"),
             stored = figures("emulated.l1.sectors_store");
  if (expected && bounds.l2_bound_ratio) {
    const double stores = stored.value_or(0) * kSectorBytes, apart = *bounds.l2_bound_ratio,
                 spread = figures.spread("emulated.l1.sectors_store") * kSectorBytes;
    return LevelBytes{*expected + stores,
                      Origin::modelled,
                      "the scene's expectation",
                      stored.has_value(),
                      *expected * (1 - apart) + stores - spread,
                      *expected * (1 + apart) + stores + spread,
                      "the scene's expectation has a bound"};
  }
  if (unique && asked)
    return LevelBytes{*asked * kSectorBytes,
                      Origin::modelled,
                      "every sector requested from L1, or only distinct ones",
                      true,
                      *unique * kSectorBytes,
                      (*asked + figures.spread("emulated.l2.asked_sectors")) * kSectorBytes,
                      "L1 hits are not emulated"};
  return std::nullopt;
}

// The data path of L1 passes 128 bytes for every wavefront, however few of them are used: where
// those are more they count.
std::optional<LevelBytes> l1_bytes(const PointFigures& figures) {
  const auto bytes = figures("l1.bytes"), wavefronts = figures("l1.wavefronts");
  if (bytes || wavefronts) {
    const double passed = wavefronts.value_or(0) * kWavefrontBytes;
    if (passed > bytes.value_or(0)) return LevelBytes{passed, Origin::measured, kOfWavefronts};
    if (bytes) return LevelBytes{*bytes};
  }
  const auto ids = {"emulated.l1.sectors_load", "emulated.l1.sectors_store"};
  if (const auto sectors = figures.sum(ids))
    return emulated_bytes(figures, *sectors, ids, kSectorBytes, "sectors that the emulator counts");
  return std::nullopt;
}

// The counter of all passes has those of barriers, of shuffles and one for every warp too: where it
// was told apart that no load, store or product asked, nothing was moved.
std::optional<LevelBytes> shared_bytes(const PointFigures& figures) {
  const std::string of = kOfWavefronts;
  if (const auto counted = figures("shared.wavefronts")) {
    const auto loads = value_of(figures.measured, "shared.wavefronts_load"),
               stores = value_of(figures.measured, "shared.wavefronts_store"),
               products = value_of(figures.measured, "shared.wavefronts_gmma");
    const bool none = loads && stores && *loads + *stores + products.value_or(0) == 0;
    return LevelBytes{none ? 0 : *counted * kWavefrontBytes, Origin::measured, of};
  }
  const auto ids = {"emulated.shared.wavefronts_load", "emulated.shared.wavefronts_store"};
  if (const auto passes = figures.sum(ids))
    return emulated_bytes(figures, *passes, ids, kWavefrontBytes, of + ", emulated");
  return std::nullopt;
}

}  // namespace

std::optional<double> PointFigures::operator()(std::string_view id) const {
  const std::optional<double> value = value_of(measured, id);
  return value ? value : value_of(emulated, id);
}

double PointFigures::spread(std::string_view id) const {
  if (value_of(measured, id)) return 0;
  const MetricValue* value = find_value(emulated, id);
  return value != nullptr && value->sampled ? value->sampled->spread.value_or(0) : 0;
}

double PointFigures::spread(std::initializer_list<const char*> ids) const {
  double sum = 0;
  for (const char* id : ids) sum += spread(id);
  return sum;
}

std::optional<double> PointFigures::sum(std::initializer_list<const char*> ids) const {
  double sum = 0;
  for (const char* id : ids) {
    const std::optional<double> value = (*this)(id);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<LevelBytes> bytes_at(Level level, const PointFigures& figures, const Bounds& bounds) {
  switch (level) {
    case Level::dram:
      return dram_bytes(figures);
    case Level::l2:
      return l2_bytes(figures, bounds);
    case Level::l1:
      return l1_bytes(figures);
    case Level::shared:
      return shared_bytes(figures);
    default:
      return std::nullopt;
  }
}

}  // namespace warpscope
