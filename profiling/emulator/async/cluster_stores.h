// profiling/emulator/async/cluster_stores.h: st.async and red.async, which tell the mbarrier of the
// block that they store to.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// a the address and c the barrier, both of shared::cluster and of one block; `count` elements of
// `width` bytes. target: the reduction as packed_reduction has it, 0: a store. subop
// kFlagBarrier32; slots[extra …]: 0, offset of c, then slots of the elements.
// source: PTX ISA, "st.async" and "red.async".
void run_store_async(Warp& warp, const Instruction& i);

}  // namespace warpscope
