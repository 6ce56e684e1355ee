// profiling/binaries/cubin.cpp: what a cubin, the machine code of one GPU architecture, says of its
// kernels.
#include "profiling/binaries/cubin.h"

#include <algorithm>
#include <map>
#include <set>

#include "profiling/binaries/cursor.h"
#include "profiling/binaries/elf.h"

namespace warpscope {
namespace {

// What is kept of all kernels of a cubin: names, parameters, calls. A hostile file can repeat them.
constexpr std::size_t kMostKeptBytes = 64 << 20;
constexpr std::size_t kMostExterns = 64;  // of one kernel
// What the system keeps of a block's shared memory since sm_90 stands in the size of the section.
// Observed with ptxas 11.8, 12.4, 12.8 and 13.0: its report names 1 024 bytes less.
constexpr std::int64_t kSystemShared = 1024;
constexpr int kFirstWithSystemShared = 90;

// The records of .nv.info sections, by their codes. The words in quotes are those that NVIDIA's
// tools print. Observed with ptxas 11.8, 12.4, 12.8 and 13.0 for sm_50 to sm_121.
enum Attribute : std::uint8_t {
  kMostThreads = 0x05,     // "EIATTR_MAX_THREADS": x, y, z
  kParameterBank = 0x0a,   // "EIATTR_PARAM_CBANK": symbol, offset and size of 16 bits each
  kExterns = 0x0f,         // "EIATTR_EXTERNS": symbols of 32 bits
  kRequiredBlock = 0x10,   // "EIATTR_REQNTID": x, y, z
  kFrame = 0x11,           // "EIATTR_FRAME_SIZE": symbol, bytes of a thread's stack
  kParameter = 0x17,       // "EIATTR_KPARAM_INFO": unused, ordinal, offset, size in bits 18 to 31
  kRegisters = 0x2f,       // "EIATTR_REGCOUNT": symbol, registers of a thread
  kCluster = 0x3d,         // "EIATTR_CTA_PER_CLUSTER": x, y, z
  kLargeParameter = 0x45,  // the same as kParameter, above 4 KB: the size is a number of its own
  kBarriers = 0x4c,        // "EIATTR_NUM_BARRIERS", since ABI version 8
};

// A section without bytes in the file can say any size.
std::int64_t size_of(const ElfSection& section) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(section.size, 1ULL << 40));
}

struct Record {
  std::uint8_t what = 0;
  std::uint16_t value = 0;  // where no bytes follow
  std::string_view bytes;
};

// Calls `use` with each record; false: the section is torn.
template <typename Use>
bool for_records(std::string_view section, const Use& use) {
  constexpr std::uint8_t kFollowed = 4;  // form of a record after whose size its bytes stand
  Cursor row{section};
  while (row.at < section.size()) {
    const auto form = row.fixed<std::uint8_t>(), what = row.fixed<std::uint8_t>();
    const auto value = row.fixed<std::uint16_t>();
    if (row.torn) return false;
    Record record{what, value, {}};
    if (form == kFollowed) {
      if (value > section.size() - row.at) return false;
      record.bytes = section.substr(row.at, value);
      row.at += value;
    }
    use(record);
  }
  return true;
}

std::array<std::int64_t, 3> extents_in(std::string_view bytes) {
  Cursor row{bytes};
  std::array<std::int64_t, 3> extents{};
  for (std::int64_t& extent : extents) extent = row.fixed<std::uint32_t>();
  return row.torn ? std::array<std::int64_t, 3>{} : extents;
}

std::optional<std::pair<std::size_t, BinaryParameter>> parameter_in(const Record& record) {
  Cursor row{record.bytes};
  row.at = 4;
  const std::size_t ordinal = row.fixed<std::uint16_t>();
  BinaryParameter parameter;
  parameter.offset = row.fixed<std::uint16_t>();
  const auto last = row.fixed<std::uint32_t>();
  constexpr unsigned kSizeShift = 18;
  parameter.bytes = record.what == kLargeParameter ? last : last >> kSizeShift;
  if (row.torn) return std::nullopt;
  return std::pair(ordinal, parameter);
}

class CubinReader {
 public:
  CubinReader(const ElfFile& elf, const std::string& where) : elf_(elf), where_(where) {
    for (std::size_t i = 0; i < elf.sections.size(); ++i)
      sections_.emplace(elf.sections[i].name, i);
  }

