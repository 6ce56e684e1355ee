// profiling/engine/cuda/cusparse.cpp: sparse products and conversions by cuSPARSE.
#include "profiling/engine/cuda/cusparse.h"

#include <cusparse.h>

#include <array>
#include <cstddef>
#include <utility>

#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {
namespace {

struct CusparseTable {
  SharedLibrary library;
  decltype(&::cusparseCreate) create = nullptr;
  decltype(&::cusparseDestroy) destroy = nullptr;
  decltype(&::cusparseSetStream) set_stream = nullptr;
  decltype(&::cusparseGetErrorString) error_string = nullptr;
  decltype(&::cusparseGetProperty) property = nullptr;
  decltype(&::cusparseCreateCsr) create_csr = nullptr;
  decltype(&::cusparseCreateDnMat) create_dense = nullptr;
  decltype(&::cusparseDestroySpMat) destroy_sparse = nullptr;
  decltype(&::cusparseDestroyDnMat) destroy_dense = nullptr;
  decltype(&::cusparseSpMM_bufferSize) spmm_buffer_size = nullptr;
  decltype(&::cusparseSpMM_preprocess) spmm_preprocess = nullptr;
  decltype(&::cusparseSpMM) spmm = nullptr;
  decltype(&::cusparseCsr2cscEx2_bufferSize) csc_buffer_size = nullptr;
  decltype(&::cusparseCsr2cscEx2) csc = nullptr;
};

Result<CusparseTable> load_table() {
  Result<SharedLibrary> library =
      open_toolkit_library("cusparse", {"libcusparse.so.12"}, {"libnvJitLink.so"});
  if (!library) return tl::unexpected(library.error());
  CusparseTable t{std::move(*library)};
  const bool all = t.library.find("cusparseCreate", t.create) &&
                   t.library.find("cusparseDestroy", t.destroy) &&
                   t.library.find("cusparseSetStream", t.set_stream) &&
                   t.library.find("cusparseGetErrorString", t.error_string) &&
                   t.library.find("cusparseGetProperty", t.property) &&
                   t.library.find("cusparseCreateCsr", t.create_csr) &&
                   t.library.find("cusparseCreateDnMat", t.create_dense) &&
                   t.library.find("cusparseDestroySpMat", t.destroy_sparse) &&
                   t.library.find("cusparseDestroyDnMat", t.destroy_dense) &&
                   t.library.find("cusparseSpMM_bufferSize", t.spmm_buffer_size) &&
                   t.library.find("cusparseSpMM_preprocess", t.spmm_preprocess) &&
                   t.library.find("cusparseSpMM", t.spmm) &&
                   t.library.find("cusparseCsr2cscEx2_bufferSize", t.csc_buffer_size) &&
                   t.library.find("cusparseCsr2cscEx2", t.csc);
  if (!all) {
    return failure(ErrorKind::environment, "libcusparse lacks a function this build calls",
                   "cusparse", "install the cuSPARSE of CUDA Toolkit 13");
  }
  return t;
}

// Loaded once for the life of the process, as the driver is.
const Result<CusparseTable>& table() {
  static const Result<CusparseTable> loaded = load_table();
  return loaded;
}

Result<void> check(const CusparseTable& t, cusparseStatus_t status, const std::string& where) {
  if (status == CUSPARSE_STATUS_SUCCESS) return {};
  const ErrorKind kind =
      status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
          ? ErrorKind::resource
          : ErrorKind::usage;
  return failure(kind, std::string("cuSPARSE says: ") + t.error_string(status), where,
                 "choose another algorithm or size");
}

// A handle and a workspace, freed together.
class Handle {
 public:
  Handle(const CusparseTable& t, const CudaDriver& driver) : table_(t), driver_(driver) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (workspace_ != 0) driver_.cuMemFree(workspace_);
    if (handle_ != nullptr) table_.destroy(handle_);
  }
  Result<void> create() { return check(table_, table_.create(&handle_), "cusparseCreate"); }
  Result<void> reserve(std::size_t bytes) {
    if (bytes == 0) return {};
    return warpscope::check(driver_, driver_.cuMemAlloc(&workspace_, bytes), "cuSPARSE workspace");
  }
  Result<void> use(CUstream stream) {
    return check(table_, table_.set_stream(handle_, stream), "cusparseSetStream");
  }
  cusparseHandle_t get() const { return handle_; }
  void* workspace() const { return reinterpret_cast<void*>(workspace_); }

