// tests/emulator/hopper/shared_tables.cu: two kernels that call the same functions by their
// addresses, which ptxas then numbers.

#include "../tests/emulator/hopper/function_tables.cu"

extern "C" __global__ void shared_tables(int* out, int n, int bar) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Square square;
  const Bar wide(bar);
  const Shape* const shapes[2] = {&square, &wide};
  out[i] = shapes[i % 2]->area(i) + kSteps[i / 2 % 3](i);
}
