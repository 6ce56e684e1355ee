// profiling/capture/injected/encoded_maps.h: the tensor maps that a program had the driver make.
#pragma once

#include <cuda.h>

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiling/capture/capture.h"

// A tensor map is 128 bytes whose meaning is not documented. What the program asked for when it had
// the driver make the map is kept by these bytes, so that they are recognised among the arguments
// of a launch.
//
//   maps.keep(bytes, tiled_map(…));
//   std::vector<CapturedTensorMap> found = maps.among(parameters);

namespace warpscope {

class EncodedMaps {
 public:
  // 128 bytes, and what they say. If there are very many maps, the oldest ones are forgotten.
  void keep(const void* bytes, const CapturedTensorMap& map);
  // cuTensorMapReplaceAddress has made one of the other.
  void moved(const void* before, const void* after, std::uint64_t address);
  // Maps inside of the parameters of a launch, with the places where they lie.
  std::vector<CapturedTensorMap> among(const std::vector<CapturedParameter>& parameters) const;

 private:
  mutable std::mutex mutex_;  // any thread of the program makes maps
  std::unordered_map<std::string, CapturedTensorMap> known_;
  std::deque<std::string> order_;  // the oldest first
};

// What the parameters of the driver's functions say.
CapturedTensorMap tiled_map(CUtensorMapDataType type, cuuint32_t rank, const void* address,
                            const cuuint64_t* extents, const cuuint64_t* strides,
                            const cuuint32_t* box, const cuuint32_t* steps,
                            CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CapturedTensorMap im2col_map(CUtensorMapDataType type, cuuint32_t rank, const void* address,
                             const cuuint64_t* extents, const cuuint64_t* strides, const int* lower,
                             const int* upper, cuuint32_t channels, cuuint32_t pixels,
                             const cuuint32_t* steps, CUtensorMapInterleave interleave,
                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                             CUtensorMapFloatOOBfill fill);

}  // namespace warpscope
