// scenes/ptx_description.cpp: the first description of a scene, from PTX.
#include "scenes/ptx_description.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <set>

#include "scenes/ptx_elements.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostVariants = 60, kMostParameters = 60, kMostSizes = 6;
constexpr std::size_t kLongestName = 4096;  // that is demangled

// The words and signs of a PTX text.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  // Empty at the end.
  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    const std::size_t begin = at_;
    if (!is_word(text_[at_])) return text_.substr(at_++, 1);
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // The text from the last sign on: a body with its bracket.
  std::string_view rest() const { return text_.substr(at_ == 0 ? 0 : at_ - 1); }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
           c == '%' || c == '@';
  }
  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestName) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

// "float const*" and "int" of "void add<float>(float const*, int)"; empty: it does not say them.
std::vector<std::string> types_of(const std::string& name) {
  std::vector<std::string> types;
  if (!name.ends_with(')')) return types;
  int depth = 0;
  std::size_t open = name.size();
  while (open > 0) {
    const char c = name[--open];
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  std::string type;
  for (const char c : name.substr(open + 1)) {
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if ((c == ',' && depth == 0) || depth < 0) {
      types.push_back(type.substr(
          type.find_first_not_of(' ') == std::string::npos ? 0 : type.find_first_not_of(' ')));
      type.clear();
      if (depth < 0) break;
      continue;
    }
    type += c;
  }
  if (types.size() == 1 && types.front().empty()) types.clear();
  return types;
}

// "add" of "void net::add<float>(float const*, int)" and of "net::add[abi:v1](…)".
std::string plain_name(std::string name) {
  name = name.substr(0, name.find_first_of("(<["));
  if (const std::size_t space = name.rfind(' '); space != std::string::npos)
    name = name.substr(space + 1);
  if (const std::size_t colons = name.rfind("::"); colons != std::string::npos)
    name = name.substr(colons + 2);
  std::string plain;
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  plain = plain.substr(0, 60);
  return plain.empty() ? "kernel" : plain;
}

std::string element_of(const std::string& pointer) {
  constexpr std::pair<const char*, const char*> kRows[] = {{"__nv_bfloat16", "bf16"},
                                                           {"__half", "f16"},
                                                           {"double", "f64"},
                                                           {"float", "f32"},
                                                           {"unsigned char", "u8"},
                                                           {"unsigned short", "u16"},
                                                           {"short", "u16"},
                                                           {"unsigned int", "u32"},
                                                           {"uint", "u32"},
                                                           {"unsigned long", "u64"},
                                                           {"long", "i64"},
                                                           {"char", "i8"},
                                                           {"bool", "u8"},
                                                           {"int", "i32"}};
  if (!pointer.ends_with('*')) return "";
  for (const auto& [word, element] : kRows) {
    if (pointer.find(word) != std::string::npos) return element;
  }
  return "";
}

std::int64_t bytes_of(const std::string& type) {
  return type.empty() ? 0 : std::max(1, std::atoi(type.c_str() + 1) / 8);
}

bool is_type(std::string_view word) {
  constexpr std::string_view kLetters = "usfb";
  return word.size() > 2 && word.size() < 5 && word[0] == '.' &&
         kLetters.find(word[1]) != std::string_view::npos &&
         std::all_of(word.begin() + 2, word.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// What stands between the parentheses after a name, whose first one is taken.
std::vector<PtxParameter> parameters_in(Words& words) {
  std::vector<PtxParameter> all;
  PtxParameter one;
  bool any = false;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "," || word == ")") {
      if (any) all.push_back(one);
      one = {};
      any = false;
      if (word == ")") break;
    } else if (is_type(word)) {
      one.type = word.substr(1);
      one.bytes = bytes_of(one.type);
      any = true;
    } else if (word == ".ptr") {
      one.pointer = true;
    } else if (any && word.front() != '.' &&
               std::isdigit(static_cast<unsigned char>(word.front())) == 0 && one.name.empty()) {
      one.name = word;
    } else if (word == "[") {
      one.bytes *=
          std::max<std::int64_t>(1, std::strtoll(std::string(words.next()).c_str(), nullptr, 10));
      one.type = "b8";
    }
  }
  return all;
}

void add_types(PtxKernel& kernel, const std::vector<std::string>& types) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    PtxParameter& p = kernel.parameters[i];
    p.declared = types.size() == kernel.parameters.size() ? types[i] : p.type;
    p.element = element_of(p.declared);
    const bool wide = p.bytes == 8 && p.type != "f64" && p.type != "b8";
    const bool named = types.size() == kernel.parameters.size();
    p.pointer = p.pointer || (named ? p.declared.ends_with('*') && wide : wide);
  }
  const bool any = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                               [](const PtxParameter& p) { return p.pointer; });
  // CuTe passes tensors: a pointer, then extents and strides.
  for (PtxParameter& p : kernel.parameters)
    p.record = !any && p.type == "b8" && p.bytes >= 8 && p.bytes % 4 == 0 && p.bytes <= 256;
}

