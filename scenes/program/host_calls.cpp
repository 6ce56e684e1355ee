// scenes/program/host_calls.cpp: calls of CUDA's functions, of libraries and of the text's own.
#include <algorithm>
#include <cctype>

#include "scenes/program/host_state.h"

namespace warpscope::program {
namespace {

using Arguments = std::vector<Value>;

bool holds(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

Formula formula_of(const Arguments& arguments, std::size_t at) {
  return at < arguments.size() && arguments[at].kind == Value::Kind::number ? arguments[at].formula
                                                                            : nullptr;
}

// The memory that a pointer, or the address of one, stands for.
std::size_t memory_of(const HostState& state, const Value& value) {
  if (value.kind == Value::Kind::memory || value.kind == Value::Kind::element) return value.memory;
  if (value.target < state.variables.size())
    return memory_of(state, state.variables[value.target].value);
  if (value.place < state.variables.size()) {
    const Value& held = state.variables[value.place].value;
    if (held.kind == Value::Kind::memory) return held.memory;
  }
  return kNone;
}

Memory* find_memory(HostState& state, const Arguments& arguments, std::size_t at) {
  if (at >= arguments.size()) return nullptr;
  const std::size_t place = memory_of(state, arguments[at]);
  return place < state.memories.size() ? &state.memories[place] : nullptr;
}

// Puts new memory where the address points.
void allocate(HostState& state, const Arguments& arguments, Formula bytes, int line, bool device) {
  if (arguments.empty()) return;
  Value place;
  place.place = arguments[0].target != kNone ? arguments[0].target : arguments[0].place;
  if (place.place >= state.variables.size()) return;
  const Variable& variable = state.variables[place.place];
  std::string type =
      pointed_type(plain_type(*state.declarations, replaced_type(state, variable.type)));
  const Value memory = new_memory(state, variable.name, type, std::move(bytes), line, device);
  assign(state, place, memory, line);
}

// cudaMemset and memset: zero, or bytes.
void set_bytes(HostState& state, const Arguments& arguments, int line) {
  Memory* memory = find_memory(state, arguments, 0);
  if (memory == nullptr || memory->launched) return;
  const Formula byte = formula_of(arguments, 1);
  memory->fill = {};
  memory->fill.line = line;
  memory->fill.why = "line " + std::to_string(line);
  memory->fill.value = byte && byte->value == 0 ? ProposedFill::zero : ProposedFill::byte;
  if (byte) memory->fill.text = std::to_string(static_cast<long long>(byte->value) & 0xff);
}

void copy(HostState& state, const Arguments& arguments, int line) {
  Memory *to = find_memory(state, arguments, 0), *from = find_memory(state, arguments, 1);
  if (from != nullptr && from->device && from->launched) from->copied_back = true;
  if (to == nullptr || to->launched) return;
  if (from != nullptr && from->fill.value != ProposedFill::unset) {
    to->fill = from->fill;
    return;
  }
  const std::size_t place = memory_of(state, arguments[0]);
  fill_random(state, place, line,
              "copied in line " + std::to_string(line) + " from something that is not followed");
}

void copy_to_symbol(HostState& state, const Arguments& arguments, int line) {
  if (arguments.empty()) return;
  Memory* to = find_memory(state, arguments, 0);
  if (to == nullptr) return;
  to->set = true;
  to->line = line;
  const Memory* from = find_memory(state, arguments, 1);
  if (from != nullptr && from->fill.value != ProposedFill::unset) {
    to->fill = from->fill;
  } else {
    fill_random(state, memory_of(state, arguments[0]), line,
                "copied in line " + std::to_string(line));
  }
}

Value asked_number(const std::string& name, double value, int line, const std::string& why) {
  NamedNumber number{name, value, true, line, why, false, true, false};
  return number_value(named(std::make_shared<NamedNumber>(std::move(number))));
}

void set_target(HostState& state, const Arguments& arguments, std::size_t at, const Value& value,
                int line) {
  if (at >= arguments.size() || arguments[at].target == kNone) return;
  Value place;
  place.place = arguments[at].target;
  assign(state, place, value, line);
}

std::optional<Value> allocation(HostState& state, const std::string& name, Arguments& arguments,
                                int line) {
  const Formula first = formula_of(arguments, 0), second = formula_of(arguments, 1);
  if (name == "cudaMalloc" || name == "cudaMallocAsync" || name == "cudaMallocManaged" ||
      name == "cuMemAlloc" || name == "hipMalloc" || name == "cudaMallocFromPoolAsync") {
    allocate(state, arguments, second, line, true);
    return Value{};
  }
  if (name == "cudaMallocHost" || name == "cudaHostAlloc") {
    allocate(state, arguments, second, line, false);
    return Value{};
  }
  if (name == "cudaMallocPitch") {
    const Formula width = formula_of(arguments, 2);
    set_target(state, arguments, 1, number_value(width), line);
    allocate(state, arguments, binary("*", width, formula_of(arguments, 3)), line, true);
    return Value{};
  }
  if (name == "malloc" || name == "_aligned_malloc" || name == "alloca")
    return new_memory(state, "", "", first, line, false);
  if (name == "calloc") {
    const Value memory = new_memory(state, "", "", binary("*", first, second), line, false);
    fill(state, memory.memory, number_value(whole_number(0)), nullptr, line);
    return memory;
  }
  if (name == "aligned_alloc" || name == "realloc" || name == "_mm_malloc")
    return new_memory(state, "", "", name == "_mm_malloc" ? first : second, line, false);
  if (name == "cudaGetSymbolAddress" && arguments.size() > 1) {
    set_target(state, arguments, 0, arguments[1], line);
    return Value{};
  }
  if (name == "cudaHostGetDevicePointer" && arguments.size() > 1) {
    set_target(state, arguments, 0, arguments[1], line);
    return Value{};
  }
  return std::nullopt;
}

std::optional<Value> transfer(HostState& state, const std::string& name, Arguments& arguments,
                              int line) {
  if (name == "cudaMemset" || name == "cudaMemsetAsync" || name == "memset" ||
      name == "hipMemset") {
    set_bytes(state, arguments, line);
    return Value{};
  }
  if (name == "cudaMemset2D" || name == "cudaMemset2DAsync") {
    Arguments flat = {arguments.empty() ? Value{} : arguments[0],
                      arguments.size() > 2 ? arguments[2] : Value{}};
    set_bytes(state, flat, line);
    return Value{};
  }
  if (name == "cudaMemcpy" || name == "cudaMemcpyAsync" || name == "memcpy" ||
      name == "hipMemcpy") {
    copy(state, arguments, line);
    return Value{};
  }
  if (name == "cudaMemcpy2D" || name == "cudaMemcpy2DAsync") {
    Arguments flat = {arguments.empty() ? Value{} : arguments[0],
                      arguments.size() > 2 ? arguments[2] : Value{}};
    copy(state, flat, line);
    return Value{};
  }
  if (name.starts_with("cudaMemcpyToSymbol")) {
    copy_to_symbol(state, arguments, line);
    return Value{};
  }
  return std::nullopt;
}

// std::fill, thrust::sequence and others that fill a range.
std::optional<Value> algorithm(HostState& state, const std::string& name, Arguments& arguments,
                               int line) {
  if (arguments.empty()) return std::nullopt;
  const std::size_t first = memory_of(state, arguments[0]);
  if (first == kNone) return std::nullopt;
  if ((name == "fill" || name == "fill_n") && arguments.size() > 2) {
    fill(state, first, arguments[2], nullptr, line);
    return Value{};
  }
  if (name == "iota" || name == "sequence") {
    const NamedNumber number{"i", 0, true, line, "", false, false, true};
    const Formula index = named(std::make_shared<NamedNumber>(number));
    const bool plain =
        arguments.size() < 3 || (arguments[2].formula && arguments[2].formula->value == 0);
    fill(state, first, number_value(plain ? index : binary("+", index, arguments[2].formula)),
         index, line);
    return Value{};
  }
  if (name == "generate" || name == "generate_n" || name == "transform" || name == "shuffle") {
    fill_random(state, first, line, "made by std::" + name + " in line " + std::to_string(line));
    return Value{};
  }
  if (name == "copy" && arguments.size() > 2) {
    const std::size_t to = memory_of(state, arguments[2]);
    if (to < state.memories.size() && !state.memories[to].launched)
      state.memories[to].fill = state.memories[first].fill;
    if (state.memories[first].launched) state.memories[first].copied_back = true;
    return Value{};
  }
  return std::nullopt;
}

std::optional<Value> mathematics(const std::string& name, const Arguments& arguments) {
  std::string word = name;
  if (word.starts_with("f") && (word == "fmax" || word == "fmin" || word == "fabs"))
    word.erase(0, 1);
  if (word.size() > 3 && word.back() == 'f' && word != "ceilf" && word != "floorf") word.pop_back();
  if (word == "ceilf" || word == "floorf") word.pop_back();
  if (word == "log") word = "ln";
  for (const std::string_view known :
       {"min", "max", "ceil", "floor", "abs", "sqrt", "log2", "exp", "pow", "ln"}) {
    if (word != known) continue;
    std::vector<Formula> formulas;
    Value out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      formulas.push_back(formula_of(arguments, i));
      out.random = out.random || arguments[i].random;
      out.command_line = out.command_line || arguments[i].command_line;
    }
    Value number = number_value(program::call(word, formulas));
    number.random = out.random;
    number.command_line = out.command_line;
    return number;
  }
  return std::nullopt;
}

bool is_random(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return (holds(name, "rand") && !holds(name, "operand") && !name.starts_with("s")) ||
         name == "dist" || name == "distribution" || name == "normal" || name == "gen" ||
         name == "rng" || name == "uniform";
}

std::optional<Value> from_command_line(HostState& state, const std::string& name,
                                       const Arguments& arguments, int line) {
  if (name == "checkCmdLineFlag") {
    Value value = number_value(whole_number(0));
    return value;
  }
  if (name == "getCmdLineArgumentInt" || name == "atoi" || name == "atol" || name == "atoll" ||
      name == "atof" || name == "stoi" || name == "stol" || name == "stoul" || name == "stoll" ||
      name == "stof" || name == "strtol" || name == "strtoul" || name == "strtoull") {
    Value value;
    value.command_line = true;
    return value;
  }
  if (name == "sscanf" || name == "scanf" || name == "getopt" ||
      name == "getCmdLineArgumentString") {
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      Value value;
      value.command_line = true;
      set_target(state, arguments, i, value, line);
    }
    Value value;
    value.command_line = true;
    return value;
  }
  return std::nullopt;
}

// Questions to the device and the driver: what an H100 answers, as a default.
std::optional<Value> device_question(HostState& state, const std::string& name,
                                     const Arguments& arguments, int line) {
  const std::string why = "a property of the device";
  if (name == "cudaOccupancyMaxPotentialBlockSize") {
    set_target(state, arguments, 0, asked_number("blocks", 132, line, why), line);
    set_target(state, arguments, 1, asked_number("threads", 256, line, "what the driver proposes"),
               line);
    return Value{};
  }
  if (name == "cudaOccupancyMaxActiveBlocksPerMultiprocessor") {
    set_target(state, arguments, 0,
               asked_number("blocks_per_multiprocessor", 2, line, "what the driver counts"), line);
    return Value{};
  }
  if (name == "cudaGetDeviceCount" || name == "cudaGetDevice") {
    set_target(state, arguments, 0, number_value(whole_number(name == "cudaGetDevice" ? 0 : 1)),
               line);
    return number_value(whole_number(0));
  }
  if (name == "cudaDeviceGetAttribute" || name == "cuDeviceGetAttribute") {
    set_target(state, arguments, 0, asked_number("multiProcessorCount", 132, line, why), line);
    return Value{};
  }
  if (name == "cudaGetLastError" || name == "cudaDeviceSynchronize" ||
      name == "cudaPeekAtLastError" || name == "cudaStreamSynchronize" ||
      name == "cudaEventRecord" || name == "cudaEventSynchronize" || name == "cudaGetDeviceCount" ||
      name == "cudaSetDevice" || name == "cudaFuncSetAttribute" || name == "cudaFree") {
    return number_value(whole_number(0));
  }
  return std::nullopt;
}

// cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)
std::optional<Value> launch_call(HostState& state, const std::string& name, Arguments& arguments,
                                 int line) {
  const bool cooperative = name == "cudaLaunchCooperativeKernel";
  if (name == "cudaLaunchKernel" || cooperative || name == "cuLaunchKernel") {
    if (arguments.size() < 4 || name == "cuLaunchKernel") return Value{};
    HostLaunch launched;
    launched.grid = shape_of(arguments[1]);
    launched.block = shape_of(arguments[2]);
    launched.shared =
        arguments.size() > 4 && arguments[4].formula ? arguments[4].formula : whole_number(0);
    launched.line = line;
    launched.cooperative = cooperative;
    Value list = arguments[3];
    if (list.place < state.variables.size()) list = state.variables[list.place].value;
    for (const Value& part : list.parts) {
      Value value = part;
      std::string argument;
      if (part.target < state.variables.size()) {
        value = state.variables[part.target].value;
        value.place = part.target;
        argument = name_of_argument(state, value);
      }
      launched.arguments.push_back(std::move(value));
      launched.argument_names.push_back(std::move(argument));
    }
    launch(state, arguments[0], std::move(launched));
    return number_value(whole_number(0));
  }
  return std::nullopt;
}

// Constructors and casts that are written as calls.
std::optional<Value> constructor(HostState& state, const std::string& name,
                                 const std::vector<std::string>& templates, Arguments& arguments,
                                 int line) {
  if (name == "dim3" || name == "make_uint3") {
    Value list = list_of(arguments, "");
    if (arguments.size() == 1 && arguments[0].kind == Value::Kind::list) list = arguments[0];
    Value value;
    value.kind = Value::Kind::shape;
    value.shape = shape_of(list);
    value.type = "dim3";
    return value;
  }
  if (name.starts_with("make_") && name.back() >= '1' && name.back() <= '4')
    return list_of(arguments, name.substr(5));
  if (name == "__float2half" || name == "raw_pointer_cast" || name == "move" || name == "forward" ||
      name == "device_pointer_cast" || name == "static_pointer_cast" || name == "begin" ||
      name == "data" || name == "addressof" || name == "as_const")
    return arguments.empty() ? Value{} : arguments[0];
  if ((name == "make_unique" || name == "make_shared") && !templates.empty() &&
      templates[0].ends_with("[]")) {
    const std::string type = templates[0].substr(0, templates[0].size() - 2);
    const std::size_t bytes = size_of(*state.declarations, type);
    const Formula size = bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes));
    return new_memory(state, "", type, binary("*", formula_of(arguments, 0), size), line, false);
  }
  const bool vector =
      (name == "vector" || name == "device_vector" || name == "host_vector") && !templates.empty();
  if (vector) {
    const std::size_t bytes = size_of(*state.declarations, templates[0]);
    const Formula size = bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes));
    Value memory = new_memory(state, "", templates[0], binary("*", formula_of(arguments, 0), size),
                              line, name == "device_vector");
    if (arguments.size() > 1) fill(state, memory.memory, arguments[1], nullptr, line);
    return memory;
  }
  const auto element = element_of(*state.declarations, name);
  if (!element || arguments.size() != 1) return std::nullopt;
  Value value = arguments[0];
  const bool real = element->type.front() == 'f' || element->type.front() == 'b';
  if (value.formula) value.formula = real ? as_real(value.formula) : as_whole(value.formula);
  value.place = kNone;
  return value;
}

