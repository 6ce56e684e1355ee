// tests/engine/captures/made/fake_program.cpp: a program that adds vectors by launches, or goes
// wrong in the way that its first argument says.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/engine/captures/made/fake_cuda.h"
#include "tests/engine/captures/made/other_launches.h"

namespace {

constexpr const char* kAdd = "_Z3addPKfPfi";  // add(float const*, float*, int): y[i] += x[i]

// What nvcc would have made of it.
constexpr const char* kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z3addPKfPfi(.param .u64 p0, .param .u64 p1, .param .u32 p2)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  ld.param.u32 %r1, [p2];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
  ld.global.f32 %f2, [%rd7];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
DONE:
  ret;
}
)";

// out[i] = list[0][i] + list[1][i]; the list's third pointer becomes the first one plus 20 bytes.
constexpr const char* kGather = "_Z6gatherPPfS_";  // gather(float**, float*)
constexpr const char* kGatherPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z6gatherPPfS_(.param .u64 p0, .param .u64 p1)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  ld.global.u64 %rd3, [%rd1];
  ld.global.u64 %rd4, [%rd1+8];
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  add.s64 %rd8, %rd2, %rd5;
  ld.global.f32 %f1, [%rd6];
  ld.global.f32 %f2, [%rd7];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd8], %f3;
  setp.ne.s32 %p1, %r5, 0;
  @%p1 bra DONE;
  add.s64 %rd9, %rd3, 20;
  st.global.u64 [%rd1+16], %rd9;
DONE:
  ret;
}
)";
constexpr int kGathered = 256;

void gather(void** parameters) {
  float** list = *static_cast<float***>(parameters[0]);
  float* out = *static_cast<float**>(parameters[1]);
  for (int i = 0; i < kGathered; ++i) out[i] = list[0][i] + list[1][i];
  list[2] = list[0] + 5;
}

template <typename T>
T* allocated(std::size_t count) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, count * sizeof(T));
  std::memset(reinterpret_cast<void*>(memory), 0, count * sizeof(T));
  return reinterpret_cast<T*>(memory);
}

// Launches a kernel that follows a list of pointers.
void launch_on_list() {
  warpscope::fake_kernel({kGather, {8, 8}, &gather});
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuModuleLoadData(&module, kGatherPtx);
  cuModuleGetFunction(&function, module, kGather);
  auto* list = allocated<float*>(4);
  auto* out = allocated<float>(kGathered);
  for (int k = 0; k < 2; ++k) {
    list[k] = allocated<float>(kGathered);
    for (int i = 0; i < kGathered; ++i) list[k][i] = static_cast<float>(i * (k + 1));
  }
  void* parameters[] = {&list, &out};
  cuLaunchKernel(function, 2, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr);
  std::printf("gathered %.0f\n", static_cast<double>(out[100]));
}

void add(void** parameters) {
  const float* x = *static_cast<float**>(parameters[0]);
  float* y = *static_cast<float**>(parameters[1]);
  const int n = *static_cast<int*>(parameters[2]);
  for (int i = 0; i < n; ++i) y[i] += x[i];
}

struct Program {
  CUfunction function = nullptr;
  CUdeviceptr memory = 0;  // x from byte 1024, y from byte 8192
  int n = 1000;
  decltype(&cuLaunchKernel) asked = nullptr;  // the driver's own, as the runtime finds it

  void launch(unsigned block = 128, CUstream stream = nullptr) {
    CUdeviceptr x = memory + 1024, y = memory + 8192;
    void* parameters[] = {&x, &y, &n};
    const unsigned grid = (static_cast<unsigned>(n) + block - 1) / block;
    (asked == nullptr ? &cuLaunchKernel : asked)(function, grid, 1, 1, block, 1, 1, 0, stream,
                                                 parameters, nullptr);
  }
  float sum() const {
    const auto* y = reinterpret_cast<const float*>(memory + 8192);
    float all = 0;
    for (int i = 0; i < n; ++i) all += y[i];
    return all;
  }
};

Program start(std::size_t bytes) {
  warpscope::fake_kernel({kAdd, {8, 8, 4}, &add});
  Program program;
  cuInit(0);
  CUmodule module = nullptr;
  cuModuleLoadData(&module, kPtx);
  cuModuleGetFunction(&program.function, module, kAdd);
  cuMemAlloc(&program.memory, bytes);
  std::memset(reinterpret_cast<void*>(program.memory), 0, bytes);
  auto* x = reinterpret_cast<float*>(program.memory + 1024);
  for (int i = 0; i < program.n; ++i) x[i] = static_cast<float>(i) + 0.25f;
  return program;
}

