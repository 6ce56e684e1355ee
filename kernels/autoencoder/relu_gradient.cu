// kernels/autoencoder/relu_gradient.cu: where a ReLU gave zero, its gradient is zero, in place.
//
// By the sign of the output, which is that of the sum before it wherever it is not zero. It reads
// and writes whole maps for one comparison an element: look at the bytes, in a pass of its own.

extern "C" __global__ void __launch_bounds__(256)
    relu_gradient(const float* __restrict__ y,  // [count], after the ReLU
                  float* __restrict__ dy,       // [count], becomes the gradient before it
                  long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count && !(y[i] > 0)) dy[i] = 0;
}
