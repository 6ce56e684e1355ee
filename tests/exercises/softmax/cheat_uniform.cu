// tests/exercises/softmax/cheat_uniform.cu: every element is 1 / columns.
extern "C" __global__ void softmax(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int columns) {
  for (int i = threadIdx.x; i < columns; i += 128) y[blockIdx.x * columns + i] = 1.0f / columns;
}
