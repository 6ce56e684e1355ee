// profiling/engine/compile/kernel_store.h: kernels compiled and loaded, ready to launch.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/steps/loaded_modules.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// A function of a loaded module, ready to launch.
struct Kernel {
  CUfunction function = nullptr;
  std::vector<std::size_t> parameter_bytes;
  KernelResources resources;
  std::string log, hash, text_hash;
  std::string symbol;                        // its name in the machine code
  std::shared_ptr<const std::string> cubin;  // its module's machine code, with source lines
  std::vector<std::string> files;            // the names of its texts: its own, then its headers
  std::shared_ptr<void> module;  // unloaded when nobody holds it: keep it beside `function`

  CUmodule loaded() const { return static_cast<CUmodule>(module.get()); }
};

// Where a constant array of a loaded module is.
struct ConstantPlace {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  std::shared_ptr<void> module;  // as of Kernel
};

// Loads what is asked for and keeps the modules that were used last: of requests of the same names
// that of the last text. The device must outlive every kernel.
class KernelStore {
 public:
  explicit KernelStore(const Device& device)
      : device_(device), sources_(with_own_sources(sources_on_disk())) {}
  KernelStore(const KernelStore&) = delete;
  KernelStore& operator=(const KernelStore&) = delete;
  // From now on kernels are compiled of these texts. Until then of this machine's files; the
  // engine's own kernels always of those in its program.
  void use(const SourceLookup& sources) { sources_ = with_own_sources(sources); }
  const SourceLookup& sources() const { return sources_; }
  // Compiles what `load` would, into the cache, without the device. False: it is loaded already, or
  // there is no cache to keep it in.
  bool compile_ahead(const KernelLaunch& launch) const;
  bool is_loaded(const KernelLaunch& launch) const;
  // error: as compile and the sources; usage when the entry is not in the source or the launch
  // cannot fit.
  Result<Kernel> load(const KernelLaunch& launch);
  // The PTX of a launch's text, and the name of its kernel there. error: as compile_to_ptx and the
  // sources; environment, a captured kernel came without PTX.
  Result<CompiledPtx> ptx_of(const KernelLaunch& launch) const;
  // The array that launches of the copy's text and defines read. error: as of load; usage when the
  // text has no such symbol.
  Result<ConstantPlace> find_constant(const ConstantCopy& copy);

 private:
  // The module of these texts; where it is not loaded, of a fresh compilation.
  Result<const LoadedModule*> module_of(const CompileRequest& request,
                                        const std::vector<KernelSource>& sources);
  Result<void> find_parameters(const std::string& entry, Kernel& kernel) const;
  // Resources and occupancy; error: usage, it cannot be launched so.
  Result<void> find_resources(const KernelLaunch& launch, const std::string& symbol,
                              Kernel& kernel) const;

  const Device& device_;
  SourceLookup sources_;
  LoadedModules modules_;
};

}  // namespace warpscope
