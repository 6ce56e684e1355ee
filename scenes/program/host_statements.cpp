// scenes/program/host_statements.cpp: statements and functions of followed host code.
#include <algorithm>
#include <utility>

#include "scenes/program/host_state.h"

namespace warpscope::program {
namespace {

constexpr int kMostDepth = 60;          // of statements in statements
constexpr std::size_t kMostCalls = 12;  // of functions in functions

// What another branch changes is taken back when the object ends; what it launches stays.
class OtherBranch {
 public:
  explicit OtherBranch(HostState& state)
      : state_(state),
        variables_(state.variables),
        memories_(state.memories),
        scopes_(state.scopes),
        reached_(std::exchange(state.reached, false)) {
    state.steps += (variables_.size() + memories_.size()) / 4;
  }
  OtherBranch(const OtherBranch&) = delete;
  OtherBranch& operator=(const OtherBranch&) = delete;
  ~OtherBranch() {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const Value& other = state_.variables[i].value;
      if (other.kind == Value::Kind::kernel) {
        std::vector<std::string>& kept = variables_[i].candidates;
        if (kept.size() < 64) kept.insert(kept.end(), other.names.begin(), other.names.end());
      }
      state_.variables[i] = std::move(variables_[i]);
    }
    for (std::size_t i = 0; i < memories_.size(); ++i) state_.memories[i] = std::move(memories_[i]);
    state_.scopes = std::move(scopes_);
    state_.reached = reached_;
  }

 private:
  HostState& state_;
  std::vector<Variable> variables_;
  std::vector<Memory> memories_;
  std::vector<Scope> scopes_;
  bool reached_;
};

// Whether the text says what a condition is.
bool is_known(const Value& value) {
  if (value.kind != Value::Kind::number || !value.formula || value.command_line) return false;
  const auto names = names_of(value.formula);
  return std::none_of(names.begin(), names.end(), [](const auto& name) { return name->asked; });
}

class StatementReader {
 public:
  explicit StatementReader(HostState& state) : state_(state), text_(*state.text) {}

  Flow one(Cursor& cursor) {
    ++state_.steps;
    if (state_.exhausted() || state_.depth > kMostDepth) {
      cursor.at = cursor.end;
      return Flow::on;
    }
    ++state_.depth;
    const std::size_t before = cursor.at;
    const Flow flow = read(cursor);
    cursor.at = std::max(cursor.at, before + 1);
    --state_.depth;
    return flow;
  }

 private:
  Flow read(Cursor& cursor) {
    const Token& token = text_[cursor.at];
    if (token.is(";")) return step(cursor, Flow::on);
    if (token.is("{")) {
      const Part inner{cursor.at + 1, text_.after(cursor.at) - 1};
      cursor.at = text_.after(cursor.at);
      return follow_block(state_, inner);
    }
    if (token.is("if")) return condition(cursor);
    if (token.is("assert") && text_[cursor.at + 1].is("("))
      limit_sizes(state_, {cursor.at + 2, text_.after(cursor.at + 1) - 1});
    if (token.is("for")) return loop(cursor);
    if (token.is("while")) {
      const std::size_t open = cursor.at + 1;
      cursor.at = text_.after(open);
      const Value value = evaluate(state_, Part{open + 1, cursor.at - 1});
      if (value.kind == Value::Kind::number && value.formula && value.formula->value == 0 &&
          !value.command_line)
        return other(cursor);
      return body(cursor);
    }
    if (token.is("do")) {
      ++cursor.at;
      return body(cursor);
    }
    if (token.is("switch")) return cases(cursor);
    if (token.is("else") || token.is("try")) return step(cursor, Flow::on);
    if (token.is("catch")) {
      cursor.at = text_.after(text_.after(cursor.at + 1));
      return Flow::on;
    }
    if (token.is("return")) return returned(cursor);
    if (token.is("break") || token.is("continue") || token.is("goto")) {
      to_semicolon(cursor);
      return Flow::left;
    }
    if (token.is("case") || token.is("default")) {
      while (cursor.at < cursor.end && !text_[cursor.at].is(":")) ++cursor.at;
      return step(cursor, Flow::on);
    }
    if (token.is("using") || token.is("typedef") || token.is("struct") || token.is("class") ||
        token.is("enum") || token.is("asm") || token.is("static_assert")) {
      return local_type(cursor);
    }
    if (declare_at(state_, cursor)) return Flow::on;
    return expression(cursor);
  }

