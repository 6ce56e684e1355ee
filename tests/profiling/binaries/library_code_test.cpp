// tests/profiling/binaries/library_code_test.cpp: which code is NVIDIA's, and is not disassembled.
#include "profiling/binaries/library_code.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(LibraryCode, IsKnownByTheFile) {
  EXPECT_EQ(closed_library_of_file("/usr/local/cuda/lib64/libcublasLt.so.13"), "cuBLAS");
  EXPECT_EQ(closed_library_of_file("libcudnn_engines_precompiled.so.9"), "cuDNN");
  EXPECT_EQ(closed_library_of_file("lib/libcusparse_static.a"), "cuSPARSE");
  EXPECT_EQ(closed_library_of_file("/opt/libcudart.so"), std::nullopt);
  EXPECT_EQ(closed_library_of_file("/opt/cublas/saxpy.cubin"), std::nullopt);
  EXPECT_EQ(closed_library_of_file("libtorch_cuda.so"), std::nullopt);
}

TEST(LibraryCode, IsKnownByTheKernel) {
  // Names as profilers show them.
  for (const char* symbol :
       {"ampere_sgemm_128x64_nn", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8",
        "_ZN8cublasLt19splitKreduce_kernelILi32ELi16Eiffff", "nvjet_hsh_128x256_64x4_2x1_v_bz",
        "cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", "_ZN8cusparse20csrmm_alg2_kernel",
        "_ZN5cudnn3bn212bn_fw_inf_1C11"}) {
    EXPECT_TRUE(closed_library_of_kernel(symbol)) << symbol;
  }
  // PyTorch, Triton, CUB, CUTLASS as a person compiles it, and names of one's own.
  for (const char* symbol :
       {"_ZN2at6native29vectorized_elementwise_kernelILi4E", "triton_poi_fused_add_0",
        "_ZN3cub17DeviceScanKernelI", "_ZN7cutlass13device_kernelI", "sgemm_tiled", "warp_row"}) {
    EXPECT_FALSE(closed_library_of_kernel(symbol)) << symbol;
  }
}

}  // namespace
}  // namespace warpscope
