// profiling/engine/cuda/cusparse_library.cpp: what the engine calls of cuSPARSE, loaded at run
// time.
#include "profiling/engine/cuda/cusparse_library.h"

#include <utility>

namespace warpscope {
namespace {

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
                   t.library.find("cusparseCreateCoo", t.create_coo) &&
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

}  // namespace

// Loaded once for the life of the process, as the driver is.
const Result<CusparseTable>& cusparse_table() {
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

}  // namespace warpscope