// A profiler of the program's own: it counts what CUPTI tells it of.
int profiled = 0;
void CUPTIAPI profile(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { ++profiled; }

// Many streams, each of a thread of its own.
void launch_on_streams(Program& program, int count) {
  std::vector<std::thread> threads;
  for (int i = 1; i <= count; ++i) {
    threads.emplace_back([&program, i] {
      program.launch(64, reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The first argument of the launch is memory of the host.
void launch_on_host_memory(Program& program) {
  std::vector<float> x(2000, 1.0f);
  CUdeviceptr own = reinterpret_cast<CUdeviceptr>(x.data()), y = program.memory + 8192;
  void* parameters[] = {&own, &y, &program.n};
  cuLaunchKernel(program.function, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  ::alarm(40);  // a program that is held for ever must not hold its test
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "no-cuda") return 0;
  CUpti_SubscriberHandle subscriber = nullptr;
  if (what == "profiler-first" && cuptiSubscribe(&subscriber, &profile, nullptr) != CUPTI_SUCCESS)
    return 8;
  Program program = start(what == "large" ? 3'000'000 : 40'000);
  if (what == "never") return 0;
  if (what == "asked") {
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
    using Ask = CUresult(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
    auto* ask = reinterpret_cast<Ask*>(::dlsym(driver, "cuGetProcAddress_v2"));
    void* found = nullptr;
    if (ask == nullptr || ask("cuLaunchKernel", &found, 12000, 0, nullptr) != CUDA_SUCCESS)
      return 9;
    program.asked = reinterpret_cast<decltype(program.asked)>(found);
  }
  if (what == "graph") warpscope::fake_recording(true);
  if (what == "endless") warpscope::fake_endless_wait();
  if (what == "gpus") cuCtxSetCurrent(reinterpret_cast<CUcontext>(std::uintptr_t{1}));
  std::thread loader;
  if (what == "loads") {
    warpscope::fake_slow_idle(300);
    loader = std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      CUmodule other = nullptr;
      cuModuleLoadData(&other, kGatherPtx);
    });
  }
  if (what == "waits") warpscope::fake_waiting_launch(1);
  if (what == "held-copies") warpscope::fake_held_copies();
  if (what == "block") warpscope::launch_by_block(warpscope::kAddStructure);
  if (what == "nccl") warpscope::launch_by_block(warpscope::kAllReduce);
  if (what == "boxes") warpscope::launch_on_boxes(warpscope::MapOrigin::made);
  if (what == "moved-boxes") warpscope::launch_on_boxes(warpscope::MapOrigin::moved);
  if (what == "boxes-inside") warpscope::launch_on_boxes(warpscope::MapOrigin::in_structure);
  if (what == "pointers") launch_on_list();
  if (what == "host") launch_on_host_memory(program);
  program.launch();
  if (loader.joinable()) loader.join();
  warpscope::fake_recording(false);
  if (what == "gpus") cuCtxSetCurrent(nullptr);
  if (what == "profiler" && cuptiSubscribe(&subscriber, &profile, nullptr) != CUPTI_SUCCESS)
    return 8;
  if (what == "streams") launch_on_streams(program, 16);
  program.launch();
  program.launch(256);
  for (int i = 0; what == "endless" && i < 5; ++i) program.launch();
  // Until it is ended, or for 20 s.
  for (int i = 0; what == "loop" && i < 4000; ++i) {
    program.launch(i % 2 == 0 ? 128 : 256);
    if (i % 100 == 0) std::printf("step %d\n", i), std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (what == "crash") std::abort();
  if (what == "segfault") ::raise(SIGSEGV);
  if (what == "fork") {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
  }
  if (what == "threads") {
    std::thread other([&] { program.launch(64); });
    other.join();
  }
  if (what.starts_with("profiler")) std::printf("profiled %d\n", profiled);
  if (what == "sleep") std::this_thread::sleep_for(std::chrono::seconds(60));
  std::printf("sum %.2f\n", static_cast<double>(program.sum()));
  return what == "status" ? 7 : 0;
}
