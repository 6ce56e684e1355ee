// scenes/program/declarations.h: functions, types and variables that a text declares.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/program/text_tokens.h"

namespace warpscope::program {

// A range of tokens.
struct Part {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

struct DeclaredParameter {
  std::string type, name, shape;  // without attributes; a pointer's type ends in *
  Part initial;                   // its default
  bool reference = false;
};

struct TemplateParameter {
  std::string name;
  bool is_type = false;
  Part initial;
};

struct Function {
  std::string name, owner, space;  // owner: its class; space: "a::b::" of its namespaces
  std::vector<TemplateParameter> templates;
  std::vector<DeclaredParameter> parameters;
  Part body, initialisers;  // of a constructor: what stands between : and {
  std::string returns;
  int line = 0;
  bool kernel = false, device = false, plain = false;
  std::optional<Part> bounds;  // of __launch_bounds__
};

struct Member {
  std::string type, name;
  Part initial;
  std::size_t extent = 1;  // of an array
};

struct Structure {
  std::string name;
  std::vector<TemplateParameter> templates;
  std::vector<Member> members;
};

// A variable of a namespace.
struct Global {
  Part statement;  // its declaration
  bool device = false, constant_memory = false;
};

struct Declarations {
  std::vector<Function> functions;
  std::map<std::string, Structure, std::less<>> structures;
  std::map<std::string, std::string, std::less<>> aliases;
  std::vector<Global> globals;
  std::vector<Part> enumerators;  // what stands between the braces
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_name;  // places of functions

  // Functions of a name, of a class where one is given.
  std::vector<const Function*> named(std::string_view name, std::string_view owner = {}) const;
  const Function* kernel(std::string_view name) const;
};

Declarations declarations_in(const TokenText& text);

// What stands between the parentheses of a function, at its commas.
std::vector<DeclaredParameter> parameters_in(const TokenText& text, Part part);
std::vector<TemplateParameter> template_parameters_in(const TokenText& text, Part part);
// The parts between commas outside of brackets; with `angles` outside of <> too.
std::vector<Part> parts_of(const TokenText& text, Part part, bool angles);

// Words that may begin a type or stand in one: const, unsigned, float, dim3, …
bool is_type_word(std::string_view word);
bool is_specifier(std::string_view word);

// f32 and 4 of "const float4*"; no value: no element type of a scene.
struct Element {
  std::string type;
  int count = 1;
  int bytes = 0;  // of the C++ type
};
std::optional<Element> element_of(const Declarations& declarations, std::string type);
// Bytes of a type; 0: not known.
std::size_t size_of(const Declarations& declarations, const std::string& type);
// The type without const, references, restrict and std::, aliases replaced.
std::string plain_type(const Declarations& declarations, std::string type);
// What a pointer, an array or a container of the type holds: float of "const float*".
std::string pointed_type(std::string type);

}  // namespace warpscope::program