 private:
  const CusparseTable& table_;
  const CudaDriver& driver_;
  cusparseHandle_t handle_ = nullptr;
  CUdeviceptr workspace_ = 0;
};

using Pointers = std::vector<void*>;

Result<Pointers> pointers(const LibraryCall& call, const BufferLookup& buffer_of,
                          const std::vector<const char*>& operands) {
  Pointers found;
  for (const char* operand : operands) {
    Result<CUdeviceptr> address = operand_address(call, buffer_of, operand);
    if (!address) return tl::unexpected(address.error());
    found.push_back(reinterpret_cast<void*>(*address));
  }
  return found;
}

std::int64_t number(const LibraryCall& call, const char* name) {
  const auto found = call.numbers.find(name);
  return found == call.numbers.end() ? 0 : static_cast<std::int64_t>(found->second);
}

class SpmmPlan final : public LibraryPlan {
 public:
  SpmmPlan(const CusparseTable& t, const CudaDriver& driver) : table_(t), handle_(t, driver) {}
  ~SpmmPlan() override {
    if (a_ != nullptr) table_.destroy_sparse(a_);
    if (b_ != nullptr) table_.destroy_dense(b_);
    if (c_ != nullptr) table_.destroy_dense(c_);
  }

  Result<void> plan(const LibraryCall& call, const BufferLookup& buffer_of,
                    cusparseSpMMAlg_t algorithm) {
    algorithm_ = algorithm;
    const Result<Pointers> p =
        pointers(call, buffer_of, {"indptr", "indices", "weights", "b", "c"});
    if (!p) return tl::unexpected(p.error());
    const std::int64_t m = number(call, "m"), k = number(call, "k"), n = number(call, "n");
    const bool transpose = number(call, "transpose") != 0;
    preprocess_ = call.numbers.count("skip_preprocess") == 0;
    operation_ = transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t bytes = 0;
    return handle_.create()
        .and_then([&] {
          return check(table_,
                       table_.create_csr(&a_, m, k, number(call, "nnz"), (*p)[0], (*p)[1], (*p)[2],
                                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                       "cusparseCreateCsr");
        })
        .and_then([&] {
          return check(table_,
                       table_.create_dense(&b_, transpose ? m : k, n, n, (*p)[3], CUDA_R_32F,
                                           CUSPARSE_ORDER_ROW),
                       "cusparseCreateDnMat");
        })
        .and_then([&] {
          return check(table_,
                       table_.create_dense(&c_, transpose ? k : m, n, n, (*p)[4], CUDA_R_32F,
                                           CUSPARSE_ORDER_ROW),
                       "cusparseCreateDnMat");
        })
        .and_then([&] {
          return check(
              table_,
              table_.spmm_buffer_size(handle_.get(), operation_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                      &kOne, a_, b_, &kZero, c_, CUDA_R_32F, algorithm_, &bytes),
              call.name);
        })
        .and_then([&] { return handle_.reserve(bytes); });
  }

  Result<void> prepare(CUstream stream) override {
    if (!preprocess_) return {};
    return handle_.use(stream).and_then([&] {
      return check(
          table_,
          table_.spmm_preprocess(handle_.get(), operation_, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne,
                                 a_, b_, &kZero, c_, CUDA_R_32F, algorithm_, handle_.workspace()),
          "cusparseSpMM_preprocess");
    });
  }

  Result<void> run(CUstream stream) override {
    return handle_.use(stream).and_then([&] {
      return check(table_,
                   table_.spmm(handle_.get(), operation_, CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne,
                               a_, b_, &kZero, c_, CUDA_R_32F, algorithm_, handle_.workspace()),
                   "cusparseSpMM");
    });
  }

 private:
  static constexpr float kOne = 1.0f, kZero = 0.0f;
  const CusparseTable& table_;
  Handle handle_;
  cusparseSpMatDescr_t a_ = nullptr;
  bool preprocess_ = true;
  cusparseDnMatDescr_t b_ = nullptr, c_ = nullptr;
  cusparseOperation_t operation_ = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseSpMMAlg_t algorithm_ = CUSPARSE_SPMM_ALG_DEFAULT;
};

class ConvertPlan final : public LibraryPlan {
 public:
  ConvertPlan(const CusparseTable& t, const CudaDriver& driver) : table_(t), handle_(t, driver) {}

