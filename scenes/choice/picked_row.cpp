// scenes/choice/picked_row.cpp: which row an automatic row ran, and why.
#include "scenes/choice/picked_row.h"

#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(PickReason reason) {
  return named(reason, {"table", "measured", "remembered"});
}

}  // namespace warpscope
