// scenes/program/parameter_use.h: what a kernel's body does with what its parameters point to.
#pragma once

#include <functional>
#include <set>
#include <string>
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
// Names in a kernel's body, and in those of the device functions that it calls.
std::set<std::string, std::less<>> words_of_kernel(const TokenText& text,
                                                   const Declarations& declarations,
                                                   const std::string& kernel);

}  // namespace warpscope::program
