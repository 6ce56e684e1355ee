// scenes/program/host_expressions.cpp: expressions of followed host code.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "scenes/program/host_state.h"

namespace warpscope::program {
namespace {

constexpr int kMostDepth = 120;
constexpr std::size_t kMostListed = 4096;

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr std::array<Operator, 31> kOperators = {
    {{"=", 1},   {"+=", 1}, {"-=", 1},  {"*=", 1}, {"/=", 1}, {"%=", 1}, {"<<=", 1}, {"&=", 1},
     {"|=", 1},  {"^=", 1}, {">>=", 1}, {"?", 2},  {"||", 3}, {"&&", 4}, {"|", 5},   {"^", 6},
     {"&", 7},   {"==", 8}, {"!=", 8},  {"<", 9},  {">", 9},  {"<=", 9}, {">=", 9},  {"<<", 10},
     {">>", 10}, {"+", 11}, {"-", 11},  {"*", 12}, {"/", 12}, {"%", 12}, {"<=>", 9}}};

int precedence_of(const Token& token) {
  if (token.kind != Token::Kind::sign) return 0;
  for (const Operator& each : kOperators) {
    if (token.text == each.text) return each.precedence;
  }
  return 0;
}

class ExpressionReader {
 public:
  ExpressionReader(HostState& state, Cursor& cursor)
      : state_(state), text_(*state.text), cursor_(cursor) {}

  Value read(int least) {
    Value left = prefixed();
    for (;;) {
      if (cursor_.at >= cursor_.end || state_.exhausted()) return left;
      const Token& token = text_[cursor_.at];
      const int precedence = precedence_of(token);
      if (precedence == 0 || precedence < std::max(least, 1)) return left;
      ++cursor_.at;
      if (precedence == 1) {
        left = assigned(left, token);
      } else if (token.is("?")) {
        left = chosen(left);
      } else {
        const Value right = evaluate(state_, cursor_, precedence + 1);
        left = combined(token.text, left, right);
      }
    }
  }

 private:
  Value assigned(const Value& left, const Token& token) {
    Value right = evaluate(state_, cursor_, 1);
    if (token.text != "=") {
      const std::string op = token.text.substr(0, token.text.size() - 1);
      Value sum = left.kind == Value::Kind::element ? Value{} : combined(op, left, right);
      sum.random = sum.random || right.random;
      right = sum;
    }
    assign(state_, left, right, token.line);
    return right;
  }

  Value chosen(const Value& condition) {
    Value yes = evaluate(state_, cursor_, 0);
    if (text_[cursor_.at].is(":")) ++cursor_.at;
    Value no = evaluate(state_, cursor_, 2);
    const bool known = condition.kind == Value::Kind::number && condition.formula;
    const bool both = yes.kind == Value::Kind::number && no.kind == Value::Kind::number;
    const bool other = yes.command_line || no.command_line;
    if (known && both && !names_of(condition.formula).empty()) {
      Value out = number_value(conditional(condition.formula, yes.formula, no.formula));
      out.command_line = other;
      return out;
    }
    Value out =
        (known ? condition.formula->value != 0 : yes.kind != Value::Kind::unknown) ? yes : no;
    out.random = yes.random || no.random;
    out.command_line = out.command_line || other;
    if (out.kind == Value::Kind::kernel) {
      const Value& rest = known && condition.formula->value == 0 ? yes : no;
      out.names.insert(out.names.end(), rest.names.begin(), rest.names.end());
    }
    return out;
  }

  Value prefixed() {
    const Token& token = text_[cursor_.at];
    if (cursor_.at >= cursor_.end) return {};
    if (token.kind == Token::Kind::sign) {
      if (token.is("-") || token.is("+") || token.is("!") || token.is("~")) {
        ++cursor_.at;
        Value value = evaluate(state_, cursor_, 13);
        Value out = number_value(
            unary(token.text, value.kind == Value::Kind::number ? value.formula : nullptr));
        out.random = value.random;
        out.command_line = value.command_line;
        return out;
      }
      if (token.is("*") || token.is("&")) return pointed(token.is("*"));
      if (token.is("++") || token.is("--")) {
        ++cursor_.at;
        const Value value = evaluate(state_, cursor_, 13);
        assign(state_, value,
               combined(token.text.substr(0, 1), value, number_value(whole_number(1))), token.line);
        return value;
      }
      if (token.is("::")) ++cursor_.at;
    }
    return followed(primary());
  }

