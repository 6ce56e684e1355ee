// profiling/capture/machine_code_text.cpp: a cubin as the text of a source.
#include "profiling/capture/machine_code_text.h"

#include <charconv>

#include "profiling/text/base64.h"
#include "scenes/base/texts/machine_code.h"

namespace warpscope {
namespace {

constexpr std::string_view kFirstLine = "// machine code of compute capability ";
constexpr std::string_view kOf = " of ";

}  // namespace

std::string machine_code_text(const MachineCode& code) {
  return std::string(kFirstLine) + std::to_string(code.compute_capability) + std::string(kOf) +
         code.of + "\n" + base64(code.cubin) + "\n";
}

Result<MachineCode> machine_code_of(std::string_view text, const std::string& where) {
  const auto wrong = [&where] {
    return failure(ErrorKind::input, "it is not the text of a kernel's machine code", where,
                   "open the capture again");
  };
  const std::size_t end = text.find('\n');
  if (!text.starts_with(kFirstLine) || end == std::string_view::npos) return wrong();
  const std::string_view line = text.substr(kFirstLine.size(), end - kFirstLine.size());
  MachineCode code;
  const auto [after, failed] =
      std::from_chars(line.data(), line.data() + line.size(), code.compute_capability);
  const std::string_view rest = line.substr(static_cast<std::size_t>(after - line.data()));
  if (failed != std::errc() || !rest.starts_with(kOf)) return wrong();
  code.of = std::string(rest.substr(kOf.size()));
  std::optional<std::string> cubin = from_base64(text.substr(end + 1));
  if (!cubin || cubin->empty()) return wrong();
  code.cubin = std::move(*cubin);
  return code;
}

const KernelSource* machine_code_among(const std::vector<KernelSource>& sources) {
  if (sources.empty()) return nullptr;
  const KernelSource& main = sources.front();
  if (main.path.ends_with(kMachineCodeSuffix)) return &main;
  for (const KernelSource& source : sources) {
    if (source.path != main.path + kMachineCodeSuffix) continue;
    const std::string first = source.text.substr(0, source.text.find('\n'));
    return first.ends_with(std::string(kOf) + main.hash) ? &source : nullptr;
  }
  return nullptr;
}

}  // namespace warpscope