// ceil_div, cdiv, DIV_UP, divUp, iDivUp, … of a header that is not read.
Formula rounded_quotient(std::string name, const Arguments& arguments) {
  if (arguments.size() != 2) return nullptr;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const bool up =
      holds(name, "ceil") || holds(name, "cdiv") || holds(name, "up") || holds(name, "round");
  if (!holds(name, "div") || !up) return nullptr;
  const Formula a = formula_of(arguments, 0), b = formula_of(arguments, 1);
  return a && b ? program::call("ceil_div", {as_whole(a), as_whole(b)}) : nullptr;
}

// A function that is not known fills arrays that it is given, by its name.
void unknown_call(HostState& state, const std::string& name, const Arguments& arguments, int line) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const bool zero = holds(lower, "zero"), one = holds(lower, "ones");
  const bool fills = zero || one || holds(lower, "rand") || holds(lower, "init") ||
                     holds(lower, "fill") || holds(lower, "generate") || holds(lower, "load") ||
                     holds(lower, "read");
  for (const Value& argument : arguments) {
    if (argument.kind != Value::Kind::memory || !fills) continue;
    if (zero || one) {
      fill(state, argument.memory, number_value(whole_number(one ? 1 : 0)), nullptr, line);
    } else {
      fill_random(state, argument.memory, line,
                  "filled by " + name + " in line " + std::to_string(line));
    }
  }
  // What it writes is not known any more.
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t target = arguments[i].target;
    if (target < state.variables.size() &&
        state.variables[target].value.kind == Value::Kind::number)
      set_target(state, arguments, i, Value{}, line);
  }
  // A lambda that is passed somewhere is called there.
  for (const Value& argument : arguments) {
    if (argument.kind == Value::Kind::code && !state.exhausted() && state.calls.size() < 12)
      static_cast<void>(method(state, argument, "operator()", {}, {}, line));
  }
}

