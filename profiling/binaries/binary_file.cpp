// profiling/binaries/binary_file.cpp: the kernels in a compiled file: a cubin, a fat binary, an
// object file, a static or shared library, or a program.
#include "profiling/binaries/binary_file.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "profiling/binaries/images.h"
#include "profiling/figures/metric.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

// What is read of one file in all: compilers' PTX is some 10 times as long as its packed form.
constexpr std::uint64_t kLeastReadBytes = 64 << 20, kMostUnpackedRatio = 20;
constexpr std::size_t kMostKernels = 200'000;
// Demangled names may be much longer than their symbols.
constexpr std::size_t kMostShownBytes = 16 << 20;
constexpr int kEmulatedCapability = 90;

void add_target(std::vector<CodeTarget>& targets, const CodeTarget& target) {
  const auto at = std::lower_bound(targets.begin(), targets.end(), target);
  if (at == targets.end() || *at != target) targets.insert(at, target);
}

// What may still be read of a file.
class Budget {
 public:
  explicit Budget(std::size_t file_bytes)
      : left_(std::max(kLeastReadBytes, kMostUnpackedRatio * file_bytes)) {}
  bool take(const FatEntry& entry) {
    const bool plain = entry.packing == FatEntry::Packing::none;
    const std::uint64_t takes = plain ? entry.bytes.size() : entry.unpacked_bytes;
    if (takes > left_) return false;
    left_ -= takes;
    return true;
  }

 private:
  std::uint64_t left_;
};

// Gathers the kernels of all entries by their symbols.
class Gatherer {
 public:
  Gatherer(std::size_t file_bytes, const std::string& where) : budget_(file_bytes), where_(where) {}

  bool add(const FatEntry& entry) {
    if (entry.kind == FatEntry::Kind::undecoded) {
      note(entry.undecoded);
      return true;
    }
    if (!budget_.take(entry)) {
      note("parts that take more than " + std::to_string(kMostUnpackedRatio) +
           " times the file when they are unpacked");
      return false;
    }
    const bool plain = entry.packing == FatEntry::Packing::none;
    const Result<std::string> text = plain ? Result<std::string>() : unpacked(entry, where_);
    if (!text) {
      note(text.error().what);
      return true;
    }
    const std::string_view bytes = plain ? entry.bytes : std::string_view(*text);
    if (entry.kind == FatEntry::Kind::ptx) {
      add_ptx({entry.compute_capability, entry.features}, bytes);
    } else {
      add_machine_code(entry, bytes);
    }
    return true;
  }
  BinaryFile take() {
    std::size_t shown = 0;
    for (NamedKernel& kernel : file_.kernels) {
      kernel.name = shown < kMostShownBytes ? kernel_name_of(kernel.symbol)
                                            : KernelName{kernel.symbol, std::nullopt};
      shown += kernel.name.name.size();
      for (const std::string& type : kernel.name.types.value_or(std::vector<std::string>()))
        shown += type.size();
      std::stable_sort(kernel.compiled.begin(), kernel.compiled.end(),
                       [](const auto& a, const auto& b) { return a.target < b.target; });
    }
    return std::move(file_);
  }
  void note(const std::string& what) {
    if (std::find(file_.not_read.begin(), file_.not_read.end(), what) == file_.not_read.end() &&
        file_.not_read.size() < 20)
      file_.not_read.push_back(what);
  }

 private:
  // Null: there are too many.
  NamedKernel* kernel(const std::string& symbol) {
    if (const auto found = places_.find(symbol); found != places_.end())
      return &file_.kernels[found->second];
    if (places_.size() >= kMostKernels) {
      note("kernels after the first " + grouped(kMostKernels));
      return nullptr;
    }
    places_.emplace(symbol, file_.kernels.size());
    file_.kernels.emplace_back();
    file_.kernels.back().symbol = symbol;
    return &file_.kernels.back();
  }
  void add_ptx(const CodeTarget& target, std::string_view text) {
    add_target(file_.ptx, target);
    for (const std::string& symbol : ptx_entries(text)) {
      if (NamedKernel* const named = kernel(symbol)) add_target(named->ptx, target);
    }
  }
  void add_machine_code(const FatEntry& entry, std::string_view bytes) {
    Result<Cubin> cubin = read_cubin(bytes, where_);
    if (!cubin) {
      note(cubin.error().what);
      return;
    }
    CodeTarget target{cubin->compute_capability, cubin->features};
    if (entry.features != 0) target.features = entry.features;
    // A program has one of the runtime's own, without kernels.
    if (cubin->kernels.empty()) return;
    add_target(file_.machine, target);
    for (BinaryKernel& code : cubin->kernels) {
      NamedKernel* const named = kernel(code.symbol);
      if (named == nullptr) return;
      // A template's instance stands in every object that uses it.
      const bool there = std::any_of(named->compiled.begin(), named->compiled.end(),
                                     [&](const auto& c) { return c.target == target; });
      if (!there)
        named->compiled.push_back(
            {target, std::move(code), cubin->relocatable, cubin->constant_bytes});
    }
  }