// Element types by loads and stores, where the kernel's name gives none.
void add_elements(PtxKernel& kernel, std::string_view body) {
  std::vector<std::string> names;
  for (const PtxParameter& p : kernel.parameters) names.push_back(p.name);
  const std::vector<std::string> elements = ptx_elements(body, names);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    PtxParameter& p = kernel.parameters[i];
    if (!p.pointer || !p.element.empty() || elements[i].empty()) continue;
    p.element = elements[i];
    p.by_accesses = true;
  }
}

std::string line(const std::string& text, const std::string& comment) {
  constexpr std::size_t kColumn = 44;
  std::string out = text;
  if (out.size() + 1 < kColumn) out.append(kColumn - out.size(), ' ');
  return out + " # " + comment + "\n";
}

bool is_size(const PtxParameter& p) {
  return !p.pointer && p.bytes == 4 && p.type != "f32" &&
         p.declared.find("float") == p.declared.npos;
}

// The description of all kernels; each has its own sizes and buffers.
class Draft {
 public:
  void add(const PtxKernel& kernel, const std::string& source, bool several) {
    const bool any = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                 [](const PtxParameter& p) { return p.pointer || p.record; });
    if (!any || kernel.parameters.size() > kMostParameters || names_.size() >= kMostVariants)
      return;
    std::string name = kernel.name;
    for (int number = 2; !names_.insert(name).second; ++number)
      name = kernel.name + "_" + std::to_string(number);
    order_.push_back(name);
    const std::string end = names_.size() == 1 ? "" : "_" + std::to_string(names_.size());
    const std::vector<std::string> sizes = add_sizes(kernel, name, end);
    const std::string arguments = add_buffers(kernel, sizes, end);
    add_variant(kernel, name, several ? source : "", sizes, arguments);
  }
  bool empty() const { return order_.empty(); }
  const std::string& first() const { return order_.front(); }
  std::string text() const { return axes_ + "\n[buffers]\n" + buffers_ + variants_; }

 private:
  std::vector<std::string> add_sizes(const PtxKernel& kernel, const std::string& name,
                                     const std::string& end) {
    const auto count = static_cast<std::size_t>(
        std::count_if(kernel.parameters.begin(), kernel.parameters.end(), is_size));
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < std::min(count, kMostSizes); ++i)
      sizes.push_back("n" + (count > 1 ? std::to_string(i + 1) : "") + end);
    if (sizes.empty()) sizes.push_back("n" + end);
    const int start = count > 1 ? 64 : 1000, most = count > 2 ? 512 : count > 1 ? 4096 : 1048576;
    for (const std::string& size : sizes) {
      axes_ += "\n[axes." + size + "]\n" +
               line("range = [1, " + std::to_string(most) + "]", "the slider's ends") +
               line("default = " + std::to_string(start),
                    count == 0 ? "elements: a guess" : "a guess: PTX does not say it") +
               line("scale = \"log\"", "or \"linear\"");
      axes_ += line("of_variants = [\"" + name + "\"]", "its own");
    }
    return sizes;
  }

  std::string add_buffers(const PtxKernel& kernel, const std::vector<std::string>& sizes,
                          const std::string& end) {
    std::string elements, arguments, order;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, sizes.size()); ++i)
      elements += (i == 0 ? "" : " * ") + sizes[i];
    std::size_t size = 0;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const PtxParameter& p = kernel.parameters[i];
      const std::string name = "argument_" + std::to_string(i + 1);
      arguments += (i == 0 ? "\"" : ", \"") + words_of(p, name + end, sizes, size) + "\"";
      order += (i == 0 ? "" : "; ") + name + " (" + p.declared + ")";
      if (!p.pointer && !p.record) continue;
      buffers_ += "\n[buffers." + name + end + "]\n";
      buffers_ += line("type = \"" + (p.element.empty() ? "f32" : p.element) + "\"",
                       p.element.empty() ? "a guess: PTX does not say it"
                       : p.by_accesses   ? "from the kernel's loads and stores"
                                         : "from its name");
      buffers_ +=
          line("count = \"" + elements + "\"", "elements: a guess, one for each of the sizes");
      buffers_ += line("role = \"state\"", "PTX does not say whether it is read or written");
      buffers_ += line("fill = \"random\"", "a guess: PTX does not say it");
    }
    return line("arguments = [" + arguments + "]", "in the kernel's order: " + order);
  }

  static std::string words_of(const PtxParameter& p, const std::string& buffer,
                              const std::vector<std::string>& sizes, std::size_t& size) {
    if (p.pointer) return buffer;
    if (p.record) {
      std::string members = "struct:{" + buffer;
      for (std::int64_t at = 8; at + 4 <= p.bytes; at += 4) members += ",i32:" + sizes.front();
      return members + "}";
    }
    if (is_size(p)) return "i32:" + sizes[std::min(size++, sizes.size() - 1)];
    if (p.type == "f32" || p.bytes == 4) return "f32:1";
    if (p.type == "f64") return "f64:1";
    if (p.bytes == 8) return "i64:1";
    std::string bytes = "bytes:0x";
    for (std::int64_t i = 0; i < std::clamp<std::int64_t>(p.bytes, 1, 4096); ++i) bytes += "00";
    return bytes;
  }

  void add_variant(const PtxKernel& kernel, const std::string& name, const std::string& source,
                   const std::vector<std::string>& sizes, const std::string& arguments) {
    std::int64_t threads =
        kernel.most_threads > 0 ? std::min<std::int64_t>(256, kernel.most_threads) : 256;
    std::string block = std::to_string(threads), why = "threads per block: a guess";
    if (const auto& required = kernel.required_block; required[0] > 0) {
      const std::int64_t y = std::max<std::int64_t>(1, required[1]),
                         z = std::max<std::int64_t>(1, required[2]);
      threads = required[0] * y * z;
      block = "[" + std::to_string(required[0]) + ", " + std::to_string(y) + ", " +
              std::to_string(z) + "]";
      why = "threads per block, which the kernel requires";
    }
    variants_ += "\n[variants." + name + "]\n";
    variants_ += line("sentence = \"The kernel " + name + ".\"", "what it does, in one sentence");
    variants_ += line("entry = \"" + kernel.symbol + "\"", "the kernel's name in PTX");
    if (!source.empty()) variants_ += "source = \"" + source + "\"\n";
    variants_ += line("grid = \"ceil_div(" + sizes.front() + ", " + std::to_string(threads) + ")\"",
                      "blocks: a guess, a thread per element");
    variants_ += line("block = " + block, why);
    variants_ +=
        line("shared = 0", kernel.dynamic_shared
                               ? "bytes of dynamic shared memory: a guess, the kernel uses "
                                 "it and PTX does not say how much"
                               : "bytes of dynamic shared memory");
    variants_ += arguments;
  }

  std::string axes_, buffers_, variants_;
  std::set<std::string> names_;
  std::vector<std::string> order_;
};

}  // namespace

