// tests/emulator/calibration/async.cu: asynchronous copies of 16 bytes per lane between any places.
//
// `lanes` lanes copy rows of `pieces` pieces each: piece i of row r lies at from + r·from_pitch +
// 16·i of x, and goes to to + r·to_pitch + 16·i of shared memory. Nothing else is loaded from
// global memory.

extern "C" __global__ void async_pieces(const unsigned char* x, float* y, int from, int to,
                                        int lanes, int pieces, int from_pitch, int to_pitch) {
  __shared__ __align__(1024) unsigned char staged[8192];
  const int lane = threadIdx.x, row = lane / pieces, piece = lane % pieces;
  if (lane < lanes) {
    const unsigned place =
        static_cast<unsigned>(__cvta_generic_to_shared(staged + to + row * to_pitch + piece * 16));
    const unsigned char* const source = x + from + row * from_pitch + piece * 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(source) : "memory");
  }
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  if (lane < lanes) {
    y[lane] = *reinterpret_cast<const float*>(staged + to + row * to_pitch + piece * 16);
  }
}
