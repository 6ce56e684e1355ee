// profiling/engine/cuda/cublas.cpp: dense products by cuBLAS.
#include "profiling/engine/cuda/cublas.h"

#include <cublas_v2.h>

#include <limits>
#include <utility>

#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {
namespace {

struct CublasTable {
  SharedLibrary library;
  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasDestroy_v2) destroy = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
  decltype(&::cublasGetProperty) property = nullptr;
  // Spelled out: the header overloads this name in C++.
  cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                         const void*, const void*, cudaDataType, int, const void*, cudaDataType,
                         int, const void*, void*, cudaDataType, int, cublasComputeType_t,
                         cublasGemmAlgo_t) = nullptr;
  decltype(&::cublasSgemmStridedBatched_64) gemm_strided_batched = nullptr;
};

Result<CublasTable> load_table() {
  Result<SharedLibrary> library =
      open_toolkit_library("cublas", {"libcublas.so.13"}, {"libcublasLt.so"});
  if (!library) return tl::unexpected(library.error());
  CublasTable t{std::move(*library)};
  const bool all = t.library.find("cublasCreate_v2", t.create) &&
                   t.library.find("cublasDestroy_v2", t.destroy) &&
                   t.library.find("cublasSetStream_v2", t.set_stream) &&
                   t.library.find("cublasGetStatusString", t.status_string) &&
                   t.library.find("cublasGetProperty", t.property) &&
                   t.library.find("cublasGemmEx", t.gemm) &&
                   t.library.find("cublasSgemmStridedBatched_64", t.gemm_strided_batched);
  if (!all) {
    return failure(ErrorKind::environment, "libcublas lacks a function this build calls", "cublas",
                   "install the cuBLAS of CUDA Toolkit 13");
  }
  return t;
}

// Loaded once for the life of the process, as the driver is.
const Result<CublasTable>& table() {
  static const Result<CublasTable> loaded = load_table();
  return loaded;
}

Result<void> check(const CublasTable& t, cublasStatus_t status, const std::string& where) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  const ErrorKind kind =
      status == CUBLAS_STATUS_ALLOC_FAILED ? ErrorKind::resource : ErrorKind::usage;
  return failure(kind, std::string("cuBLAS says: ") + t.status_string(status), where,
                 "choose another precision or size");
}

// A column-major product as cublasGemmEx takes it; f32 accumulation.
struct Gemm {
  cublasOperation_t operation_a = CUBLAS_OP_N, operation_b = CUBLAS_OP_N;
  int m = 0, n = 0, k = 0;
  CUdeviceptr a = 0, b = 0, c = 0;
  int leading_a = 0, leading_b = 0, leading_c = 0;
  cudaDataType_t input = CUDA_R_32F, output = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F_PEDANTIC;
  float keep = 0;  // times what C has is added: 1 where a call adds to it
};

// `count` products of one shape, each operand's matrices one after the other, or one matrix that
// all of them take; f32 throughout.
struct BatchedGemm {
  std::int64_t m = 0, n = 0, k = 0, count = 0;
  CUdeviceptr a = 0, b = 0, c = 0;
  bool shared_b = false;
};

Result<void> multiply(const CublasTable& t, cublasHandle_t handle, const Gemm& gemm) {
  const float one = 1.0f;
  const auto pointer = [](CUdeviceptr p) { return reinterpret_cast<void*>(p); };
  return check(t,
               t.gemm(handle, gemm.operation_a, gemm.operation_b, gemm.m, gemm.n, gemm.k, &one,
                      pointer(gemm.a), gemm.input, gemm.leading_a, pointer(gemm.b), gemm.input,
                      gemm.leading_b, &gemm.keep, pointer(gemm.c), gemm.output, gemm.leading_c,
                      gemm.compute, CUBLAS_GEMM_DEFAULT),
               "cublasGemmEx");
}

Result<void> multiply(const CublasTable& t, cublasHandle_t handle, const BatchedGemm& gemm) {
  const float one = 1.0f, zero = 0.0f;
  const auto pointer = [](CUdeviceptr p) { return reinterpret_cast<float*>(p); };
  const std::int64_t m = gemm.m, n = gemm.n, k = gemm.k;
  return check(
      t,
      t.gemm_strided_batched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, pointer(gemm.a), m,
                             m * k, pointer(gemm.b), k, gemm.shared_b ? 0 : k * n, &zero,
                             pointer(gemm.c), m, m * n, gemm.count),
      "cublasSgemmStridedBatched");
}

// A handle holds tens of megabytes of the device, so that plans share one while there are any.
class Handle {
 public:
  explicit Handle(const CublasTable& t) : table_(t) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (handle_ != nullptr) table_.destroy(handle_);
  }
  Result<void> create() { return check(table_, table_.create(&handle_), "cublasCreate"); }
  cublasHandle_t get() const { return handle_; }

 private:
  const CublasTable& table_;
  cublasHandle_t handle_ = nullptr;
};

// An engine has one context, and one thread that plans.
Result<std::shared_ptr<const Handle>> shared_handle(const CublasTable& t) {
  static std::weak_ptr<const Handle> kept;
  if (std::shared_ptr<const Handle> handle = kept.lock()) return handle;
  auto handle = std::make_shared<Handle>(t);
  if (Result<void> created = handle->create(); !created) return tl::unexpected(created.error());
  kept = handle;
  return handle;
}

