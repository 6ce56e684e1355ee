// scenes/ptx_elements.cpp: what a kernel's pointers point to, by its loads and stores.
#include "scenes/ptx_elements.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace warpscope {
namespace {

constexpr int kSeveral = -1;  // a register that belongs to several parameters

struct Operation {
  std::string_view opcode;
  std::vector<std::string_view> words;  // of its operands: registers, names, numbers, brackets
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at;
    // "::" is inside an opcode: ld.global.L1::evict_last.f32. One colon ends a label.
    while (end < text.size()) {
      const std::size_t taken = is_word(text[end]) ? 1 : text.substr(end, 2) == "::" ? 2 : 0;
      if (taken == 0) break;
      end += taken;
    }
    end = std::max(end, at + 1);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The instructions of a body, without guards, labels, comments and directives. It ends with the
// bracket that closes it.
std::vector<Operation> operations_of(std::string_view body) {
  std::vector<Operation> operations;
  int depth = 0;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    std::string_view line = body.substr(begin, end - begin);
    line = line.substr(0, line.find("//"));
    begin = end + 1;
    for (std::size_t from = 0; from < line.size();) {
      const std::size_t to = std::min(line.find(';', from), line.size());
      std::vector<std::string_view> words = words_of(line.substr(from, to - from));
      from = to + 1;
      for (const std::string_view word : words) depth += word == "{" ? 1 : word == "}" ? -1 : 0;
      std::size_t first = 0;
      while (first < words.size() && (words[first] == "{" || words[first] == "}")) ++first;
      if (first + 1 < words.size() && words[first + 1] == ":") first += 2;
      if (first < words.size() && words[first] == "@") {
        first += 2;  // @%p1, @!%p1
        if (first <= words.size() && words[first - 1] == "!") ++first;
      }
      if (first >= words.size() || words[first].front() == '.') continue;
      const std::string_view opcode = words[first];
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first) + 1);
      operations.push_back({opcode, std::move(words)});
    }
    if (depth <= 0 && !operations.empty()) break;
  }
  return operations;
}

std::string_view base_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }
std::string_view type_of(std::string_view opcode) { return opcode.substr(opcode.rfind('.') + 1); }

bool is_access(std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  if (base != "ld" && base != "st" && base != "atom" && base != "red") return false;
  for (const char* space : {".param", ".shared", ".local", ".const"}) {
    if (opcode.find(space) != std::string_view::npos) return false;
  }
  return true;
}

// Which parameter each register is an address of.
class Addresses {
 public:
  explicit Addresses(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) parameters_[names[i]] = static_cast<int>(i);
  }
  void follow(const Operation& operation) {
    const auto& words = operation.words;
    if (words.size() < 3 || words.front().front() != '%') return;
    const std::string_view base = base_of(operation.opcode);
    if (operation.opcode.starts_with("ld.param")) {
      // "%rd1, [k_param_0]": not a member of a structure, which has "+8".
      if (words.size() == 5 && words[2] == "[") note(words[0], parameter(words[3]));
      return;
    }
    for (const char* kept : {"mov", "cvta", "add", "sub", "mad", "selp", "or"}) {
      if (base != kept) continue;
      std::set<int> sources;
      for (std::size_t i = 1; i < words.size(); ++i) {
        if (const auto known = registers_.find(words[i]); known != registers_.end())
          sources.insert(known->second);
      }
      if (!sources.empty()) note(words[0], sources.size() == 1 ? *sources.begin() : kSeveral);
    }
  }
  // The parameter that the register in brackets is of; below 0: none.
  int accessed(const Operation& operation) const {
    const auto& words = operation.words;
    const auto open = std::find(words.begin(), words.end(), "[");
    if (open == words.end() || open + 1 == words.end()) return kSeveral;
    const auto known = registers_.find(*(open + 1));
    return known == registers_.end() ? kSeveral : known->second;
  }

 private:
  int parameter(std::string_view name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? kSeveral : found->second;
  }
  void note(std::string_view name, int parameter) {
    const auto [known, added] = registers_.emplace(name, parameter);
    if (!added && known->second != parameter) known->second = kSeveral;
  }
  std::map<std::string_view, int> parameters_, registers_;
};

// "u32" of an access of that type; empty: bits that say nothing of their own. `halves`: what 16
// bits are.
std::string element_of(std::string_view type, const std::string& halves) {
  if (type == "s8") return "i8";
  if (type == "b8") return "u8";
  if (type == "s32") return "i32";
  if (type == "s64") return "i64";
  if (type == "u16" || type == "s16" || type == "b16") return halves;
  if (type == "f16x2") return "f16";
  if (type == "bf16x2") return "bf16";
  for (const char* same : {"u8", "u32", "u64", "f16", "bf16", "f32", "f64"}) {
    if (type == same) return same;
  }
  return "";
}

}  // namespace

std::vector<std::string> ptx_elements(std::string_view body,
                                      const std::vector<std::string>& names) {
  const std::vector<Operation> operations = operations_of(body);
  const auto computes_with = [&](std::string_view type) {
    return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
      return operation.opcode.find(type) != std::string_view::npos;
    });
  };
  const std::string halves = computes_with(".bf16")  ? "bf16"
                             : computes_with(".f16") ? "f16"
                                                     : "u16";
  const std::string words = computes_with(".f64") ? "f64" : "i64";
  Addresses addresses(names);
  constexpr int kPasses = 2;  // a loop's address comes from below
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const Operation& operation : operations) addresses.follow(operation);
  }
  std::vector<std::set<std::string>> named(names.size()), open(names.size());
  for (const Operation& operation : operations) {
    if (!is_access(operation.opcode)) continue;
    const int parameter = addresses.accessed(operation);
    if (parameter < 0) continue;
    const std::string_view type = type_of(operation.opcode);
    const std::string element = element_of(type, halves);
    const auto at = static_cast<std::size_t>(parameter);
    (element.empty() ? open : named)[at].insert(element.empty() ? std::string(type) : element);
  }
  std::vector<std::string> elements;
  for (std::size_t at = 0; at < named.size(); ++at) {
    std::set<std::string>& one = named[at];
    // Loads and stores of an int may leave its sign open.
    if (one == std::set<std::string>{"i32", "u32"}) one = {"i32"};
    // Bits say how wide an element is where no access says more.
    if (one.empty() && open[at] == std::set<std::string>{"b64"}) one = {words};
    elements.push_back(one.size() == 1 ? *one.begin() : "");
  }
  return elements;
}

}  // namespace warpscope
