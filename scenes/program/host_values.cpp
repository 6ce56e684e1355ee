// scenes/program/host_values.cpp: values, names and types of followed host code.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "scenes/program/host_state.h"

namespace warpscope::program {
namespace {

constexpr std::size_t kMostSteps = 200'000, kMostVariables = 20'000;

bool is_whole_type(const Declarations& declarations, const std::string& type) {
  const std::string plain = plain_type(declarations, type);
  const auto element = element_of(declarations, plain);
  return plain != "bool" && plain != "char" && element && element->count == 1 &&
         plain.find('*') == std::string::npos && element->type.front() != 'f' &&
         element->type.front() != 'b';
}

std::string line_words(int line) { return "line " + std::to_string(line); }

// The text of an element's value with its loop's variable as i; empty: it depends on a second loop.
std::string element_text(const Formula& value, const Formula& index) {
  std::shared_ptr<NamedNumber> loop;
  const auto names = names_of(value);
  for (const auto& name : names) {
    if (name->loop && loop) return {};
    if (name->loop) loop = name;
  }
  if (!loop || !index || index->name != loop) return {};
  // Other names stand as their values: an expression of elements knows the index alone.
  std::vector<std::string> kept;
  for (const auto& name : names) {
    const Formula number = name->whole ? whole_number(name->value) : real_number(name->value);
    kept.push_back(std::exchange(name->name, name == loop ? "i" : "(" + text_of(number) + ")"));
  }
  std::string text = text_of(value);
  for (std::size_t k = 0; k < names.size(); ++k) names[k]->name = kept[k];
  return text;
}

// A memory without a name or type takes those of the pointer that it goes to.
void name_memory(HostState& state, const Value& value, const std::string& name,
                 const std::string& type) {
  if (value.kind != Value::Kind::memory || value.memory >= state.memories.size()) return;
  Memory& memory = state.memories[value.memory];
  if (memory.name.empty()) memory.name = name;
  const std::string pointed = pointed_type(plain_type(*state.declarations, type));
  if ((memory.type.empty() || memory.type == "void") && !pointed.empty()) memory.type = pointed;
}

}  // namespace

bool HostState::exhausted() const {
  return steps > kMostSteps || variables.size() > kMostVariables ||
         memories.size() > kMostVariables;
}

Formula literal(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\''), text.end());
  const bool hex = text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const bool binary_digits =
      text.size() > 1 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
  if (binary_digits)
    return whole_number(static_cast<double>(std::strtoull(text.c_str() + 2, nullptr, 2)));
  const bool real = !hex && text.find_first_of(".eEfF") != std::string::npos;
  if (real) return real_number(std::strtod(text.c_str(), nullptr));
  return whole_number(static_cast<double>(std::strtoull(text.c_str(), nullptr, 0)));
}

// Binary arithmetic of two values; random numbers and arguments of the program stay known as such.
Value combined(std::string_view op, const Value& a, const Value& b) {
  Value out;
  const bool pointer = a.kind == Value::Kind::memory || b.kind == Value::Kind::memory;
  if (pointer && (op == "+" || op == "-")) {
    const bool left = a.kind == Value::Kind::memory;
    out = left ? a : b;
    out.place = kNone;
    const Formula moved = (left ? b : a).formula;
    out.formula =
        op == "+" && moved ? (out.formula ? binary("+", out.formula, moved) : moved) : nullptr;
    return out;
  }
  const auto number_of = [](const Value& value) {
    return value.kind == Value::Kind::number ? value.formula : nullptr;
  };
  out = number_value(binary(op, number_of(a), number_of(b)));
  out.random = a.random || b.random;
  out.command_line = a.command_line || b.command_line;
  const int precedence = op == "==" || op == "!=" || op == "<" || op == ">" ? 8 : 0;
  if (precedence == 8 || op == "&&" || op == "||" || op == "<=" || op == ">=") out.type = "bool";
  return out;
}

