// scenes/program/host_state.h: what is known of the host's variables and memory at one statement.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/program/declarations.h"
#include "scenes/program/formula.h"
#include "scenes/program/program.h"
#include "scenes/program/text_tokens.h"

// Host code is followed statement by statement with values that may be unknown: a loop once, the
// taken branch of a condition, and the other branches only to list their launches. Everything is
// limited, so that any text ends: steps, nesting, the size of formulas.
//
//   HostState state = host_state(text, declarations);
//   follow(state, *declarations.named("main").front());
//   state.launches;

namespace warpscope::program {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// An array of the host or of the device.
struct Memory {
  std::string name, type;  // of its elements in C++; "void" and empty: not known
  Formula bytes;
  int line = 0;
  bool device = false;
  bool launched = false;  // a launch used it: what it began as does not change any more
  bool copied_back = false;
  std::string symbol;           // of __constant__ and __device__ variables
  bool set = false;             // of those: the host wrote it
  bool unset_constant = false;  // __constant__, and its declaration gives no values
  Guess<ProposedFill> fill;
  std::vector<Formula> listed;  // its first elements, if they are written down
};

struct Scope {
  std::map<std::string, std::size_t, std::less<>> names;
  std::map<std::string, std::string, std::less<>> types;  // of template parameters
};

struct Value {
  enum class Kind { unknown, number, memory, element, shape, list, text, kernel, code, object };
  Kind kind = Kind::unknown;
  Formula formula;                 // number: it; element: its index; memory: an offset
  std::size_t memory = kNone;      // memory, element
  std::array<Formula, 3> shape;    // of a dim3
  std::vector<Value> parts;        // of a list
  std::vector<std::string> names;  // of kernels that it may be, with their template arguments
  Part code;                       // a lambda
  std::shared_ptr<const std::vector<Scope>> seen;  // what it sees
  std::size_t place = kNone;                       // the variable that it stands in
  int component = -1;                              // 0 to 2: x, y or z of a dim3 in `place`
  std::size_t target = kNone;                      // of an address: the variable that it points to
  bool random = false;                             // random numbers are part of it
  bool command_line = false;                       // so are arguments of the program
  bool null = false;                               // nullptr
  std::string type;                                // in C++, where it is known
  std::string origin;  // unknown: the parameter that it is, of a function that nothing calls
};

struct Variable {
  std::string name, type;
  Value value;
  int line = 0;
  std::map<std::string, std::size_t, std::less<>> members;
  std::vector<std::string> candidates;  // kernels that other branches make it
};

struct HostLaunch {
  std::string kernel, instance;
  std::array<Formula, 3> grid, block;
  Formula shared;
  std::vector<Value> arguments;
  std::vector<std::string> argument_names;
  int line = 0;
  bool reached = true, cooperative = false;
};

enum class Flow { on, left, returned };

struct HostState {
  const TokenText* text = nullptr;
  const Declarations* declarations = nullptr;
  std::map<std::string, Part, std::less<>> macros;  // what they stand for, in the text
  std::vector<Variable> variables;
  std::vector<Memory> memories;
  std::vector<Scope> scopes;
  std::vector<HostLaunch> launches;
  std::set<const Function*> followed;
  std::vector<const Function*> calls;  // under way
  Value result;
  int called_line = 0;  // of the text, that the last call stands in
  // Numbers that the text does not say, by name: what they must be for loops to be entered. Those
  // that are wanted are of an earlier reading.
  std::map<std::string, double, std::less<>> wanted, wished;
  bool reached = true;
  std::size_t steps = 0;
  int depth = 0;

  bool exhausted() const;  // no more steps
};

struct Cursor {
  std::size_t at = 0, end = 0;
};

// `text` must outlive the state; the bodies of its macros are put after its tokens.
HostState host_state(TokenText& text, const Declarations& declarations);

// Follows a function from nothing: its parameters are not known.
void follow(HostState& state, const Function& function);

// Statements.
Flow follow_block(HostState& state, Part part);
bool declare_at(HostState& state, Cursor& cursor);  // whether a declaration stands there
// The names between the braces of an enum.
void enumerate(HostState& state, Part enumerators);
// Notes what makes the condition of a loop true, if it is false because of an unknown number.
void wish_for(HostState& state, Part condition);
// Sizes that the text does not say stay within a condition of a launch, or of an assertion, such as
// n <= 1024.
void limit_sizes(HostState& state, Part condition);
// The same of a number of blocks that is 0.
void wish_for_blocks(HostState& state, const Formula& blocks);
// A variable of the innermost scope.
std::size_t declare(HostState& state, const std::string& name, const std::string& type, Value value,
                    int line);

// Expressions.
Value evaluate(HostState& state, Cursor& cursor, int least = 0);
Value evaluate(HostState& state, Part part);
std::vector<Value> evaluate_list(HostState& state, Part part);
Value call(HostState& state, const std::string& name, const std::vector<std::string>& templates,
           Part arguments, int line);
// A function of CUDA or of a library; no value: it is none that is known.
std::optional<Value> library_call(HostState& state, const std::string& name,
                                  const std::vector<std::string>& templates,
                                  std::vector<Value>& arguments, int line);
Value method(HostState& state, const Value& object, const std::string& name,
             const std::vector<std::string>& templates, std::vector<Value> arguments, int line);
Value enter(HostState& state, const Function& function, const std::vector<std::string>& templates,
            const std::vector<Value>& arguments, const Value* object);
void launch(HostState& state, const Value& kernel, Part shape, Part arguments, int line);
void launch(HostState& state, const Value& kernel, HostLaunch launched);
// By which a buffer is known that the text gives no memory: of the function that begins, not of the
// one that launches. Empty: it has no name.
std::string name_of_argument(const HostState& state, const Value& argument);

// Names and types.
std::size_t find_variable(HostState& state, std::string_view name);  // kNone: there is none
std::string type_text(const HostState& state, Part part);            // template parameters replaced
bool is_type_at(const HostState& state, std::size_t at, std::size_t end);
// After the type that begins at `at`, stars and const included; `at` where none does.
std::size_t after_type(const HostState& state, std::size_t at, std::size_t end);
std::vector<std::string> template_arguments(HostState& state, Part part);
std::string replaced_type(const HostState& state, const std::string& type);

// Values.
Formula literal(std::string text);  // 1'000, 0x10, 1e-5f
// Binary arithmetic; random numbers and arguments of the program stay known as such.
Value combined(std::string_view op, const Value& a, const Value& b);
Value device_property(const std::string& name, int line);
Value number_value(Formula formula);
Value list_of(const std::vector<Value>& parts, const std::string& type);
void assign(HostState& state, const Value& place, const Value& value, int line);
// The value with its own name where it is a whole number that was written down.
Value with_name(Value value, const std::string& name, const std::string& type, int line);
Value new_memory(HostState& state, const std::string& name, const std::string& type, Formula bytes,
                 int line, bool device);
std::array<Formula, 3> shape_of(const Value& value);
// What filling an array with a value makes of it.
void fill(HostState& state, std::size_t memory, const Value& value, const Formula& index, int line);
void fill_random(HostState& state, std::size_t memory, int line, const std::string& why);
// The elements that a list gives an array.
void fill_listed(HostState& state, std::size_t memory, const std::vector<Value>& parts, int line);

}  // namespace warpscope::program
