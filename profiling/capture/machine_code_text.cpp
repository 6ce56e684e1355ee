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

bool is_machine_code(const KernelSource& source) {
  return source.path.ends_with(kMachineCodeSuffix) || source.text.starts_with(kFirstLine);
}

const KernelSource* machine_code_among(const std::vector<KernelSource>& sources) {
  if (sources.empty()) return nullptr;
  const KernelSource& main = sources.front();
  if (is_machine_code(main)) return &main;
  for (const KernelSource& source : sources) {
    if (source.path != main.path + kMachineCodeSuffix) continue;
    const std::string first = source.text.substr(0, source.text.find('\n'));
    return first.ends_with(std::string(kOf) + main.hash) ? &source : nullptr;
  }
  return nullptr;
}

Result<std::optional<std::string>> captured_cubin(const std::vector<KernelSource>& sources,
                                                  int compute_capability, bool has_ptx,
                                                  const std::string& where) {
  const KernelSource* text = machine_code_among(sources);
  if (text == nullptr) return std::nullopt;
  Result<MachineCode> code = machine_code_of(text->text, text->path);
  if (!code) return tl::unexpected(code.error());
  if (code->compute_capability == compute_capability) return std::move(code->cubin);
  if (has_ptx) return std::nullopt;
  const auto name = [](int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
  };
  return failure(ErrorKind::environment,
                 "the captured machine code is for compute capability " +
                     name(code->compute_capability) + ", and this is " + name(compute_capability),
                 where, "open it where there is a GPU like the captured one");
}

}  // namespace warpscope