template <typename Product>
class ProductPlan final : public LibraryPlan {
 public:
  ProductPlan(const CublasTable& t, std::shared_ptr<const Handle> handle, const Product& product)
      : table_(t), handle_(std::move(handle)), product_(product) {}
  Result<void> prepare(CUstream) override { return {}; }
  Result<void> run(CUstream stream) override {
    return check(table_, table_.set_stream(handle_->get(), stream), "cublasSetStream")
        .and_then([&] { return multiply(table_, handle_->get(), product_); });
  }

 private:
  const CublasTable& table_;
  std::shared_ptr<const Handle> handle_;
  Product product_;
};

template <typename Product>
Result<std::unique_ptr<LibraryPlan>> make_plan(const Product& product) {
  const Result<CublasTable>& t = table();
  if (!t) return tl::unexpected(t.error());
  Result<std::shared_ptr<const Handle>> handle = shared_handle(*t);
  if (!handle) return tl::unexpected(handle.error());
  return std::make_unique<ProductPlan<Product>>(*t, std::move(*handle), product);
}

Result<int> size_of(const LibraryCall& call, const char* name) {
  const auto found = call.numbers.find(name);
  if (found == call.numbers.end()) {
    return failure(ErrorKind::internal, std::string("the call lacks the number ") + name,
                   call.name);
  }
  if (found->second > std::numeric_limits<int>::max()) {
    return failure(ErrorKind::usage, std::string(name) + " does not fit cuBLAS's 32-bit sizes",
                   call.name, "lower " + std::string(name));
  }
  return static_cast<int>(found->second);
}

}  // namespace

Result<std::unique_ptr<LibraryPlan>> plan_cublas_call(const LibraryCall& call,
                                                      const BufferLookup& buffer_of) {
  Gemm gemm;
  const bool batched = call.name == "cublas.sgemm_strided_batched";
  if (call.name == "cublas.gemm.tf32") {
    gemm.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  } else if (call.name == "cublas.gemm.bf16") {
    gemm.input = CUDA_R_16BF;
    gemm.compute = CUBLAS_COMPUTE_32F;
  } else if (call.name != "cublas.gemm.fp32" && !batched) {
    return failure(ErrorKind::internal, "the engine knows no library call of this name", call.name);
  }
  CUdeviceptr address[3] = {};
  const char* const operands[3] = {"a", "b", "c"};
  for (int i = 0; i < 3; ++i) {
    Result<CUdeviceptr> found = operand_address(call, buffer_of, operands[i]);
    if (!found) return tl::unexpected(found.error());
    // Where the matrix begins, in elements; inputs of a call are of one type.
    const auto first = call.numbers.find(std::string(operands[i]) + "_first");
    const bool narrow = i < 2 && gemm.input == CUDA_R_16BF;
    if (first != call.numbers.end())
      *found += static_cast<CUdeviceptr>(first->second) * (narrow ? 2 : 4);
    address[i] = *found;
  }
  const Result<int> m = size_of(call, "m"), k = size_of(call, "k"), n = size_of(call, "n");
  for (const Result<int>* size : {&m, &k, &n}) {
    if (!*size) return tl::unexpected(size->error());
  }
  const auto is_set = [&](const char* name) {
    return call.numbers.count(name) != 0 && call.numbers.at(name) != 0;
  };
  const bool transpose = is_set("transpose");
  gemm.keep = is_set("accumulate") ? 1.0f : 0.0f;
  // Row-major C = op(A)·B is column-major Cᵀ = Bᵀ·op(A)ᵀ: B comes first, and A's own row-major
  // storage is already Aᵀ to a column-major library.
  if (batched) {
    const Result<int> count = size_of(call, "count");
    if (!count) return tl::unexpected(count.error());
    return make_plan(
        BatchedGemm{*n, *m, *k, *count, address[1], address[0], address[2], is_set("shared_a")});
  }
  gemm.m = *n;
  gemm.n = transpose ? *k : *m;
  gemm.k = transpose ? *m : *k;
  gemm.a = address[1];
  // B as [n, k] in place of [k, n] is what the library takes turned.
  const bool transpose_b = is_set("transpose_b");
  gemm.operation_a = transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  gemm.leading_a = transpose_b ? gemm.k : *n;
  gemm.b = address[0];
  gemm.leading_b = *k;
  gemm.operation_b = transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
  gemm.c = address[2];
  gemm.leading_c = *n;
  return make_plan(gemm);
}

Result<std::unique_ptr<LibraryPlan>> plan_square_gemm(const std::string& type, std::int64_t size,
                                                      CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
  const int s = static_cast<int>(size);
  Gemm gemm{.m = s,
            .n = s,
            .k = s,
            .a = a,
            .b = b,
            .c = c,
            .leading_a = s,
            .leading_b = s,
            .leading_c = s};
  if (type == "tf32") {
    gemm.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  } else if (type == "bf16") {
    gemm.input = gemm.output = CUDA_R_16BF;
    gemm.compute = CUBLAS_COMPUTE_32F;
  }
  return make_plan(gemm);
}

Capability cublas_capability() {
  const Result<CublasTable>& t = table();
  if (!t) return library_capability("cublas", t.error());
  return library_capability("cublas", t->property);
}

}  // namespace warpscope
