// scenes/program/host_declarations.cpp: variables that followed host code declares.
#include <algorithm>

#include "scenes/program/host_state.h"

namespace warpscope::program {
namespace {

bool holds(const std::string& type, std::string_view word) {
  return type.find(word) != std::string::npos;
}

bool is_container(const std::string& type) {
  return holds(type, "vector<") || holds(type, "array<") || holds(type, "unique_ptr<");
}

class DeclarationReader {
 public:
  DeclarationReader(HostState& state, Cursor& cursor)
      : state_(state), text_(*state.text), cursor_(cursor) {}

  bool read() {
    const std::size_t begin = cursor_.at;
    std::size_t at = after_type(state_, begin, cursor_.end);
    if (at == begin || at >= cursor_.end) return false;
    if (function_pointer(begin, at)) return true;
    if (text_[at].is("[") && text_[at - 1].is("auto")) {  // auto [a, b] = …
      skip();
      return true;
    }
    const Token& name = text_[at];
    const Token& next = text_[at + 1];
    const bool begins = next.is("=") || next.is("(") || next.is("{") || next.is("[") ||
                        next.is(",") || next.is(";") || next.is(":") || at + 1 >= cursor_.end;
    if (!name.is_name() || !begins || is_type_word(name.text)) return false;
    if (next.is(":") && !text_[at + 2].is(":") && false) return false;
    // a * b; of known variables is a product.
    const Token& first = text_[begin];
    if (first.is_name() && !is_type_word(first.text) && !is_specifier(first.text) &&
        text_[begin + 1].is("*") && find_variable(state_, first.text) != kNone)
      return false;
    if (first.is("return") || first.is("delete") || first.is("else") || first.is("goto") ||
        first.is("throw") || first.is("case"))
      return false;
    std::size_t base = at;
    while (base > begin && (text_[base - 1].is("*") || text_[base - 1].is("&") ||
                            text_[base - 1].is("__restrict__")))
      --base;
    const std::string type = type_text(state_, {begin, base});
    std::string full = type_text(state_, {begin, at});
    for (;;) {
      declarator(at, full);
      if (cursor_.at >= cursor_.end || !text_[cursor_.at].is(",")) break;
      at = cursor_.at + 1;
      full = type;
      while (text_[at].is("*") || text_[at].is("&") || text_[at].is("const") ||
             text_[at].is("__restrict__")) {
        if (text_[at].is("*") || text_[at].is("&")) full += text_[at].text;
        ++at;
      }
      if (!text_[at].is_name() || state_.exhausted()) break;
    }
    skip();
    return true;
  }

 private:
  void skip() {
    while (cursor_.at < cursor_.end && !text_[cursor_.at].is(";")) {
      const Token& token = text_[cursor_.at];
      cursor_.at = token.is("(") || token.is("{") || token.is("[") ? text_.after(cursor_.at)
                                                                   : cursor_.at + 1;
    }
    ++cursor_.at;
  }

  // void (*kernel)(float*, int) = copy;
  bool function_pointer(std::size_t begin, std::size_t at) {
    if (!text_[at].is("(") || !text_[at + 1].is("*") || !text_[at + 2].is_name() ||
        !text_[at + 3].is(")") || !text_[at + 4].is("(") || at == begin)
      return false;
    const std::string name = text_[at + 2].text;
    cursor_.at = text_.after(at + 4);
    Value value;
    if (text_[cursor_.at].is("=")) {
      ++cursor_.at;
      value = evaluate(state_, cursor_, 1);
    }
    declare(state_, name, "function*", std::move(value), text_[at].line);
    skip();
    return true;
  }

