// scenes/host/build_stamp.h: the version and commit of this build.
#pragma once

#include <string>

namespace warpscope {

std::string build_stamp();  // "0.1.0 (3f2a9c1b20)"; the commit ends in -dirty for changed trees

}  // namespace warpscope
