// tests/exercises/transpose/slow_one_lane.cu: one lane at a time, so that each request has one
// sector.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k;
    for (int lane = 0; lane < 32; ++lane) {
      if (threadIdx.x == lane && row < rows && column < columns)
        y[column * rows + row] = x[row * columns + column];
    }
  }
}