  Value pointed(bool loads) {
    ++cursor_.at;
    Value value = evaluate(state_, cursor_, 13);
    if (!loads) {
      const bool named = value.kind == Value::Kind::kernel || value.kind == Value::Kind::unknown;
      if (named && value.place == kNone) return value;
      Value out;
      if (value.kind == Value::Kind::element) {
        out.kind = Value::Kind::memory;
        out.memory = value.memory;
        if (!value.formula || value.formula->value != 0) out.formula = value.formula;
        return out;
      }
      out.target = value.place;
      out.type = value.type.empty() ? "" : value.type + "*";
      return out;
    }
    if (value.target < state_.variables.size()) return variable_value(value.target);
    if (value.kind == Value::Kind::memory) {
      Value out;
      out.kind = Value::Kind::element;
      out.memory = value.memory;
      out.formula = value.formula ? value.formula : whole_number(0);
      out.type = element_type(value);
      return out;
    }
    value.place = kNone;
    value.type = pointed_type(value.type);
    return value;
  }

  std::string element_type(const Value& value) const {
    if (value.memory < state_.memories.size() && !state_.memories[value.memory].type.empty())
      return state_.memories[value.memory].type;
    return pointed_type(value.type);
  }

  Value variable_value(std::size_t place) const {
    Value value = state_.variables[place].value;
    value.place = place;
    if (value.type.empty()) value.type = state_.variables[place].type;
    return value;
  }

  Value primary() {
    const std::size_t at = cursor_.at;
    const Token& token = text_[at];
    switch (token.kind) {
      case Token::Kind::number:
        ++cursor_.at;
        return number_value(literal(token.text));
      case Token::Kind::text: {
        while (cursor_.at < cursor_.end && text_[cursor_.at].kind == Token::Kind::text)
          ++cursor_.at;
        Value value;
        value.kind = Value::Kind::text;
        return value;
      }
      case Token::Kind::name:
        return word();
      default:
        break;
    }
    if (token.is("(")) return parenthesis();
    if (token.is("[")) return lambda();
    if (token.is("{")) {
      const Part inner{at + 1, std::min(text_.after(at) - 1, cursor_.end)};
      cursor_.at = std::min(text_.after(at), cursor_.end);
      Value value;
      value.kind = Value::Kind::list;
      value.parts = evaluate_list(state_, inner);
      return value;
    }
    if (!token.is(",") && !token.is(";") && !token.is(":") && !token.is(")")) ++cursor_.at;
    return {};
  }

  Value parenthesis() {
    const std::size_t open = cursor_.at, after = std::min(text_.after(open), cursor_.end);
    const Part inner{open + 1,
                     std::max(after, open + 1) - (text_[open].match < text_.size() ? 1 : 0)};
    cursor_.at = std::max(after, open + 1);
    const Token& next = text_[cursor_.at];
    const bool operand = next.kind != Token::Kind::sign || next.is("(") || next.is("&") ||
                         next.is("*") || next.is("-") || next.is("~") || next.is("!") ||
                         next.is("{");
    if (operand && cursor_.at < cursor_.end && !inner.empty() &&
        is_type_at(state_, inner.begin, inner.end))
      return cast(type_text(state_, inner), evaluate(state_, cursor_, 13));
    Cursor within{inner.begin, inner.end};
    Value value = evaluate(state_, within, 0);
    while (within.at < within.end && text_[within.at].is(",") && !state_.exhausted()) {
      ++within.at;
      value = evaluate(state_, within, 0);
    }
    return value;
  }

