// tests/engine/occupancy_test.cpp: what a launch takes of a multiprocessor, compared with the
// toolkit's own calculator.
#include "profiling/points/occupancy.h"

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "profiling/figures/multiprocessor.h"

namespace warpscope {
namespace {

cudaOccDeviceProp properties_of(const ArchitectureLimits& row) {
  cudaOccDeviceProp p;
  p.computeMajor = row.compute_capability / 10;
  p.computeMinor = row.compute_capability % 10;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = static_cast<int>(row.threads);
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 << 10;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(row.shared_bytes);
  p.numSms = 1;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(row.shared_bytes_per_block);
  p.reservedSharedMemPerBlock = row.compute_capability >= 80 ? 1024 : 0;
  return p;
}

// Blocks by the toolkit's calculator, with as much shared memory as there is; 0: it cannot start.
int calculated(const ArchitectureLimits& row, const KernelResources& r, const Launch& launch) {
  cudaOccFuncAttributes f;
  f.maxThreadsPerBlock = r.most_block_threads > 0 ? static_cast<int>(r.most_block_threads) : 1024;
  f.numRegs = r.registers_per_thread;
  f.sharedSizeBytes = static_cast<std::size_t>(r.static_shared_bytes);
  f.partitionedGCConfig = PARTITIONED_GC_OFF;
  f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  f.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.dynamic_shared_bytes);
  f.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  const cudaOccDeviceProp properties = properties_of(row);
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &f, &state, static_cast<int>(launch.block.x),
      static_cast<std::size_t>(launch.dynamic_shared_bytes));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

KernelResources taking(int registers, std::int64_t static_shared = 0) {
  KernelResources r;
  r.registers_per_thread = registers;
  r.static_shared_bytes = static_shared;
  return r;
}

Launch block_of(std::int64_t threads, std::int64_t shared = 0) {
  return {{1, 1, 1}, {threads, 1, 1}, shared};
}

TEST(Occupancy, IsWhatTheToolkitsCalculatorSays) {
  int started = 0, refused = 0;
  for (const ArchitectureLimits& row : all_architecture_limits()) {
    const DeviceLimits device = limits_of_architecture(row.compute_capability);
    for (int registers = 16; registers <= 255; registers += registers < 40 ? 1 : 7) {
      for (std::int64_t threads = 32; threads <= 1024; threads += 32) {
        for (const auto& [fixed, dynamic] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                                             {1, 0},
                                             {4096, 0},
                                             {1000, 20000},
                                             {0, 60 << 10},
                                             {0, 99 << 10},
                                             {1024, 99 << 10},
                                             {0, 227 << 10},
                                             {16, 227 << 10}}) {
          const KernelResources r = taking(registers, fixed);
          const Launch launch = block_of(threads, dynamic);
          const int blocks = calculated(row, r, launch);
          ASSERT_GE(blocks, 0) << row.compute_capability;
          const auto ours = occupancy_of(r, launch, device);
          ASSERT_EQ(ours ? ours->blocks : 0, blocks)
              << "sm_" << row.compute_capability << ", " << registers << " registers, " << threads
              << " threads, " << fixed << " + " << dynamic << " bytes";
          ASSERT_EQ(launch_failure(r, launch, device).has_value(), blocks == 0);
          (blocks > 0 ? started : refused) += 1;
        }
      }
    }
  }
  EXPECT_GT(started, 10000);
  EXPECT_GT(refused, 1000);
}

TEST(Occupancy, TheMostThreadsStartAndTheNextBlockDoesNot) {
  const DeviceLimits h200;
  for (int registers = 1; registers <= 255; ++registers) {
    const std::int64_t most = most_threads_of(registers);
    EXPECT_FALSE(launch_failure(taking(registers), block_of(most), h200)) << registers;
    if (most == 1024) continue;
    EXPECT_TRUE(launch_failure(taking(registers), block_of(most + 1), h200)) << registers;
  }
}

TEST(Occupancy, ALaunchThatFailsIsToldInNumbers) {
  const DeviceLimits h200;
  const auto words = [&](const KernelResources& r, const Launch& launch) {
    const auto failure = launch_failure(r, launch, h200);
    return failure ? failure->sentence : "it starts";
  };
  EXPECT_EQ(
      words(taking(255), block_of(512)),
      "255 registers × 32 lanes = 8 160 per warp, allocated as 8 192 (in units of 256); × 16 warps "
      "= 131 072 registers; an SM has 65 536. At most 256 threads per block.");
  EXPECT_EQ(
      words(taking(253), block_of(512)),
      "253 registers × 32 lanes = 8 096 per warp, allocated as 8 192 (in units of 256); × 16 warps "
      "= 131 072 registers; an SM has 65 536. At most 256 threads per block.");
  EXPECT_EQ(words(taking(141), block_of(512)),
            "141 registers × 32 lanes = 4 512 per warp, allocated as 4 608 (in units of 256); × 16 "
            "warps = 73 728 registers; an SM has 65 536. At most 384 threads per block.");
  EXPECT_EQ(words(taking(66), block_of(1000)),
            "66 registers × 32 lanes = 2 112 per warp, allocated as 2 304 (in units of 256); × 32 "
            "warps = 73 728 registers; an SM has 65 536. At most 896 threads per block.");
  EXPECT_EQ(words(taking(255), block_of(256)), "it starts");
  EXPECT_EQ(words(taking(128), block_of(512)), "it starts");
  EXPECT_EQ(words(taking(80), block_of(800)),
            "80 registers × 32 lanes = 2 560 per warp; × 28 warps (25, rounded up to a multiple of "
            "4) = 71 680 registers; an SM has 65 536. At most 768 threads per block.");
  EXPECT_EQ(words(taking(32), block_of(128, 240000)),
            "240 000 bytes of dynamic shared memory; a block has 232 448. At most 232 448 bytes of "
            "dynamic memory.");
  EXPECT_EQ(words(taking(32, 1024), block_of(128, 232448)),
            "232 448 bytes of dynamic shared memory + 1 024 static = 233 472 bytes; a block has "
            "232 448. At most 231 424 bytes of dynamic memory.");
  KernelResources bounded = taking(32);
  bounded.most_block_threads = 256;
  EXPECT_EQ(words(bounded, block_of(512)),
            "512 threads; the kernel's launch bounds are 256. At most 256 threads per block.");
}

TEST(Occupancy, NamesWhatLetsNoMoreBlocksIn) {
  const DeviceLimits h200;
  const auto limit = [&](const KernelResources& r, const Launch& launch) {
    return occupancy_of(r, launch, h200)->limit;
  };
  EXPECT_EQ(limit(taking(255), block_of(128)), OccupancyLimit::registers);
  EXPECT_EQ(limit(taking(32), block_of(128, 100 << 10)), OccupancyLimit::shared_memory);
  EXPECT_EQ(limit(taking(16), block_of(256)), OccupancyLimit::warps);
  EXPECT_EQ(limit(taking(16), block_of(32)), OccupancyLimit::blocks);
  EXPECT_DOUBLE_EQ(occupancy_of(taking(255), block_of(256), h200)->ratio, 0.125);
}

}  // namespace
}  // namespace warpscope