  Result<void> plan(const LibraryCall& call, const BufferLookup& buffer_of) {
    Result<Pointers> p =
        pointers(call, buffer_of,
                 {"indptr", "indices", "weights", "csc_indptr", "csc_indices", "csc_weights"});
    if (!p) return tl::unexpected(p.error());
    p_ = std::move(*p);
    m_ = static_cast<int>(number(call, "m"));
    k_ = static_cast<int>(number(call, "k"));
    nnz_ = static_cast<int>(number(call, "nnz"));
    std::size_t bytes = 0;
    return handle_.create()
        .and_then([&] {
          return check(
              table_,
              table_.csc_buffer_size(handle_.get(), m_, k_, nnz_, p_[2], static_cast<int*>(p_[0]),
                                     static_cast<int*>(p_[1]), p_[5], static_cast<int*>(p_[3]),
                                     static_cast<int*>(p_[4]), CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                                     CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, &bytes),
              "cusparseCsr2cscEx2_bufferSize");
        })
        .and_then([&] { return handle_.reserve(bytes); });
  }

  Result<void> prepare(CUstream) override { return {}; }

  Result<void> run(CUstream stream) override {
    return handle_.use(stream).and_then([&] {
      return check(table_,
                   table_.csc(handle_.get(), m_, k_, nnz_, p_[2], static_cast<int*>(p_[0]),
                              static_cast<int*>(p_[1]), p_[5], static_cast<int*>(p_[3]),
                              static_cast<int*>(p_[4]), CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                              CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, handle_.workspace()),
                   "cusparseCsr2cscEx2");
    });
  }

 private:
  const CusparseTable& table_;
  Handle handle_;
  Pointers p_;
  int m_ = 0, k_ = 0, nnz_ = 0;
};

struct NamedAlgorithm {
  const char* name;
  cusparseSpMMAlg_t algorithm;
};
constexpr std::array<NamedAlgorithm, 4> kSpmmAlgorithms = {{
    {"cusparse.spmm.default", CUSPARSE_SPMM_ALG_DEFAULT},
    {"cusparse.spmm.csr_alg1", CUSPARSE_SPMM_CSR_ALG1},
    {"cusparse.spmm.csr_alg2", CUSPARSE_SPMM_CSR_ALG2},
    {"cusparse.spmm.csr_alg3", CUSPARSE_SPMM_CSR_ALG3},
}};

}  // namespace

Result<std::unique_ptr<LibraryPlan>> plan_cusparse_call(const CudaDriver& driver,
                                                        const LibraryCall& call,
                                                        const BufferLookup& buffer_of) {
  const Result<CusparseTable>& t = table();
  if (!t) return tl::unexpected(t.error());
  if (call.name == "cusparse.csr2csc") {
    auto plan = std::make_unique<ConvertPlan>(*t, driver);
    if (Result<void> done = plan->plan(call, buffer_of); !done) {
      return tl::unexpected(done.error());
    }
    return plan;
  }
  for (const NamedAlgorithm& named : kSpmmAlgorithms) {
    if (call.name != named.name) continue;
    auto plan = std::make_unique<SpmmPlan>(*t, driver);
    if (Result<void> done = plan->plan(call, buffer_of, named.algorithm); !done) {
      return tl::unexpected(done.error());
    }
    return plan;
  }
  return failure(ErrorKind::internal, "the engine knows no library call of this name", call.name);
}

Capability cusparse_capability() {
  const Result<CusparseTable>& t = table();
  if (!t) return library_capability("cusparse", t.error());
  return library_capability("cusparse", t->property);
}

}  // namespace warpscope
