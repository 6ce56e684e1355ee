// profiling/point.h: what a figure belongs to, and whether two points may be compared.
#pragma once

#include <compare>
#include <string>

// A figure belongs to its scene, variant, configuration, source and device. What is known of one
// point is never shown as another's.
//
//   const PointId id = id_of(measurement);
//   if (const Comparable may = comparable(a, b); !may) show(may.reason);

namespace warpscope {

struct Measurement;

struct PointId {
  std::string scene, variant;
  std::string key;          // configuration_key: the problem's axes and the variant's own
  std::string code_id;      // of the source (scenes/source.h); empty: not recorded
  std::string device_uuid;  // "GPU-c84bc8ec-…", or the device's name where none was recorded
  auto operator<=>(const PointId&) const = default;
};

PointId id_of(const Measurement& measurement);

// Whether figures of two points may be held to each other.
struct Comparable {
  std::string reason;  // why not: "n is 128 here and 256 there"; empty: they may
  explicit operator bool() const { return reason.empty(); }
};
// Equal axes of the problem and the same device are asked for. A variant's own axes, its source and
// its league are shown and forbid nothing.
Comparable comparable(const Measurement& a, const Measurement& b);

}  // namespace warpscope
