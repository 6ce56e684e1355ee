// scenes/program/host_launches.cpp: launches that followed host code reaches.
#include <algorithm>

#include "scenes/program/host_state.h"

namespace warpscope::program {
namespace {

constexpr std::size_t kMostLaunches = 400;

std::string base_name(const std::string& instance) {
  return instance.substr(0, instance.find('<'));
}

// What stands between < and > of an instance, at its commas.
std::vector<std::string> given_templates(const std::string& instance) {
  std::vector<std::string> given;
  const std::size_t open = instance.find('<');
  if (open == std::string::npos) return given;
  int depth = 0;
  std::string word;
  for (std::size_t i = open + 1; i + 1 < instance.size(); ++i) {
    const char c = instance[i];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      given.push_back(word);
      word.clear();
    } else if (c != ' ' || !word.empty()) {
      word += c;
    }
  }
  if (!word.empty()) given.push_back(word);
  return given;
}

// The type of T where the parameter is T, T* or Name<T>; empty where it says nothing.
std::string deduced(const HostState& state, const Function& kernel, const std::string& name,
                    const std::vector<Value>& arguments) {
  const Declarations& all = *state.declarations;
  for (std::size_t p = 0; p < std::min(arguments.size(), kernel.parameters.size()); ++p) {
    const std::string plain = plain_type(all, kernel.parameters[p].type);
    const Value& value = arguments[p];
    std::string given = plain_type(all, replaced_type(state, value.type));
    if (value.kind == Value::Kind::memory && value.memory < state.memories.size()) {
      const std::string& type = state.memories[value.memory].type;
      if (!type.empty() && type != "void") given = plain_type(all, type) + "*";
    }
    if (given.empty() || given == "auto") continue;
    if (plain == name && given.back() != '*') return given;
    if (plain == name + "*" && given.back() == '*') return given.substr(0, given.size() - 1);
    if (plain.ends_with("<" + name + ">") && given.find('<') != std::string::npos)
      return pointed_type(given);
  }
  return {};
}

std::string instance_of(HostState& state, const Function& kernel, const std::string& named,
                        const std::vector<Value>& arguments) {
  if (kernel.templates.empty()) return kernel.space + kernel.name;
  std::vector<std::string> given = given_templates(named);
  for (std::size_t t = given.size(); t < kernel.templates.size(); ++t) {
    const TemplateParameter& parameter = kernel.templates[t];
    std::string word = parameter.is_type ? deduced(state, kernel, parameter.name, arguments) : "";
    if (word.empty() && !parameter.initial.empty()) {
      const std::vector<std::string> initial = template_arguments(state, parameter.initial);
      if (!initial.empty()) word = initial[0];
    }
    if (word.empty()) word = parameter.is_type ? "float" : "1";
    given.push_back(word);
  }
  std::string instance = kernel.space + kernel.name + "<";
  for (std::size_t i = 0; i < given.size(); ++i) instance += (i == 0 ? "" : ", ") + given[i];
  return instance + ">";
}

bool alike(const HostLaunch& a, const HostLaunch& b) {
  if (a.line != b.line || a.instance != b.instance || a.arguments.size() != b.arguments.size())
    return false;
  const auto equal = [](const Formula& x, const Formula& y) { return (!x && !y) || same(x, y); };
  for (std::size_t i = 0; i < 3; ++i) {
    if (!equal(a.grid[i], b.grid[i]) || !equal(a.block[i], b.block[i])) return false;
  }
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    if (a.arguments[i].memory != b.arguments[i].memory ||
        !equal(a.arguments[i].formula, b.arguments[i].formula))
      return false;
  }
  return true;
}

void keep(HostState& state, HostLaunch launched) {
  for (HostLaunch& known : state.launches) {
    if (!alike(known, launched)) continue;
    known.reached = known.reached || launched.reached;
    return;
  }
  if (state.launches.size() < kMostLaunches) state.launches.push_back(std::move(launched));
}

}  // namespace