  static Flow step(Cursor& cursor, Flow flow) {
    ++cursor.at;
    return flow;
  }

  void to_semicolon(Cursor& cursor) const {
    while (cursor.at < cursor.end && !text_[cursor.at].is(";")) {
      const Token& token = text_[cursor.at];
      cursor.at =
          token.is("(") || token.is("{") || token.is("[") ? text_.after(cursor.at) : cursor.at + 1;
    }
    ++cursor.at;
  }

  std::size_t end_of_expression(const Cursor& cursor) const {
    Cursor end = cursor;
    to_semicolon(end);
    return std::min(end.at - 1, cursor.end);
  }

  Flow expression(Cursor& cursor) {
    const std::size_t end = end_of_expression(cursor);
    static_cast<void>(evaluate(state_, Part{cursor.at, end}));
    cursor.at = end + 1;
    return Flow::on;
  }

  Flow local_type(Cursor& cursor) {
    const Token& token = text_[cursor.at];
    const bool variable = (token.is("struct") || token.is("class") || token.is("enum")) &&
                          text_[cursor.at + 1].is_name() && text_[cursor.at + 2].is_name();
    if (variable && declare_at(state_, cursor)) return Flow::on;
    const std::size_t at = cursor.at;
    to_semicolon(cursor);
    if (token.is("enum")) {
      std::size_t brace = at;
      while (brace < cursor.at && !text_[brace].is("{")) ++brace;
      if (text_[brace].is("{")) enumerate(state_, {brace + 1, text_.after(brace) - 1});
    }
    if (token.is("using") && text_[at + 2].is("=") && !state_.scopes.empty())
      state_.scopes.back().types[text_[at + 1].text] = type_text(state_, {at + 3, cursor.at - 1});
    if (token.is("typedef") && cursor.at >= at + 4 && text_[cursor.at - 2].is_name() &&
        !state_.scopes.empty())
      state_.scopes.back().types[text_[cursor.at - 2].text] =
          type_text(state_, {at + 1, cursor.at - 2});
    return Flow::on;
  }

  Flow returned(Cursor& cursor) {
    const std::size_t end = end_of_expression(cursor);
    Value value = evaluate(state_, Part{cursor.at + 1, end});
    state_.result = std::move(value);
    cursor.at = end + 1;
    return Flow::returned;
  }

  // A statement of a branch that the program does not take.
  Flow other(Cursor& cursor) {
    const OtherBranch branch(state_);
    state_.scopes.emplace_back();
    const Value result = state_.result;
    one(cursor);
    state_.result = result;
    return Flow::on;
  }

  Flow body(Cursor& cursor) {
    state_.scopes.emplace_back();
    const Flow flow = one(cursor);
    if (!state_.scopes.empty()) state_.scopes.pop_back();
    return flow == Flow::returned ? flow : Flow::on;
  }

