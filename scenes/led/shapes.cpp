// scenes/led/shapes.cpp: the sizes that follow from the axes of `led`.
#include "scenes/led/shapes.h"

namespace warpscope::led {

Shape shape_of(const Configuration& axes) {
  return {axes.integer("leds"),  axes.integer("channels"), axes.integer("height"),
          axes.integer("width"), axes.integer("block"),    axes.integer("frames"),
          integers(axes) ? 1 : 4};
}

bool integers(const Configuration& axes) { return axes.text("dtype") == "uint8"; }

bool raw_sums(const Configuration& axes) {
  return integers(axes) && axes.text("sums") == "raw uint32";
}

bool planar(const Configuration& axes) { return axes.text("output") == "planar"; }

}  // namespace warpscope::led
