// scenes/deform/steps.h: what each kernel of `deform` runs: sources, defines, grids, arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

// Every function gives the steps of one technique at one workload.

namespace warpscope::deform {

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

// A kernel whose entry is named like its source, with the constants and the parameters of
// kernels/deform/levels.cuh, with `threads` threads in blocks of the axis block_size.
KernelLaunch kernel_of(const Workload& w, const std::string& technique, std::int64_t threads);
// The same in blocks of `block` threads.
KernelLaunch kernel_in_blocks(const Workload& w, const std::string& technique, std::int64_t threads,
                              std::int64_t block);
// The same with one thread for every eight channels of a query and head.
KernelLaunch kernel_of_lanes(const Workload& w, const std::string& technique);

// Blocks that stay: as many as a device runs at once, or fewer.
std::int64_t resident_blocks(std::int64_t wanted, std::int64_t of_a_multiprocessor);

// A kernel of one thread for every eight channels whose source has no other constants.
Steps lanes_steps(const Workload& w, const std::string& technique);
Steps runtime_point_loop_steps(const Workload& w);
// `cap`: registers that a thread may have.
Steps two_phase_steps(const Workload& w, const std::string& technique, std::int64_t cap);
Steps two_phase_unroll_steps(const Workload& w);
Steps unpadded_values_steps(const Workload& w);
Buffers unpadded_values_scratch(const Workload& w);
std::int64_t bare_rows(const Workload& w);  // pixels of an image without its rings
Steps fused_softmax_steps(const Workload& w);

// Values as the input has them, or stored as another type before the time begins.
enum class StoredAs { input, bf16, fp8 };
Steps fp32_coordinates_steps(const Workload& w, StoredAs stored);
Buffers converted_scratch(const Workload& w, StoredAs stored);

Steps sample_then_reduce_steps(const Workload& w);
Buffers sample_then_reduce_scratch(const Workload& w);
std::int64_t sample_bytes(const Workload& w);  // of all samples, written out

Steps lane_per_point_steps(const Workload& w);
Steps query_tiles_steps(const Workload& w);
Steps sorted_queries_steps(const Workload& w);
Buffers sorted_queries_scratch(const Workload& w);
Steps sorted_windows_steps(const Workload& w);  // its scratch is that of sorted_queries
std::int64_t window_bytes(const Workload& w);   // of a block

Steps async_metadata_steps(const Workload& w);
std::int64_t async_metadata_bytes(const Workload& w);  // of shared memory
Steps staged_steps(const Workload& w, const std::string& technique);
std::int64_t staged_bytes(const Workload& w);
Steps tma_box_steps(const Workload& w);
std::int64_t tma_box_bytes(const Workload& w);  // of shared memory

}  // namespace warpscope::deform