  Value cast(const std::string& type, Value value) const {
    const std::string plain = plain_type(*state_.declarations, type);
    if (!plain.empty() && plain.back() == '*') {
      if (value.kind == Value::Kind::memory && value.memory < state_.memories.size()) {
        Memory& memory = state_.memories[value.memory];
        const std::string pointed = pointed_type(plain);
        if ((memory.type.empty() || memory.type == "void") && pointed != "void")
          memory.type = pointed;
      }
      return value;
    }
    const auto element = element_of(*state_.declarations, plain);
    if (!element || element->count != 1 || value.kind != Value::Kind::number) return value;
    const bool real = element->type.front() == 'f' || element->type.front() == 'b';
    value.formula = real ? as_real(value.formula) : as_whole(value.formula);
    value.type = plain;
    value.place = kNone;
    return value;
  }

  // [captures](parameters) { body }: followed when it is called, or at once as an argument.
  Value lambda() {
    std::size_t at = text_.after(cursor_.at);
    if (text_[at].is("(")) at = text_.after(at);
    while (at < cursor_.end && !text_[at].is("{") && !text_[at].is(";") && !text_[at].is(",")) ++at;
    Value value;
    if (!text_[at].is("{")) {
      cursor_.at = std::min(std::max(at, cursor_.at + 1), cursor_.end);
      return value;
    }
    value.kind = Value::Kind::code;
    value.code = {cursor_.at, text_.after(at)};
    value.seen = std::make_shared<const std::vector<Scope>>(state_.scopes);
    for (std::size_t i = at; i < text_.after(at); ++i)
      value.random = value.random || text_[i].text.find("rand") != std::string::npos;
    cursor_.at = std::min(text_.after(at), cursor_.end);
    return value;
  }

  Value word() {
    const Token& token = text_[cursor_.at];
    if (token.is("sizeof")) return size();
    if (token.is("new")) return created();
    if (token.is("nullptr") || token.is("NULL")) {
      ++cursor_.at;
      Value value;
      value.null = true;
      return value;
    }
    if (token.is("true") || token.is("false")) {
      ++cursor_.at;
      Value value = number_value(whole_number(token.is("true") ? 1 : 0));
      value.type = "bool";
      return value;
    }
    std::size_t name = cursor_.at;
    std::string space;
    std::vector<std::string> templates;
    std::size_t angle = kNone;
    for (;;) {
      std::size_t next = name + 1;
      if (text_[next].is("<") && takes_templates(name)) {
        const std::size_t after = text_.after_angle(next);
        if (after != next && after <= cursor_.end) {
          angle = next;
          templates = template_arguments(state_, {next + 1, after - 1});
          next = after;
        }
      }
      if (!text_[next].is("::") || !text_[next + 1].is_name()) {
        cursor_.at = std::min(next, cursor_.end);
        break;
      }
      space = text_[name].text;
      name = next + 1;
    }
    return named_value(name, space, templates, angle != kNone);
  }

  // Whether a < after the name begins template arguments.
  bool takes_templates(std::size_t name) const {
    const std::size_t after = text_.after_angle(name + 1);
    if (after == name + 1) return false;
    const Token& next = text_[after];
    return next.is("(") || next.is("<<<") || next.is("{") || next.is("::") || next.is(",") ||
           next.is(")") || next.is(";");
  }

