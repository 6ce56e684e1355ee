// tests/engine/captures/made/other_launches.h: launches of a test's program beside its sums of
// vectors.
#pragma once

namespace warpscope {

// A kernel with a parameter of 4096 bytes, of which the launch passes 24 as an argument block, as
// NCCL does. It adds vectors of 256 elements.
void launch_by_block(const char* symbol);
// Boxes of 32 × 16 floats of a tensor of 40 × 24 are copied by a tensor map. It is made for this
// address, or was made for another one before; a structure may hold it from byte 128 on.
enum class MapOrigin { made, moved, in_structure };
void launch_on_boxes(MapOrigin origin);

inline constexpr const char* kAddStructure = "_Z7add_all4Args";  // add_all(Args)
inline constexpr const char* kAllReduce =
    "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE";

}  // namespace warpscope