// A property of a device: what an H100 has, as a default.
Value device_property(const std::string& name, int line) {
  struct Property {
    std::string_view name;
    double value;
  };
  constexpr std::array<Property, 6> kProperties = {{{"multiProcessorCount", 132},
                                                    {"maxThreadsPerBlock", 1024},
                                                    {"warpSize", 32},
                                                    {"sharedMemPerBlock", 49152},
                                                    {"maxThreadsPerMultiProcessor", 2048},
                                                    {"sharedMemPerBlockOptin", 232448}}};
  for (const Property& property : kProperties) {
    if (name != property.name) continue;
    NamedNumber number{name,  property.value, true, line, "a property of the device",
                       false, true,           false};
    return number_value(named(std::make_shared<NamedNumber>(std::move(number))));
  }
  return {};
}

Value number_value(Formula formula) {
  Value value;
  if (formula) value.kind = Value::Kind::number;
  value.formula = std::move(formula);
  return value;
}

Value with_name(Value value, const std::string& name, const std::string& type, int line) {
  if (name.empty() || value.target != kNone) return value;
  const bool literal = value.formula && names_of(value.formula).empty();
  NamedNumber number{name, 0, true, line, "", false, false, false};
  if (value.kind == Value::Kind::number && literal && value.formula->whole &&
      value.formula->value >= 0) {
    number.value = value.formula->value;
    if (value.command_line) number.why = "the default; the command line may change it";
  } else if (value.kind == Value::Kind::unknown && !value.null && type == "whole") {
    number.value = name.find("hread") != std::string::npos || name.find("lock") != std::string::npos
                       ? 256
                       : 1024;
    number.asked = true;
    number.why = value.command_line ? "read from the command line"
                                    : "computed in a way that is not followed";
  } else {
    return value;
  }
  Value out = value;
  out.kind = Value::Kind::number;
  out.formula = named(std::make_shared<NamedNumber>(std::move(number)));
  return out;
}

std::size_t declare(HostState& state, const std::string& name, const std::string& type, Value value,
                    int line) {
  const Declarations& all = *state.declarations;
  const bool whole =
      is_whole_type(all, type) || (type == "auto" && value.kind == Value::Kind::number);
  if (whole && value.kind != Value::Kind::list) {
    if (value.formula) value.formula = as_whole(value.formula);
    value = with_name(std::move(value), name, "whole", line);
    const auto wanted = state.wanted.find(name);
    if (wanted != state.wanted.end() && value.formula && value.formula->name &&
        value.formula->name->asked) {
      NamedNumber number = *value.formula->name;
      number.value = wanted->second;
      value.formula = named(std::make_shared<NamedNumber>(std::move(number)));
    }
  } else if (value.kind == Value::Kind::number) {
    const auto element = element_of(all, type);
    if (element && (element->type.front() == 'f' || element->type.front() == 'b'))
      value.formula = as_real(value.formula);
  }
  name_memory(state, value, name, type);
  value.place = kNone;
  value.component = -1;
  Variable variable{name, type, std::move(value), line, {}, {}};
  if (variable.value.type.empty() || type != "auto") variable.value.type = type;
  state.variables.push_back(std::move(variable));
  const std::size_t place = state.variables.size() - 1;
  if (!name.empty() && !state.scopes.empty()) state.scopes.back().names[name] = place;
  return place;
}

void wish_for(HostState& state, Part condition) {
  constexpr double kTimes = 4, kMost = 1 << 20;
  for (std::size_t at = condition.begin; at < condition.end; ++at) {
    const Token& sign = (*state.text)[at];
    if (sign.is("(") || sign.is("[")) at = state.text->after(at) - 1;
    if (!sign.is("<") && !sign.is("<=")) continue;
    const Value low = evaluate(state, Part{condition.begin, at});
    const Value high = evaluate(state, Part{at + 1, condition.end});
    const bool known = low.kind == Value::Kind::number && high.kind == Value::Kind::number &&
                       low.formula && high.formula && high.formula->name;
    if (!known || !high.formula->name->asked || low.formula->value < high.formula->value) return;
    state.wished.emplace(high.formula->name->name, std::min(kTimes * low.formula->value, kMost));
    return;
  }
}