  Value named_value(std::size_t at, const std::string& space,
                    const std::vector<std::string>& templates, bool generic) {
    const Token& token = text_[at];
    const std::string& name = token.text;
    const Token& next = text_[cursor_.at];
    const Function* kernel = state_.declarations->kernel(name);
    const std::size_t variable =
        space.empty() || space == "std" ? find_variable(state_, name) : qualified(space, name);
    if (kernel != nullptr && variable == kNone) {
      Value value;
      value.kind = Value::Kind::kernel;
      std::string instance = name;
      if (generic) {
        instance += "<";
        for (std::size_t i = 0; i < templates.size(); ++i)
          instance += (i == 0 ? "" : ", ") + templates[i];
        instance += ">";
      }
      value.names.push_back(instance);
      return value;
    }
    if (next.is("(") && cursor_.at < cursor_.end) {
      const std::size_t open = cursor_.at, after = text_.after(open);
      const Part arguments{open + 1, std::max(after - 1, open + 1)};
      if (variable != kNone && state_.variables[variable].value.kind != Value::Kind::code &&
          state_.variables[variable].value.kind != Value::Kind::unknown)
        return variable_value(variable);
      cursor_.at = std::min(after, cursor_.end);
      if (name.ends_with("_cast") && templates.size() == 1) {
        Cursor inner{arguments.begin, arguments.end};
        return cast(templates[0], evaluate(state_, inner, 0));
      }
      return call(state_, name, templates, arguments, token.line);
    }
    if (next.is("{") && variable == kNone && is_type_at(state_, at, cursor_.at))
      return constructed(name, templates);
    if (variable != kNone) return variable_value(variable);
    if (is_type_word(name) && is_type_at(state_, at, at + 1)) return {};
    Value value;
    value.command_line = name == "argv";
    if (name == "argc") value = number_value(whole_number(1));
    if (name == "warpSize" || name == "WARP_SIZE" || name == "kWarpSize")
      value = number_value(whole_number(32));
    if (name == "RAND_MAX") value = number_value(real_number(2147483647));
    return value;
  }

  // A::b: an enumerator, a constant of a class or of a namespace.
  std::size_t qualified(const std::string& space, const std::string& name) {
    const std::size_t own = find_variable(state_, space + "::" + name);
    return own != kNone ? own : find_variable(state_, name);
  }

  // Type{…}
  Value constructed(const std::string& name, const std::vector<std::string>& templates) {
    const std::size_t open = cursor_.at;
    const Part inner{open + 1, text_.after(open) - 1};
    cursor_.at = std::min(text_.after(open), cursor_.end);
    return call(state_, name, templates, inner, text_[open].line);
  }

  Value size() {
    ++cursor_.at;
    if (!text_[cursor_.at].is("(")) {
      const Value value = evaluate(state_, cursor_, 13);
      return bytes_of(value.type);
    }
    const std::size_t open = cursor_.at;
    const Part inner{open + 1, text_.after(open) - 1};
    cursor_.at = std::min(text_.after(open), cursor_.end);
    if (is_type_at(state_, inner.begin, inner.end)) return bytes_of(type_text(state_, inner));
    const Value value = evaluate(state_, inner);
    if (value.kind == Value::Kind::memory && value.memory < state_.memories.size() &&
        value.place != kNone && state_.variables[value.place].type.find('[') != std::string::npos)
      return number_value(state_.memories[value.memory].bytes);
    if (value.kind == Value::Kind::element) return bytes_of(element_type(value));
    return bytes_of(value.type.empty() ? state_.text->text(inner.begin, inner.end) : value.type);
  }

  Value bytes_of(const std::string& type) const {
    const std::size_t bytes = size_of(*state_.declarations, type);
    return number_value(bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes)));
  }

  // new T[n]
  Value created() {
    const int line = text_[cursor_.at].line;
    ++cursor_.at;
    std::size_t end = cursor_.at;
    while (end < cursor_.end &&
           (text_[end].is_name() || text_[end].is("::") || text_[end].is("*"))) {
      ++end;
      if (text_[end].is("<")) end = std::max(end, text_.after_angle(end));
    }
    const std::string type = type_text(state_, {cursor_.at, end});
    cursor_.at = std::max(end, cursor_.at);
    if (!text_[end].is("[")) {
      if (text_[end].is("(") || text_[end].is("{"))
        cursor_.at = std::min(text_.after(end), cursor_.end);
      return {};
    }
    const Value count = evaluate(state_, Part{end + 1, text_.after(end) - 1});
    cursor_.at = std::min(text_.after(end), cursor_.end);
    const bool zero = text_[cursor_.at].is("(") || text_[cursor_.at].is("{");
    if (zero) cursor_.at = std::min(text_.after(cursor_.at), cursor_.end);
    const Value memory = new_memory(
        state_, "", type, binary("*", count.formula, bytes_of(type).formula), line, false);
    if (zero) fill(state_, memory.memory, number_value(whole_number(0)), nullptr, line);
    return memory;
  }

