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
  decltype(&::cusparseCreateBsr) create_bsr = nullptr;
  decltype(&::cusparseCreateBlockedEll) create_blocked_ell = nullptr;
  decltype(&::cusparseCreateDnMat) create_dense = nullptr;
  decltype(&::cusparseDestroySpMat) destroy_sparse = nullptr;
  decltype(&::cusparseDestroyDnMat) destroy_dense = nullptr;
  decltype(&::cusparseSpMM_bufferSize) spmm_buffer_size = nullptr;
  decltype(&::cusparseSpMM_preprocess) spmm_preprocess = nullptr;
  decltype(&::cusparseSpMM) spmm = nullptr;
  decltype(&::cusparseDenseToSparse_bufferSize) sparse_buffer_size = nullptr;
  decltype(&::cusparseDenseToSparse_analysis) sparse_analysis = nullptr;
  decltype(&::cusparseDenseToSparse_convert) sparse_convert = nullptr;
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
                   t.library.find("cusparseCreateBsr", t.create_bsr) &&
                   t.library.find("cusparseCreateBlockedEll", t.create_blocked_ell) &&
                   t.library.find("cusparseCreateDnMat", t.create_dense) &&
                   t.library.find("cusparseDestroySpMat", t.destroy_sparse) &&
                   t.library.find("cusparseDestroyDnMat", t.destroy_dense) &&
                   t.library.find("cusparseSpMM_bufferSize", t.spmm_buffer_size) &&
                   t.library.find("cusparseSpMM_preprocess", t.spmm_preprocess) &&
                   t.library.find("cusparseSpMM", t.spmm) &&
                   t.library.find("cusparseDenseToSparse_bufferSize", t.sparse_buffer_size) &&
                   t.library.find("cusparseDenseToSparse_analysis", t.sparse_analysis) &&
                   t.library.find("cusparseDenseToSparse_convert", t.sparse_convert) &&
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

// The sparse operand of a call as the library describes it. A CSR matrix has buffers indptr,
// indices and weights; BSR has blocks of `block`² in their place, each row by row, `nnz` of them;
// Blocked-ELL has `ell_columns` columns of such blocks in every row, whose numbers are indices (−1:
// none).
enum class SparseForm { csr, bsr, blocked_ell };

