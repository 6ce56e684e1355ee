// scenes/program/parameter_use.h: what a kernel's body does with what its parameters point to.
#pragma once

#include <vector>

#include "scenes/program/declarations.h"

namespace warpscope::program {

struct Use {
  bool read = false, written = false, atomic = false;
};

// One a parameter. Local pointers made of a parameter, casts and device functions of the text are
// followed. A pointer that goes somewhere unknown counts as read, and as written unless it is
// const.
std::vector<Use> parameter_uses(const TokenText& text, const Declarations& declarations,
                                const Function& function);

}  // namespace warpscope::program
