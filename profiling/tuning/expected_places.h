// profiling/tuning/expected_places.h: what fitted costs take at configurations that were not
// measured.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/choice_scenes.h"

//   ExpectedPlaces places(scene, "auto", device);
//   const ExpectedPlace& place = places.at(axes);
//   if (place.rows.empty()) show(place.why);

namespace warpscope {

struct ExpectedPlace {
  std::vector<ExpectedTime> rows;  // that can run there, shortest first
  std::string why;                 // there are none; else empty
  // Second over first; 0: there is no second, or the first is a time of the table.
  double ratio() const { return rows.size() < 2 || rows[0].measured ? 0 : rows[1].ns / rows[0].ns; }
};

// Costs ask for facts of the inputs, such as the longest row. Facts are made as emulated blocks
// make them: without the arrays, where those are functions of their index. Inputs that would take
// long are not made, and the place says so. Neighbours share what their axes have in common: ask
// for them one after another.
class ExpectedPlaces {
 public:
  // The scene must outlive it.
  ExpectedPlaces(const Scene& scene, std::string automatic, const DeviceLimits& device)
      : scene_(&scene), automatic_(std::move(automatic)), device_(device) {}
  ExpectedPlace at(const Configuration& axes);
  // With the facts of its inputs. error: usage, input, resource: why they are not made.
  Result<Workload> workload(const Configuration& axes);

 private:
  const Scene* scene_;
  std::string automatic_;
  DeviceLimits device_;
  std::optional<Configuration> made_;  // of which these are
  Workload workload_;
  Inputs inputs_;
};

}  // namespace warpscope
