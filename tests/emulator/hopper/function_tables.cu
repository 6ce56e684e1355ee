// tests/emulator/hopper/function_tables.cu: calls whose function is known only when they are made:
// of an object's virtual function, and of a table's.

struct Shape {
  __device__ virtual int area(int x) const { return x; }
};
struct Square : Shape {
  __device__ int area(int x) const override { return x * x; }
};
struct Bar : Shape {
  int width;
  __device__ explicit Bar(int w) : width(w) {}
  __device__ int area(int x) const override { return width * x; }
};

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int minus_one(int x) { return x - 1; }
__device__ int (*const volatile kSteps[3])(int) = {twice, minus_one, twice};

extern "C" __global__ void function_tables(int* out, int n, int bar) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Shape any;
  const Square square;
  const Bar wide(bar);
  const Shape* const shapes[3] = {&any, &square, &wide};
  out[i] = shapes[i % 3]->area(i) + kSteps[i / 3 % 3](i);
}
