// tests/workbench/commands/twice_launch.h: a kernel that doubles an array, and a launch file of it.
#pragma once

#include <string>

namespace warpscope {

// The kernel, as the file twice.cu beside the launch file.
inline constexpr const char* kTwiceKernel =
    R"cu(extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)cu";

// n is 8 unless it is given. y is compared with this file.
inline std::string twice_launch(const std::string& expected) {
  return R"toml(source = "twice.cu"
kernel = "twice"
grid = ["ceil_div(n, 4)"]
block = [4]
[let]
n = 8
[[argument]]
name = "x"
count = "n"
fill = "iota"
[[argument]]
name = "y"
count = "n"
fill = "unset"
expect = ")toml" +
         expected + R"toml("
[[argument]]
name = "n"
value = "i32:n"
)toml";
}

}  // namespace warpscope