void limit_sizes(HostState& state, Part condition) {
  const TokenText& text = *state.text;
  std::size_t begin = condition.begin;
  for (std::size_t at = condition.begin; at <= condition.end; ++at) {
    const bool ends = at == condition.end;
    if (!ends && (text[at].is("(") || text[at].is("["))) {
      at = text.after(at) - 1;
      continue;
    }
    if (!ends && !text[at].is("&&")) continue;
    Part part{begin, at};
    begin = at + 1;
    while (part.begin < part.end && text[part.begin].is("(") && text.after(part.begin) == part.end)
      part = {part.begin + 1, part.end - 1};
    std::size_t sign = part.begin;
    while (sign < part.end && !text[sign].is("<") && !text[sign].is("<="))
      sign = text[sign].is("(") || text[sign].is("[") ? text.after(sign) : sign + 1;
    if (sign >= part.end) continue;
    const Value size = evaluate(state, Part{part.begin, sign});
    const Value most = evaluate(state, Part{sign + 1, part.end});
    const bool known = size.kind == Value::Kind::number && most.kind == Value::Kind::number &&
                       size.formula && most.formula && size.formula->name &&
                       size.formula->name->asked && most.formula->value >= 2;
    if (!known) continue;
    const double largest = most.formula->value - (text[sign].is("<") ? 1 : 0);
    state.wished.emplace(size.formula->name->name, std::min(size.formula->value, largest));
  }
}

void wish_for_blocks(HostState& state, const Formula& blocks) {
  constexpr double kTimes = 1024, kMost = 1 << 20;
  if (!blocks || blocks->value >= 1 || !state.reached) return;
  for (const auto& name : names_of(blocks)) {
    if (!name->asked || name->value < 1) continue;
    state.wished.emplace(name->name, std::min(kTimes * name->value, kMost));
    return;
  }
}

std::size_t find_variable(HostState& state, std::string_view name) {
  for (auto scope = state.scopes.rbegin(); scope != state.scopes.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return found->second;
  }
  const auto macro = state.macros.find(name);
  if (macro == state.macros.end() || state.scopes.empty() || state.exhausted()) return kNone;
  const Part body = macro->second;
  const std::string word(name);
  const int line = state.text->values.at(word).line;
  state.variables.push_back({word, "int", {}, line, {}, {}});
  const std::size_t place = state.variables.size() - 1;
  state.scopes.front().names[word] = place;  // before its value: it may name itself
  Value value = evaluate(state, body);
  if (value.kind == Value::Kind::number) value = with_name(value, word, "", line);
  state.variables[place].value = std::move(value);
  return place;
}

std::string replaced_type(const HostState& state, const std::string& type) {
  for (auto scope = state.scopes.rbegin(); scope != state.scopes.rend(); ++scope) {
    for (const auto& [name, bound] : scope->types) {
      std::size_t at = type.find(name);
      const auto in_name = [&](std::size_t i) {
        return i < type.size() &&
               (std::isalnum(static_cast<unsigned char>(type[i])) != 0 || type[i] == '_');
      };
      while (at != std::string::npos && ((at > 0 && in_name(at - 1)) || in_name(at + name.size())))
        at = type.find(name, at + 1);
      if (at != std::string::npos && bound.size() < 200 && bound != name)
        return type.substr(0, at) + bound + type.substr(at + name.size());
    }
  }
  return type;
}

std::string type_text(const HostState& state, Part part) {
  return replaced_type(state, state.text->text(part.begin, part.end));
}

std::size_t after_type(const HostState& state, std::size_t at, std::size_t end) {
  const TokenText& text = *state.text;
  std::size_t i = at;
  bool found = false;
  while (i < end && is_specifier(text[i].text)) ++i;
  while (i < end && text[i].is_name() && is_type_word(text[i].text)) {
    found = found || (!text[i].is("const") && !text[i].is("static") && !text[i].is("constexpr") &&
                      !text[i].is("struct"));
    ++i;
  }
  if (!found) {
    if (!text[i].is_name()) return at;
    for (;;) {
      if (i >= end || !text[i].is_name()) return at;
      ++i;
      if (text[i].is("<")) {
        const std::size_t after = text.after_angle(i);
        if (after == i || after > end) return at;
        i = after;
      }
      if (!text[i].is("::")) break;
      ++i;
    }
  }
  while (i < end &&
         (text[i].is("*") || text[i].is("&") || text[i].is("&&") || text[i].is("const") ||
          text[i].is("__restrict__") || text[i].is("__restrict") || text[i].is("volatile")))
    ++i;
  return i;
}