  Flow condition(Cursor& cursor) {
    ++cursor.at;
    if (text_[cursor.at].is("constexpr")) ++cursor.at;
    const std::size_t open = cursor.at;
    cursor.at = text_.after(open);
    Cursor inner{open + 1, cursor.at - 1};
    Value value;
    if (declare_at(state_, inner)) {
      value = evaluate(state_, Part{inner.at, inner.end});
    } else {
      value = evaluate(state_, Part{open + 1, cursor.at - 1});
    }
    const bool known = is_known(value);
    // A comparison such as n > 1000 leaves room for other sizes.
    const bool exact =
        known && (value.formula->operation == "==" || value.formula->operation == "!=");
    if (exact) chooses(value, cursor);
    const bool holds = !known || value.formula->value != 0;
    // What the command line asks for is not asked here.
    const bool taken = holds && !value.command_line;
    Flow flow = Flow::on;
    const bool any = !known && !value.command_line;
    if (any && has_launch(cursor)) limit_sizes(state_, {open + 1, text_.after(open) - 1});
    if (taken && !any) {
      flow = one(cursor);
    } else if (any) {
      flow = maybe(cursor);
    } else {
      other(cursor);
    }
    if (!text_[cursor.at].is("else") || cursor.at >= cursor.end) return flow;
    ++cursor.at;
    if (taken) {
      other(cursor);
      return flow;
    }
    return one(cursor);
  }

  // What chooses between launches belongs to the choice: it cannot be changed for one of them.
  void chooses(const Value& value, const Cursor& cursor) const {
    if (value.kind != Value::Kind::number) return;
    if (!has_launch(cursor)) return;
    for (const auto& name : names_of(value.formula)) name->fixed = true;
  }

  bool has_launch(const Cursor& cursor) const {
    std::size_t at = cursor.at;
    const std::size_t end = text_[at].is("{") ? text_.after(at) : end_of_expression(cursor);
    while (at < end && !text_[at].is("<<<")) ++at;
    return at < end;
  }

  // A branch of a condition that is not known: errors of the device's are handled there, mostly. It
  // is followed as if it were taken, but the function does not end there.
  Flow maybe(Cursor& cursor) {
    const Value result = state_.result;
    const bool ends = leaves(cursor);
    if (ends) return other(cursor);
    one(cursor);
    state_.result = result;
    return Flow::on;
  }

  // Whether a branch ends the program or the function.
  bool leaves(const Cursor& cursor) const {
    Cursor end = cursor;
    if (text_[cursor.at].is("{")) {
      end.at = text_.after(cursor.at);
    } else {
      to_semicolon(end);
    }
    for (std::size_t i = cursor.at; i < std::min(end.at, cursor.at + 400); ++i) {
      if (text_[i].is("exit") || text_[i].is("return") || text_[i].is("abort") ||
          text_[i].is("throw"))
        return true;
    }
    return false;
  }

  Flow loop(Cursor& cursor) {
    const std::size_t open = cursor.at + 1;
    cursor.at = text_.after(open);
    const std::size_t end = cursor.at - 1;
    state_.scopes.emplace_back();
    Cursor head{open + 1, end};
    std::size_t semicolon = open + 1;
    while (semicolon < end && !text_[semicolon].is(";"))
      semicolon = text_[semicolon].is("(") || text_[semicolon].is("{") ? text_.after(semicolon)
                                                                       : semicolon + 1;
    if (semicolon < end) {
      counted({open + 1, semicolon}, end);
      std::size_t step = semicolon + 1;
      while (step < end && !text_[step].is(";")) ++step;
      wish_for(state_, {semicolon + 1, step});
    } else {
      ranged(head);
    }
    const Flow flow = one(cursor);
    if (!state_.scopes.empty()) state_.scopes.pop_back();
    return flow == Flow::returned ? flow : Flow::on;
  }

  // for (int i = 0; …): its variable has its first value and the mark of a loop's.
  void counted(Part initial, std::size_t end) {
    Cursor cursor{initial.begin, initial.end + 1};
    if (!declare_at(state_, cursor)) static_cast<void>(evaluate(state_, initial));
    if (state_.scopes.empty()) return;
    std::vector<std::size_t> places;
    for (const auto& [name, place] : state_.scopes.back().names) places.push_back(place);
    if (places.empty() && text_[initial.begin].is_name()) {
      const std::size_t place = find_variable(state_, text_[initial.begin].text);
      if (place != kNone) places.push_back(place);
    }
    for (const std::size_t place : places) {
      const Formula& formula = state_.variables[place].value.formula;
      if (formula && formula->name) {
        formula->name->loop = true;
        formula->name->why = "of a loop, at its first value";
      }
    }
    static_cast<void>(end);
  }