Result<void> create_sparse(const CusparseTable& t, const LibraryCall& call,
                           const BufferLookup& buffer_of, SparseForm form,
                           cusparseSpMatDescr_t& matrix) {
  const std::int64_t m = number(call, "m"), k = number(call, "k"), nnz = number(call, "nnz");
  if (form == SparseForm::blocked_ell) {
    const Result<Pointers> p = pointers(call, buffer_of, {"indices", "weights"});
    if (!p) return tl::unexpected(p.error());
    return check(t,
                 t.create_blocked_ell(&matrix, m, k, number(call, "block"),
                                      number(call, "ell_columns"), (*p)[0], (*p)[1],
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 "cusparseCreateBlockedEll");
  }
  const Result<Pointers> p = pointers(call, buffer_of, {"indptr", "indices", "weights"});
  if (!p) return tl::unexpected(p.error());
  if (form == SparseForm::csr) {
    return check(t,
                 t.create_csr(&matrix, m, k, nnz, (*p)[0], (*p)[1], (*p)[2], CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                 "cusparseCreateCsr");
  }
  const std::int64_t block = number(call, "block");
  return check(t,
               t.create_bsr(&matrix, m / block, k / block, nnz, block, block, (*p)[0], (*p)[1],
                            (*p)[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, CUSPARSE_ORDER_ROW),
               "cusparseCreateBsr");
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
                    cusparseSpMMAlg_t algorithm, SparseForm form) {
    algorithm_ = algorithm;
    const Result<Pointers> p = pointers(call, buffer_of, {"b", "c"});
    if (!p) return tl::unexpected(p.error());
    const std::int64_t m = number(call, "m"), k = number(call, "k"), n = number(call, "n");
    const bool transpose = number(call, "transpose") != 0;
    preprocess_ = form == SparseForm::csr && call.numbers.count("skip_preprocess") == 0;
    operation_ = transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t bytes = 0;
    return handle_.create()
        .and_then([&] { return create_sparse(table_, call, buffer_of, form, a_); })
        .and_then([&] {
          return check(table_,
                       table_.create_dense(&b_, transpose ? m : k, n, n, (*p)[0], CUDA_R_32F,
                                           CUSPARSE_ORDER_ROW),
                       "cusparseCreateDnMat");
        })
        .and_then([&] {
          return check(table_,
                       table_.create_dense(&c_, transpose ? k : m, n, n, (*p)[1], CUDA_R_32F,
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

// The values of a Blocked-ELL matrix from a dense one; which blocks it has is there already.
class BlockedEllPlan final : public LibraryPlan {
 public:
  BlockedEllPlan(const CusparseTable& t, const CudaDriver& driver)
      : table_(t), handle_(t, driver) {}
  ~BlockedEllPlan() override {
    if (sparse_ != nullptr) table_.destroy_sparse(sparse_);
    if (dense_ != nullptr) table_.destroy_dense(dense_);
  }

  Result<void> plan(const LibraryCall& call, const BufferLookup& buffer_of) {
    const Result<Pointers> p = pointers(call, buffer_of, {"a"});
    if (!p) return tl::unexpected(p.error());
    const std::int64_t m = number(call, "m"), k = number(call, "k");
    std::size_t bytes = 0;
    return handle_.create()
        .and_then([&] {
          return create_sparse(table_, call, buffer_of, SparseForm::blocked_ell, sparse_);
        })
        .and_then([&] {
          return check(
              table_,
              table_.create_dense(&dense_, m, k, k, (*p)[0], CUDA_R_32F, CUSPARSE_ORDER_ROW),
              "cusparseCreateDnMat");
        })
        .and_then([&] {
          return check(
              table_, table_.sparse_buffer_size(handle_.get(), dense_, sparse_, kAlgorithm, &bytes),
              "cusparseDenseToSparse_bufferSize");
        })
        .and_then([&] { return handle_.reserve(bytes); });
  }

  Result<void> prepare(CUstream) override { return {}; }

  Result<void> run(CUstream stream) override {
    return handle_.use(stream)
        .and_then([&] {
          return check(table_,
                       table_.sparse_analysis(handle_.get(), dense_, sparse_, kAlgorithm,
                                              handle_.workspace()),
                       "cusparseDenseToSparse_analysis");
        })
        .and_then([&] {
          return check(table_,
                       table_.sparse_convert(handle_.get(), dense_, sparse_, kAlgorithm,
                                             handle_.workspace()),
                       "cusparseDenseToSparse_convert");
        });
  }

 private:
  static constexpr cusparseDenseToSparseAlg_t kAlgorithm = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
  const CusparseTable& table_;
  Handle handle_;
  cusparseDnMatDescr_t dense_ = nullptr;
  cusparseSpMatDescr_t sparse_ = nullptr;
};

struct NamedAlgorithm {
  const char* name;
  cusparseSpMMAlg_t algorithm;
  SparseForm form = SparseForm::csr;
};
constexpr std::array<NamedAlgorithm, 6> kSpmmAlgorithms = {{
    {"cusparse.spmm.default", CUSPARSE_SPMM_ALG_DEFAULT},
    {"cusparse.spmm.csr_alg1", CUSPARSE_SPMM_CSR_ALG1},
    {"cusparse.spmm.csr_alg2", CUSPARSE_SPMM_CSR_ALG2},
    {"cusparse.spmm.csr_alg3", CUSPARSE_SPMM_CSR_ALG3},
    {"cusparse.spmm.bsr_alg1", CUSPARSE_SPMM_BSR_ALG1, SparseForm::bsr},
    {"cusparse.spmm.blocked_ell", CUSPARSE_SPMM_BLOCKED_ELL_ALG1, SparseForm::blocked_ell},
}};

template <typename Plan, typename... More>
Result<std::unique_ptr<LibraryPlan>> planned(const CusparseTable& t, const CudaDriver& driver,
                                             const LibraryCall& call, const BufferLookup& buffer_of,
                                             More... more) {
  auto plan = std::make_unique<Plan>(t, driver);
  if (Result<void> done = plan->plan(call, buffer_of, more...); !done)
    return tl::unexpected(done.error());
  return plan;
}

}  // namespace

Result<std::unique_ptr<LibraryPlan>> plan_cusparse_call(const CudaDriver& driver,
                                                        const LibraryCall& call,
                                                        const BufferLookup& buffer_of) {
  const Result<CusparseTable>& t = table();
  if (!t) return tl::unexpected(t.error());
  if (call.name == "cusparse.csr2csc") return planned<ConvertPlan>(*t, driver, call, buffer_of);
  if (call.name == "cusparse.dense_to_blocked_ell")
    return planned<BlockedEllPlan>(*t, driver, call, buffer_of);
  for (const NamedAlgorithm& named : kSpmmAlgorithms) {
    if (call.name == named.name)
      return planned<SpmmPlan>(*t, driver, call, buffer_of, named.algorithm, named.form);
  }
  return failure(ErrorKind::internal, "the engine knows no library call of this name", call.name);
}

Capability cusparse_capability() {
  const Result<CusparseTable>& t = table();
  if (!t) return library_capability("cusparse", t.error());
  return library_capability("cusparse", t->property);
}

}  // namespace warpscope