const Function* best_function(const HostState& state, const std::string& name,
                              std::size_t arguments, std::string_view owner) {
  const Function* best = nullptr;
  for (const Function* function : state.declarations->named(name, owner)) {
    if (function->kernel) continue;
    const bool fits = function->parameters.size() >= arguments;
    if (best == nullptr || (fits && best->parameters.size() < arguments) ||
        (fits && function->parameters.size() == arguments && best->parameters.size() != arguments))
      best = function;
  }
  return best;
}

Value run_code(HostState& state, const Value& code, const Arguments& arguments) {
  const TokenText& text = *state.text;
  std::size_t at = text.after(code.code.begin);
  if (state.calls.size() >= 12) return {};
  std::vector<Scope> outer = state.scopes;
  if (code.seen) state.scopes = *code.seen;
  state.scopes.emplace_back();
  state.steps += outer.size();
  if (text[at].is("(")) {
    const std::vector<DeclaredParameter> parameters =
        parameters_in(text, {at + 1, text.after(at) - 1});
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      declare(state, parameters[p].name, parameters[p].type,
              p < arguments.size() ? arguments[p] : Value{}, text[at].line);
    }
    at = text.after(at);
  }
  while (at < code.code.end && !text[at].is("{")) ++at;
  state.calls.push_back(nullptr);
  state.result = Value{};
  const Flow flow = follow_block(state, {at + 1, text.after(at) - 1});
  state.calls.pop_back();
  state.scopes = std::move(outer);
  return flow == Flow::returned ? std::exchange(state.result, Value{}) : Value{};
}

