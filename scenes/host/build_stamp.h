// scenes/host/build_stamp.h: the version and commit of this build.
#pragma once

#include <string>

namespace warpscope {

// "warpscope": CMake's project name. It names the programs, their folders and their packages.
std::string product_name();
std::string build_stamp();  // "0.1.0 (3f2a9c1b20)"; the commit ends in -dirty for changed trees

}  // namespace warpscope