  void declarator(std::size_t at, std::string type) {
    const Token& name = text_[at];
    cursor_.at = at + 1;
    if (text_[cursor_.at].is("[")) return array(name, type);
    const std::string plain = plain_type(*state_.declarations, type);
    if (plain == "dim3" || plain == "uint3") return shape(name);
    if (is_container(plain)) return container(name, plain);
    const auto structure = state_.declarations->structures.find(plain.substr(0, plain.find('<')));
    if (structure != state_.declarations->structures.end() && !plain.ends_with("*") &&
        !holds(type, "&"))
      return object(name, plain, structure->second);
    Value value;
    if (text_[cursor_.at].is("=")) {
      ++cursor_.at;
      value = evaluate(state_, cursor_, 1);
    } else if (text_[cursor_.at].is("(") || text_[cursor_.at].is("{")) {
      const std::vector<Value> parts = bracketed();
      if (!parts.empty()) value = parts.front();
      if (holds(type, "distribution") || holds(type, "mt19937") || holds(type, "random_device") ||
          holds(type, "engine"))
        value = Value{};
    }
    if (value.kind == Value::Kind::list && value.parts.size() == 1) value = value.parts.front();
    if (holds(type, "distribution") || holds(type, "random_device")) value.random = true;
    const bool reference = holds(type, "&") && value.place != kNone && !state_.scopes.empty();
    if (reference) {
      state_.scopes.back().names[name.text] = value.place;
      return;
    }
    if (value.kind == Value::Kind::object && plain == "auto") {
      declare(state_, name.text, value.type, value, name.line);
      state_.variables.back().members = value.place < state_.variables.size()
                                            ? state_.variables[value.place].members
                                            : state_.variables.back().members;
      return;
    }
    declare(state_, name.text, type, std::move(value), name.line);
  }

  std::vector<Value> bracketed() {
    const Part inner{cursor_.at + 1, text_.after(cursor_.at) - 1};
    cursor_.at = std::min(text_.after(cursor_.at), cursor_.end);
    return evaluate_list(state_, inner);
  }

  void shape(const Token& name) {
    Value value;
    value.kind = Value::Kind::shape;
    value.shape.fill(whole_number(1));
    if (text_[cursor_.at].is("=")) {
      ++cursor_.at;
      value.shape = shape_of(evaluate(state_, cursor_, 1));
    } else if (text_[cursor_.at].is("(") || text_[cursor_.at].is("{")) {
      Value list;
      list.kind = Value::Kind::list;
      list.parts = bracketed();
      if (list.parts.size() == 1 && list.parts[0].kind == Value::Kind::shape) list = list.parts[0];
      value.shape = shape_of(list);
    }
    value.kind = Value::Kind::shape;
    declare(state_, name.text, "dim3", std::move(value), name.line);
  }

  // T name[a][b] = {…};
  void array(const Token& name, const std::string& type) {
    Formula count = whole_number(1);
    while (text_[cursor_.at].is("[") && cursor_.at < cursor_.end) {
      const Value extent = evaluate(state_, Part{cursor_.at + 1, text_.after(cursor_.at) - 1});
      count = binary("*", count, extent.kind == Value::Kind::number ? extent.formula : nullptr);
      cursor_.at = std::min(text_.after(cursor_.at), cursor_.end);
    }
    Value list;
    const bool equal = text_[cursor_.at].is("=");
    if (equal) ++cursor_.at;
    if (equal || text_[cursor_.at].is("{")) list = evaluate(state_, cursor_, 1);
    const std::string plain = plain_type(*state_.declarations, type);
    const bool kept = plain.ends_with("*") || plain == "dim3" || plain == "auto" ||
                      (!list.parts.empty() && list.parts.front().kind == Value::Kind::kernel);
    if (kept) {  // void* arguments[] = {&a, &b};
      declare(state_, name.text, type + "[]", std::move(list), name.line);
      return;
    }
    const std::size_t bytes = size_of(*state_.declarations, type);
    if (!count && !list.parts.empty()) count = whole_number(static_cast<double>(list.parts.size()));
    Value memory = new_memory(
        state_, name.text, plain,
        binary("*", count, bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes))),
        name.line, false);
    if (list.kind == Value::Kind::list) {
      const bool zero = list.parts.empty() || (list.parts.size() == 1 && list.parts[0].formula &&
                                               list.parts[0].formula->value == 0);
      if (zero) {
        fill(state_, memory.memory, number_value(whole_number(0)), nullptr, name.line);
      } else {
        fill_listed(state_, memory.memory, list.parts, name.line);
      }
    }
    declare(state_, name.text, type + "[]", std::move(memory), name.line);
  }