// A method of a vector, or of a pointer that owns an array.
Value container_method(HostState& state, const Value& object, const std::string& name,
                       const Arguments& arguments, int line) {
  const std::size_t place = object.memory;
  const std::string type = state.memories[place].type;
  const std::size_t bytes = size_of(*state.declarations, type);
  if (name == "size")
    return number_value(divided(state.memories[place].bytes, static_cast<double>(bytes)));
  if (name == "resize" || name == "assign" || name == "reserve") {
    const Formula size = bytes == 0 ? nullptr : whole_number(static_cast<double>(bytes));
    state.memories[place].bytes = binary("*", formula_of(arguments, 0), size);
    if (arguments.size() > 1) fill(state, place, arguments[1], nullptr, line);
    return object;
  }
  if (name == "push_back" || name == "emplace_back") {
    fill_random(state, place, line, "appended element by element in line " + std::to_string(line));
    return {};
  }
  if (name == "at" || name == "front" || name == "back") {
    Value element;
    element.kind = Value::Kind::element;
    element.memory = place;
    element.formula = formula_of(arguments, 0);
    return element;
  }
  return object;  // data(), get(), begin(), …
}

}  // namespace

std::optional<Value> library_call(HostState& state, const std::string& name,
                                  const std::vector<std::string>& templates, Arguments& arguments,
                                  int line) {
  if (auto value = allocation(state, name, arguments, line)) return value;
  if (auto value = transfer(state, name, arguments, line)) return value;
  if (auto value = launch_call(state, name, arguments, line)) return value;
  if (auto value = from_command_line(state, name, arguments, line)) return value;
  if (auto value = device_question(state, name, arguments, line)) return value;
  if (auto value = constructor(state, name, templates, arguments, line)) return value;
  if (auto value = algorithm(state, name, arguments, line)) return value;
  if (auto value = mathematics(name, arguments)) return value;
  if (is_random(name) &&
      std::none_of(arguments.begin(), arguments.end(),
                   [](const Value& argument) { return argument.kind == Value::Kind::memory; })) {
    Value value;
    value.random = true;
    return value;
  }
  return std::nullopt;
}