  BinaryFile file_;
  std::map<std::string, std::size_t> places_;
  Budget budget_;
  const std::string& where_;
};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%';
}

// The comment or string that begins at `at` ends there; `at` itself where none begins.
std::size_t skipped(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  const std::string_view rest = text.substr(at, 2);
  if (rest == "//") return after("\n", at + 2);
  if (rest == "/*") return after("*/", at + 2);
  if (rest.starts_with('"')) return after("\"", at + 1);
  return at;
}

// How well PTX of a target serves the emulator, the best first.
auto preference(const CodeTarget& target) {
  const bool above = target.compute_capability > kEmulatedCapability;
  return std::tuple(above, above ? target.compute_capability : -target.compute_capability,
                    target.features);
}

const NamedKernel* kernel_named(const BinaryFile& file, const std::string& symbol) {
  const auto found = std::find_if(file.kernels.begin(), file.kernels.end(),
                                  [&](const NamedKernel& k) { return k.symbol == symbol; });
  return found == file.kernels.end() ? nullptr : &*found;
}

tl::unexpected<Error> only_machine_code(const NamedKernel& kernel, const std::string& where) {
  std::string targets;
  for (const CompiledKernel& code : kernel.compiled)
    targets += (targets.empty() ? "" : ", ") + machine_name(code.target);
  return failure(ErrorKind::input,
                 "the file has " + kernel.name.name + " only as machine code for " + targets +
                     ": its registers and occupancy are known (warpscope kernels), and machine "
                     "code is not emulated yet",
                 where, "compile it with PTX: nvcc -gencode arch=compute_90,code=compute_90");
}

}  // namespace

const char* to_text(BinaryKind kind) {
  return named(kind, {"another file", "a cubin", "a fat binary", "an object file",
                      "a shared library or a program", "a program", "a library of object files",
                      "a Windows program"});
}

std::string machine_name(const CodeTarget& target) {
  return "sm_" + std::to_string(target.compute_capability) +
         (target.features != 0 ? std::string(1, target.features) : "");
}

std::string ptx_name(const CodeTarget& target) {
  return "compute_" + std::to_string(target.compute_capability) +
         (target.features != 0 ? std::string(1, target.features) : "");
}

Result<BinaryFile> read_binary(std::string_view bytes, const std::string& where) {
  if (binary_kind(bytes) == BinaryKind::cubin) {
    if (const Result<Cubin> cubin = read_cubin(bytes, where); !cubin)
      return tl::unexpected(cubin.error());
  }
  Gatherer gatherer(bytes.size(), where);
  std::vector<std::string> not_read;
  const Result<void> read = for_images(
      bytes, where, [&](const FatEntry& entry) { return gatherer.add(entry); }, not_read);
  if (!read) return tl::unexpected(read.error());
  for (const std::string& what : not_read) gatherer.note(what);
  BinaryFile file = gatherer.take();
  file.kind = binary_kind(bytes);
  return file;
}

