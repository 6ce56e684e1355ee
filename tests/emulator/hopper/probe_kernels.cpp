// tests/emulator/hopper/probe_kernels.cpp: patterns whose counters are to tell what they cost.
#ifdef WARPSCOPE_WITH_COMPILER

#include <numeric>

#include "tests/emulator/hopper/cluster_cases.h"

namespace warpscope {
namespace {

constexpr std::size_t kFloats = 2 * 64 * 8192 / 4;  // of all blocks and times

ClusterKernel probe(const std::string& entry, const std::string& pattern, std::int64_t cluster,
                    const std::vector<std::int32_t>& numbers, bool reads = false) {
  using enum ElementType;
  ClusterKernel kernel;
  kernel.name = entry + pattern;
  kernel.file = "cluster_probes";
  kernel.entry = entry;
  kernel.launch.grid.x = cluster == 1 ? 2 : cluster;
  kernel.launch.block.x = 32;
  kernel.launch.cluster.x = cluster;
  std::vector<float> in(kFloats);
  std::iota(in.begin(), in.end(), 0.0f);
  if (reads) kernel.buffers.push_back(input("in", f32, in));
  kernel.buffers.push_back({"out", f32, raw_bytes(std::vector<float>(kFloats, 0.0f)), {}, true});
  if (reads) kernel.arguments.push_back(BufferArgument{"in"});
  kernel.arguments.push_back(BufferArgument{"out"});
  for (const std::int32_t n : numbers) kernel.arguments.push_back(n);
  return kernel;
}

std::string text_of(std::initializer_list<std::int32_t> numbers) {
  std::string text;
  for (const std::int32_t n : numbers) text += "_" + std::to_string(n);
  return text;
}

}  // namespace

void add_probe_kernels(std::vector<ClusterKernel>& kernels) {
  for (const char* entry :
       {"remote_loads", "remote_wide_loads", "remote_stores", "remote_atomics"}) {
    for (const std::int32_t stride : {0, 1, 2, 8, 32, 33}) {
      for (const std::int32_t distance : {0, 1}) {
        kernels.push_back(probe(entry, text_of({stride, distance}), 2, {stride, distance}));
      }
    }
  }
  for (const std::int32_t kind : {0, 1, 2}) {
    for (const auto& [bytes, offset] :
         {std::pair{16, 0}, {16, 16}, {48, 16}, {128, 0}, {128, 16}, {4096, 0}, {4096, 112}}) {
      kernels.push_back(
          probe("bulk_out", text_of({bytes, offset, kind}), 1, {bytes, offset, kind}));
    }
  }
  for (const std::int32_t mask : {1, 2, 3}) {
    for (const auto& [bytes, offset] : {std::pair{16, 16}, {128, 16}, {4096, 0}, {4096, 112}}) {
      kernels.push_back(
          probe("bulk_in", text_of({bytes, offset, mask}), 2, {bytes, offset, mask}, true));
    }
  }
  for (const std::int32_t bytes : {16, 128, 4096}) {
    kernels.push_back(probe("bulk_across", text_of({bytes}), 2, {bytes}));
  }
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
