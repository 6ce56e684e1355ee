// profiling/binaries/cubin.h: what a cubin, the machine code of one GPU architecture, says of its
// kernels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// A cubin is an ELF file. Its fields are not published: each rule in cubin.cpp names what it was
// seen in.
//
//   const Result<Cubin> cubin = read_cubin(bytes, "kernel.cubin");
//   for (const BinaryKernel& kernel : cubin->kernels) show(kernel.registers);

namespace warpscope {

struct BinaryParameter {
  std::int64_t offset = 0, bytes = 0;  // in the memory of the launch's parameters
};

struct BinaryKernel {
  std::string symbol;
  bool described = false;                // it has a section of its own that says what it takes
  int registers = 0;                     // of a thread
  int barriers = 0;                      // 0: none, or not said
  std::int64_t static_shared_bytes = 0;  // without what the system reserves
  std::int64_t local_bytes = 0;          // of a thread: its stack
  std::int64_t constant_bytes = 0;       // bank 0: the launch's values and parameters
  std::int64_t code_bytes = 0;
  std::int64_t parameter_bytes = 0;
  std::vector<BinaryParameter> parameters;  // in order
  std::int64_t most_threads = 0;            // of a block, by launch bounds; 0: not said
  std::array<std::int64_t, 3> required_block{};
  std::array<std::int64_t, 3> cluster{};
  std::vector<std::string> externs;  // functions that it calls and another object defines
};

struct Cubin {
  int compute_capability = 0;
  char features = 0;                // 'a' of sm_90a; 0: none, or not said
  bool relocatable = false;         // to be linked with others: sizes may still grow
  std::string compiler;             // "ptxas release 13.0"; empty: not said
  std::int64_t constant_bytes = 0;  // of all __constant__ variables
  std::vector<BinaryKernel> kernels;
};

bool is_cubin(std::string_view bytes);
// error: input: it is not a cubin, or is damaged, or an ELF class or machine that is not read.
Result<Cubin> read_cubin(std::string_view bytes, const std::string& where);
// One kernel of it; no value if it cannot be read or does not describe such a kernel.
std::optional<BinaryKernel> kernel_in_cubin(std::string_view bytes, std::string_view entry);
// Symbols of its kernels and of its __constant__ and __device__ variables; empty if it cannot be
// read.
std::vector<std::string> kernel_symbols(std::string_view bytes);
std::vector<std::string> variable_symbols(std::string_view bytes);

}  // namespace warpscope
