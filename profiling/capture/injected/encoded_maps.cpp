// profiling/capture/injected/encoded_maps.cpp: the tensor maps that a program had the driver make.
#include "profiling/capture/injected/encoded_maps.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::size_t kMostMaps = 16384;  // about 8 MB
constexpr cuuint32_t kMostDimensions = 5;

std::string key_of(const void* bytes) { return {static_cast<const char*>(bytes), kTensorMapBytes}; }

template <typename T, typename From>
std::vector<T> numbers(const From* from, cuuint32_t count) {
  if (from == nullptr) return {};
  return {from, from + std::min(count, kMostDimensions)};
}

}  // namespace

void EncodedMaps::keep(const void* bytes, const CapturedTensorMap& map) {
  const std::lock_guard lock(mutex_);
  const auto [place, added] = known_.insert_or_assign(key_of(bytes), map);
  if (!added) return;
  order_.push_back(place->first);
  if (order_.size() <= kMostMaps) return;
  known_.erase(order_.front());
  order_.pop_front();
}

void EncodedMaps::moved(const void* before, const void* after, std::uint64_t address) {
  CapturedTensorMap map;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key_of(before));
    if (found == known_.end()) return;
    map = found->second;
  }
  map.address = address;
  keep(after, map);
}

std::vector<CapturedTensorMap> EncodedMaps::among(
    const std::vector<CapturedParameter>& parameters) const {
  const std::lock_guard lock(mutex_);
  std::vector<CapturedTensorMap> found;
  if (known_.empty()) return found;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const CapturedParameter& parameter = parameters[i];
    // The offset tells nothing of alignment: the argument block itself begins at byte 0x210 of a
    // constant bank, and a map at a multiple of 64 there. source: seen on an H200.
    for (std::size_t at = 0; at + kTensorMapBytes <= parameter.bytes.size(); at += 8) {
      const auto map = known_.find(parameter.bytes.substr(at, kTensorMapBytes));
      if (map == known_.end()) continue;
      found.push_back(map->second);
      found.back().parameter = static_cast<std::uint32_t>(i);
      found.back().at = at;
    }
  }
  return found;
}

CapturedTensorMap tiled_map(CUtensorMapDataType type, cuuint32_t rank, const void* address,
                            const cuuint64_t* extents, const cuuint64_t* strides,
                            const cuuint32_t* box, const cuuint32_t* steps,
                            CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  CapturedTensorMap map;
  map.address = reinterpret_cast<std::uint64_t>(address);
  map.type = static_cast<int>(type);
  map.interleave = static_cast<int>(interleave);
  map.swizzle = static_cast<int>(swizzle);
  map.l2_promotion = static_cast<int>(promotion);
  map.fill = static_cast<int>(fill);
  map.extents = numbers<std::uint64_t>(extents, rank);
  map.strides = numbers<std::uint64_t>(strides, rank > 0 ? rank - 1 : 0);
  map.box = numbers<std::uint32_t>(box, rank);
  map.steps = numbers<std::uint32_t>(steps, rank);
  return map;
}

CapturedTensorMap im2col_map(CUtensorMapDataType type, cuuint32_t rank, const void* address,
                             const cuuint64_t* extents, const cuuint64_t* strides, const int* lower,
                             const int* upper, cuuint32_t channels, cuuint32_t pixels,
                             const cuuint32_t* steps, CUtensorMapInterleave interleave,
                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                             CUtensorMapFloatOOBfill fill) {
  CapturedTensorMap map = tiled_map(type, rank, address, extents, strides, nullptr, steps,
                                    interleave, swizzle, promotion, fill);
  const cuuint32_t pixel_dimensions = rank > 2 ? rank - 2 : 0;  // all but channels and images
  map.lower = numbers<std::int32_t>(lower, pixel_dimensions);
  map.upper = numbers<std::int32_t>(upper, pixel_dimensions);
  map.channels = channels;
  map.pixels = pixels;
  return map;
}

}  // namespace warpscope