  // std::vector<float> h(n, 1.0f), thrust::device_vector<float> d = h, std::array<float, 9>
  void container(const Token& name, const std::string& type) {
    const std::string element = pointed_type(type);
    const std::size_t bytes = size_of(*state_.declarations, element);
    const Formula size = bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes));
    const bool device = holds(type, "device_vector") || holds(type, "universal_vector");
    std::vector<Value> parts;
    const bool braces = text_[cursor_.at].is("{");
    if (text_[cursor_.at].is("=")) {
      ++cursor_.at;
      parts.push_back(evaluate(state_, cursor_, 1));
    } else if (text_[cursor_.at].is("(") || braces) {
      parts = bracketed();
    }
    const bool list = parts.size() == 1 && parts[0].kind == Value::Kind::list;  // = {1, 2, 3}
    if (list) parts = std::vector<Value>(parts[0].parts);
    const Value* first = parts.empty() ? nullptr : &parts[0];
    const bool copy = first != nullptr && first->kind == Value::Kind::memory &&
                      first->memory < state_.memories.size();
    if (copy && holds(type, "unique_ptr")) {
      declare(state_, name.text, element + "*", *first, name.line);
      return;
    }
    Formula count = whole_number(0);
    if (first != nullptr && !copy)
      count = first->kind == Value::Kind::number ? as_whole(first->formula) : nullptr;
    if (holds(type, "array<")) count = array_count(type);
    const bool listed = list ? !parts.empty() : braces && parts.size() > 2;
    if (listed) count = whole_number(static_cast<double>(parts.size()));
    const Formula whole = copy ? state_.memories[first->memory].bytes : binary("*", count, size);
    const Value memory = new_memory(state_, name.text, element, whole, name.line, device);
    if (copy) {
      state_.memories[memory.memory].fill = state_.memories[first->memory].fill;
    } else if (listed) {
      fill_listed(state_, memory.memory, parts, name.line);
    } else if (parts.size() == 2) {
      fill(state_, memory.memory, parts[1], nullptr, name.line);
    } else if (first != nullptr) {
      fill(state_, memory.memory, number_value(whole_number(0)), nullptr, name.line);
    }
    declare(state_, name.text, type, memory, name.line);
  }

  Formula array_count(const std::string& type) const {
    const std::size_t comma = type.rfind(',');
    if (comma == std::string::npos) return nullptr;
    const double count = std::strtod(type.c_str() + comma + 1, nullptr);
    return count > 0 ? whole_number(count) : nullptr;
  }

  // A structure of the text: its members, then its constructor.
  void object(const Token& name, const std::string& type, const Structure& structure) {
    Value value;
    value.kind = Value::Kind::object;
    value.type = type;
    const std::size_t place = declare(state_, name.text, type, value, name.line);
    state_.scopes.emplace_back();
    std::map<std::string, std::size_t, std::less<>> members;
    for (const Member& member : structure.members) {
      Value initial;
      if (!member.initial.empty()) initial = evaluate(state_, member.initial);
      members[member.name] =
          declare(state_, member.name, member.type, std::move(initial), name.line);
      if (state_.exhausted()) break;
    }
    state_.scopes.pop_back();
    state_.variables[place].members = members;
    std::vector<Value> parts;
    if (text_[cursor_.at].is("=")) {
      ++cursor_.at;
      const Value given = evaluate(state_, cursor_, 1);
      if (given.kind == Value::Kind::object && given.place < state_.variables.size())
        state_.variables[place].members = state_.variables[given.place].members;
      if (given.kind == Value::Kind::list) parts = given.parts;
    } else if (text_[cursor_.at].is("(") || text_[cursor_.at].is("{")) {
      parts = bracketed();
    }
    const std::vector<const Function*> constructors =
        state_.declarations->named(structure.name, structure.name);
    Value self = state_.variables[place].value;
    self.place = place;
    for (const Function* constructor : constructors) {
      if (constructor->parameters.size() < parts.size()) continue;
      static_cast<void>(enter(state_, *constructor, {}, parts, &self));
      return;
    }
    for (std::size_t i = 0; i < std::min(parts.size(), structure.members.size()); ++i) {
      Value target;
      target.place = members[structure.members[i].name];
      assign(state_, target, parts[i], name.line);
    }
  }

  HostState& state_;
  const TokenText& text_;
  Cursor& cursor_;
};

}  // namespace

bool declare_at(HostState& state, Cursor& cursor) {
  const std::size_t before = cursor.at;
  if (DeclarationReader(state, cursor).read()) return true;
  cursor.at = before;
  return false;
}

}  // namespace warpscope::program
