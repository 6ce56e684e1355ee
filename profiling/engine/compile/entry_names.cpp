// profiling/engine/compile/entry_names.cpp: the kernels of a PTX text by the names that people give
// them.
#include "profiling/engine/compile/entry_names.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "profiling/emulator/ptx/lexer.h"
#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/ptx/symbol_name.h"
#include "scenes/program/program.h"

namespace warpscope {
namespace {

// A kernel template that takes a kernel: the symbol of its instance has that of the kernel in it.
constexpr std::string_view kCarrier = "warpscope_instance_of";
constexpr std::string_view kCarrierSymbol = "_Z21warpscope_instance_ofIXadL_Z";

std::string ptx_type(const PtxVariable& p) {
  std::string type(p.type);
  if (p.element_bytes > 0 && p.bytes != p.element_bytes)
    type += "[" + std::to_string(p.bytes / p.element_bytes) + "]";
  return type;
}

// The shared arrays that a function names itself, and whether one is the launch's to size.
void find_shared(const PtxModule& module, const PtxFunction& f, ListedKernel& kernel) {
  std::set<std::string_view> named;
  std::set<std::uint32_t> inner;
  for (const PtxStatement& s : f.body) {
    if (s.kind == PtxStatement::Kind::variable) inner.insert(s.index);
    for (std::uint32_t k = 0; k < s.count; ++k) named.insert(module.operands[s.first + k].name);
  }
  const auto count = [&](const PtxVariable& v) {
    if (v.space != PtxSpace::shared || named.count(v.name) == 0) return;
    if (v.external || v.bytes == 0) kernel.dynamic_shared = true;
    if (!v.external) kernel.shared_bytes += v.bytes;
  };
  for (const std::uint32_t index : module.globals) count(module.variables[index]);
  for (const std::uint32_t index : inner) count(module.variables[index]);
}

// The line that a function begins at, outside of what was inlined; 0: not said.
PtxPosition place_of(const PtxModule& module, const PtxFunction& f) {
  if (f.body.empty()) return {};
  PtxPosition position = module.positions[f.body.front().position];
  for (int depth = 0; depth < 64 && position.outer >= 0; ++depth)
    position = module.positions[static_cast<std::size_t>(position.outer)];
  return position;
}

}  // namespace

bool is_ptx(std::string_view text) { return PtxLexer(text).next().is(".version"); }

Result<std::vector<ListedKernel>> kernels_of_ptx(std::string_view ptx, const std::string& file,
                                                 std::string_view source) {
  const Result<PtxModule> module = parse_ptx(ptx, file);
  if (!module) return tl::unexpected(module.error());
  const std::vector<KernelText> signatures = read_program(source).kernels;
  std::vector<ListedKernel> kernels;
  // Compilers write them in any order.
  std::vector<const PtxFunction*> functions;
  for (const PtxFunction& f : module->functions) functions.push_back(&f);
  std::stable_sort(functions.begin(), functions.end(), [&](const auto* a, const auto* b) {
    const PtxPosition first = place_of(*module, *a), second = place_of(*module, *b);
    return std::tie(first.file, first.line) < std::tie(second.file, second.line);
  });
  for (const PtxFunction* const each : functions) {
    const PtxFunction& f = *each;
    if (!f.entry || !f.defined || f.name.starts_with(kCarrierSymbol)) continue;
    ListedKernel kernel;
    kernel.symbol = std::string(f.name);
    KernelName parts = kernel_name_of(kernel.symbol);
    kernel.name = parts.name;
    const auto signature =
        std::find_if(signatures.begin(), signatures.end(), [&](const KernelText& s) {
          return is_called(without_template_arguments(kernel.name), s.name) &&
                 s.parameters.size() == f.parameters.size();
        });
    for (std::size_t k = 0; k < f.parameters.size(); ++k) {
      const PtxVariable& p = f.parameters[k];
      ListedParameter parameter{ptx_type(p), "", p.bytes, p.pointer};
      if (signature != signatures.end()) {
        parameter.type = signature->parameters[k].type;
        parameter.name = signature->parameters[k].name;
      }
      if (parts.types && parts.types->size() == f.parameters.size())
        parameter.type = (*parts.types)[k];
      parameter.pointer = parameter.pointer || parameter.type.ends_with('*');
      kernel.parameters.push_back(std::move(parameter));
    }
    find_shared(*module, f, kernel);
    kernel.required_block = f.required_block;
    kernel.most_threads = f.most_threads;
    kernels.push_back(std::move(kernel));
  }
  // CUB and Thrust bring kernels of their own.
  const auto library = [](const ListedKernel& k) {
    return k.name.starts_with("cub::") || k.name.starts_with("thrust::");
  };
  if (!std::all_of(kernels.begin(), kernels.end(), library)) std::erase_if(kernels, library);
  return kernels;
}

std::string instance_lines(const std::string& expression) {
  return instance_lines(std::vector<std::string>{expression});
}

std::string instance_lines(const std::vector<std::string>& expressions) {
  const std::string carrier(kCarrier);
  std::string lines = "template <auto* kernel> __global__ void " + carrier + "() {}\n";
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    std::string line = expressions[i];
    std::replace(line.begin(), line.end(), '\n', ' ');
    lines += "#line 1 \"--kernel\"\nnamespace { [[maybe_unused]] auto* const warpscope_instance" +
             (i == 0 ? "" : "_" + std::to_string(i)) + " = &" + carrier + "<&" + line + ">; }\n";
  }
  return lines;
}

std::vector<std::string> missing_instances(const std::vector<std::string>& instances,
                                           const std::vector<std::string>& symbols) {
  std::vector<std::string> missing;
  for (const std::string& instance : instances) {
    const std::string symbol = symbol_of(symbols, instance);
    if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
      missing.push_back(instance);
  }
  return missing;
}

std::string variable_symbol(const std::vector<std::string>& symbols, const std::string& name) {
  if (std::find(symbols.begin(), symbols.end(), name) != symbols.end()) return name;
  for (const std::string& symbol : symbols) {
    const std::string shown = shown_name(symbol);
    if (shown == name || shown.ends_with("::" + name)) return symbol;
  }
  return name;
}

std::string instance_symbol(std::string_view ptx) {
  const Result<PtxModule> module = parse_ptx(ptx, "");
  if (!module) return "";
  for (const PtxFunction& carrier : module->functions) {
    if (!carrier.name.starts_with(kCarrierSymbol)) continue;
    const std::string text = demangled(std::string(carrier.name));
    for (const PtxFunction& f : module->functions) {
      if (!f.entry || &f == &carrier) continue;
      // In the carrier's symbol that of the kernel is abbreviated otherwise than alone.
      const std::string own = demangled(std::string(f.name));
      if (text.find("<&(" + own + ")>") != std::string::npos) return std::string(f.name);
    }
  }
  return "";
}

}  // namespace warpscope