bool is_type_at(const HostState& state, std::size_t at, std::size_t end) {
  const TokenText& text = *state.text;
  const std::size_t after = after_type(state, at, end);
  if (after == at || after != end) return false;
  if (text[end - 1].is("*") || text[end - 1].is("&")) return true;
  std::size_t i = at;
  while (i < end && (is_specifier(text[i].text) || text[i].is("const"))) ++i;
  if (is_type_word(text[i].text)) return true;
  const std::string& word = text[i].text;
  for (const Scope& scope : state.scopes) {
    if (scope.names.contains(word)) return false;
    if (scope.types.contains(word)) return true;
  }
  const Declarations& all = *state.declarations;
  return all.aliases.contains(word) || all.structures.contains(word) ||
         element_of(all, word).has_value() ||
         (word == "std" && text[i + 1].is("::") &&
          (text[i + 2].is("size_t") || text[i + 2].text.ends_with("_t")));
}

std::vector<std::string> template_arguments(HostState& state, Part part) {
  std::vector<std::string> out;
  for (const Part& each : parts_of(*state.text, part, true)) {
    if (is_type_at(state, each.begin, each.end)) {
      out.push_back(type_text(state, each));
      continue;
    }
    const Value value = evaluate(state, each);
    if (value.kind == Value::Kind::number && value.formula) {
      for (const auto& name : names_of(value.formula)) name->fixed = true;
      const bool truth = value.type == "bool";
      out.push_back(truth ? (value.formula->value != 0 ? "true" : "false")
                          : text_of(value.formula->whole ? whole_number(value.formula->value)
                                                         : real_number(value.formula->value)));
    } else {
      out.push_back(type_text(state, each));
    }
  }
  return out;
}

Value new_memory(HostState& state, const std::string& name, const std::string& type, Formula bytes,
                 int line, bool device) {
  Memory memory;
  memory.name = name;
  memory.type = type;
  memory.bytes = std::move(bytes);
  memory.line = line == 0 ? state.called_line : line;
  memory.device = device;
  state.memories.push_back(std::move(memory));
  Value value;
  value.kind = Value::Kind::memory;
  value.memory = state.memories.size() - 1;
  value.type = type.empty() ? "" : type + "*";
  return value;
}

std::array<Formula, 3> shape_of(const Value& value) {
  const Formula one = whole_number(1);
  if (value.kind == Value::Kind::shape) return value.shape;
  if (value.kind == Value::Kind::number) return {as_whole(value.formula), one, one};
  if (value.kind == Value::Kind::list) {
    std::array<Formula, 3> out = {one, one, one};
    for (std::size_t i = 0; i < std::min<std::size_t>(3, value.parts.size()); ++i)
      out[i] = as_whole(value.parts[i].formula);
    return out;
  }
  return {nullptr, one, one};
}

void fill(HostState& state, std::size_t place, const Value& value, const Formula& index, int line) {
  if (place >= state.memories.size()) return;
  Memory& memory = state.memories[place];
  if (memory.launched) return;
  Guess<ProposedFill> found;
  found.line = line;
  found.why = line_words(line);
  if (value.random) {
    found.value = ProposedFill::random;
  } else if (!value.formula) {
    found.value = ProposedFill::random;
    found.why += ", by something that is not followed";
  } else if (names_of(value.formula).empty()) {
    const double number = value.formula->value;
    found.value = number == 0   ? ProposedFill::zero
                  : number == 1 ? ProposedFill::one
                                : ProposedFill::element;
    if (found.value == ProposedFill::element) found.text = text_of(value.formula);
  } else if (same(as_whole(value.formula), index)) {
    found.value = ProposedFill::iota;
  } else {
    found.text = element_text(value.formula, index);
    found.value = found.text.empty() ? ProposedFill::random : ProposedFill::element;
    if (found.text == "i") found.value = ProposedFill::iota;
    if (found.text.empty()) found.why += ", by something that has no expression of the index";
  }
  // Single elements that are set afterwards do not change what the array is filled with.
  const bool single = index && names_of(index).empty();
  if (single && memory.fill.value != ProposedFill::unset) return;
  memory.fill = std::move(found);
}

