// scenes/base/step.cpp: branches of a graph, and what a tensor map must keep to.
#include "scenes/base/step.h"

#include <algorithm>

namespace warpscope {

bool has_branches(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, &Step::aside);
}

const char* to_text(Submission submission) {
  return submission == Submission::graph ? "graph" : "stream";
}

std::int64_t row_bytes(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::none ? 0 : 16LL << static_cast<int>(swizzle);
}

namespace {

// source: CUDA Driver API, cuTensorMapEncodeTiled.
constexpr std::size_t kMostDimensions = 5;
constexpr std::int64_t kMostExtent = 1LL << 32, kMostStride = 1LL << 40, kMostBox = 256;
constexpr std::int64_t kTensorAlignment = 16;  // of addresses, strides and the box's rows

std::string dimension_text(std::size_t d, const char* what, std::int64_t value) {
  return std::string(what) + " " + std::to_string(value) + " of dimension " + std::to_string(d);
}

tl::unexpected<Error> refused(const TensorMapArgument& map, const std::string& what,
                              const char* remedy) {
  return failure(ErrorKind::usage, what, "tensor map of " + map.buffer, remedy);
}

Result<void> box_row_is_legal(const TensorMapArgument& map) {
  const std::int64_t bytes = map.box[0] * element_bytes(map.type), row = row_bytes(map.swizzle);
  const std::string words = "the " + std::to_string(bytes) + " bytes of a box's row are not ";
  if (bytes % kTensorAlignment != 0)
    return refused(map, words + "a multiple of 16", "widen the box");
  if (row == 0 || bytes == row) return {};
  return refused(map, words + "the " + std::to_string(row) + " of its swizzle",
                 "copy several boxes, or choose another swizzle");
}

}  // namespace

Result<void> tensor_map_is_legal(const TensorMapArgument& map, std::int64_t all_bytes) {
  const auto refuse = [&](const std::string& what, const char* remedy) {
    return refused(map, what, remedy);
  };
  if (map.offset_bytes < 0 || map.offset_bytes > all_bytes ||
      map.offset_bytes % kTensorAlignment != 0) {
    return refuse("the tensor begins at byte " + std::to_string(map.offset_bytes) + " of " +
                      std::to_string(all_bytes),
                  "begin it at a multiple of 16 inside the buffer");
  }
  const std::int64_t buffer_bytes = all_bytes - map.offset_bytes;
  const std::size_t rank = map.extents.size();
  if (rank < 1 || rank > kMostDimensions) {
    return refuse("a tensor has 1 to 5 dimensions, not " + std::to_string(rank),
                  "fold dimensions together");
  }
  if (map.strides_bytes.size() + 1 != rank || map.box.size() != rank) {
    return refuse("a tensor of " + std::to_string(rank) + " dimensions has " +
                      std::to_string(rank - 1) + " strides and " + std::to_string(rank) +
                      " box sizes, not " + std::to_string(map.strides_bytes.size()) + " and " +
                      std::to_string(map.box.size()),
                  "give one for each dimension, and no stride for the first");
  }
  const std::int64_t size = element_bytes(map.type);
  std::int64_t last = size;  // one past the tensor's last byte
  for (std::size_t d = 0; d < rank; ++d) {
    if (map.extents[d] < 1 || map.extents[d] > kMostExtent) {
      return refuse(dimension_text(d, "extent", map.extents[d]) + " is not 1 to 2^32",
                    "choose other sizes");
    }
    if (map.box[d] < 1 || map.box[d] > kMostBox) {
      return refuse(dimension_text(d, "box size", map.box[d]) + " is not 1 to 256",
                    "copy several boxes");
    }
    const std::int64_t stride = d == 0 ? size : map.strides_bytes[d - 1];
    if (stride < 1 || stride >= kMostStride || (d > 0 && stride % kTensorAlignment != 0)) {
      return refuse(dimension_text(d, "stride", stride) + " is not a multiple of 16 below 2^40",
                    "pad the rows");
    }
    if (map.extents[d] - 1 > (buffer_bytes - last) / stride) {
      return refuse("the tensor reaches past the " + std::to_string(buffer_bytes) +
                        " bytes of the buffer in dimension " + std::to_string(d),
                    "lower the extents or strides");
    }
    last += (map.extents[d] - 1) * stride;
  }
  if (last > buffer_bytes) {
    return refuse("the tensor reaches past the " + std::to_string(buffer_bytes) +
                      " bytes of the buffer in dimension 0",
                  "lower the extents or strides");
  }
  return box_row_is_legal(map);
}

}  // namespace warpscope