Value call(HostState& state, const std::string& name, const std::vector<std::string>& templates,
           Part part, int line) {
  Arguments arguments = evaluate_list(state, part);
  if (state.exhausted()) return {};
  if (line > 0) state.called_line = line;
  const std::size_t variable = find_variable(state, name);
  if (variable != kNone && state.variables[variable].value.kind == Value::Kind::code) {
    const Value code = state.variables[variable].value;
    return run_code(state, code, arguments);
  }
  if (variable != kNone && state.variables[variable].value.random) {
    Value value;
    value.random = true;
    return value;
  }
  if (name == "cudaLaunchKernelEx" && arguments.size() > 1) {
    HostLaunch launched;
    launched.line = line;
    launched.arguments.assign(arguments.begin() + 2, arguments.end());
    launched.argument_names.resize(launched.arguments.size());
    const std::size_t place =
        arguments[0].target != kNone ? arguments[0].target : arguments[0].place;
    launch(state, arguments[1], std::move(launched));
    static_cast<void>(place);
    return {};
  }
  if (const Function* function = best_function(state, name, arguments.size(), {})) {
    const auto structure = state.declarations->structures.find(name);
    if (structure == state.declarations->structures.end()) {
      Value self;
      if (!function->owner.empty()) self.place = find_variable(state, "this");
      return enter(state, *function, templates, arguments, nullptr);
    }
  }
  if (auto value = library_call(state, name, templates, arguments, line)) return *value;
  const auto structure = state.declarations->structures.find(name);
  if (structure != state.declarations->structures.end()) {
    return list_of(arguments, name);
  }
  if (const Formula rounded = rounded_quotient(name, arguments)) return number_value(rounded);
  unknown_call(state, name, arguments, line);
  Value value;
  value.random = is_random(name) || std::any_of(arguments.begin(), arguments.end(),
                                                [](const Value& each) { return each.random; });
  value.command_line = std::any_of(arguments.begin(), arguments.end(),
                                   [](const Value& each) { return each.command_line; });
  return value;
}

