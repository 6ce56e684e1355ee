// kernels/led/pieces.cuh: a block of pixels in the pieces that lanes take in turn.
#pragma once

//   QUADS  1: a piece is four pixels side by side, 0: one pixel, where quads would be misaligned
#include "led/operand.cuh"

#if QUADS
using Piece = Quad;
constexpr int kPixelsOfPiece = 4;
#else
using Piece = Value;
constexpr int kPixelsOfPiece = 1;
#endif
constexpr int kPiecesOfRow = B / kPixelsOfPiece;
constexpr int kPiecesOfBlock = B * kPiecesOfRow;

__device__ __forceinline__ Piece piece_at(const Value* pixels) {
  return *reinterpret_cast<const Piece*>(pixels);
}

// Pieces lane, lane + 32 … of a pattern (rows B apart) times those of an image (rows `pitch`
// apart); lanes of one request lie side by side.
__device__ __forceinline__ Sum products_of_lane(const Value* pattern, const Value* image, int pitch,
                                                int lane) {
  Sum sum = 0;
#pragma unroll 4
  for (int i = lane; i < kPiecesOfBlock; i += 32) {
    const int row = i / kPiecesOfRow, column = i % kPiecesOfRow * kPixelsOfPiece;
    sum = multiply_add(piece_at(pattern + row * B + column), piece_at(image + row * pitch + column),
                       sum);
  }
  return sum;
}
