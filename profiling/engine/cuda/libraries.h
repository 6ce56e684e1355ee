// profiling/engine/cuda/libraries.h: vendor library calls as steps: cuSPARSE, cuBLAS and cuDNN,
// loaded at run time.
#pragma once

#include <cuda.h>
#include <library_types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/engine/cuda/cuda_driver.h"
#include "profiling/messages/protocol.h"
#include "scenes/base/step.h"

// A LibraryCall becomes a LibraryPlan for one workload: descriptors, handles and workspaces are
// made when it is planned, `prepare` does what the library does once for an input (algorithm
// search, preprocessing), `run` is the call. Calls by name:
//
//   cusparse.spmm.{default,csr_alg1,csr_alg2,csr_alg3}   C = op(A)·B, row-major
//        buffers indptr, indices, weights, b, c;  numbers m, k, n, nnz, transpose, and type: the
//        ElementType of weights, b and c as a number (f32 without it; f64 sums in f64, all else in
//        f32)
//   cusparse.spmm.coo_alg4                               the same of coordinates; rows for indptr
//   cusparse.spmm.{bsr_alg1,blocked_ell}                 the same of A in square blocks; numbers
//   block,
//        and nnz (of blocks) or ell_columns (of elements); Blocked-ELL has no indptr
//   cusparse.dense_to_blocked_ell                        weights of a; buffers a, indices, weights;
//        numbers m, k, block, ell_columns
//   cusparse.csr2csc                                     A in CSC; buffers csc_indptr, csc_indices,
//        csc_weights beside those of A;  numbers m, k, nnz, type
//   cublas.gemm.{fp32,tf32,bf16}                         C = op(A)·B, dense, row-major f32; A and B
//        of bf16 in the last one;  buffers a, b, c;  numbers m and k as A is stored, n, transpose,
//        transpose_b (B is stored as [n, k]), accumulate (added to what C has)
//   cublas.sgemm_strided_batched                         C[i] = A[i]·B[i], dense, row-major f32
//        buffers a[count, m, k], b[count, k, n], c[count, m, n];  numbers m, k, n, count, shared_a
//        (one a[m, k] for all)
//   Both take numbers a_first, b_first and c_first: the element of its buffer at which an operand
//   begins.
//   cudnn.conv.{forward,dgrad,wgrad}.{fp32,tf32}         y = w∗x, its gradients of x and of w: 3×3,
//        padding 1, NCHW f32;  buffers x[images, in, side, side], w[out, in, 3, 3],
//        y[images, out, side, side], of which each call writes one;  numbers images, in, out, side,
//        search (1: `prepare` times the library's algorithms; 0: its heuristic's first). fp32 is
//        FMAs alone, tf32 allows TF32: the library's default is never taken.
//   cudnn.conv_bias_relu.{fp32,tf32}                     the same forward with b[out] and, where
//        relu is 1, a ReLU in one call, which may lose NaN
//   cudnn.conv.bias_gradient                             b, the sums of y over images and pixels
//   cudnn.bias, cudnn.relu                               y += b, and a ReLU of y in place that
//   keeps
//        NaN
//   cudnn.pooling.{forward,backward}                     the largest of 2×2 values, and back to
//        where it stood: x[images, channels, side, side], y a quarter of it, dx as x and dy as y;
//        numbers images, channels, side. NaN never wins, and runs agree.
//   The convolutions' take numbers x_first, w_first, y_first and b_first, as above.

namespace warpscope {

class LibraryPlan {
 public:
  virtual ~LibraryPlan() = default;
  virtual Result<void> prepare(CUstream stream) = 0;
  virtual Result<void> run(CUstream stream) = 0;
  // Which algorithm `prepare` took, and the memory it has beside its arrays; empty: no choice.
  virtual std::string choice() const { return {}; }
};

// The device address of a buffer by its name in the scene.
using BufferLookup = std::function<Result<CUdeviceptr>(const std::string&)>;

// Plans are virtual because each owns handles of a library that this process may not have, and all
// are made by this one call. error: environment (the library is missing, with the remedy) or usage
// (the library refuses this combination, in its own words).
Result<std::unique_ptr<LibraryPlan>> plan_library_call(const CudaDriver& driver,
                                                       const LibraryCall& call,
                                                       const BufferLookup& buffer_of);

// The address of an operand of a call. error: internal (the call does not name it), or as
// `buffer_of`.
Result<CUdeviceptr> operand_address(const LibraryCall& call, const BufferLookup& buffer_of,
                                    const char* operand);

// A library that is missing, with its reason and remedy.
Capability library_capability(std::string name, const Error& missing);
// A library that is there; `property(libraryPropertyType, int*)` is its own version query.
template <typename Property>
Capability library_capability(std::string name, Property property) {
  Capability capability{std::move(name), true};
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    property(part, &number);
    capability.version += (capability.version.empty() ? "" : ".") + std::to_string(number);
  }
  return capability;
}

// "cusparse", "cublas" and "cudnn" with versions, or the reason why not. Needs no device.
std::vector<Capability> library_capabilities();
// The version of "cusparse", "cublas" or "cudnn" as this process has loaded it; no value if it
// has not.
std::optional<std::string> library_version(std::string_view library);

// One dense product of row-major-agnostic random operands for the tensor roofs: C[s, s] = A·B.
// `type` is "f32", "tf32" or "bf16" (inputs; f32 accumulation, f32 or bf16 output).
Result<std::unique_ptr<LibraryPlan>> plan_square_gemm(const std::string& type, std::int64_t size,
                                                      CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);

}  // namespace warpscope
