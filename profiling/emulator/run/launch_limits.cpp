// profiling/emulator/run/launch_limits.cpp: what ptxas or a launch would refuse on an
// architecture.
#include "profiling/emulator/run/launch_limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace warpscope {
namespace {

std::string text_of(std::int64_t value) { return std::to_string(value); }

std::string text_of(const Dim3& d) {
  return text_of(d.x) + " × " + text_of(d.y) + " × " + text_of(d.z);
}

std::string text_of(const std::array<std::int64_t, 3>& e) {
  return text_of(Dim3{e[0], e[1], e[2]});
}

std::string architecture(int compute_capability) {
  return "compute capability " + text_of(std::int64_t{compute_capability / 10}) + "." +
         text_of(std::int64_t{compute_capability % 10});
}

// "sm_90a" → 90; 0: no such name.
int architecture_of(std::string_view target) {
  int value = 0;
  target.remove_prefix(std::min<std::size_t>(target.size(), 3));
  std::from_chars(target.data(), target.data() + target.size(), value);
  return value;
}

// The limits of one kernel, one after another; the first that is passed ends the checks.
class Check {
 public:
  Check(const PtxModule& module, const KernelCode& kernel, const Launch& launch, int capability)
      : module_(module), kernel_(kernel), launch_(launch), capability_(capability) {
    for (const PtxFunction& f : module.functions) {
      if (f.entry && f.defined && f.name == kernel.entry) function_ = &f;
    }
  }

  Result<void> all() const {
    return target()
        .and_then([&] { return parameters(); })
        .and_then([&] { return constants(); })
        .and_then([&] { return barriers(); })
        .and_then([&] { return local(); })
        .and_then([&] { return block(); })
        .and_then([&] { return grid(); })
        .and_then([&] { return cluster(); })
        .and_then([&] { return shared(); });
  }

 private:
  // An error that another launch would not have.
  Result<void> refuse(std::string what, std::string remedy) const {
    return failure(ErrorKind::usage, std::move(what), kernel_.entry, std::move(remedy));
  }
  // An error of the text: ptxas does not compile it for this architecture.
  Result<void> reject(std::string what, std::string remedy) const {
    return failure(ErrorKind::input, std::move(what), kernel_.entry, std::move(remedy));
  }
  std::string here() const { return " on " + architecture(capability_); }

  Result<void> target() const {
    const int wanted = architecture_of(module_.target);
    if (wanted == 0) return {};
    // An "a" restricts the text to that one architecture, an "f" to its family.
    const bool exact = module_.target.ends_with('a'), family = module_.target.ends_with('f');
    if (wanted > capability_ || (exact && wanted != capability_) ||
        (family && wanted / 10 != capability_ / 10)) {
      return reject(
          "the text is for " + std::string(module_.target) + ", which does not run" + here(),
          "compile it for compute_" + text_of(std::int64_t{capability_}));
    }
    return {};
  }

  Result<void> parameters() const {
    const bool large =
        capability_ >= 70 && (module_.version == 0 || module_.version >= kFirstLargeParameters);
    const std::int64_t most = large ? kMostParameterBytes : kMostOldParameterBytes;
    if (kernel_.parameter_bytes <= most) return {};
    return reject(text_of(kernel_.parameter_bytes) + " bytes of parameters are more than the " +
                      text_of(most) + " that a kernel may have" +
                      (large ? "" : " before PTX 8.1 and compute capability 7.0"),
                  "move them into a buffer or into constant memory");
  }

  Result<void> constants() const {
    std::int64_t bytes = 0;
    for (const PtxVariable& v : module_.variables) {
      if (v.space != PtxSpace::constant) continue;
      const std::int64_t alignment = std::max<std::int64_t>(v.alignment, 1);
      bytes = (bytes + alignment - 1) / alignment * alignment + v.bytes;
    }
    if (bytes <= kMostConstantBytes) return {};
    return reject(text_of(bytes) + " bytes of __constant__ variables are more than the " +
                      text_of(kMostConstantBytes) + " of the constant bank",
                  "move the larger ones into global memory");
  }

  Result<void> barriers() const {
    for (const PtxFunction& f : module_.functions) {
      if (f.entry && &f != function_) continue;
      for (const PtxStatement& s : f.body) {
        const std::string_view base = s.name.substr(0, s.name.find('.'));
        if (s.kind != PtxStatement::Kind::instruction || (base != "bar" && base != "barrier"))
          continue;
        if (s.name.find(".warp") != std::string_view::npos ||
            s.name.find(".cluster") != std::string_view::npos)
          continue;
        const std::uint32_t at = s.name.find(".red") != std::string_view::npos ? 1 : 0;
        if (at >= s.count) continue;
        const PtxOperand& id = module_.operands[s.first + at];
        if (id.kind != PtxOperand::Kind::integer || (id.value >= 0 && id.value < kBlockBarriers))
          continue;
        return reject("PTX line " + text_of(std::int64_t{s.line}) + " names barrier " +
                          text_of(id.value) + "; a block has barriers 0 to " +
                          text_of(kBlockBarriers - 1),
                      "choose another number");
      }
    }
    return {};
  }

  Result<void> local() const {
    if (kernel_.local_bytes <= kMostLocalBytes) return {};
    return refuse(text_of(kernel_.local_bytes) +
                      " bytes of local memory per thread are more than " + text_of(kMostLocalBytes),
                  "make the arrays of each thread smaller, or move them into a buffer");
  }

