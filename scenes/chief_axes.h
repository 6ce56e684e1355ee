// scenes/chief_axes.h: the axes of a scene that a person moves first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

// Names of axes; empty: the first four of the problem, in the scene's order.
std::vector<std::string> chief_axes(std::string_view scene);

}  // namespace warpscope
