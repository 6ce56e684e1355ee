// kernels/csrmm/rows_of_b.cuh: the address of a gathered row of B in one instruction.
#pragma once

// `column` points at the lane's column of row 0; rows are `row_bytes` apart. A 32 × 32 → 64-bit
// multiply-add (IMAD.WIDE) makes the address: as wide as k·n needs and no slower than 32-bit
// indices.
template <typename T>
__device__ __forceinline__ const T* row_of(const T* column, int row, int row_bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(column) +
                                    static_cast<long long>(row) * row_bytes);
}
