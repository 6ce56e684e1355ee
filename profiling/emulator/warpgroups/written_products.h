// profiling/emulator/warpgroups/written_products.h: products of warpgroups whose registers other
// instructions write without a fence in between.
#pragma once

#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

// Sets WarpgroupProduct::written_before, along all paths that lead to a product. It ignores mov:
// compilers put copies and zeros where they like. Needs KernelCode::register_uses.
void find_written_products(KernelCode& kernel);

}  // namespace warpscope