  // for (float& x : h)
  void ranged(const Cursor& head) {
    std::size_t colon = head.at;
    while (colon < head.end && !text_[colon].is(":")) ++colon;
    const Value range = evaluate(state_, Part{std::min(colon + 1, head.end), head.end});
    if (colon == head.at || !text_[colon - 1].is_name()) return;
    Value element;
    element.type = "auto";
    if (range.kind == Value::Kind::memory) {
      element.kind = Value::Kind::element;
      element.memory = range.memory;
    }
    if (range.kind == Value::Kind::list && !range.parts.empty()) element = range.parts.front();
    if (range.memory < state_.memories.size() && !state_.memories[range.memory].listed.empty())
      element = number_value(state_.memories[range.memory].listed.front());
    declare(state_, text_[colon - 1].text, type_text(state_, {head.at, colon - 1}),
            std::move(element), text_[colon].line);
  }

  // Every case is followed; only one that the value names is reached.
  Flow cases(Cursor& cursor) {
    const std::size_t open = cursor.at + 1;
    cursor.at = text_.after(open);
    const Value value = evaluate(state_, Part{open + 1, cursor.at - 1});
    if (!text_[cursor.at].is("{")) return Flow::on;
    const Part part{cursor.at + 1, text_.after(cursor.at) - 1};
    chooses(value, cursor);
    cursor.at = text_.after(cursor.at);
    bool found = false, matched = false;
    const bool known = is_known(value) || has_label(part, value);
    Flow flow = Flow::on;
    for (std::size_t at = part.begin; at < part.end && !state_.exhausted();) {
      Part statements = labelled(at, part.end, value, known, matched);
      at = std::max(statements.end, at + 1);
      const bool taken = matched && !found;
      Cursor inner{statements.begin, statements.end};
      if (taken) {
        found = ends(statements);
        flow = follow_block(state_, statements);
        if (flow == Flow::returned) found = true;
        matched = !found;
      } else {
        const OtherBranch branch(state_);
        const Value result = state_.result;
        follow_block(state_, statements);
        state_.result = result;
      }
      static_cast<void>(inner);
    }
    return flow == Flow::returned ? flow : Flow::on;
  }

  // Whether a label is the default of a value that is not known.
  bool has_label(Part part, const Value& value) {
    if (value.kind != Value::Kind::number || !value.formula) return false;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (text_[i].is("{") || text_[i].is("(")) i = text_.after(i) - 1;
      if (!text_[i].is("case") || !text_[i + 2].is(":")) continue;
      const Value label = evaluate(state_, Part{i + 1, i + 2});
      if (label.formula && label.formula->value == value.formula->value) return true;
    }
    return false;
  }

  bool ends(Part statements) const {
    for (std::size_t i = statements.begin; i < statements.end; ++i) {
      if (text_[i].is("break") || text_[i].is("return")) return true;
    }
    return false;
  }

  // The statements of the labels that begin at `at`.
  Part labelled(std::size_t at, std::size_t end, const Value& value, bool known, bool& matched) {
    while (text_[at].is("case") || text_[at].is("default")) {
      std::size_t colon = at + 1;
      while (colon < end && !text_[colon].is(":")) ++colon;
      if (text_[at].is("default")) {
        matched = true;
      } else {
        const Value label = evaluate(state_, Part{at + 1, colon});
        const bool same = known && label.formula && label.kind == Value::Kind::number &&
                          label.formula->value == value.formula->value;
        matched = matched || same || !known;
      }
      at = colon + 1;
    }
    std::size_t last = at;
    while (last < end && !text_[last].is("case") && !text_[last].is("default"))
      last = text_[last].is("(") || text_[last].is("{") || text_[last].is("[") ? text_.after(last)
                                                                               : last + 1;
    return {at, std::min(last, end)};
  }