  Result<Cubin> read(std::string_view only) {
    read_architecture();
    read_compiler();
    for (const ElfSection& s : elf_.sections) {
      constexpr std::string_view kVariables = ".nv.constant3";  // seen since ptxas 11.8
      if (s.name == kVariables) cubin_.constant_bytes += size_of(s);
    }
    if (const Result<void> read = read_module(); !read) return tl::unexpected(read.error());
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < elf_.symbols.size(); ++i) {
      const ElfSymbol& symbol = elf_.symbols[i];
      // "STO_ENTRY". Observed as the records above.
      constexpr std::uint8_t kEntry = 0x10;
      if (symbol.kind != kElfFunction || (symbol.other & kEntry) == 0 || symbol.section == 0)
        continue;
      if (!only.empty() && symbol.name != only) continue;
      if (symbol.name.empty() || !seen.insert(symbol.name).second) continue;
      if (const Result<void> read = read_kernel(i); !read) return tl::unexpected(read.error());
    }
    return std::move(cubin_);
  }

 private:
  tl::unexpected<Error> damaged(const std::string& what) const {
    return failure(ErrorKind::input, "the cubin is damaged: " + what, where_, "compile it again");
  }
  const ElfSection* section(const std::string& name) const {
    const auto found = sections_.find(name);
    return found == sections_.end() ? nullptr : &elf_.sections[found->second];
  }

  void read_architecture() {
    // Observed: ABI version 7 (ptxas up to 12.6) has the architecture in the lowest byte of the
    // flags and a bit for features; version 8 has it in the next byte, and features are only in the
    // tool's note.
    constexpr int kShiftedSince = 8;
    constexpr std::uint32_t kFeatures = 0x800;
    const bool shifted = elf_.abi_version >= kShiftedSince;
    cubin_.compute_capability = static_cast<int>((elf_.flags >> (shifted ? 8 : 0)) & 0xFF);
    if (!shifted && (elf_.flags & kFeatures) != 0) cubin_.features = 'a';
    constexpr std::uint16_t kRelocatable = 1;  // ET_REL
    cubin_.relocatable = elf_.type == kRelocatable;
  }

  // "Cuda compilation tools, release 13.0, V13.0.88" and "-arch sm_90a -m 64" stand in the note of
  // the tool. Observed with ptxas 12.8 and 13.0.
  void read_compiler() {
    const ElfSection* note = section(".note.nv.tkinfo");
    if (note == nullptr) return;
    constexpr std::string_view kRelease = "release ", kArchitecture = "-arch sm_";
    constexpr std::string_view kDigits = "0123456789";
    const std::string_view text = note->bytes.substr(0, 4096);
    if (const std::size_t at = text.find(kRelease); at != std::string_view::npos) {
      const std::string_view rest = text.substr(at + kRelease.size());
      const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789."));
      if (!number.empty()) cubin_.compiler = "ptxas " + std::string(number);
    }
    if (const std::size_t at = text.find(kArchitecture); at != std::string_view::npos) {
      const std::size_t end = text.find_first_not_of(kDigits, at + kArchitecture.size());
      if (end < text.size() && (text[end] == 'a' || text[end] == 'f')) cubin_.features = text[end];
    }
  }

  // What the module says of functions, by the numbers of their symbols.
  Result<void> read_module() {
    const ElfSection* module = section(".nv.info");
    if (module == nullptr) return {};
    registers_.resize(elf_.symbols.size());
    frames_.resize(elf_.symbols.size());
    const bool whole = for_records(module->bytes, [&](const Record& record) {
      if (record.what != kRegisters && record.what != kFrame) return;
      Cursor row{record.bytes};
      const auto symbol = row.fixed<std::uint32_t>(), value = row.fixed<std::uint32_t>();
      if (row.torn || symbol >= registers_.size()) return;
      (record.what == kRegisters ? registers_ : frames_)[symbol] = value;
    });
    if (!whole) return damaged("its .nv.info section is cut off");
    return {};
  }

  Result<void> read_kernel(std::size_t index) {
    const ElfSymbol& symbol = elf_.symbols[index];
    BinaryKernel kernel;
    kernel.symbol = std::string(symbol.name);
    kept_bytes_ += sizeof kernel + kernel.symbol.size();
    if (index < registers_.size()) {
      kernel.registers = static_cast<int>(std::min<std::uint32_t>(registers_[index], 0xFFFF));
      kernel.local_bytes = frames_[index];
    }
    if (const ElfSection* code = section(".text." + kernel.symbol)) {
      kernel.code_bytes = size_of(*code);
      // Observed: assembled by hand (cuBLAS, cuDNN), kernels have no record of their registers. As
      // with ptxas up to 12.4 for sm_50, the upper byte of the code's information has them.
      constexpr unsigned kRegistersShift = 24;
      if (kernel.registers == 0) kernel.registers = static_cast<int>(code->info >> kRegistersShift);
      // Observed: before ABI version 8 the barriers stand in the flags of the code.
      constexpr unsigned kBarrierShift = 20;
      if (elf_.abi_version < 8)
        kernel.barriers = static_cast<int>((code->flags >> kBarrierShift) & 0x7F);
    }
    if (const ElfSection* bank = section(".nv.constant0." + kernel.symbol))
      kernel.constant_bytes = size_of(*bank);
    if (const ElfSection* shared = section(".nv.shared." + kernel.symbol)) {
      const std::int64_t size = size_of(*shared);
      const bool reserved =
          cubin_.compute_capability >= kFirstWithSystemShared && size >= kSystemShared;
      kernel.static_shared_bytes = size - (reserved ? kSystemShared : 0);
    }
    if (const ElfSection* info = section(".nv.info." + kernel.symbol)) {
      kernel.described = true;
      if (!for_records(info->bytes, [&](const Record& record) { read_record(record, kernel); }))
        return damaged("what it says of " + kernel.symbol + " is cut off");
      order_parameters(kernel);
    }
    if (kept_bytes_ > kMostKeptBytes)
      return failure(ErrorKind::resource, "the cubin has more than 64 MB of names", where_,
                     "name a cubin with fewer kernels");
    cubin_.kernels.push_back(std::move(kernel));
    return {};
  }

  void read_record(const Record& record, BinaryKernel& kernel) {
    switch (record.what) {
      case kMostThreads: {
        const auto [x, y, z] = extents_in(record.bytes);
        if (kernel.most_threads == 0) kernel.most_threads = product(x, y, z);
        return;
      }
      case kRequiredBlock: {
        kernel.required_block = extents_in(record.bytes);
        const auto [x, y, z] = kernel.required_block;
        kernel.most_threads = product(x, y, z);
        return;
      }
      case kCluster:
        kernel.cluster = extents_in(record.bytes);
        return;
      case kParameterBank: {
        Cursor row{record.bytes, 6};
        kernel.parameter_bytes = row.fixed<std::uint16_t>();
        return;
      }
      case kBarriers:
        kernel.barriers = record.value & 0xFF;
        return;
      case kParameter:
      case kLargeParameter:
        if (const auto parameter = parameter_in(record); parameter && room_for(sizeof *parameter))
          parameters_.push_back(*parameter);
        return;
      case kExterns:
        read_externs(record.bytes, kernel);
        return;
      default:
        return;
    }
  }

  // A block has at most 1 024 threads: what is more is not a size.
  static std::int64_t product(std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr std::int64_t kMostExtent = 1024;
    return std::max({x, y, z}) > kMostExtent ? 0 : x * y * z;
  }

  void read_externs(std::string_view bytes, BinaryKernel& kernel) {
    for (Cursor row{bytes}; row.at + 4 <= bytes.size() && kernel.externs.size() < kMostExterns;) {
      const auto symbol = row.fixed<std::uint32_t>();
      if (symbol >= elf_.symbols.size()) continue;
      const std::string_view name = elf_.symbols[symbol].name;
      if (room_for(sizeof(std::string) + name.size())) kernel.externs.emplace_back(name);
    }
  }

  bool room_for(std::size_t bytes) {
    kept_bytes_ += bytes;
    return kept_bytes_ <= kMostKeptBytes;
  }

  void order_parameters(BinaryKernel& kernel) {
    std::stable_sort(parameters_.begin(), parameters_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [ordinal, parameter] : parameters_) kernel.parameters.push_back(parameter);
    parameters_.clear();
  }

  const ElfFile& elf_;
  const std::string& where_;
  std::map<std::string_view, std::size_t> sections_;
  std::vector<std::uint32_t> registers_, frames_;                    // by symbol
  std::vector<std::pair<std::size_t, BinaryParameter>> parameters_;  // of one kernel, by ordinal
  std::size_t kept_bytes_ = 0;
  Cubin cubin_;
};

