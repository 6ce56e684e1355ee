// kernels/patterns/lane_vector.cuh: what one lane loads at once: 4, 8 or 16 bytes.
#pragma once

// A load of 8 or 16 bytes must begin at a multiple of its own size. source: CUDA C++ Programming
// Guide, "Device Memory Accesses", size and alignment requirement.
#if WIDTH == 16
using Vector = float4;
#elif WIDTH == 8
using Vector = float2;
#else
using Vector = float;
#endif