  HostState& state_;
  const TokenText& text_;
};

// float of T where a parameter `T* x` takes a `float*`.
void deduce(HostState& state, const Function& function, const std::vector<Value>& arguments,
            Scope& scope) {
  for (std::size_t p = 0; p < std::min(arguments.size(), function.parameters.size()); ++p) {
    const std::string& type = function.parameters[p].type;
    std::string given = arguments[p].type;
    if (arguments[p].kind == Value::Kind::memory && arguments[p].memory < state.memories.size() &&
        !state.memories[arguments[p].memory].type.empty())
      given = state.memories[arguments[p].memory].type + "*";
    given = plain_type(*state.declarations, given);
    const std::string plain = plain_type(*state.declarations, type);
    for (const TemplateParameter& parameter : function.templates) {
      if (!parameter.is_type || scope.types.contains(parameter.name) || given.empty() ||
          given == "auto")
        continue;
      if (plain == parameter.name) scope.types[parameter.name] = given;
      if (plain == parameter.name + "*" && given.back() == '*')
        scope.types[parameter.name] = given.substr(0, given.size() - 1);
      if (plain.ends_with("<" + parameter.name + ">"))
        scope.types[parameter.name] = pointed_type(given);
    }
  }
}

// Numbers that a template is given become variables.
void declare_templates(HostState& state, const Function& function,
                       const std::vector<std::string>& templates) {
  for (std::size_t t = 0; t < function.templates.size(); ++t) {
    const TemplateParameter& parameter = function.templates[t];
    if (parameter.is_type || parameter.name.empty()) continue;
    Value value;
    if (t < templates.size() && !templates[t].empty()) {
      char* end = nullptr;
      const double number = std::strtod(templates[t].c_str(), &end);
      if (*end == '\0') value = number_value(whole_number(number));
      if (templates[t] == "true" || templates[t] == "false") {
        value = number_value(whole_number(templates[t] == "true" ? 1 : 0));
        value.type = "bool";
      }
    } else if (!parameter.initial.empty()) {
      value = evaluate(state, parameter.initial);
    }
    declare(state, parameter.name, "int", std::move(value), function.line);
  }
}

void declare_parameters(HostState& state, const Function& function,
                        const std::vector<Value>& arguments, bool starts) {
  for (std::size_t p = 0; p < function.parameters.size(); ++p) {
    const DeclaredParameter& parameter = function.parameters[p];
    Value value;
    if (p < arguments.size()) {
      value = arguments[p];
    } else if (!parameter.initial.empty()) {
      value = evaluate(state, parameter.initial);
    } else if (parameter.type.ends_with('*')) {
      value.origin = parameter.name;
    }
    if (starts) {
      if (p == 0) value = number_value(whole_number(1));  // no arguments on the command line
      value.command_line = p == 1;
      value.type = parameter.type;
      state.variables.push_back(
          {parameter.name, parameter.type, std::move(value), function.line, {}, {}});
      state.scopes.back().names[parameter.name] = state.variables.size() - 1;
      continue;
    }
    const bool shared_object = value.place != kNone && value.place < state.variables.size() &&
                               (parameter.reference || value.kind == Value::Kind::object);
    if (shared_object) {
      state.scopes.back().names[parameter.name] = value.place;
    } else {
      declare(state, parameter.name, replaced_type(state, parameter.type), std::move(value),
              function.line);
    }
  }
}

// What a constructor gives its members: member(value), …
void initialise(HostState& state, const Function& function) {
  for (const Part& each : parts_of(*state.text, function.initialisers, true)) {
    const std::size_t place = find_variable(state, (*state.text)[each.begin].text);
    if (place == kNone || each.end < each.begin + 3) continue;
    Value target;
    target.place = place;
    assign(state, target, evaluate(state, Part{each.begin + 2, each.end - 1}), function.line);
  }
}

}  // namespace

