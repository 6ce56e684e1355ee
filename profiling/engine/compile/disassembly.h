// profiling/engine/compile/disassembly.h: a kernel as PTX and as machine code, to be read beside
// its text.
#pragma once

#include <string>

#include "profiling/engine/compile/compiler.h"
#include "profiling/listings/listing.h"
#include "scenes/base/source.h"
#include "scenes/base/step.h"

namespace warpscope {

// Where nvdisasm is: in a folder of $PATH, else in bin/ of the toolkits that libraries are looked
// for in, else where ./start brings it. error: environment, with what to install.
Result<std::string> find_disassembler();

// What `nvdisasm -gi -c` prints of a cubin: instructions, labels, and the source line of each with
// the calls that it was inlined at. error: environment (it cannot be run, or says why not).
Result<std::string> disassemble(const std::string& cubin);

// The same of one function, kept in the cache: its instructions with their lines and bytes as
// machine_text.h reads them, or with how many registers are in use at each. error: also usage: it
// is code of a library that may not be disassembled; input: there is no such function, or nvdisasm
// does not end.
enum class Disassembly { code, listing, live_registers };
Result<std::string> disassemble_function(const std::string& cubin, const std::string& function,
                                         Disassembly what);

// PTX that declares the kernels and variables of a text that is machine code alone, without their
// instructions. error: input.
Result<CompiledPtx> declared_ptx(const KernelSource& source, const std::string& expression);

// A kernel compiled, not run: PTX, and machine code of an architecture where that is not 0. What
// could not be made is said in the listing. error: the sources' (there is no such text).
Result<Listing> listing_of_kernel(const KernelLaunch& kernel, int compute_capability,
                                  const SourceLookup& sources);

}  // namespace warpscope
