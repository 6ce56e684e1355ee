// tests/engine/captures/made/other_launches.cpp: launches of a test's program beside its sums of
// vectors.
#include "tests/engine/captures/made/other_launches.h"

#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/engine/captures/made/fake_cuda.h"

namespace warpscope {
namespace {

constexpr const char* kStructurePtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry ENTRY(.param .align 8 .b8 p0[4096])
{
  .reg .b32 %r<3>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p0+8];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  ld.global.f32 %f2, [%rd5];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd5], %f3;
  ret;
}
)";
constexpr int kAdded = 256;
constexpr std::size_t kStructureBytes = 4096;

struct Args {
  const float* x;
  float* y;
  int n;
};

void add_all(void** parameters) {
  const Args& args = *static_cast<const Args*>(parameters[0]);
  for (int i = 0; i < kAdded; ++i) args.y[i] += args.x[i];
}

// What nvcc would have made of kernels/engine/tensor_box.cu.
constexpr const char* kBoxPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry tensor_box(.param .align 64 .b8 p0[128], .param .u64 p1, .param .u32 p2,
                           .param .u32 p3)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<10>;
  .shared .align 128 .b8 box[2048];
  .shared .align 8 .b8 full[8];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r2, full;
  mov.u32 %r3, box;
  mov.u32 %r6, %ctaid.x;
  mov.u32 %r7, %ctaid.y;
  @%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r2], 1;
READY:
  bar.sync 0;
  @%p1 bra WAIT;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r2], 2048;
  mov.b64 %rd2, p0;
  cvta.param.u64 %rd3, %rd2;
  ld.param.u32 %r4, [p2];
  ld.param.u32 %r5, [p3];
  mad.lo.s32 %r4, %r6, 32, %r4;
  mad.lo.s32 %r5, %r7, 16, %r5;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd3, {%r4, %r5}], [%r2];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra WAIT;
  mov.u32 %r8, %nctaid.x;
  mad.lo.s32 %r9, %r7, %r8, %r6;
  mul.wide.s32 %rd4, %r9, 2048;
  ld.param.u64 %rd5, [p1];
  cvta.to.global.u64 %rd6, %rd5;
  add.s64 %rd7, %rd6, %rd4;
  mul.wide.u32 %rd8, %r1, 4;
  add.s64 %rd9, %rd7, %rd8;
  shl.b32 %r10, %r1, 2;
  add.s32 %r11, %r10, %r3;
  ld.shared.f32 %f1, [%r11];
  st.global.f32 [%rd9], %f1;
  ld.shared.f32 %f1, [%r11+512];
  st.global.f32 [%rd9+512], %f1;
  ld.shared.f32 %f1, [%r11+1024];
  st.global.f32 [%rd9+1024], %f1;
  ld.shared.f32 %f1, [%r11+1536];
  st.global.f32 [%rd9+1536], %f1;
  ret;
}
)";
constexpr int kWidth = 40, kHeight = 24, kBoxWidth = 32, kBoxHeight = 16, kBoxes = 4;

template <typename T>
T* allocated(std::size_t count) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, count * sizeof(T));
  std::memset(reinterpret_cast<void*>(memory), 0, count * sizeof(T));
  return reinterpret_cast<T*>(memory);
}

struct MapInside {
  char before[128];
  CUtensorMap map;
};

// The map's first bytes are the tensor's address, as they are on a device.
void copy_boxes(const float* from, void** parameters) {
  float* to = *static_cast<float**>(parameters[1]);
  const int x = *static_cast<int*>(parameters[2]), y = *static_cast<int*>(parameters[3]);
  for (int k = 0; k < kBoxes * kBoxWidth * kBoxHeight; ++k) {
    const int box = k / (kBoxWidth * kBoxHeight), in_box = k % (kBoxWidth * kBoxHeight);
    const int column = x + kBoxWidth * (box % 2) + in_box % kBoxWidth;
    const int row = y + kBoxHeight * (box / 2) + in_box / kBoxWidth;
    const bool inside = column >= 0 && column < kWidth && row >= 0 && row < kHeight;
    to[k] = inside ? from[row * kWidth + column] : 0.0f;
  }
}

void copy_boxes_of_map(void** parameters) {
  copy_boxes(*static_cast<float**>(parameters[0]), parameters);
}

void copy_boxes_of_structure(void** parameters) {
  const MapInside& structure = *static_cast<const MapInside*>(parameters[0]);
  copy_boxes(reinterpret_cast<const float*>(structure.map.opaque[0]), parameters);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string box_ptx(bool inside) {
  if (!inside) return kBoxPtx;
  return replaced(replaced(kBoxPtx, "p0[128]", "p0[256]"), "cvta.param.u64 %rd3, %rd2;",
                  "cvta.param.u64 %rd3, %rd2;\n  add.s64 %rd3, %rd3, 128;");
}

}  // namespace

void launch_by_block(const char* symbol) {
  fake_kernel({symbol, {kStructureBytes}, &add_all});
  const std::string ptx = replaced(kStructurePtx, "ENTRY", symbol);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuModuleLoadData(&module, ptx.c_str());
  cuModuleGetFunction(&function, module, symbol);
  auto *x = allocated<float>(kAdded), *y = allocated<float>(kAdded);
  for (int i = 0; i < kAdded; ++i) x[i] = static_cast<float>(i);
  Args args{x, y, kAdded};
  std::size_t bytes = sizeof args;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &args, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  for (int i = 0; i < 2; ++i)
    cuLaunchKernel(function, 1, 1, 1, kAdded, 1, 1, 0, nullptr, nullptr, extra);
  std::printf("added %.0f\n", static_cast<double>(y[100]));
}

void launch_on_boxes(MapOrigin origin) {
  const bool inside = origin == MapOrigin::in_structure, moved = origin == MapOrigin::moved;
  fake_kernel({"tensor_box",
               {inside ? sizeof(MapInside) : sizeof(CUtensorMap), 8, 4, 4},
               inside ? &copy_boxes_of_structure : &copy_boxes_of_map});
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuModuleLoadData(&module, box_ptx(inside).c_str());
  cuModuleGetFunction(&function, module, "tensor_box");
  float* from = allocated<float>(kWidth * kHeight + 64) + 64;  // 256 bytes from its beginning
  float* to = allocated<float>(kBoxes * kBoxWidth * kBoxHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) from[i] = static_cast<float>(i + 1);
  const cuuint64_t extents[] = {kWidth, kHeight}, strides[] = {kWidth * sizeof(float)};
  const cuuint32_t box[] = {kBoxWidth, kBoxHeight}, steps[] = {1, 1};
  MapInside structure{};
  CUtensorMap& map = structure.map;
  float* const first = moved ? allocated<float>(kWidth * kHeight) : from;
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, first, extents, strides, box,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    return;
  if (moved && cuTensorMapReplaceAddress(&map, from) != CUDA_SUCCESS) return;
  int x = -8, y = -4;
  void* holder = &map;
  if (inside) holder = &structure;
  void* parameters[] = {holder, &to, &x, &y};
  cuLaunchKernel(function, 2, 2, 1, 128, 1, 1, 0, nullptr, parameters, nullptr);
  // Element (0, 0) of the tensor is element (8, 4) of the first box.
  std::printf("boxes %.0f %.0f\n", static_cast<double>(to[4 * kBoxWidth + 8]),
              static_cast<double>(to[4 * kBoxWidth + 7]));
}

}  // namespace warpscope
