// profiling/engine/compile/kernel_store.cpp: kernels compiled and loaded, ready to launch.
#include "profiling/engine/compile/kernel_store.h"

#include <optional>
#include <utility>

#include "profiling/binaries/cubin.h"
#include "profiling/capture/machine_code_text.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/compile/resources.h"
#include "profiling/listings/kernel_name.h"
#include "profiling/points/occupancy.h"
#include "scenes/host/cache.h"

namespace warpscope {

Result<const LoadedModule*> KernelStore::module_of(const CompileRequest& request,
                                                   const std::vector<KernelSource>& sources) {
  const std::string hash = compile_hash(request, sources);
  if (const LoadedModule* found = modules_.find(hash)) return found;
  Result<Compiled> code = compile(request, sources);
  if (!code) return tl::unexpected(code.error());
  const auto cubin = std::make_shared<const std::string>(std::move(code->cubin));
  CUmodule loaded = nullptr;
  if (Result<void> done =
          device_.check(device_.driver().cuModuleLoadData(&loaded, cubin->data()), request.source);
      !done) {
    return tl::unexpected(done.error());
  }
  const auto unload = [&device = device_](void* module) {
    device.driver().cuModuleUnload(static_cast<CUmodule>(module));
  };
  return &modules_.keep(request, hash,
                        {std::shared_ptr<void>(loaded, unload), std::move(code->log),
                         std::move(code->hash), text_hash_of(sources), cubin});
}

bool KernelStore::is_loaded(const KernelLaunch& launch) const {
  const Result<std::vector<KernelSource>> sources = sources_(launch.source);
  if (!sources) return false;
  const CompileRequest request = request_for(launch, device_.description().compute_capability);
  return modules_.contains(compile_hash(request, *sources));
}

bool KernelStore::compile_ahead(const KernelLaunch& launch) const {
  const Result<std::vector<KernelSource>> sources = sources_(launch.source);
  if (!sources || !Cache::open() || is_loaded(launch)) return false;
  const CompileRequest request = request_for(launch, device_.description().compute_capability);
  return compile(request, *sources).has_value();
}

Result<void> KernelStore::find_parameters(const std::string& entry, Kernel& kernel) const {
  const std::optional<BinaryKernel> code = kernel_in_cubin(*kernel.cubin, entry);
  if (!code) {
    return failure(ErrorKind::internal,
                   "the machine code does not state how many parameters it takes", entry,
                   "install the toolkit that this version was made for, CUDA 13");
  }
  for (std::size_t i = 0; i < code->parameters.size(); ++i) {
    std::size_t offset = 0, size = 0;
    const Result<void> known =
        device_.check(device_.driver().cuFuncGetParamInfo(kernel.function, i, &offset, &size),
                      "cuFuncGetParamInfo");
    if (!known) return known;
    kernel.parameter_bytes.push_back(size);
  }
  return {};
}

Result<void> KernelStore::find_resources(const KernelLaunch& launch, const std::string& symbol,
                                         Kernel& kernel) const {
  const CudaDriver& d = device_.driver();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    d.cuFuncGetAttribute(&value, which, kernel.function);
    return value;
  };
  KernelResources& r = kernel.resources;
  // What the driver does not say: spills, and the bounds that the kernel was declared with.
  if (const auto reported = reported_resources(kernel.log, symbol)) r = *reported;
  if (const auto code = kernel_in_cubin(*kernel.cubin, symbol))
    r.most_block_threads = code->most_threads;
  r.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  r.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  r.local_bytes_per_thread = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  r.dynamic_shared_bytes = launch.launch.dynamic_shared_bytes;
  const std::int64_t threads =
      launch.launch.block.x * launch.launch.block.y * launch.launch.block.z;
  const int most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (const auto refused = launch_failure(r, launch.launch, device_.limits()))
    return failure(ErrorKind::usage, refused->sentence, launch.entry, "choose a smaller block");
  if (threads > most_threads) {
    return failure(ErrorKind::usage,
                   grouped(r.registers_per_thread) + " registers × " + grouped(threads) +
                       " threads: the driver takes at most " + grouped(most_threads) +
                       " threads per block of this kernel",
                   launch.entry, "choose a smaller block");
  }
  if (r.dynamic_shared_bytes > 0) {
    const Result<void> raised = device_.check(
        d.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(r.dynamic_shared_bytes)),
        "dynamic shared memory");
    if (!raised) return raised;
  }
  // source: CUDA C++ Programming Guide, "Thread Block Clusters".
  constexpr std::int64_t kMostPortableClusterBlocks = 8;
  const Dim3& cluster = launch.launch.cluster;
  if (cluster.x * cluster.y * cluster.z > kMostPortableClusterBlocks) {
    const Result<void> allowed =
        device_.check(d.cuFuncSetAttribute(kernel.function,
                                           CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                      "a cluster of more than 8 blocks");
    if (!allowed) return allowed;
  }
  d.cuOccupancyMaxActiveBlocksPerMultiprocessor(&r.blocks_per_multiprocessor, kernel.function,
                                                static_cast<int>(threads),
                                                static_cast<std::size_t>(r.dynamic_shared_bytes));
  CUdevice device = 0;
  int most_resident_threads = 2048;
  if (d.cuDeviceGet(&device, device_.ordinal()) == CUDA_SUCCESS) {
    d.cuDeviceGetAttribute(&most_resident_threads,
                           CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  }
  const std::int64_t warps = (threads + 31) / 32;
  r.theoretical_occupancy_ratio = static_cast<double>(r.blocks_per_multiprocessor) *
                                  static_cast<double>(warps) / (most_resident_threads / 32.0);
  return {};
}

Result<Kernel> KernelStore::load(const KernelLaunch& launch) {
  const CompileRequest request = request_for(launch, device_.description().compute_capability);
  const Result<std::vector<KernelSource>> sources = sources_(launch.source);
  if (!sources) return tl::unexpected(sources.error());
  const Result<const LoadedModule*> loaded = module_of(request, *sources);
  if (!loaded) return tl::unexpected(loaded.error());
  Kernel kernel;
  kernel.log = (*loaded)->log;
  kernel.hash = (*loaded)->hash;
  kernel.text_hash = (*loaded)->text_hash;
  kernel.cubin = (*loaded)->cubin;
  kernel.module = (*loaded)->held;
  for (const KernelSource& source : *sources) kernel.files.push_back(source.path);
  const std::string symbol = symbol_of(kernel_symbols(*kernel.cubin), launch.entry);
  if (device_.driver().cuModuleGetFunction(&kernel.function,
                                           static_cast<CUmodule>((*loaded)->held.get()),
                                           symbol.c_str()) != CUDA_SUCCESS) {
    return failure(ErrorKind::input, "there is no kernel " + launch.entry, launch.source,
                   "write entry = \"…\" with one that the file has, with its namespaces and "
                   "template arguments");
  }
  const Result<void> known = find_parameters(symbol, kernel).and_then([&] {
    return find_resources(launch, symbol, kernel);
  });
  if (!known) return tl::unexpected(known.error());
  kernel.symbol = symbol;
  return kernel;
}

Result<CompiledPtx> KernelStore::ptx_of(const KernelLaunch& launch) const {
  const Result<std::vector<KernelSource>> sources = sources_(launch.source);
  if (!sources) return tl::unexpected(sources.error());
  if (!sources->empty() && is_machine_code(sources->front())) {
    return failure(ErrorKind::environment, "the kernel was captured without PTX", launch.source,
                   "capture a program that has PTX: -gencode arch=compute_90,code=compute_90");
  }
  const CompileRequest request = request_for(launch, device_.description().compute_capability);
  Result<CompiledPtx> ptx = compile_to_ptx(request, *sources, launch.entry);
  if (!ptx) return tl::unexpected(ptx.error());
  const Result<std::vector<ListedKernel>> kernels = kernels_of_ptx(ptx->ptx, launch.source);
  if (!kernels) return tl::unexpected(kernels.error());
  std::vector<std::string> symbols;
  for (const ListedKernel& kernel : *kernels) symbols.push_back(kernel.symbol);
  ptx->entry = symbol_of(symbols, ptx->entry.empty() ? launch.entry : ptx->entry);
  return ptx;
}

Result<ConstantPlace> KernelStore::find_constant(const ConstantCopy& copy) {
  const CompileRequest request = request_for(copy, device_.description().compute_capability);
  const Result<std::vector<KernelSource>> sources = sources_(copy.source);
  if (!sources) return tl::unexpected(sources.error());
  const Result<const LoadedModule*> loaded = module_of(request, *sources);
  if (!loaded) return tl::unexpected(loaded.error());
  ConstantPlace place;
  place.module = (*loaded)->held;
  const std::string symbol = variable_symbol(variable_symbols(*(*loaded)->cubin), copy.symbol);
  if (device_.driver().cuModuleGetGlobal(&place.address, &place.bytes,
                                         static_cast<CUmodule>((*loaded)->held.get()),
                                         symbol.c_str()) != CUDA_SUCCESS) {
    return failure(ErrorKind::usage, "the source has no array " + copy.symbol, copy.source,
                   "declare it __constant__ or __device__, outside of any function");
  }
  return place;
}

}  // namespace warpscope