Result<Cubin> read_kernels(std::string_view bytes, const std::string& where,
                           std::string_view only) {
  const Result<ElfFile> elf = read_elf(bytes, where);
  if (!elf) return tl::unexpected(elf.error());
  if (elf->machine != kElfMachineCuda)
    return failure(ErrorKind::input, "this ELF file is not a cubin", where,
                   "name one that nvcc -cubin or ptxas wrote");
  return CubinReader(*elf, where).read(only);
}

}  // namespace

bool is_cubin(std::string_view bytes) {
  Cursor header{bytes, 0x12};
  return is_elf(bytes) && header.fixed<std::uint16_t>() == kElfMachineCuda;
}

Result<Cubin> read_cubin(std::string_view bytes, const std::string& where) {
  return read_kernels(bytes, where, {});
}

std::optional<BinaryKernel> kernel_in_cubin(std::string_view bytes, std::string_view entry) {
  Result<Cubin> cubin = read_kernels(bytes, "cubin", entry);
  if (entry.empty() || !cubin || cubin->kernels.empty()) return std::nullopt;
  if (!cubin->kernels.front().described) return std::nullopt;
  return std::move(cubin->kernels.front());
}

std::vector<std::string> kernel_symbols(std::string_view bytes) {
  std::vector<std::string> symbols;
  const Result<Cubin> cubin = read_cubin(bytes, "");
  if (!cubin) return symbols;
  // Device functions that are called have code too, and no parameters of a launch.
  for (const BinaryKernel& kernel : cubin->kernels) {
    if (kernel.described) symbols.push_back(kernel.symbol);
  }
  return symbols;
}

std::vector<std::string> variable_symbols(std::string_view bytes) {
  constexpr std::uint8_t kObject = 1;  // STT_OBJECT
  std::vector<std::string> symbols;
  const Result<ElfFile> elf = read_elf(bytes, "");
  if (!elf) return symbols;
  for (const ElfSymbol& symbol : elf->symbols) {
    if (symbol.kind == kObject && symbol.section != 0 && !symbol.name.empty())
      symbols.emplace_back(symbol.name);
  }
  return symbols;
}

}  // namespace warpscope
