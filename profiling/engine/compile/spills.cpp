// profiling/engine/compile/spills.cpp: which registers of a kernel the compiler spills, by line.
#include "profiling/engine/compile/spills.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "profiling/binaries/cursor.h"
#include "profiling/binaries/elf.h"
#include "profiling/engine/compile/line_table.h"
#include "profiling/engine/compile/nvcc.h"
#include "profiling/engine/compile/resources.h"

namespace warpscope {
namespace {

// source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::int64_t kMostRegisters = 255, kRegistersOfBlock = 65536;

std::int64_t number_at(std::string_view text, std::size_t at) {
  std::int64_t number = 0;
  while (at < text.size() && (text[at] == ' ' || text[at] == '=')) ++at;
  std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), number);
  return number;
}

// The number after a directive of the entry; `otherwise` if it has none.
std::int64_t directive(std::string_view entry, std::string_view name, std::int64_t otherwise) {
  const std::size_t at = entry.find(name);
  return at == std::string_view::npos ? otherwise : number_at(entry, at + name.size());
}

// The extents after .maxntid or .reqntid, multiplied.
std::int64_t declared_threads(std::string_view entry) {
  for (const std::string_view name : {".maxntid", ".reqntid"}) {
    std::size_t at = entry.find(name);
    if (at == std::string_view::npos) continue;
    at += name.size();
    std::int64_t threads = 1;
    while (at < entry.size()) {
      threads *= std::max<std::int64_t>(number_at(entry, at), 1);
      at = entry.find_first_of(",\n{.", at);
      if (at == std::string_view::npos || entry[at] != ',') break;
      ++at;
    }
    return threads;
  }
  return 1;
}

// Registers of 32 bits that an entry declares: ".reg .b64 %rd<17>;" are 34.
std::int64_t declared_registers(std::string_view entry) {
  std::int64_t registers = 0;
  for (std::size_t at = 0; (at = entry.find(".reg", at)) != std::string_view::npos; ++at) {
    const std::size_t end = entry.find(';', at), open = entry.find('<', at);
    if (open == std::string_view::npos || open > end) continue;
    const std::string_view type = entry.substr(at, open - at);
    const std::int64_t each = type.find(".pred") != std::string_view::npos ? 0
                              : type.find("64") != std::string_view::npos  ? 2
                                                                           : 1;
    registers += each * number_at(entry, open + 1);
  }
  return registers;
}

// ".target sm_90a": the architecture that it is compiled for, of at least 9.0.
std::string architecture_of(std::string_view ptx) {
  constexpr std::string_view kTarget = ".target sm_";
  const std::size_t at = ptx.find(kTarget);
  if (at == std::string_view::npos) return "sm_90";
  const std::size_t begin = at + kTarget.size(), end = ptx.find_first_of(", \r\n", begin);
  const std::string name(ptx.substr(begin, end - begin));
  return number_at(name, 0) < 90 ? "sm_90" : "sm_" + name;
}

// The innermost place of a call chain in the person's own file.
SourcePosition place_in(const CallChain& chain, const std::string& main_file) {
  const std::filesystem::path own = std::filesystem::path(main_file).filename();
  for (const SourcePosition& position : chain) {
    if (std::filesystem::path(position.file).filename() == own)
      return {main_file, position.line, position.column};
  }
  return chain.empty() ? SourcePosition{main_file, 0, 0} : chain.back();
}

}  // namespace

