// scenes/program/records/passed_value.cpp: what a launch passes for a parameter, member by member.
#include "scenes/program/records/passed_value.h"

#include <algorithm>
#include <utility>

namespace warpscope::program {
namespace {

constexpr int kMostDepth = 6;
constexpr std::size_t kMostParts = 256;

// What stands between < and > of a type, at its commas.
std::vector<std::string> arguments_in(const std::string& type) {
  std::vector<std::string> given;
  const std::size_t open = type.find('<');
  if (open == std::string::npos) return given;
  int depth = 0;
  std::string word;
  for (std::size_t i = open + 1; i < type.size(); ++i) {
    const char c = type[i];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if ((c == ',' && depth == 0) || depth < 0) {
      given.push_back(std::exchange(word, {}));
      if (depth < 0) break;
    } else if (c != ' ' || !word.empty()) {
      word += c;
    }
  }
  return given;
}

class Parts {
 public:
  explicit Parts(const HostState& state) : state_(state) {}

  std::optional<PassedValue> of(const std::string& name, const std::string& type,
                                const Value& value, int depth) {
    if (depth > kMostDepth || ++count_ > kMostParts) return std::nullopt;
    const Declarations& all = *state_.declarations;
    PassedValue passed{name, type, value, element_of(all, type)};
    const std::string plain = plain_type(all, type);
    if (plain.ends_with('*')) {
      passed.pointer = true;
      return passed;
    }
    const auto structure = all.structures.find(plain.substr(0, plain.find('<')));
    if (structure != all.structures.end()) return record(passed, structure->second, plain, depth);
    if (!passed.element) return std::nullopt;
    if (passed.element->count == 1) return passed;
    return vector(passed);
  }

 private:
  // Its own type and template arguments in place of the parameters' names.
  std::optional<PassedValue> record(PassedValue passed, const Structure& structure,
                                    const std::string& plain, int depth) {
    passed.record = true;
    Scope scope;
    const std::vector<std::string> given =
        arguments_in(passed.type.find('<') == std::string::npos ? plain : passed.type);
    for (std::size_t t = 0; t < std::min(given.size(), structure.templates.size()); ++t)
      scope.types[structure.templates[t].name] = given[t];
    HostState bound;
    bound.scopes.push_back(std::move(scope));
    for (std::size_t m = 0; m < structure.members.size(); ++m) {
      const Member& member = structure.members[m];
      const Value value = member_value(passed.value, member.name, m);
      const std::string type = replaced_type(bound, member.type);
      for (std::size_t i = 0; i < member.extent; ++i) {
        const std::string part = passed.name + "." + member.name;
        auto one = of(member.extent == 1 ? part : part + "_" + std::to_string(i), type,
                      member.extent == 1 ? value : member_value(value, "", i), depth + 1);
        if (!one) return std::nullopt;
        passed.members.push_back(std::move(*one));
      }
    }
    return passed;
  }

  // int2, float4 and their like.
  std::optional<PassedValue> vector(PassedValue passed) {
    constexpr const char* kNames[] = {"x", "y", "z", "w"};
    const auto count = static_cast<std::size_t>(passed.element->count);
    if (count > std::size(kNames)) return std::nullopt;
    passed.record = true;
    for (std::size_t i = 0; i < count; ++i) {
      PassedValue part{passed.name + "." + kNames[i], passed.element->type,
                       member_value(passed.value, kNames[i], i)};
      part.element = Element{passed.element->type, 1,
                             passed.element->bytes / static_cast<int>(passed.element->count)};
      passed.members.push_back(std::move(part));
    }
    return passed;
  }

  // An object's member by its name, a list's by its place.
  Value member_value(const Value& value, const std::string& name, std::size_t place) const {
    if (value.kind == Value::Kind::list)
      return place < value.parts.size() ? value.parts[place] : number_value(whole_number(0));
    if (value.place >= state_.variables.size()) return {};
    const Variable& variable = state_.variables[value.place];
    const auto found = variable.members.find(name);
    if (found != variable.members.end()) {
      Value member = state_.variables[found->second].value;
      if (member.place == kNone) member.place = found->second;
      return member;
    }
    if (variable.value.kind == Value::Kind::list && place < variable.value.parts.size())
      return variable.value.parts[place];
    return {};
  }

  const HostState& state_;
  std::size_t count_ = 0;
};

}  // namespace

std::optional<PassedValue> passed_value(const HostState& state, const std::string& name,
                                        const std::string& type, const Value& value) {
  return Parts(state).of(name, type, value, 0);
}

}  // namespace warpscope::program