std::vector<ListedKernel> listed(const BinaryFile& file) {
  std::vector<ListedKernel> kernels;
  for (const NamedKernel& each : file.kernels) {
    ListedKernel kernel;
    kernel.symbol = each.symbol;
    kernel.name = each.name.name;
    for (const std::string& type : each.name.types.value_or(std::vector<std::string>()))
      kernel.parameters.push_back({type, "", 0, type.ends_with('*')});
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<std::string> ptx_of(std::string_view bytes, const BinaryFile& file,
                           const std::string& wanted, const std::string& where) {
  const Result<std::string> symbol = choose_kernel(listed(file), wanted, where);
  if (!symbol) return tl::unexpected(symbol.error());
  const NamedKernel* kernel = kernel_named(file, *symbol);
  if (kernel == nullptr || kernel->ptx.empty()) {
    return only_machine_code(
        kernel == nullptr ? NamedKernel{*symbol, {*symbol, {}}, {}, {}} : *kernel, where);
  }
  const CodeTarget target =
      *std::min_element(kernel->ptx.begin(), kernel->ptx.end(),
                        [](const auto& a, const auto& b) { return preference(a) < preference(b); });
  Result<std::string> found = failure(ErrorKind::internal, "the PTX was not found again", where);
  std::vector<std::string> ignored;
  Budget budget(bytes.size());
  const Result<void> read = for_images(
      bytes, where,
      [&](const FatEntry& entry) {
        if (entry.kind != FatEntry::Kind::ptx ||
            CodeTarget{entry.compute_capability, entry.features} != target)
          return true;
        if (!budget.take(entry)) return false;
        Result<std::string> text = unpacked(entry, where);
        if (!text) return true;
        const std::vector<std::string> entries = ptx_entries(*text);
        if (std::find(entries.begin(), entries.end(), *symbol) == entries.end()) return true;
        found = std::move(text);
        return false;
      },
      ignored);
  if (!read) return tl::unexpected(read.error());
  return found;
}

Result<MachineModule> machine_code_of_kernel(std::string_view bytes, const BinaryFile& file,
                                             const std::string& wanted, int compute_capability,
                                             const std::string& where) {
  const Result<std::string> symbol = choose_kernel(listed(file), wanted, where);
  if (!symbol) return tl::unexpected(symbol.error());
  const NamedKernel* kernel = kernel_named(file, *symbol);
  MachineModule found{*symbol, {}, {}};
  for (const CompiledKernel& code :
       kernel == nullptr ? std::vector<CompiledKernel>{} : kernel->compiled) {
    if (compute_capability == 0 || code.target.compute_capability == compute_capability)
      found.target = std::max(found.target, code.target);
  }
  if (found.target.compute_capability == 0) {
    return failure(ErrorKind::input,
                   "the file has no machine code of " + *symbol +
                       (compute_capability == 0 ? std::string()
                                                : " for sm_" + std::to_string(compute_capability)),
                   where, "compile it with nvcc -arch=sm_90");
  }
  if (binary_kind(bytes) == BinaryKind::cubin) {
    found.cubin = std::string(bytes);
    return found;
  }
  std::vector<std::string> ignored;
  Budget budget(bytes.size());
  const Result<void> read = for_images(
      bytes, where,
      [&](const FatEntry& entry) {
        if (entry.kind == FatEntry::Kind::ptx || entry.kind == FatEntry::Kind::undecoded ||
            entry.compute_capability != found.target.compute_capability)
          return true;
        if (!budget.take(entry)) return false;
        Result<std::string> cubin = unpacked(entry, where);
        if (!cubin || !kernel_in_cubin(*cubin, *symbol)) return true;
        found.cubin = std::move(*cubin);
        return false;
      },
      ignored);
  if (!read) return tl::unexpected(read.error());
  if (found.cubin.empty())
    return failure(ErrorKind::input, "the machine code of " + *symbol + " cannot be unpacked",
                   where, "compile it again");
  return found;
}

std::vector<std::string> ptx_entries(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  std::vector<std::string> names;
  for (std::size_t at = 0; at < ptx.size();) {
    if (const std::size_t end = skipped(ptx, at); end != at) {
      at = end;
      continue;
    }
    if (!ptx.substr(at).starts_with(kEntry)) {
      ++at;
      continue;
    }
    at += kEntry.size();
    const std::size_t begin = std::min(ptx.find_first_not_of(" \t\r\n", at), ptx.size());
    std::size_t end = begin;
    while (end < ptx.size() && is_name(ptx[end])) ++end;
    if (begin > at && end > begin) names.emplace_back(ptx.substr(begin, end - begin));
    at = end;
  }
  return names;
}

}  // namespace warpscope
