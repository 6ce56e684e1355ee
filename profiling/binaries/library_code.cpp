// profiling/binaries/library_code.cpp: NVIDIA's closed libraries, whose code is not disassembled.
#include "profiling/binaries/library_code.h"

#include <cctype>

namespace warpscope {
namespace {

struct Library {
  const char* name;
  const char* file;  // after "lib"
};
constexpr Library kLibraries[] = {{"cuBLAS", "cublas"},     {"cuBLAS", "nvblas"},
                                  {"cuDNN", "cudnn"},       {"cuSPARSE", "cusparse"},
                                  {"cuSOLVER", "cusolver"}, {"cuFFT", "cufft"},
                                  {"cuTENSOR", "cutensor"}, {"cuRAND", "curand"},
                                  {"NPP", "npp"},           {"nvJPEG", "nvjpeg"}};

struct Part {
  const char* text;  // of a symbol
  const char* library;
};
// source: names that profilers show of kernels which these libraries launch.
constexpr Part kParts[] = {
    {"cublas", "cuBLAS"},         {"nvjet_", "cuBLAS"},         {"splitKreduce", "cuBLAS"},
    {"gemvNSP", "cuBLAS"},        {"gemv2T_kernel", "cuBLAS"},  {"gemv2N_kernel", "cuBLAS"},
    {"gemmSN_", "cuBLAS"},        {"gemmk1_kernel", "cuBLAS"},  {"cudnn", "cuDNN"},
    {"xmma_", "cuBLAS or cuDNN"}, {"cask_", "cuBLAS or cuDNN"}, {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},     {"cufft", "cuFFT"},           {"vector_fft", "cuFFT"},
    {"regular_fft", "cuFFT"},     {"cutensor", "cuTENSOR"}};
// "ampere_sgemm_128x64_nn", "hopper_h16816gemm": generations of GPUs before a product's name.
constexpr const char* kGenerations[] = {"maxwell_", "pascal_", "volta_",    "turing_",
                                        "ampere_",  "hopper_", "blackwell_"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Kernels of CUTLASS that the libraries were built with: "cutlass_80_tensorop_s1688gemm".
bool is_built_cutlass(std::string_view symbol) {
  constexpr std::string_view kBegin = "cutlass_";
  for (std::size_t at = symbol.find(kBegin); at != std::string_view::npos;
       at = symbol.find(kBegin, at + 1)) {
    const std::size_t next = at + kBegin.size();
    if (next < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[next])) != 0)
      return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> closed_library_of_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("lib")) return std::nullopt;
  for (const Library& library : kLibraries) {
    if (name.substr(3).starts_with(library.file)) return library.name;
  }
  return std::nullopt;
}

std::optional<std::string> closed_library_of_kernel(std::string_view symbol) {
  for (const Part& part : kParts) {
    if (has(symbol, part.text)) return part.library;
  }
  for (const char* const generation : kGenerations) {
    if (has(symbol, generation) && (has(symbol, "gemm") || has(symbol, "cudnn")))
      return "cuBLAS or cuDNN";
  }
  if (is_built_cutlass(symbol)) return "cuBLAS or cuDNN";
  return std::nullopt;
}

}  // namespace warpscope