  Result<void> block() const {
    const Dim3& b = launch_.block;
    const bool counts = b.x >= 1 && b.y >= 1 && b.z >= 1 && b.x <= kMostBlockThreads &&
                        b.y <= kMostBlockThreads && b.z <= kMostBlockZ;
    const std::int64_t threads = counts ? b.x * b.y * b.z : 0;
    if (threads < 1 || threads > kMostBlockThreads) {
      return refuse("a block of " + text_of(b) + " threads is not possible",
                    "choose 1 to 1024 threads, at most 64 in z");
    }
    const bool required = function_ != nullptr && function_->required_block[0] > 0;
    if (required && function_->required_block != std::array<std::int64_t, 3>{b.x, b.y, b.z}) {
      return refuse("the kernel requires blocks of " + text_of(function_->required_block) +
                        " threads (.reqntid), these are " + text_of(b),
                    "launch it with those");
    }
    if (kernel_.most_threads > 0 && threads > kernel_.most_threads) {
      return refuse(text_of(threads) + " threads are more than the kernel's launch bounds of " +
                        text_of(kernel_.most_threads),
                    "choose a smaller block");
    }
    return {};
  }

  Result<void> grid() const {
    const Dim3& g = launch_.grid;
    if (g.x >= 1 && g.y >= 1 && g.z >= 1 && g.x <= kMostGridX && g.y <= kMostGridYz &&
        g.z <= kMostGridYz)
      return {};
    return refuse("a grid of " + text_of(g) + " blocks is not possible",
                  "choose at least one block, at most 65535 in y and z");
  }

  Result<void> cluster() const {
    const Dim3& c = launch_.cluster;
    const Dim3& g = launch_.grid;
    const std::array<std::int64_t, 3> extents = {c.x, c.y, c.z};
    if (function_ != nullptr && function_->required_cluster[0] > 0 &&
        function_->required_cluster != extents) {
      return refuse("the kernel requires clusters of " + text_of(function_->required_cluster) +
                        " blocks, these are " + text_of(c),
                    "launch it with those");
    }
    if (extents == std::array<std::int64_t, 3>{1, 1, 1}) return {};
    const ArchitectureLimits* limits = limits_of(capability_);
    if (limits == nullptr || !limits->has_clusters)
      return refuse("there are no clusters of blocks" + here(), "launch without a cluster");
    const bool counts = c.x >= 1 && c.y >= 1 && c.z >= 1 && c.x <= kMostClusterBlocks &&
                        c.y <= kMostClusterBlocks && c.z <= kMostClusterBlocks;
    if (!counts || c.x * c.y * c.z > kMostClusterBlocks) {
      return refuse("a cluster of " + text_of(c) + " blocks is not possible",
                    "choose at most 8, or 16 if non-portable cluster sizes are allowed");
    }
    if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
      return refuse(
          "a grid of " + text_of(g) + " blocks is not a multiple of the cluster of " + text_of(c),
          "make the grid a multiple of the cluster");
    }
    return {};
  }

  Result<void> shared() const {
    const std::int64_t fixed = kernel_.static_shared_bytes, dynamic = launch_.dynamic_shared_bytes;
    if (fixed > kMostStaticSharedBytes) {
      return reject(text_of(fixed) + " bytes of static shared memory are more than the " +
                        text_of(kMostStaticSharedBytes) + " that ptxas allows",
                    "declare it extern __shared__ and set its bytes at launch");
    }
    const ArchitectureLimits* limits = limits_of(capability_);
    const std::int64_t most =
        limits == nullptr ? kMostStaticSharedBytes : limits->shared_bytes_per_block;
    if (dynamic >= 0 && dynamic <= most - fixed) return {};
    // A launch may ask for any number: their sum may be none.
    const std::int64_t all = dynamic > std::numeric_limits<std::int64_t>::max() - fixed
                                 ? std::numeric_limits<std::int64_t>::max()
                                 : fixed + dynamic;
    return refuse(text_of(all) + " bytes of shared memory do not fit a block" + here(),
                  "choose at most " + text_of(most));
  }

  const PtxModule& module_;
  const KernelCode& kernel_;
  const Launch& launch_;
  int capability_;
  const PtxFunction* function_ = nullptr;
};

}  // namespace

Result<void> within_limits(const PtxModule& module, const KernelCode& kernel, const Launch& launch,
                           int compute_capability) {
  return Check(module, kernel, launch, compute_capability).all();
}

Launch with_own_cluster(const PtxModule& module, std::string_view entry, Launch launch) {
  for (const PtxFunction& f : module.functions) {
    const auto& c = f.required_cluster;
    if (!f.entry || !f.defined || f.name != entry || c[0] <= 0) continue;
    if (launch.cluster == Dim3{}) launch.cluster = {c[0], c[1], c[2]};
  }
  return launch;
}

Result<void> within_registers(int registers_per_thread, const Launch& launch,
                              const std::string& entry) {
  const std::int64_t threads = launch.block.x * launch.block.y * launch.block.z;
  const std::int64_t wanted = block_registers(registers_per_thread, threads);
  if (wanted <= kMostBlockRegisters) return {};
  const std::int64_t fit = most_threads_of(registers_per_thread);
  return failure(
      ErrorKind::usage,
      "the compiler gives each thread " + std::to_string(registers_per_thread) +
          " registers: a block of " + std::to_string(threads) + " threads needs " +
          std::to_string(wanted) + ", and may have " + std::to_string(kMostBlockRegisters),
      entry,
      "launch blocks of at most " + std::to_string(fit) +
          " threads, or declare the kernel __launch_bounds__(" + std::to_string(threads) + ")");
}

}  // namespace warpscope
