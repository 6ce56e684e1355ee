// profiling/engine/compile/disassembly.h: a kernel as PTX and as machine code, to be read beside
// its text.
#pragma once

#include <functional>
#include <string>

#include "profiling/engine/compile/compiler.h"
#include "profiling/listings/listing.h"
#include "scenes/base/source.h"
#include "scenes/base/step.h"

namespace warpscope {

// Where nvdisasm is: in a folder of $PATH, else in bin/ of the toolkits that libraries are looked
// for in, else where ./start brings it. error: environment, with what to install.
Result<std::string> find_disassembler();

// Whether what is made here is not wanted any more; empty: it is.
using Interrupted = std::function<bool()>;

// What nvdisasm prints of one function, kept in the cache: its instructions with their source lines
// and bytes as machine_text.h reads them; with the lines of its PTX as listing.h reads them; or
// with how many registers nvdisasm finds in use. error: environment (it cannot be run, or says why
// not), usage (it is code of a library that may not be disassembled, or "cancelled"), input (there
// is no such function, or nvdisasm does not end).
enum class Disassembly { code, listing, live_registers };
Result<std::string> disassemble_function(const std::string& cubin, const std::string& function,
                                         Disassembly what, const Interrupted& interrupted = {});

// Adds a kernel's machine code to the listing of its PTX, with the registers in use. error: as
// disassemble_function.
Result<void> list_machine_code(const std::string& cubin, const std::string& entry,
                               int compute_capability, const Interrupted& interrupted,
                               Listing& listing);

// PTX that declares the kernels and variables of a text that is machine code alone, without their
// instructions. error: input.
Result<CompiledPtx> declared_ptx(const KernelSource& source, const std::string& expression);

// A kernel compiled, not run: PTX, and machine code of an architecture where that is not 0. What
// could not be made is said in the listing. error: the sources' (there is no such text).
Result<Listing> listing_of_kernel(const KernelLaunch& kernel, int compute_capability,
                                  const SourceLookup& sources, const Interrupted& interrupted = {});

}  // namespace warpscope
