// tests/emulator/hopper/grid_steps.cu: steps of a relaxation in one launch, with the whole grid at
// a barrier between them.
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

// Each inner point becomes the mean of its neighbours, `steps` times; 4-byte floats a, b in turn.
extern "C" __global__ void grid_steps(float* a, float* b, int n, int steps) {
  groups::grid_group grid = groups::this_grid();
  const int stride = gridDim.x * blockDim.x;
  for (int s = 0; s < steps; ++s) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
      b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
    }
    grid.sync();
    float* const turned = a;
    a = b;
    b = turned;
  }
}
