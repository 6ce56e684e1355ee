// profiling/emulator/warpgroups/products.h: products of warpgroups, and what warps may do beside
// them.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// The product of the warpgroup whose first warp this is, once its four warps have come to it: reads
// A and B, multiplies, and leaves D under way. Sums are taken in f64 and rounded once: the tensor
// cores of an H200 cut off bits as they add, so last bits differ (of fp8, all but some 13 bits).
void run_product(Worker& worker, std::uint32_t first_warp, const Instruction& i);

// The warp has begun the product: its registers are under way. Notes registers of other products
// among them, and a wgmma.fence that is missing.
void begin_flight(Warp& warp, const Instruction& i, const WarpgroupProduct& product);
// wgmma.wait_group: products of all groups but the last `groups_left` are over for the warp.
void wait_for_products(Warp& warp, const Instruction& i);
void run_product_fence(Warp& warp, const Instruction& i);   // wgmma.fence
void run_product_commit(Warp& warp, const Instruction& i);  // wgmma.commit_group

// Before an instruction of `lanes` of a warp that has products under way: whether it uses one of
// their registers.
void note_register_uses(Warp& warp, const Instruction& i, std::uint32_t lanes);
// setmaxnreg: immediate is the count, negative for .dec.
void run_set_registers(Warp& warp, const Instruction& i);
// Before the last lanes of a warp end: products that nobody waited for, and a setmaxnreg that not
// all warps of the warpgroup came to.
void note_unfinished(Warp& warp, const Instruction& i);

}  // namespace warpscope