bool may_spill(std::string_view ptx, const std::string& symbol, const CompilerOptions& options) {
  const std::size_t begin = ptx.find(".entry " + symbol + "(");
  if (begin == std::string_view::npos || ptx.find("call") != std::string_view::npos) return true;
  const std::size_t body = ptx.find('{', begin), end = ptx.find("\n}", body);
  if (body == std::string_view::npos || end == std::string_view::npos) return true;
  const std::string_view head = ptx.substr(begin, body - begin);
  const std::int64_t blocks = std::max<std::int64_t>(directive(head, ".minnctapersm", 1), 1);
  std::int64_t most = std::min(kMostRegisters, kRegistersOfBlock / declared_threads(head) / blocks);
  most = std::min(most, directive(head, ".maxnreg", kMostRegisters));
  for (const std::string& option : options.passed)
    most = std::min(most, directive(option, "maxrregcount", kMostRegisters));
  // ptxas keeps some registers for itself, for addresses and for constants.
  return 2 * declared_registers(ptx.substr(body, end - body)) > most;
}

Result<std::vector<SpilledRegisters::Line>> local_accesses(std::string_view cubin,
                                                           const std::string& symbol,
                                                           const std::string& main_file) {
  // source: `nvdisasm -hex` of kernels of sm_75 to sm_90: the lower 12 bits of an instruction of
  // 128 bits are its operation, bits 73 to 75 its width.
  constexpr std::uint64_t kStoreLocal = 0x387, kLoadLocal = 0x983, kOperation = 0xFFF;
  constexpr std::int64_t kBytesOfWidth[] = {1, 1, 2, 2, 4, 8, 16, 16};
  const Result<ElfFile> elf = read_elf(cubin, main_file);
  if (!elf) return tl::unexpected(elf.error());
  const Result<LineTable> table = LineTable::read(cubin);
  if (!table) return tl::unexpected(table.error());
  const std::string name = ".text." + symbol;
  const ElfSection* code = elf->section(name);
  if (code == nullptr)
    return failure(ErrorKind::input, "the machine code has no kernel " + symbol, main_file,
                   "compile it with the toolkit that this version was made for, CUDA 13");
  std::vector<SpilledRegisters::Line> lines;
  Cursor at{code->bytes};
  while (at.at < code->bytes.size()) {
    const std::size_t offset = at.at;
    const auto low = at.fixed<std::uint64_t>(), high = at.fixed<std::uint64_t>();
    if (at.torn) break;
    const std::uint64_t operation = low & kOperation;
    if (operation != kStoreLocal && operation != kLoadLocal) continue;
    const SourcePosition place = place_in(table->at(symbol, offset), main_file);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& l) {
      return l.position.file == place.file && l.position.line == place.line;
    });
    if (line == lines.end()) line = lines.insert(lines.end(), {place, 0, 0});
    (operation == kStoreLocal ? line->store_bytes : line->load_bytes) +=
        kBytesOfWidth[high >> 9 & 7];
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.store_bytes + a.load_bytes > b.store_bytes + b.load_bytes;
  });
  return lines;
}

Result<std::optional<SpilledRegisters>> spilled_registers(const std::string& ptx,
                                                          const std::string& symbol,
                                                          const std::string& main_file,
                                                          const CompilerOptions& options) {
  constexpr double kLimitS = 30;
  const Result<CompilerAnswer> made =
      run_ptxas(ptx, architecture_of(ptx), options_of_ptxas(options), kLimitS);
  if (!made) return tl::unexpected(made.error());
  if (!made->compiled)
    return failure(ErrorKind::input, "ptxas does not compile the kernel: " + made->log,
                   architecture_of(ptx), "compile the PTX by hand with ptxas to see why");
  const Result<KernelResources> reported = reported_resources(made->log, symbol);
  if (!reported) return tl::unexpected(reported.error());
  if (reported->spill_store_bytes + reported->spill_load_bytes == 0)
    return std::optional<SpilledRegisters>{};
  SpilledRegisters spills;
  spills.registers_per_thread = reported->registers_per_thread;
  spills.store_bytes = reported->spill_store_bytes;
  spills.load_bytes = reported->spill_load_bytes;
  if (auto lines = local_accesses(made->code, symbol, main_file)) spills.lines = std::move(*lines);
  return std::optional(std::move(spills));
}

}  // namespace warpscope
