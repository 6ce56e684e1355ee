// profiling/points/point.h: what a figure belongs to, and whether two points may be compared.
#pragma once

#include <compare>
#include <string>

#include "profiling/figures/timing.h"
#include "scenes/catalogue.h"

// A figure belongs to its scene, variant, configuration, source and device. What is known of one
// point is never shown as another's.
//
//   const PointId id = id_of(measurement);
//   if (const Comparable may = comparable(a, b); !may) show(may.reason);
//   show(compare_times(a, b, CacheState::warm).sentence);       // which asks that first

namespace warpscope {

struct Conditions;
struct Measurement;

struct PointId {
  std::string scene, variant;
  std::string key;          // configuration_key: the problem's axes and the variant's own
  std::string code_id;      // of the source (scenes/base/source.h); empty: not recorded
  std::string device_uuid;  // "GPU-c84bc8ec-…", or the device's name where none was recorded
  // NOLINTNEXTLINE(modernize-use-nullptr): version 14 takes a comparison's 0 for a pointer
  auto operator<=>(const PointId&) const = default;
};

PointId id_of(const Measurement& measurement);

struct DeviceName {
  std::string name, uuid;  // uuid: empty where it was not recorded
  bool operator==(const DeviceName&) const = default;
  // As PointId has it.
  const std::string& id() const { return uuid.empty() ? name : uuid; }
};
std::string to_text(const DeviceName& device);  // "NVIDIA H200 (GPU-c84bc8ec)"
DeviceName device_of(const Conditions& conditions);
// Whether it was measured on a device; not what the emulator verified, and neither what did not run
// where no UUID was recorded.
bool on_a_device(const Measurement& measurement);
// By UUID; by name where one of the two was recorded without. That is for two points alone: tables
// and look-ups of many go by DeviceName::id.
bool same_device(const Conditions& a, const Conditions& b);

// Whether figures of two points may be compared.
struct Comparable {
  std::string reason;  // why not: "n is 128 here and 256 there"; empty: they may
  explicit operator bool() const { return reason.empty(); }
};
// Equal axes of the problem and the same device are asked for. A variant's own axes, its source and
// its league are shown and forbid nothing.
Comparable comparable(const Measurement& a, const Measurement& b);

// The verdict between the times of two points, or why there is none: they are not comparable, or
// one lacks the time.
Comparison compare_times(const Measurement& baseline, const Measurement& candidate,
                         CacheState cache);

// Makes a point that was read fit for today's catalogue: axes that its recording lacks get the
// value that the kernels had (Axis::before, else the default) and are named in completed_axes; key
// and problem are made anew. A point whose variant, or one of whose axes, is not in the catalogue
// keeps its key.
void complete_axes(Measurement& measurement);
// The same for what carries a key alone (traces, timelines): today's key, or the one it has.
std::string completed_key(const Catalogue& catalogue, const std::string& scene,
                          const std::string& variant, const std::string& key);
// The values of the variant's own axes: "unroll=4"; empty: it has none, or it is not in the
// catalogue.
std::string own_axes_text(const Measurement& measurement);
// Those of them that do not stand at the variant's defaults; empty: none.
std::string tuning_text(const Measurement& measurement);
// The configuration without them: what two points must share to be comparable.
Configuration problem_axes(const Measurement& measurement);
// problem_key of a point of the catalogue; its key where its scene is unknown.
std::string problem_of(const Measurement& measurement);

}  // namespace warpscope
