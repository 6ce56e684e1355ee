// profiling/figures/time_unit.h: the times of one column in one unit.
#pragma once

#include <string>

namespace warpscope {

// A time in the unit that the shortest time of its column has: "3604 µs" beside "21.41 µs".
std::string time_beside(double ns, double shortest_ns);

}  // namespace warpscope
