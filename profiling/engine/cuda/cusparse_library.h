// profiling/engine/cuda/cusparse_library.h: what the engine calls of cuSPARSE, loaded at run time.
#pragma once

#include <cusparse.h>

#include <string>

#include "profiling/engine/cuda/shared_library.h"

// The library is opened when it is first asked for:
//
//   const Result<CusparseTable>& t = cusparse_table();     // an error: it is not here, with the
//   remedy check(*t, t->create(&handle), "cusparseCreate");

namespace warpscope {

struct CusparseTable {
  SharedLibrary library;
  decltype(&::cusparseCreate) create = nullptr;
  decltype(&::cusparseDestroy) destroy = nullptr;
  decltype(&::cusparseSetStream) set_stream = nullptr;
  decltype(&::cusparseGetErrorString) error_string = nullptr;
  decltype(&::cusparseGetProperty) property = nullptr;
  decltype(&::cusparseCreateCsr) create_csr = nullptr;
  decltype(&::cusparseCreateCoo) create_coo = nullptr;
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

// error: environment.
const Result<CusparseTable>& cusparse_table();

// A status that is not a success, in the library's own words. error: resource or usage.
Result<void> check(const CusparseTable& t, cusparseStatus_t status, const std::string& where);

}  // namespace warpscope
