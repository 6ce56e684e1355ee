// tests/engine/own_roof_scene.h: a scene with a roof of its own access shape, for tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "scenes/base/scene.h"

namespace warpscope {

// Lanes of 16 bytes read random segments of 64 bytes in a window of 128 KB per block, with 2 blocks
// per multiprocessor: the most that a gather served by L1 can reach. Its kernel is written to
// `folder`.
inline Scene own_roof_scene(const std::filesystem::path& folder, std::int32_t turns = 400) {
  constexpr std::int64_t kThreads = 256, kWindowBytes = 128 << 10;
  std::filesystem::create_directories(folder);
  const std::string source = (folder / "gather_64.cu").string();
  std::ofstream(source) << R"(// gather_64.cu: random segments of 64 bytes in a window.
extern "C" __global__ void gather_64(const float4* from, float* sink, int turns) {
  const float4* window = from + blockIdx.x % 2 * 8192;
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) / 4 * 2654435761u + 12345u;
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    float4 value[4];
    for (int u = 0; u < 4; ++u) {
      state = state * 1664525u + 1013904223u;
      value[u] = __ldg(window + (state >> 21) * 4 + threadIdx.x % 4);
    }
    for (int u = 0; u < 4; ++u) sum += value[u].x + value[u].y + value[u].z + value[u].w;
  }
  if (sum == 1.5e30f) *sink = sum;
}
)";
  const auto bytes = [turns](const DeviceLimits& device) {
    return static_cast<double>(2 * device.multiprocessors * kThreads * turns) * 4 * 16;
  };
  SceneRoof roof;
  roof.name = "gather_64";
  roof.sentence = "16-byte lanes, random 64-byte segments inside a window of 128 KB a block";
  roof.level = Level::l1;
  roof.buffers = [](const DeviceLimits&) -> std::vector<BufferSpec> {
    return {{"from", ElementType::f32, 2 * kWindowBytes / 4, BufferRole::input},
            {"sink", ElementType::f32, 64, BufferRole::scratch}};
  };
  roof.steps = [source, turns](const DeviceLimits& device) -> std::vector<Step> {
    return {{"gather", Phase::run,
             KernelLaunch{source,
                          "gather_64",
                          {},
                          {{2 * device.multiprocessors, 1, 1}, {kThreads, 1, 1}, 0, {}},
                          {BufferArgument{"from"}, BufferArgument{"sink"}, turns}}}};
  };
  roof.bytes = bytes;
  roof.counts = [bytes](const DeviceLimits& device) {
    return std::map<std::string, double>{{"l1.sectors_load", bytes(device) / 32}};
  };
  Scene scene;
  scene.name = "own_roof_test";
  scene.roofs = {roof};
  return scene;
}

}  // namespace warpscope