Flow follow_block(HostState& state, Part part) {
  state.scopes.emplace_back();
  const std::size_t depth = state.scopes.size();
  Cursor cursor{part.begin, part.end};
  Flow flow = Flow::on;
  while (cursor.at < cursor.end && flow == Flow::on && !state.exhausted())
    flow = StatementReader(state).one(cursor);
  // What stands after a return is another branch where it launches: the return may be of an error.
  bool launches = false;
  for (std::size_t i = cursor.at; flow == Flow::returned && i < cursor.end; ++i)
    launches = launches || (*state.text)[i].is("<<<");
  if (launches && !state.exhausted()) {
    const OtherBranch branch(state);
    const Value result = state.result;
    while (cursor.at < cursor.end && !state.exhausted())
      static_cast<void>(StatementReader(state).one(cursor));
    state.result = result;
  }
  if (state.scopes.size() >= depth) state.scopes.resize(depth - 1);
  return flow;
}

Value enter(HostState& state, const Function& function, const std::vector<std::string>& templates,
            const std::vector<Value>& arguments, const Value* object) {
  if (state.calls.size() >= kMostCalls || state.exhausted()) return {};
  if (std::count(state.calls.begin(), state.calls.end(), &function) >= 2) return {};
  state.followed.insert(&function);
  Scope scope;
  for (std::size_t t = 0; t < std::min(templates.size(), function.templates.size()); ++t) {
    if (function.templates[t].is_type) scope.types[function.templates[t].name] = templates[t];
  }
  deduce(state, function, arguments, scope);
  for (const TemplateParameter& parameter : function.templates) {
    // Nothing calls it: the usual type is a default.
    if (parameter.is_type && state.calls.empty() && !scope.types.contains(parameter.name))
      scope.types[parameter.name] = "float";
  }
  // Only names of the file and of the object are seen in a function.
  std::vector<Scope> outer = std::exchange(state.scopes, {});
  if (!outer.empty()) state.scopes.push_back(outer.front());
  if (object != nullptr) {
    const std::size_t place = object->target != kNone ? object->target : object->place;
    if (place < state.variables.size())
      state.scopes.push_back({state.variables[place].members, {}});
  } else if (!function.owner.empty() && !state.calls.empty() && state.calls.back() != nullptr &&
             state.calls.back()->owner == function.owner && outer.size() > 1) {
    state.scopes.push_back(outer[1]);  // a method calls another one of its object
  }
  state.scopes.push_back(std::move(scope));
  state.calls.push_back(&function);
  declare_templates(state, function, templates);
  const bool starts = function.name == "main" && object == nullptr && arguments.empty();
  declare_parameters(state, function, arguments, starts);
  if (!function.initialisers.empty()) initialise(state, function);
  state.result = Value{};
  const Flow flow = follow_block(state, function.body);
  Value result = flow == Flow::returned ? std::exchange(state.result, Value{}) : Value{};
  result.place = result.kind == Value::Kind::object ? result.place : kNone;
  state.calls.pop_back();
  if (!outer.empty() && !state.scopes.empty()) outer.front() = std::move(state.scopes.front());
  state.scopes = std::move(outer);
  return result;
}

void follow(HostState& state, const Function& function) {
  state.scopes.resize(1);
  std::optional<Value> object;
  if (!function.owner.empty()) {
    Value value;
    value.place = declare(state, "", function.owner, {}, function.line);
    object = value;
    const auto structure = state.declarations->structures.find(function.owner);
    if (structure != state.declarations->structures.end()) {
      state.scopes.emplace_back();
      std::map<std::string, std::size_t, std::less<>> members;
      for (const Member& member : structure->second.members)
        members[member.name] = declare(state, member.name, member.type, {}, function.line);
      state.scopes.pop_back();
      state.variables[value.place].members = std::move(members);
    }
  }
  static_cast<void>(enter(state, function, {}, {}, object ? &*object : nullptr));
}

}  // namespace warpscope::program