  // What stands after an operand: indices, members, calls, launches.
  Value followed(Value value) {
    while (cursor_.at < cursor_.end && !state_.exhausted()) {
      const Token& token = text_[cursor_.at];
      ++state_.steps;
      if (token.is("[")) {
        value = indexed(value);
      } else if (token.is(".") || token.is("->")) {
        ++cursor_.at;
        value = member(value);
      } else if (token.is("<<<")) {
        return launched(value);
      } else if (token.is("(")) {
        const Part arguments{cursor_.at + 1, text_.after(cursor_.at) - 1};
        cursor_.at = std::min(text_.after(cursor_.at), cursor_.end);
        static_cast<void>(evaluate_list(state_, arguments));
        value = Value{};
      } else if (token.is("++") || token.is("--")) {
        ++cursor_.at;
        const Value before = value;
        assign(state_, value,
               combined(token.text.substr(0, 1), value, number_value(whole_number(1))), token.line);
        value.place = kNone;
      } else {
        return value;
      }
    }
    return value;
  }

  Value indexed(const Value& value) {
    const std::size_t open = cursor_.at;
    Value index = evaluate(state_, Part{open + 1, text_.after(open) - 1});
    cursor_.at = std::min(text_.after(open), cursor_.end);
    if (value.kind == Value::Kind::memory || value.kind == Value::Kind::element) {
      if (const Formula listed = listed_at(value, index)) return number_value(listed);
      Value out;
      out.kind = Value::Kind::element;
      out.memory = value.memory;
      out.formula = value.kind == Value::Kind::memory && index.kind == Value::Kind::number
                        ? index.formula
                        : nullptr;
      out.type = value.kind == Value::Kind::memory ? element_type(value) : pointed_type(value.type);
      return out;
    }
    if (value.kind == Value::Kind::list && index.formula && index.formula->value >= 0 &&
        index.formula->value < static_cast<double>(value.parts.size())) {
      Value part = value.parts[static_cast<std::size_t>(index.formula->value)];
      if (part.kind == Value::Kind::kernel) {
        for (const Value& other : value.parts)
          part.names.insert(part.names.end(), other.names.begin(), other.names.end());
      }
      return part;
    }
    Value out;
    out.command_line = value.command_line;
    out.type = pointed_type(value.type);
    return out;
  }

  // A component of a dim3 that is a number gets a name, so that what is made of it follows it.
  Formula component_of(const Value& value, std::size_t component) {
    const Formula& formula = value.shape[component];
    if (value.place >= state_.variables.size() || !formula || formula->value < 2) return formula;
    Variable& variable = state_.variables[value.place];
    const std::string name = variable.name + "_" + static_cast<char>('x' + component);
    if (variable.value.kind != Value::Kind::shape || variable.name.empty()) return formula;
    const Value known = with_name(number_value(formula), name, "", variable.line);
    variable.value.shape[component] = known.formula;
    return known.formula;
  }

  // An element that the text writes down: 32 of `int sizes[] = {32, 64}; sizes[0]`.
  Formula listed_at(const Value& value, const Value& index) const {
    if (value.kind != Value::Kind::memory || value.memory >= state_.memories.size() ||
        !index.formula)
      return nullptr;
    const std::vector<Formula>& listed = state_.memories[value.memory].listed;
    const double at = index.formula->value;
    return at >= 0 && at < static_cast<double>(listed.size()) ? listed[static_cast<std::size_t>(at)]
                                                              : nullptr;
  }

