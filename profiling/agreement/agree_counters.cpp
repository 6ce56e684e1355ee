// profiling/agreement/agree_counters.cpp: what counters of one run must say of each other.
#include "profiling/agreement/agree_counters.h"

#include <cmath>
#include <optional>
#include <string>

#include "profiling/agreement/agree_verdict.h"
#include "scenes/base/device_units.h"

namespace warpscope {
namespace {

class CounterPairs {
 public:
  explicit CounterPairs(const Measurement& point) : point_(point) {}

  std::vector<FigureMatch> all() && {
    bytes_of_sectors();
    sectors_by_unit();
    return std::move(list_);
  }

 private:
  std::optional<double> counted(const char* id) const { return value_of(point_.metrics, id); }

  void add(const char* figure, const char* counter, const char* unit, double ours, double other,
           bool within, std::string why) {
    FigureMatch made;
    made.scene = point_.scene, made.variant = point_.variant, made.key = point_.key;
    made.figure = figure, made.counter = counter, made.unit = unit;
    made.ours = ours, made.counted = other;
    judge(made, within, {}, {std::move(why), false});
    list_.push_back(std::move(made));
  }

  // All requests of L2, as bytes and as sectors.
  void bytes_of_sectors() {
    const auto bytes = counted("l2.bytes"), sectors = counted("l2.sectors");
    if (!bytes || !sectors || *sectors < kFewSectors) return;
    const double ours = static_cast<double>(kSectorBytes) * *sectors;
    add("counted.l2_bytes", "l2.bytes", "B", ours, *bytes,
        std::abs(ours - *bytes) <= kApart * *bytes,
        "32 · l2.sectors and l2.bytes differ by more than 5 %: one of the two counters is wrong");
  }

  // What is neither asked by multiprocessors nor sent between the halves is little.
  void sectors_by_unit() {
    // source: between 0 and 7 % at 270 points of an H200.
    constexpr double kOthers = 0.08;
    const auto asked = counted("l2.sectors_sm"), all = counted("l2.sectors"),
               fabric = counted("l2.sectors_fabric");
    if (!asked || !all || !fabric || *all < kFewSectors) return;
    const double ours = *all - *fabric;
    add("counted.l2_sectors_sm", "l2.sectors_sm", "1", ours, *asked,
        *asked >= (1 - kOthers - kApart) * ours && *asked <= (1 + kApart) * ours,
        "l2.sectors − l2.sectors_fabric is more than 13 % above l2.sectors_sm or more than 5 % "
        "below: one of the three counters is wrong");
  }

  // Counters of several passes are of several runs, whose blocks come in another order.
  // source: up to 3 % at those points, of kernels with bulk copies.
  static constexpr double kApart = 0.05;
  // Small kernels: what the device itself asks of L2 is a part of their counts.
  static constexpr double kFewSectors = 250'000;
  const Measurement& point_;
  std::vector<FigureMatch> list_;
};

}  // namespace

std::vector<FigureMatch> counters_agree(const Measurement& point) {
  return CounterPairs(point).all();
}

}  // namespace warpscope
