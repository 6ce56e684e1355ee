// profiling/engine/compile/entry_names.cpp: the kernels of a PTX text by the names that people give
// them.
#include "profiling/engine/compile/entry_names.h"

#include <cxxabi.h>

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

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> words(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return words == nullptr || status != 0 ? symbol : words.get();
}

// Where the character at `open` is closed; npos: nowhere.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (depth == 0) return at;
  }
  return std::string_view::npos;
}

struct Demangled {
  std::string name;
  std::optional<std::vector<std::string>> types;
};

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

// "float const*" as people write it.
std::string usual_type(std::string type) {
  constexpr std::string_view kConst = " const";
  const std::size_t at = type.find(kConst);
  const bool inner = type.find_first_of("<(") < at;
  if (at != std::string::npos && !inner && type.find(kConst, at + 1) == std::string::npos)
    type = "const " + type.erase(at, kConst.size());
  return type;
}

// The parameters between the last parentheses, what stands before them without its result.
Demangled parts_of(const std::string& symbol) {
  std::string text = demangled(symbol);
  if (!symbol.starts_with("_Z") || text == symbol) return {symbol, std::nullopt};
  std::size_t open = 0;
  while (open < text.size()) {
    const char c = text[open];
    if (c != '(' && c != '<' && c != '[' && c != '{') {
      ++open;
      continue;
    }
    const std::size_t close = closing(text, open);
    if (close == std::string::npos) return {text, std::nullopt};
    if (c == '(' && close + 1 == text.size()) break;
    open = close + 1;
  }
  Demangled parts{text.substr(0, open), std::nullopt};
  if (parts.name.starts_with("void ")) parts.name.erase(0, 5);
  constexpr std::string_view kOwn = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = parts.name.find(kOwn, at)) != std::string::npos;)
    parts.name.erase(at, kOwn.size());
  if (open >= text.size()) return parts;
  parts.types.emplace();
  const std::string_view inside = std::string_view(text).substr(open + 1, text.size() - open - 2);
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= inside.size(); ++at) {
    const char c = at < inside.size() ? inside[at] : ',';
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    if (at > begin) parts.types->push_back(usual_type(trimmed(inside.substr(begin, at - begin))));
    begin = at + 1;
  }
  return parts;
}

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

std::string squeezed(std::string_view text) {
  std::string all;
  for (const char c : text)
    if (c != ' ' && c != '\t') all += c;
  return all;
}
// Without template arguments at the end.
std::string without_arguments(const std::string& name) {
  if (!name.ends_with('>')) return name;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<' && closing(name, at) == name.size() - 1) return name.substr(0, at);
    if (name[at] == '<') {
      const std::size_t close = closing(name, at);
      if (close == std::string::npos) return name;
      at = close;
    }
  }
  return name;
}
bool is_called(const std::string& name, const std::string& wanted) {
  return name == wanted || (name.size() > wanted.size() + 2 && name.ends_with(wanted) &&
                            name.compare(name.size() - wanted.size() - 2, 2, "::") == 0);
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
    Demangled parts = parts_of(kernel.symbol);
    kernel.name = parts.name;
    const auto signature =
        std::find_if(signatures.begin(), signatures.end(), [&](const KernelText& s) {
          return is_called(without_arguments(kernel.name), s.name) &&
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

std::string symbol_of(const std::vector<std::string>& symbols, const std::string& entry) {
  if (std::find(symbols.begin(), symbols.end(), entry) != symbols.end()) return entry;
  std::vector<ListedKernel> kernels;
  for (const std::string& symbol : symbols) {
    ListedKernel kernel;
    kernel.symbol = symbol;
    kernel.name = parts_of(symbol).name;
    kernels.push_back(std::move(kernel));
  }
  return choose_kernel(kernels, entry, "").value_or(entry);
}

std::string kernel_text(const ListedKernel& kernel) {
  std::string text = kernel.name + "(";
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const ListedParameter& p = kernel.parameters[k];
    text += (k == 0 ? "" : ", ") + p.type + (p.name.empty() ? "" : " " + p.name);
  }
  return text + ")";
}

Result<std::string> choose_kernel(const std::vector<ListedKernel>& kernels,
                                  const std::string& wanted, const std::string& file) {
  std::vector<const ListedKernel*> found;
  const std::string name = squeezed(wanted);
  const auto look = [&](auto&& matches) {
    if (!found.empty()) return;
    for (const ListedKernel& k : kernels)
      if (matches(k)) found.push_back(&k);
  };
  if (name.empty()) {
    look([](const ListedKernel&) { return true; });
  } else {
    look([&](const ListedKernel& k) { return k.symbol == name; });
    look([&](const ListedKernel& k) { return is_called(squeezed(k.name), name); });
    look([&](const ListedKernel& k) {
      return is_called(squeezed(without_arguments(k.name)), name);
    });
  }
  if (found.size() == 1) return found.front()->symbol;
  if (kernels.empty())
    return failure(
        ErrorKind::input,
        "the file has no kernel that is compiled: a template is compiled where it is used", file,
        "name an instance with --kernel, such as --kernel \"name<float>\"");
  std::string all;
  for (const ListedKernel& k : kernels)
    if (found.empty() || std::find(found.begin(), found.end(), &k) != found.end())
      all += "\n  " + kernel_text(k);
  if (found.empty())
    return failure(ErrorKind::input, "the file has no kernel " + wanted + "; there are:" + all,
                   file, "name one of them with --kernel");
  return failure(
      ErrorKind::usage,
      (name.empty() ? "the file has several kernels:" : "several kernels have this name:") + all,
      file, "choose one with --kernel");
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