std::vector<PtxKernel> ptx_kernels(std::string_view ptx) {
  std::vector<PtxKernel> kernels;
  const bool dynamic = ptx.find(".extern .shared") != std::string_view::npos;
  Words words(ptx);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".entry") continue;
    PtxKernel kernel;
    kernel.symbol = words.next();
    kernel.dynamic_shared = dynamic;
    word = words.next();
    if (word == "(") {
      kernel.parameters = parameters_in(words);
      word = words.next();
    }
    while (!word.empty() && word != "{" && word != ";") {
      const bool required = word == ".reqntid", most = word == ".maxntid";
      word = words.next();
      std::int64_t product = 1;
      for (std::size_t i = 0; (required || most) && i < 3; ++i) {
        const std::int64_t extent = std::strtoll(std::string(word).c_str(), nullptr, 10);
        if (required) kernel.required_block[i] = extent;
        product *= std::max<std::int64_t>(1, extent);
        word = words.next();
        if (word != ",") break;
        word = words.next();
      }
      if (most) kernel.most_threads = product;
    }
    if (word != "{" || kernel.symbol.empty()) continue;
    const std::string whole = demangled(kernel.symbol);
    kernel.name = plain_name(whole);
    add_types(kernel, types_of(whole));
    add_elements(kernel, words.rest());
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<std::string> ptx_description(const std::vector<PtxText>& texts, const std::string& file,
                                    const std::vector<std::string>& left_out) {
  Draft draft;
  std::size_t found = 0;
  for (const PtxText& text : texts) {
    for (const PtxKernel& kernel : ptx_kernels(text.text)) {
      ++found;
      draft.add(kernel, text.file, texts.size() > 1);
    }
  }
  if (found == 0)
    return failure(ErrorKind::input, "it has no kernel in PTX", file,
                   "compile it with PTX: nvcc -gencode arch=compute_90,code=compute_90");
  if (draft.empty())
    return failure(ErrorKind::input, "none of its kernels has a pointer among its parameters", file,
                   "give the kernel a pointer to what it writes");
  std::string text =
      "# The first description of " + file +
      ": every field, with its meaning. Correct the guesses.\n" +
      line("title = \"" + draft.first() + "\"", "what it computes") +
      line("story = \"\"", "two or three sentences") +
      line("baseline = \"" + draft.first() + "\"", "the variant that others are compared with");
  if (!texts.empty()) text += "source = \"" + texts.front().file + "\"\n";
  for (const std::string& kernel : left_out) text += "# " + kernel + "\n";
  return text + draft.text();
}

}  // namespace warpscope
