// scenes/host/build_stamp.cpp: the version and commit of this build.
#include "scenes/host/build_stamp.h"

namespace warpscope {

std::string product_name() {
  return
#include "product_name.inc"
      ;
}

std::string build_stamp() {
  return
#include "build_stamp.inc"
      ;
}

}  // namespace warpscope