Value method(HostState& state, const Value& object, const std::string& name,
             const std::vector<std::string>& templates, Arguments arguments, int line) {
  if (object.kind == Value::Kind::code) return run_code(state, object, arguments);
  if (object.kind == Value::Kind::memory && object.memory < state.memories.size())
    return container_method(state, object, name, arguments, line);
  const std::size_t place = object.target != kNone ? object.target : object.place;
  if (place < state.variables.size()) {
    std::string type = plain_type(*state.declarations, state.variables[place].type);
    type.resize(std::min(type.find_first_of("<*"), type.size()));
    const Function* function = best_function(state, name, arguments.size(), type);
    if (type.empty() || !state.declarations->structures.contains(type)) function = nullptr;
    if (function != nullptr) {
      Value self;
      self.place = place;
      return enter(state, *function, templates, arguments, &self);
    }
    const std::string variable = state.variables[place].name;
    if (holds(name, "data_ptr") || name == "data" || name == "mutable_data_ptr") {
      const std::string element = templates.empty() ? "" : templates[0];
      const Value memory = new_memory(state, variable, element, nullptr, line, true);
      return memory;
    }
    if (name == "size" || name == "numel" || name == "rows" || name == "cols") {
      const std::string number =
          arguments.empty() || !arguments[0].formula
              ? name
              : name + "_" + std::to_string(static_cast<int>(arguments[0].formula->value));
      Value value = asked_number(variable + "_" + number, 64, line,
                                 "of an argument that the text does not make");
      return value;
    }
  }
  if (auto known = library_call(state, name, templates, arguments, line)) return *known;
  unknown_call(state, name, arguments, line);
  return {};
}

}  // namespace warpscope::program
