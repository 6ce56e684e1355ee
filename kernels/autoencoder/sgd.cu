// kernels/autoencoder/sgd.cu: an SGD update of parameters, in place.
//
// It updates one tensor, or all of them, which lie one after the other. Look at the times of ten
// launches beside one: the biases have 3 to 256 numbers, and a launch costs the same for any.

extern "C" __global__ void __launch_bounds__(256) sgd(const float* __restrict__ slopes,  // [count]
                                                      float* __restrict__ parameters,    // [count]
                                                      long long count, float lr) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) parameters[i] -= lr * slopes[i];
}