void fill_random(HostState& state, std::size_t place, int line, const std::string& why) {
  if (place >= state.memories.size() || state.memories[place].launched) return;
  Guess<ProposedFill>& found = state.memories[place].fill;
  found.value = ProposedFill::random;
  found.text.clear();
  found.line = line;
  found.why = why;
}

Value list_of(const std::vector<Value>& parts, const std::string& type) {
  Value list;
  list.kind = Value::Kind::list;
  list.parts = parts;
  list.type = type;
  return list;
}

void fill_listed(HostState& state, std::size_t place, const std::vector<Value>& parts, int line) {
  constexpr std::size_t kMostListed = 64;
  fill_random(state, place, line, "written as a list in line " + std::to_string(line));
  if (place >= state.memories.size() || state.memories[place].launched) return;
  Memory& memory = state.memories[place];
  for (const Value& part : parts) memory.listed.push_back(part.formula);
  const bool known = !parts.empty() && parts.size() <= kMostListed &&
                     std::all_of(parts.begin(), parts.end(),
                                 [](const Value& part) { return part.formula != nullptr; });
  if (!known) return;
  const auto number = [](const Value& part) {
    return text_of(part.formula->whole ? whole_number(part.formula->value)
                                       : real_number(part.formula->value));
  };
  // Elements after those of the list are zeros.
  std::string text = "0";
  for (std::size_t i = parts.size(); i-- > 0;) {
    const bool last = i + 1 == parts.size() && text == "0";
    text = "i == " + std::to_string(i) + " ? " + number(parts[i]) + " : " +
           (last ? text : "(" + text + ")");
  }
  const bool alike = std::all_of(parts.begin(), parts.end(), [&](const Value& part) {
    return part.formula->value == parts[0].formula->value;
  });
  const Formula count = divided(memory.bytes, static_cast<double>(std::max<std::size_t>(
                                                  1, size_of(*state.declarations, memory.type))));
  if (alike && count && count->value <= static_cast<double>(parts.size())) text = number(parts[0]);
  memory.fill.value = ProposedFill::element;
  if (text == "1") memory.fill.value = ProposedFill::one;
  if (text == "0") memory.fill.value = ProposedFill::zero;
  memory.fill.text = text;
}

void assign(HostState& state, const Value& place, const Value& value, int line) {
  if (place.kind == Value::Kind::element && place.memory != kNone) {
    fill(state, place.memory, value, place.formula, line);
    return;
  }
  if (place.place >= state.variables.size()) return;
  Variable& variable = state.variables[place.place];
  if (place.component >= 0 && place.component < 3) {
    if (variable.value.kind != Value::Kind::shape) {
      variable.value.kind = Value::Kind::shape;
      variable.value.shape.fill(whole_number(1));
    }
    variable.value.shape[static_cast<std::size_t>(place.component)] = as_whole(value.formula);
    return;
  }
  if (value.kind == Value::Kind::object && value.place < state.variables.size()) {
    variable.members = state.variables[value.place].members;
    return;
  }
  Value after = value;
  const bool whole = is_whole_type(*state.declarations, variable.type);
  if (whole && after.formula) after.formula = as_whole(after.formula);
  if (variable.value.kind == Value::Kind::shape && value.kind == Value::Kind::number) {
    after = Value{};
    after.kind = Value::Kind::shape;
    after.shape = shape_of(value);
  }
  if (whole) after = with_name(after, variable.name, "whole", line);
  after.place = kNone;
  after.component = -1;
  if (after.kind != Value::Kind::memory || after.type.empty()) after.type = variable.type;
  name_memory(state, after, variable.name, variable.type);
  variable.value = std::move(after);
}

}  // namespace warpscope::program
