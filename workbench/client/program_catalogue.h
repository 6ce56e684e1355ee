// workbench/client/program_catalogue.h: the scenes of this program, and of any file it can open.
#pragma once

#include <memory>

#include "scenes/catalogue.h"

namespace warpscope {

// Opens compiled files by the PTX in them, and captures, besides what every catalogue opens.
std::shared_ptr<Catalogue> program_catalogue();

}  // namespace warpscope
