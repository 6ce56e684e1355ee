// profiling/engine/cuda/cusparse.cpp: sparse products and conversions by cuSPARSE.
#include "profiling/engine/cuda/cusparse.h"

#include <cusparse.h>

#include <array>
#include <cstddef>
#include <utility>

#include "profiling/engine/cuda/cusparse_library.h"

namespace warpscope {
namespace {

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

// The type of weights, B and C: an ElementType in the call's number "type"; without one f32.
cudaDataType_t value_type(const LibraryCall& call) {
  const auto found = call.numbers.find("type");
  if (found == call.numbers.end()) return CUDA_R_32F;
  switch (static_cast<ElementType>(static_cast<int>(found->second))) {
    case ElementType::f16:
      return CUDA_R_16F;
    case ElementType::bf16:
      return CUDA_R_16BF;
    case ElementType::f64:
      return CUDA_R_64F;
    default:
      return CUDA_R_32F;
  }
}

// 1 or 0 as the library takes it: in the type that it computes in, f32 unless the values are f64.
struct Scalar {
  float narrow;
  double wide;
  const void* in(cudaDataType_t computed) const {
    return computed == CUDA_R_64F ? static_cast<const void*>(&wide) : &narrow;
  }
};
constexpr Scalar kOne = {1.0f, 1.0}, kZero = {0.0f, 0.0};

// The sparse operand of a call as the library describes it. A CSR matrix has buffers indptr,
// indices and weights; BSR has blocks of `block`² in their place, each row by row, `nnz` of them;
// Blocked-ELL has `ell_columns` columns of such blocks in every row, whose numbers are indices (−1:
// none). Coordinates have the rows of entries as `rows`.
enum class SparseForm { csr, coo, bsr, blocked_ell };

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
  const Result<Pointers> p = pointers(
      call, buffer_of, {form == SparseForm::coo ? "rows" : "indptr", "indices", "weights"});
  if (!p) return tl::unexpected(p.error());
  if (form == SparseForm::coo) {
    return check(t,
                 t.create_coo(&matrix, m, k, nnz, (*p)[0], (*p)[1], (*p)[2], CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, value_type(call)),
                 "cusparseCreateCoo");
  }
  if (form == SparseForm::csr) {
    return check(t,
                 t.create_csr(&matrix, m, k, nnz, (*p)[0], (*p)[1], (*p)[2], CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type(call)),
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
    const cudaDataType_t type = value_type(call);
    computed_ = type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;
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
          return check(
              table_,
              table_.create_dense(&b_, transpose ? m : k, n, n, (*p)[0], type, CUSPARSE_ORDER_ROW),
              "cusparseCreateDnMat");
        })
        .and_then([&] {
          return check(
              table_,
              table_.create_dense(&c_, transpose ? k : m, n, n, (*p)[1], type, CUSPARSE_ORDER_ROW),
              "cusparseCreateDnMat");
        })
        .and_then([&] {
          return check(
              table_,
              table_.spmm_buffer_size(handle_.get(), operation_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                      kOne.in(computed_), a_, b_, kZero.in(computed_), c_,
                                      computed_, algorithm_, &bytes),
              call.name);
        })
        .and_then([&] { return handle_.reserve(bytes); });
  }

  Result<void> prepare(CUstream stream) override {
    if (!preprocess_) return {};
    return handle_.use(stream).and_then([&] {
      return check(
          table_,
          table_.spmm_preprocess(handle_.get(), operation_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                 kOne.in(computed_), a_, b_, kZero.in(computed_), c_, computed_,
                                 algorithm_, handle_.workspace()),
          "cusparseSpMM_preprocess");
    });
  }

  Result<void> run(CUstream stream) override {
    return handle_.use(stream).and_then([&] {
      return check(table_,
                   table_.spmm(handle_.get(), operation_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                               kOne.in(computed_), a_, b_, kZero.in(computed_), c_, computed_,
                               algorithm_, handle_.workspace()),
                   "cusparseSpMM");
    });
  }

 private:
  const CusparseTable& table_;
  Handle handle_;
  cusparseSpMatDescr_t a_ = nullptr;
  bool preprocess_ = true;
  cusparseDnMatDescr_t b_ = nullptr, c_ = nullptr;
  cusparseOperation_t operation_ = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseSpMMAlg_t algorithm_ = CUSPARSE_SPMM_ALG_DEFAULT;
  cudaDataType_t computed_ = CUDA_R_32F;
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
    type_ = value_type(call);
    std::size_t bytes = 0;
    return handle_.create()
        .and_then([&] {
          return check(
              table_,
              table_.csc_buffer_size(handle_.get(), m_, k_, nnz_, p_[2], static_cast<int*>(p_[0]),
                                     static_cast<int*>(p_[1]), p_[5], static_cast<int*>(p_[3]),
                                     static_cast<int*>(p_[4]), type_, CUSPARSE_ACTION_NUMERIC,
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
                              static_cast<int*>(p_[4]), type_, CUSPARSE_ACTION_NUMERIC,
                              CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, handle_.workspace()),
                   "cusparseCsr2cscEx2");
    });
  }

 private:
  const CusparseTable& table_;
  Handle handle_;
  Pointers p_;
  int m_ = 0, k_ = 0, nnz_ = 0;
  cudaDataType_t type_ = CUDA_R_32F;
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
constexpr std::array<NamedAlgorithm, 7> kSpmmAlgorithms = {{
    {"cusparse.spmm.default", CUSPARSE_SPMM_ALG_DEFAULT},
    {"cusparse.spmm.csr_alg1", CUSPARSE_SPMM_CSR_ALG1},
    {"cusparse.spmm.csr_alg2", CUSPARSE_SPMM_CSR_ALG2},
    {"cusparse.spmm.csr_alg3", CUSPARSE_SPMM_CSR_ALG3},
    {"cusparse.spmm.coo_alg4", CUSPARSE_SPMM_COO_ALG4, SparseForm::coo},
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
  const Result<CusparseTable>& t = cusparse_table();
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
  const Result<CusparseTable>& t = cusparse_table();
  if (!t) return library_capability("cusparse", t.error());
  return library_capability("cusparse", t->property);
}

}  // namespace warpscope