void launch(HostState& state, const Value& kernel, HostLaunch launched) {
  if (launched.line == 0) launched.line = state.called_line;  // a header's function launches it
  std::vector<std::string> names = kernel.names;
  if (kernel.place < state.variables.size()) {
    const std::vector<std::string>& others = state.variables[kernel.place].candidates;
    names.insert(names.end(), others.begin(), others.end());
  }
  bool first = true;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) continue;
    const Function* function = state.declarations->kernel(base_name(*name));
    if (function == nullptr) continue;
    HostLaunch one = launched;
    one.kernel = function->name;
    one.reached = state.reached && first;
    first = false;
    one.instance = instance_of(state, *function, *name, launched.arguments);
    keep(state, std::move(one));
  }
  for (const Value& argument : launched.arguments) {
    if (state.reached && argument.kind == Value::Kind::memory &&
        argument.memory < state.memories.size())
      state.memories[argument.memory].launched = true;
  }
}

std::string name_of_argument(const HostState& state, const Value& argument) {
  if (argument.kind == Value::Kind::unknown && !argument.origin.empty()) return argument.origin;
  return argument.place < state.variables.size() ? state.variables[argument.place].name : "";
}

void launch(HostState& state, const Value& kernel, Part shape, Part arguments, int line) {
  HostLaunch launched;
  launched.line = line;
  const std::vector<Value> shapes = evaluate_list(state, shape);
  const Formula one = whole_number(1);
  launched.grid = shapes.empty() ? std::array<Formula, 3>{nullptr, one, one} : shape_of(shapes[0]);
  launched.block =
      shapes.size() < 2 ? std::array<Formula, 3>{nullptr, one, one} : shape_of(shapes[1]);
  launched.shared = shapes.size() < 3                       ? whole_number(0)
                    : shapes[2].kind == Value::Kind::number ? as_whole(shapes[2].formula)
                                                            : nullptr;
  for (const Formula& blocks : launched.grid) wish_for_blocks(state, blocks);
  launched.arguments = evaluate_list(state, arguments);
  for (const Value& argument : launched.arguments)
    launched.argument_names.push_back(name_of_argument(state, argument));
  launch(state, kernel, std::move(launched));
}

void enumerate(HostState& state, Part enumerators) {
  const TokenText& text = *state.text;
  Formula next = whole_number(0);
  for (const Part& each : parts_of(text, enumerators, false)) {
    if (each.end > each.begin + 2 && text[each.begin + 1].is("="))
      next = evaluate(state, Part{each.begin + 2, each.end}).formula;
    declare(state, text[each.begin].text, "int", number_value(next), text[each.begin].line);
    next = binary("+", next ? whole_number(next->value) : nullptr, whole_number(1));
  }
}

namespace {

bool has_initial(const TokenText& text, Part statement) {
  for (std::size_t i = statement.begin; i < statement.end; ++i) {
    if (text[i].is("=") || text[i].is("{")) return true;
  }
  return false;
}

}  // namespace

HostState host_state(TokenText& text, const Declarations& declarations) {
  HostState state;
  const std::size_t own = text.tokens.size();
  for (const auto& [name, macro] : text.values) {
    const Part part{text.tokens.size(), text.tokens.size() + macro.body.size()};
    text.tokens.insert(text.tokens.end(), macro.body.begin(), macro.body.end());
    text.tokens.push_back({Token::Kind::sign, ";", macro.line, 0, ""});
    state.macros[name] = part;
  }
  match_brackets(text.tokens);
  state.text = &text;
  state.declarations = &declarations;
  state.scopes.emplace_back();
  static_cast<void>(own);
  for (const Part& enumerators : declarations.enumerators) enumerate(state, enumerators);
  for (const Global& global : declarations.globals) {
    const std::size_t variables = state.variables.size();
    Cursor cursor{global.statement.begin, global.statement.end + 1};
    if (!declare_at(state, cursor) || !(global.device || global.constant_memory)) continue;
    for (std::size_t v = variables; v < state.variables.size(); ++v) {
      Variable& variable = state.variables[v];
      if (state.macros.contains(variable.name)) continue;  // of its extents
      if (variable.value.kind != Value::Kind::memory) {
        const std::size_t bytes = size_of(declarations, variable.type);
        variable.value = new_memory(state, variable.name, plain_type(declarations, variable.type),
                                    bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes)),
                                    variable.line, true);
      }
      Memory& memory = state.memories[variable.value.memory];
      memory.symbol = variable.name;
      memory.device = true;
      memory.unset_constant = global.constant_memory && !has_initial(text, global.statement);
    }
  }
  return state;
}

}  // namespace warpscope::program