  Value member(const Value& value) {
    const Token& token = text_[cursor_.at];
    if (!token.is_name()) return {};
    ++cursor_.at;
    if (token.is("template")) ++cursor_.at;
    const std::string name = text_[cursor_.at - 1].text;
    std::vector<std::string> templates;
    if (text_[cursor_.at].is("<") && takes_templates(cursor_.at - 1)) {
      const std::size_t after = text_.after_angle(cursor_.at);
      templates = template_arguments(state_, {cursor_.at + 1, after - 1});
      cursor_.at = std::min(after, cursor_.end);
    }
    if (text_[cursor_.at].is("(") && cursor_.at < cursor_.end) {
      const Part arguments{cursor_.at + 1, text_.after(cursor_.at) - 1};
      cursor_.at = std::min(text_.after(cursor_.at), cursor_.end);
      return method(state_, value, name, templates, evaluate_list(state_, arguments), token.line);
    }
    if (name.size() == 1 && name[0] >= 'x' && name[0] <= 'z' &&
        (value.kind == Value::Kind::shape || value.type == "dim3")) {
      Value out;
      const auto component = static_cast<std::size_t>(name[0] - 'x');
      if (value.kind == Value::Kind::shape) out = number_value(component_of(value, component));
      out.place = value.place;
      out.component = static_cast<int>(component);
      out.type = "unsigned int";
      return out;
    }
    const std::size_t object = value.target != kNone ? value.target : value.place;
    if (object < state_.variables.size()) {
      const auto found = state_.variables[object].members.find(name);
      if (found != state_.variables[object].members.end()) return variable_value(found->second);
    }
    return device_property(name, token.line);
  }

  // kernel<<<grid, block, shared, stream>>>(arguments)
  Value launched(const Value& kernel) {
    const int line = text_[cursor_.at].line;
    const std::size_t begin = cursor_.at + 1;
    std::size_t end = begin;
    while (end < cursor_.end && !text_[end].is(">>>") && !text_[end].is(";"))
      end = text_[end].is("(") || text_[end].is("{") || text_[end].is("[") ? text_.after(end)
                                                                           : end + 1;
    cursor_.at = std::min(end + 1, cursor_.end);
    if (!text_[end].is(">>>")) return {};
    Part arguments{cursor_.at, cursor_.at};
    if (text_[cursor_.at].is("(")) {
      arguments = {cursor_.at + 1, text_.after(cursor_.at) - 1};
      cursor_.at = std::min(text_.after(cursor_.at), cursor_.end);
    }
    launch(state_, kernel, {begin, end}, arguments, line);
    return {};
  }

  HostState& state_;
  const TokenText& text_;
  Cursor& cursor_;
};

}  // namespace

Value evaluate(HostState& state, Cursor& cursor, int least) {
  ++state.steps;
  if (state.exhausted() || state.depth > kMostDepth) {
    cursor.at = cursor.end;
    return {};
  }
  ++state.depth;
  Value value = ExpressionReader(state, cursor).read(least);
  --state.depth;
  return value;
}

Value evaluate(HostState& state, Part part) {
  Cursor cursor{part.begin, part.end};
  Value value;
  while (cursor.at < cursor.end && !state.exhausted()) {
    const std::size_t before = cursor.at;
    value = evaluate(state, cursor, 0);
    if (cursor.at < cursor.end || cursor.at == before) ++cursor.at;
  }
  return value;
}

std::vector<Value> evaluate_list(HostState& state, Part part) {
  std::vector<Value> values;
  Cursor cursor{part.begin, part.end};
  while (cursor.at < cursor.end && values.size() < kMostListed && !state.exhausted()) {
    values.push_back(evaluate(state, cursor, 0));
    const TokenText& text = *state.text;
    while (cursor.at < cursor.end && !text[cursor.at].is(",")) {
      const Token& token = text[cursor.at];
      cursor.at =
          token.is("(") || token.is("[") || token.is("{") ? text.after(cursor.at) : cursor.at + 1;
    }
    ++cursor.at;
  }
  return values;
}

}  // namespace warpscope::program
