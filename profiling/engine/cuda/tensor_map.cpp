// profiling/engine/cuda/tensor_map.cpp: tensor maps as kernels take them on a device.
#include "profiling/engine/cuda/tensor_map.h"

#include <array>

namespace warpscope {
namespace {

Result<CUtensorMapDataType> data_type_of(const TensorMapArgument& map) {
  switch (map.type) {
    case ElementType::u8:
    case ElementType::i8:  // bytes are copied, not converted
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case ElementType::u16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case ElementType::i32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case ElementType::u32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case ElementType::i64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case ElementType::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ElementType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ElementType::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ElementType::f64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  }
  return failure(ErrorKind::internal, "a tensor has an element type that is not known", map.buffer);
}

CUtensorMapSwizzle swizzle_of(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::bytes_32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case TensorSwizzle::bytes_64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case TensorSwizzle::bytes_128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    case TensorSwizzle::none:
      break;
  }
  return CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapL2promotion promotion_of(std::int64_t fetched_bytes) {
  if (fetched_bytes == 64) return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
  if (fetched_bytes == 128) return CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return fetched_bytes == 0 ? CU_TENSOR_MAP_L2_PROMOTION_NONE : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
}

}  // namespace

Result<CUtensorMap> encode_tensor_map(const CudaDriver& driver, const TensorMapArgument& map,
                                      CUdeviceptr address, std::int64_t buffer_bytes) {
  const std::string where = "tensor map of " + map.buffer;
  if (Result<void> legal = tensor_map_is_legal(map, buffer_bytes); !legal) {
    return tl::unexpected(legal.error());
  }
  if (driver.cuTensorMapEncodeTiled == nullptr) {
    return failure(ErrorKind::environment, "the driver is too old: it lacks cuTensorMapEncodeTiled",
                   where, "install a driver of the 580 series or newer");
  }
  const Result<CUtensorMapDataType> type = data_type_of(map);
  if (!type) return tl::unexpected(type.error());
  constexpr std::size_t kDimensions = 5;
  std::array<cuuint64_t, kDimensions> extents{}, strides{};
  std::array<cuuint32_t, kDimensions> box{}, steps{};
  const std::size_t rank = map.extents.size();
  for (std::size_t d = 0; d < rank; ++d) {
    extents[d] = static_cast<cuuint64_t>(map.extents[d]);
    if (d > 0) strides[d - 1] = static_cast<cuuint64_t>(map.strides_bytes[d - 1]);
    box[d] = static_cast<cuuint32_t>(map.box[d]);
    steps[d] = 1;
  }
  CUtensorMap encoded{};
  const CUresult result = driver.cuTensorMapEncodeTiled(
      &encoded, *type, static_cast<cuuint32_t>(rank),
      reinterpret_cast<void*>(address + static_cast<CUdeviceptr>(map.offset_bytes)), extents.data(),
      strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      swizzle_of(map.swizzle), promotion_of(map.fetched_bytes), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return encoded;
  const char* words = nullptr;
  if (driver.cuGetErrorString != nullptr) driver.cuGetErrorString(result, &words);
  return failure(ErrorKind::usage,
                 std::string("the driver cannot create this map: ") +
                     (words != nullptr ? words : std::to_string(result).c_str()),
                 where,
                 "it needs a device of compute capability 9.0 and an address aligned to 16 bytes");
}

}  // namespace warpscope
