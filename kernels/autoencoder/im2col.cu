// kernels/autoencoder/im2col.cu: what stands around a library's product: columns, their sum, bias.
//
// Against nchw_grid2d: the convolution becomes a product of matrices, [out, 9·in] times
// [9·in, pixels] an image, which the library multiplies at its own rate. Look at the bytes: each
// input value is written nine times and read again, and bias and ReLU are a pass of their own over
// the outputs. An index of a column has 32 bits, as a published kernel has it.

// columns[image, 9·channel + tap, pixel] is the neighbour `tap` of the pixel, zero outside.
extern "C" __global__ void __launch_bounds__(256)
    im2col(const float* __restrict__ x,  // [images, in, side, side]
           float* __restrict__ columns,  // [images, in, 9, side, side]
           unsigned count, int side) {   // count: of columns, below 2³¹
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  const int i = thread;
  const int column = i % side, row = i / side % side, tap = i / side / side % 9;
  const int plane = i / side / side / 9;
  const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
  const bool inside = r >= 0 && r < side && q >= 0 && q < side;
  columns[i] = inside ? x[(plane * side + r) * side + q] : 0.0f;
}

// Each input gathers what the nine outputs around it have of it.
extern "C" __global__ void __launch_bounds__(256)
    col2im(const float* __restrict__ columns,  // [images, in, 9, side, side]
           float* __restrict__ dx,             // [images, in, side, side]
           unsigned count, int side) {         // count: of dx
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  const int i = thread;
  const int column = i % side, row = i / side % side, plane = i / side / side;
  float sum = 0;
#pragma unroll
  for (int tap = 0; tap < 9; ++tap) {
    const int r = row + 1 - tap / 3, q = column + 1 - tap % 3;
    if (r >= 0 && r < side && q >= 0 && q < side)
      sum += columns[((plane * 9 + tap) * side + r) * side + q];
  }
  dx[i] = sum;
}

// In place. NaN stays NaN.
extern "C" __global__ void __launch_bounds__(256)
    bias_relu(float* __restrict__ y,        // [images, out, pixels]
              const float* __restrict__ b,  // [out]
              long long count, int out, int pixels, int relu) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float sum = y[i] + b[i / pixels % out];
  y[i] = relu && sum < 0 ? 0 : sum;
}
