// scenes/program/records/passed_value.h: what a launch passes for a parameter, member by member.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/program/host_state.h"

namespace warpscope::program {

// A number, a pointer, or a structure of such values.
struct PassedValue {
  std::string name, type;  // "view.data"; in C++, with template arguments put in
  Value value;             // of a number or a pointer
  std::optional<Element> element;
  bool pointer = false, record = false;
  std::vector<PassedValue> members;  // of a structure, in order
};

// The parts of a value of a structure that the text declares, or of a vector such as float4. No
// value: the text does not say what the type holds.
std::optional<PassedValue> passed_value(const HostState& state, const std::string& name,
                                        const std::string& type, const Value& value);

}  // namespace warpscope::program
