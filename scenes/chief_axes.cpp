// scenes/chief_axes.cpp: the axes of a scene that a person moves first.
#include "scenes/chief_axes.h"

#include <map>

namespace warpscope {

std::vector<std::string> chief_axes(std::string_view scene) {
  static const std::map<std::string_view, std::vector<std::string>> rows = {
      {"autoencoder", {"part", "layer", "direction", "batch"}},
      {"csrmm", {"m", "p", "n", "db", "op"}},
      {"deform", {"batch", "queries", "points", "dtype"}},
      {"deform_backward", {"batch", "queries", "points", "locality", "dtype"}},
      {"esmm", {"m", "da", "db", "a_zeros"}},
      {"led", {"leds", "block", "frames", "dtype"}},
      {"patterns",
       {"op", "n", "rows", "width", "stride", "offset", "fields", "locality", "contention"}}};
  const auto found = rows.find(scene);
  return found == rows.end() ? std::vector<std::string>{} : found->second;
}

}  // namespace warpscope
